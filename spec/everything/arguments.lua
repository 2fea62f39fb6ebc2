-- A call of a history as the arguments of the module's method: flat or packed.

local arguments = {}

local function append(list, ...)
  for i = 1, select("#", ...) do
    list.n = list.n + 1
    list[list.n] = (select(i, ...))
  end
end

local function append_point(list, point, dims)
  append(list, table.unpack(point, 1, dims))
end

-- Options; points in them are lists.
local function opts_of(opts, dims)
  if not opts then
    return nil
  end
  local flat = {}
  for name, value in pairs(opts) do
    flat[name] = name == "anchor" and { table.unpack(value, 1, dims) } or value
  end
  return flat
end

local function add_opts(list, call, dims)
  if call.opts then
    append(list, opts_of(call.opts, dims))
  end
end

local function flat_rows(call, dims)
  local flat = {}
  for _, row in ipairs(call.rows) do
    flat[#flat + 1] = row.id
    for axis = 1, row.place and dims or 0 do
      flat[#flat + 1] = row.place[axis]
    end
  end
  return flat
end

local function packed_rows(call, dims)
  local letter, parts = call.form == "floats" and "f" or "d", {}
  for i, row in ipairs(call.rows) do
    parts[i] = string.pack("<i8", row.id)
    for axis = 1, row.place and dims or 0 do
      parts[i] = parts[i] .. string.pack("<" .. letter, row.place[axis])
    end
  end
  return table.concat(parts)
end

local function batch(list, call, dims)
  append(list, call.form and packed_rows(call, dims) or flat_rows(call, dims))
  if call.counted or call.skip then
    append(list, call.counted and #call.rows or nil)
  end
  if call.skip then
    append(list, "skip")
  end
  add_opts(list, call, dims)
  if call.form == "floats" and call.rows[1] and call.rows[1].place then
    append(list, "f")
  end
end

local shapes = {}

local function entity(list, call, dims)
  append(list, call.id)
  if call.place then
    append_point(list, call.place, dims)
  end
  add_opts(list, call, dims)
end

local function trait(list, call)
  append(list, call.id, call.value)
end

local function pair(list, call)
  append(list, call.id, call.other)
end

shapes.enter, shapes.move, shapes.leave, shapes.update, shapes.touch = entity, entity, entity, entity, entity
shapes.hand_out = entity
shapes.set_radius, shapes.set_mode, shapes.set_layers, shapes.set_sees_layers = trait, trait, trait, trait
shapes.set_visible_radius = trait
shapes.set_limit, shapes.set_importance = trait, trait
shapes.pin, shapes.unpin = pair, pair

function shapes.set_sight(list, call)
  append(list, call.id, call.other, call.how)
end

shapes.enter_all, shapes.move_all, shapes.update_all, shapes.leave_all = batch, batch, batch, batch

function shapes.add_area(list, call, dims)
  append(list, call.area, opts_of(call.opts, dims))
end

shapes.set_area, shapes.update_area = shapes.add_area, shapes.add_area

function shapes.remove_area(list, call)
  append(list, call.area)
end

function shapes.move_area(list, call, dims)
  append(list, call.area)
  append_point(list, call.place, dims)
end

function shapes.set_bounds(list, call)
  append(list, call.x, call.y, call.width, call.height)
end

function shapes.tick(list, call)
  if call.number then
    append(list, call.number)
  end
end

function shapes.drain(list, call)
  if call.packed then
    append(list, "packed")
  end
end

function shapes.query_rect(list, call, dims)
  append_point(list, call.a, dims)
  append_point(list, call.b, dims)
end

function shapes.query_circle(list, call, dims)
  append_point(list, call.a, dims)
  append(list, call.r)
end

function shapes.query_sector(list, call)
  append(list, call.a[1], call.a[2], call.r, call.direction, call.angle)
end

function shapes.query_segment(list, call)
  append(list, call.a[1], call.a[2], call.b[1], call.b[2], call.width)
end

function shapes.query_polygon(list, call)
  append(list, call.points)
end

function shapes.query_nearest(list, call, dims)
  append_point(list, call.a, dims)
  append(list, call.k)
  if call.max_r then
    append(list, call.max_r)
  end
end

local function end_of_query(list, call)
  if call.packed or call.bits then
    append(list, call.packed and "packed" or {})
    append(list, call.bits)
  end
end

-- The arguments as a list with its length in n.
function arguments.of(call, dims)
  local list = { n = 0 }
  if call.raw then -- an error on purpose
    append(list, table.unpack(call.raw, 1, call.raw.n))
  elseif shapes[call.name] then
    shapes[call.name](list, call, dims)
  end
  if call.name:find "^query_" then
    end_of_query(list, call)
  end
  return list
end

return arguments
