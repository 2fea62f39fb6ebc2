-- The steps of walkers: a function of the plan, their id and the number of the step alone, so that no process
-- keeps anything that is lost with it. Pure Lua, without skynet.
--
-- Among them: some teleport, some dance on borders and corners, some crowd around the middle, some come and
-- go; they change traits, data and properties, and say something. Ids above TWINS are entered by two nodes at
-- the same time: one of them must be refused. For some two nodes stand, one after the other.
local paths = {}

paths.TWINS = 1000000

-- A number from 0 to below 1.
local function chance(id, step, salt)
  local h = id * 0x9E3779B97F4A7C15 + step * 0xC2B2AE3D27D4EB4F + salt * 0x165667B19E3779F9
  h = (h ~ h >> 29) * 0xBF58476D1CE4E5B9
  h = (h ~ h >> 32) * 0x94D049BB133111EB
  return ((h ~ h >> 31) >> 11) * 2.0 ^ -53
end

-- A number that is folded back into 0 to `most`.
local function fold(value, most)
  value = value % (2 * most)
  return value <= most and value or 2 * most - value
end

-- ---- places -----------------------------------------------------------------------------------

local function teleport(plan, id, step)
  local jump, since = (step + id) // 7, (step + id) % 7
  return fold(chance(id, jump, 1) * plan.side + since * 3, plan.side),
    fold(chance(id, jump, 2) * plan.side + since, plan.side)
end

local SWINGS = { 0.5, 3, 9, 10, 11, 25, 60 } -- the hand-over margin is 10

