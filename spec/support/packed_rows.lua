-- Packed rows as Lua itself packs them: what a space is given in place of a flat table, and what it gives.
--
-- A call of a sequence with a field `form`, "doubles" or "floats", has its rows in a flat table, for the
-- model; a space is called with packed.arguments(call).

local packed = {}

local OPS = { [1] = "enter", [2] = "leave", [4] = "move", [8] = "area_enter", [16] = "area_leave" }

-- The format of a row: an id, and `dims` coordinates, doubles unless `floats`.
local function row_format(dims, floats)
  return "<i8" .. (floats and "f" or "d"):rep(dims)
end

-- The rows of a flat table.
function packed.rows(flat, dims, floats)
  local format, rows = row_format(dims, floats), {}
  for first = 1, #flat, dims + 1 do
    rows[#rows + 1] = format:pack(table.unpack(flat, first, first + dims))
  end
  return table.concat(rows)
end

-- The first n ids of a list, all without n.
function packed.ids(list, n)
  return packed.rows(table.move(list, 1, n or #list, 1, {}), 0)
end

-- Reads `rows` of this format; returns a flat list of the values.
local function unpack_rows(format, rows)
  local list, at = {}, 1
  while at <= #rows do
    local values = table.pack(format:unpack(rows, at))
    table.move(values, 1, values.n - 1, #list + 1, list)
    at = values[values.n]
  end
  return list
end

function packed.to_ids(rows)
  return unpack_rows("<i8", rows)
end

function packed.to_coordinates(rows)
  return unpack_rows("<d", rows)
end

-- As drain fills a table.
function packed.to_events(rows)
  local list = unpack_rows("<i8i8B", rows)
  for i = 3, #list, 3 do
    list[i] = OPS[list[i]] or error("there is no op " .. list[i])
  end
  return list
end

-- How many coordinates a row of this batch has.
local function dims_of_rows(method, dims)
  return method == "leave_all" and 0 or dims
end

-- A form that rows can be given in without being changed: nil is that of a table.
function packed.form_for(random, method, flat, dims)
  local form, width = random:pick { false, "doubles", "floats" } or nil, dims_of_rows(method, dims) + 1
  if form == "floats" and width == 1 then
    return "doubles" -- rows of ids alone
  end
  for i, value in ipairs(form == "floats" and flat or {}) do
    local is_coordinate = i % width ~= 1
    if is_coordinate and value == value and ("<f"):unpack(("<f"):pack(value)) ~= value then
      return "doubles"
    end
  end
  return form
end

-- The arguments of a call, packed if it has a form, and how many.
function packed.arguments(call, dims)
  if not call.form then
    return call, call.n
  end
  local floats = call.form == "floats"
  local arguments = table.move(call, 1, call.n, 1, {})
  arguments[1] = packed.rows(call[1], dims_of_rows(call.method, dims), floats)
  if floats then
    arguments[call.n + 1] = "f"
  end
  return arguments, call.n + (floats and 1 or 0)
end

-- The format of all rows of a call that has a form.
function packed.format_of(call, dims)
  dims = dims_of_rows(call.method, dims)
  return row_format(dims, call.form == "floats"):rep(#call[1] // (dims + 1))
end

return packed
