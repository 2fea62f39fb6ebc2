-- Traits of wanderers as they stand still: their ids alone say it, so a check knows it, too. Rich ones have
-- all that a world knows, in a world with one extra, areas and the handlers of secrets.lua.
local traits = {}

traits.AREAS = 1000      -- areas of wanderers have the id of their owner, and so much more
traits.FIXED = 8         -- so many wanderers have put an area where they stand
local REACH, HALF = 60, 70 -- of these areas: circles with an owner, and squares

-- opts of `enter` and `update`.
function traits.of(id, is_rich)
  local of = {
    radius = id % 2 == 0 and 100 or 50, mode = id % 10 == 7 and "w" or id % 10 == 3 and "m" or "wm",
  }
  if is_rich then
    of.layers, of.sees_layers = id % 3 == 0 and 3 or 1, id % 8 == 5 and 2 or 3
    of.visible_radius = id % 9 == 4 and 80 or 0
    of.extras = { id % 5 }
  end
  return of
end

-- Whether a watcher at a place sees an entity by the rules alone.
function traits.sees(watcher, x, y, id, to_x, to_y, is_rich)
  local own, other = traits.of(watcher, is_rich), traits.of(id, is_rich)
  local radius = math.max(own.radius, other.visible_radius or 0)
  return id ~= watcher and own.mode ~= "m" and other.mode ~= "w"
    and (own.sees_layers or 1) & (other.layers or 1) ~= 0
    and (to_x - x) ^ 2 + (to_y - y) ^ 2 <= radius ^ 2
end

-- The properties of one that has these data, as a watcher may know them.
function traits.properties(watcher, data)
  return { [1] = traits.of(watcher, true).layers & 2 ~= 0 and data or nil, [3] = data }
end

-- Which areas this wanderer has: area -> opts, false for one that it has not.
function traits.areas(id, x, y)
  local areas = {
    [traits.AREAS + id] = id % 4 == 0 and { owner = id, shape = "circle", radius = REACH, sees_layers = 1 },
  }
  if id <= traits.FIXED then
    areas[id] = { x = x, y = y, shape = "square", radius = HALF, sees_layers = -1 }
  end
  return areas
end

-- Whether an entity there is a member of such an area; x and y: where the area is.
function traits.is_member(area, x, y, id, to_x, to_y)
  local other, across, along = traits.of(id, true), math.abs(to_x - x), math.abs(to_y - y)
  local is_near = across <= HALF and along <= HALF
  if area.owner then
    is_near = id ~= area.owner and across ^ 2 + along ^ 2 <= REACH ^ 2
  end
  return is_near and other.mode ~= "w" and area.sees_layers & other.layers ~= 0
end

-- ---- changes ----------------------------------------------------------------------------------

local LAYERS = { 1, 2, 3, 0 }

-- The fixed area that an entity changes as it walks: no other one changes an area of an entity that stands.
local function fixed_area(id)
  return id <= traits.FIXED and id or traits.FIXED + id % 10 + 1
end

local CHANGES = {
  function(id, draw) return "set_layers", id, draw:pick(LAYERS) end,
  function(id, draw) return "set_sees_layers", id, draw:pick(LAYERS) end,
  function(id, draw) return "set_radius", id, draw:pick { 20, 50, 100 } end,
  function(id, draw) return "set_visible_radius", id, draw:pick { 0, 60, 100 } end,
  function(id, draw) return "set_mode", id, draw:pick { "wm", "w", "m" } end,
  function(id, draw) return "set_property", id, draw:integer(1, 3), draw:pick { "some", 7, false } or nil end,
  function(id, draw) return "notify", id, "some news", draw:integer(1, 9) end,
  function(id, draw)
    local other = id + draw:integer(1, 2)
    if draw:integer(1, 2) == 1 then
      return "set_sight", id, other, false
    end
    return "set_sight", id, other -- as without the word
  end,
  function(id, draw)
    return "update_area", traits.AREAS + id, { owner = id, radius = draw:pick { 5, 30, 90 } }
  end,
  function(id) return "remove_area", traits.AREAS + id end,
  function(id, draw, x, y)
    return "add_area", fixed_area(id), { x = x, y = y, radius = draw:pick { 10, 100 } }
  end,
  function(id, _, x, y) return "move_area", fixed_area(id), x, y end,
  function(id) return "remove_area", fixed_area(id) end,
  function(id, draw, x, y) return "move", id, x, y, draw:integer(0, 4) end,
}

-- One change of a rich wanderer: a command and its arguments, drawn.
function traits.change(id, draw, x, y)
  return draw:pick(CHANGES)(id, draw, x, y)
end

-- Asks for all that a wanderer has, behind its `update`, as it is to stand still with these data: calls
-- each(command, ...) until that is not true; the answer of a "remove_area" does not matter. Returns whether
-- all were.
function traits.settle(id, x, y, data, each)
  local sights = { id + 1, id + 2 }
  for key = 1, 3 do
    if not each("set_property", id, key, data) then
      return false
    end
  end
  for _, other in ipairs(sights) do
    if not each("set_sight", id, other, nil) then
      return false
    end
  end
  for area, opts in pairs(traits.areas(id, x, y)) do
    if not each(opts and "update_area" or "remove_area", area, opts or nil) and opts then
      return false
    end
  end
  return each("keep", id, data) and each("notify", id, data)
end

return traits