-- To and fro over a border between two columns or rows, or over a corner; also exactly onto it.
local function dance(plan, id, step)
  local swing = SWINGS[1 + id // 10 % #SWINGS]
  local column = 1 + math.floor(chance(id, 0, 3) * (plan.columns - 1))
  local row = 1 + math.floor(chance(id, 0, 4) * (plan.rows - 1))
  local across = (fold(step + id, 4) - 2) / 2 * swing
  local along = fold(chance(id, 0, 5) * plan.side + step * 4, plan.side)
  local x, y = plan.side / plan.columns * column, plan.side / plan.rows * row
  local kind = math.floor(chance(id, 0, 6) * 3)
  if kind == 0 then
    return x + across, along
  elseif kind == 1 then
    return along, y + across
  end
  return x + across, y + (fold(step + 3 * id, 6) - 3) / 3 * swing
end

-- Around a corner near the middle of the map.
local function gather(plan, id, step)
  local x = plan.side / plan.columns * (plan.columns // 2)
  local y = plan.side / plan.rows * (plan.rows // 2)
  local angle = chance(id, 0, 7) * 6 + step * (chance(id, 0, 8) - 0.5) * 0.2
  local distance = 5 + chance(id, 0, 9) * 150
  return x + distance * math.cos(angle), y + distance * math.sin(angle)
end

local function rest(plan, id, step)
  return chance(id, step // 20, 10) * plan.side, chance(id, step // 20, 11) * plan.side
end

local function walk(plan, id, step)
  local speed = 20 * chance(id, 0, 12)
  local angle = 6.3 * chance(id, 0, 13)
  return fold(chance(id, 0, 14) * plan.side + step * speed * math.cos(angle), plan.side),
    fold(chance(id, 0, 15) * plan.side + step * speed * math.sin(angle), plan.side)
end

local WAYS = { teleport, dance, gather, rest, dance, walk, walk, walk, walk, walk }
local WAYS_IN_CROWDS = { teleport, dance, gather, rest, gather, gather, walk, gather, walk, gather }

local function place(plan, id, step)
  if id > paths.TWINS then
    return walk(plan, id, step)
  end
  return (plan.is_crowd and WAYS_IN_CROWDS or WAYS)[1 + id % 10](plan, id, step)
end

-- ---- coming and going -------------------------------------------------------------------------

local function is_inside(id, step)
  if step < 1 then
    return false
  elseif id > paths.TWINS then
    return step % 10 < 6
  elseif id % 8 == 1 then
    local period = 20 + id % 17
    return (step + 7 * id) % period < period * 0.7
  end
  return step > id % 7
end

local function pick(list, id, step, salt)
  return list[1 + math.floor(chance(id, step, salt) * #list)]
end

local function entry(plan, id, step)
  local opts = { radius = pick(plan.radii, id, step, 20) }
  opts.data = id % 3 == 0 and ("walker %d since %d"):format(id, step) or nil
  opts.mode = pick({ "wm", "wm", "wm", "wm", "w", "m" }, id, step, 21)
  opts.layers = pick({ 1, 1, 2, 3 }, id, step, 22)
  opts.address = id % 40 == 3 and false or nil -- nobody hears
  opts.importance = plan.is_crowd and id % 6 or nil
  if plan.has_everything then
    opts.visible_radius = id % 4 == 0 and pick(plan.radii, id, step, 26) or nil
    opts.extras = id % 3 > 0 and { step % 5 } or nil
  end
  return opts
end

-- ---- changes ----------------------------------------------------------------------------------

local CHANGES = {
  function(plan, id, step) return "set_radius", id, pick(plan.radii, id, step, 30) end,
  function(_, id, step) return "set_layers", id, pick({ 1, 2, 3 }, id, step, 31) end,
  function(_, id, step) return "set_sees_layers", id, pick({ -1, -1, 1, 2 }, id, step, 32) end,
  function(_, id, step) return "set_mode", id, pick({ "wm", "wm", "wm", "m", "w" }, id, step, 33) end,
}
local CHANGES_IN_CROWDS = {
  CHANGES[1], CHANGES[2], CHANGES[4],
  function(_, id, step) return "set_importance", id, pick({ 0, 0, 1, 7, 255 }, id, step, 34) end,
  function(_, id, step) return "set_limit", id, pick({ 0, 3, 8, 20 }, id, step, 35) end,
  function(plan, id, step) return "pin", id, 1 + math.floor(chance(id, step, 36) * plan.walkers) end,
  function(plan, id, step) return "unpin", id, 1 + math.floor(chance(id, step - 13, 36) * plan.walkers) end,
}

-- Changes of worlds with everything, beside those above.
local CHANGES_OF_EVERYTHING = {
  function(plan, id, step)
    return "set_visible_radius", id, pick({ 0, plan.radii[1], plan.max_radius }, id, step, 37)
  end,
  function(plan, id, step)
    local other = 1 + math.floor(chance(id, step // 40, 38) * plan.walkers)
    other = other == id and other % plan.walkers + 1 or other
    return "set_sight", id, other, pick({ { false }, { false }, {} }, id, step, 39)[1]
  end,
  function(plan, id, step)
    return "set_traits", id, { radius = pick(plan.radii, id, step, 40), data = "traits of " .. step,
      layers = pick({ 1, 2, 3 }, id, step, 41), extras = step % 2 == 0 and { step / 4 } or nil }
  end,
  function(_, id, step) return "notify", id, "to you", step end,
  function(_, id, step) return "set_layers", id, pick({ 1, 2, 3 }, id, step, 42) end,
}

local VALUES = {
  function(step) return step end,
  function(step) return step / 3 end,
  function(step) return "a word " .. step end,
  function() return nil end,
}

-- ---- areas ------------------------------------------------------------------------------------

local AREAS = 2000000 -- those of owners have ids above

local function shape_of(id, step, most)
  local kind = pick({ "circle", "square", "rect" }, id, step, 50)
  local reach = 5 + chance(id, step, 51) * (most - 5)
  if kind == "rect" then
    return { shape = kind, width = 2 * reach, height = reach }
  end
  return { shape = kind, radius = reach / 2, leave_radius = reach }
end

local function polygon(x, y, size)
  return { shape = "polygon", points = { x - size, y - size, x + size, y - size / 2, x, y + size } }
end

local CHANGES_OF_FIXED = {
  function(id, step, x, y) return "add_area", id, { x = x, y = y, radius = 200 * chance(id, step, 52) } end,
  function(id, step, x, y) return "add_area", id, polygon(x, y, 20 + 300 * chance(id, step, 53)) end,
  function(id, step) return "set_area", id, shape_of(id, step, 150) end, -- not of a polygon
  function(id, step, x, y) return "set_area", id, polygon(x, y, 20 + 300 * chance(id, step, 54)) end,
  function(id, step) return "set_area", id, { sees_layers = pick({ 1, 2, -1 }, id, step, 55) } end,
  function(id, _, x, y) return "move_area", id, x, y end,
  function(id) return "remove_area", id end,
}

-- The areas of a walker: some walkers have one around them, some put areas without owner where they are. ids
-- of these are shared by several walkers.
local function change_areas(plan, id, step, x, y, each)
  if id % 7 == 4 and (step + id) % 5 == 0 then
    local area, reach = AREAS + id, plan.max_radius + 2 * plan.slack
    local opts = shape_of(id, step, reach)
    opts.owner = id
    each("send", pick({ "set_area", "add_area", "update_area" }, id, step, 57), area, opts)
    if (step + id) % 60 == 0 then
      each("send", "remove_area", area)
    end
  elseif id % 11 == 6 and (step + id) % 3 == 0 then
    each((step + id) % 4 == 0 and "call" or "send", pick(CHANGES_OF_FIXED, id, step, 56)(id % 40, step, x, y))
  end
end

-- ---- ids and nodes ----------------------------------------------------------------------------

-- Ids over all of their range, and in no order: that of the walker with this number.
local function odd_id(number)
  local kind = number % 4
  if kind == 0 then
    return -number
  elseif kind == 1 then
    return math.maxinteger - number
  elseif kind == 2 then
    return math.mininteger + number
  end
  return number * 7919 % 1000003
end

local TERM = 25 -- steps for which one of two nodes speaks for a walker

local function has_two_nodes(id)
  return id % 20 == 12
end

-- The nodes that speak for this walker, of so many: the one, and another one or nil.
function paths.nodes_of(id, nodes)
  local first = (id - 1) % nodes + 1
  return first, has_two_nodes(id) and first % nodes + 1 or nil
end

-- The walkers for which this node speaks, now and then at least, of so many.
function paths.ids_of(node, nodes, walkers)
  local ids = {}
  for id = 1, walkers do
    local first, second = paths.nodes_of(id, nodes)
    ids[#ids + 1] = (node == first or node == second) and id or nil
  end
  return ids
end

-- Whether this node speaks for the walker in this step; and whether it did not in the one before.
local function is_speaker(plan, id, step)
  if not has_two_nodes(id) then
    return true, false
  end
  local first, second = paths.nodes_of(id, plan.nodes)
  return plan.node == (step // TERM % 2 == 0 and first or second), step % TERM == 0
end

local WITH_ID = { pin = true, unpin = true, set_sight = true } -- the first argument is an id, too

local function with_odd_ids(each)
  return function(how, name, id, other, ...)
    each(how, name, odd_id(id), WITH_ID[name] and odd_id(other) or other, ...)
  end
end

-- ---- a step -----------------------------------------------------------------------------------

-- Calls each(how, command, id, ...) for all that this walker does in this step; how: "call" when it wants the
-- answer, "send" when not. plan: side, columns, rows, walkers, radii (a list), is_crowd, slack, has_odd_ids;
-- has_everything, with one extra; has_areas; max_radius; nodes (how many), node (the number of this one),
-- address (its own).
function paths.commands(plan, id, step, each)
  local speaks, begins = is_speaker(plan, id, step)
  if not speaks then
    return
  elseif plan.has_odd_ids then
    each = with_odd_ids(each)
  end
  local inside, before = is_inside(id, step), is_inside(id, step - 1)
  local x, y = place(plan, id, step)
  if not inside then
    if before then
      each("send", "leave", id)
    elseif id % 40 == 9 then
      each("send", "move", id, x, y) -- which is refused
    end
    return
  end
  if not before then
    each("call", "enter", id, x, y, entry(plan, id, step))
    return
  elseif id > paths.TWINS then
    each("send", "move", id, x, y)
    return
  elseif begins then
    each("call", "update", id, x, y, { address = plan.address })
    return
  elseif id % 24 == 5 and step % 11 == id % 11 then -- out and in again
    each("send", "leave", id)
    each("send", "enter", id, x, y, entry(plan, id, step))
    return
  end
  if (step + id) % 17 == 0 then
    each("call", "update", id, x, y, { data = step % 3 > 0 and "since " .. step or "",
      radius = pick(plan.radii, id, step, 23) })
  elseif plan.has_everything and step % 3 > 0 then
    each("send", "move", id, x, y, (step // 2 + id) % 4)
  else
    each("send", "move", id, x, y)
  end
  if plan.has_everything and (step + id) % 5 == 0 then
    each("send", pick(CHANGES_OF_EVERYTHING, id, step, 43)(plan, id, step))
  end
  if (step + id) % 13 == 0 then
    each("send", pick(plan.is_crowd and CHANGES_IN_CROWDS or CHANGES, id, step, 24)(plan, id, step))
  end
  if id % 5 == 0 and (step + id // 5) % 4 == 0 then
    each("send", "set_property", id, math.floor(chance(id, step, 25) * 3), pick(VALUES, id, step, 26)(step))
  end
  if (step + id) % 37 == 0 and plan.slack == 0 and not plan.is_crowd then -- else it may tell other places
    each("send", "resync", id)
  end
  if plan.has_areas then
    change_areas(plan, id, step, x, y, each)
  end
  if id % 5 == 2 and (step + id) % 4 == 0 then
    each("send", "say", id, "step", step)
  end
end

return paths
