-- A quiet moment of the churn run by brute force: what the scenes hold, against where the clients are by
-- their own records; and what each client knows by the bytes that came over its socket, against who is near
-- it by those records.
local harness = require "spec.skynet.harness"
local maps = require "spec.skynet.churn.maps"
local views = require "spec.skynet.churn.views"

local truth = {}

-- The beliefs of clients in this map: id -> belief.
local function inside(map, beliefs)
  local set = {}
  for _, belief in ipairs(beliefs) do
    if belief.map == map.name then
      set[belief.id] = belief
    end
  end
  return set
end

-- The entities of a scene: id -> { x, y }.
local function held_by(scene)
  local held = {}
  for _, id in ipairs((harness.command(scene, "query", "ids"))) do
    local x, y = harness.command(scene, "query", "position", id)
    held[id] = x and { x, y }
  end
  return held
end

-- The entities of a scene that no client believes to be: a list of texts.
function truth.ghosts(beliefs)
  local list = {}
  for _, map in ipairs(maps.list) do
    local believed = inside(map, beliefs)
    for id, place in pairs(held_by(map.scene)) do
      if not believed[id] then
        list[#list + 1] = ("%s holds %d at %g, %g, where its client is not"):format(map.name, id, place[1],
          place[2])
      end
    end
  end
  table.sort(list)
  return list
end

local function compare_places(map, believed, problems)
  local held = held_by(map.scene)
  for id, belief in pairs(believed) do
    local place = held[id]
    if not place then
      problems[#problems + 1] = ("%s has lost %d: its agent :%08x lives, it is at %g, %g by its own record, "
        .. "and the scene does not hold it"):format(map.name, id, belief.agent, belief.x, belief.y)
    elseif place[1] ~= belief.x or place[2] ~= belief.y then
      problems[#problems + 1] = ("%s holds %d at %g, %g; it is at %g, %g by its own record"):format(map.name,
        id, place[1], place[2], belief.x, belief.y)
    end
  end
end

local function as_float(value)
  return (("<f"):unpack(("<f"):pack(value)))
end

-- An entity as a watcher that sees it must know it; as it knows itself when both are the same.
local function appearance(map, belief, watcher)
  local x, y = belief.x, belief.y
  if map.has_floats then
    x, y = as_float(x), as_float(y)
  end
  return { x, y, data = belief.name,
    properties = { [maps.LOOK] = belief.look, [maps.MOOD] = belief.mood ~= "none" and belief.mood or nil,
      [maps.WOUND] = belief.wound,
      [maps.SECRET] = watcher == belief.id and maps.hidden("secret", belief.id) or nil,
      [maps.PLAN] = (watcher == belief.id or maps.layers(watcher) & maps.SPIES ~= 0)
        and maps.hidden("plan", belief.id) or nil },
    extras = { maps.extra(belief.x, belief.y) } }
end

-- An agent's belief about its entity must be true.
local function compare_own(map, believed, problems)
  for id, belief in pairs(believed) do
    local own, should = belief.own, appearance({}, belief, id)
    local does = own and harness.show { own[1], own[2], data = own.data, properties = own.properties,
      extras = own.extras }
    if does ~= harness.show(should) or own.traits.radius ~= map.space.radius then
      problems[#problems + 1] = ("%s: %d is %s; its agent believes %s, radius %s"):format(map.name, id,
        harness.show(should), does or "nothing", own and own.traits.radius)
    end
  end
end

local function compare_view(map, belief, expected, problems)
  local seen = belief.seen
  for id in pairs(expected) do
    local should, does = harness.show(expected[id]), seen[id] and harness.show(seen[id])
    if should ~= does then
      problems[#problems + 1] = ("%s: %d sees %d, which is %s; it knows %s"):format(map.name, belief.id, id,
        should, does or "nothing of it")
    end
  end
  for id in pairs(seen) do
    if not expected[id] then
      problems[#problems + 1] = ("%s: %d does not see %d, and knows %s"):format(map.name, belief.id, id,
        harness.show(seen[id]))
    end
  end
end

-- Compares all. Returns a list of what is wrong, and how many pairs of a watcher and one that it sees there
-- are.
function truth.compare(beliefs)
  local problems, count = {}, 0
  for _, map in ipairs(maps.list) do
    local believed = inside(map, beliefs)
    compare_places(map, believed, problems)
    compare_own(map, believed, problems)
    views.compare_areas(map, believed, problems)
    for id, view in pairs(views.of(map, believed, problems)) do
      local expected = {}
      for other in pairs(view) do
        expected[other] = appearance(map, believed[other], id)
        count = count + 1
      end
      local before = #problems
      compare_view(map, believed[id], expected, problems)
      if #problems > before then
        problems[before + 1] = problems[before + 1] .. "; lately: " .. believed[id].lately
      end
    end
  end
  table.sort(problems)
  return problems, count
end

-- Compares the words said at a quiet moment with the watchers of their speakers. said: speaker -> text.
-- Returns a list of faults.
function truth.compare_said(beliefs, said)
  local problems = {}
  for _, map in ipairs(maps.list) do
    local believed = inside(map, beliefs)
    for id, view in pairs(views.of(map, believed, problems)) do
      for speaker, text in pairs(said) do
        local times, expected = believed[id].heard[text] or 0, view[speaker] and 1 or 0
        if times ~= expected then
          problems[#problems + 1] = ("%s: %d hears %q %d times, expected %d"):format(map.name, id, text,
            times, expected)
        end
      end
    end
  end
  table.sort(problems)
  return problems
end

-- Waits until each scene has told so many more ticks as it needs when nothing moves.
function truth.wait_for_ticks()
  for _, map in ipairs(maps.list) do
    local function count()
      return harness.stats(map.scene).ticks
    end
    if harness.stats(map.scene).deferred then
      local first = count()
      harness.wait_until(60, map.name .. " ticks", function()
        return count() >= first + (map.settling or 2)
      end)
    end
  end
end

return truth
