-- Recorded movement of a town, in which crowds form, with a boss that is seen from far off and teams whose
-- members always see each other: every engine against the model, after each call.

local aoi = require "aoi"
local compare = require "spec.support.compare"
local differential = require "spec.support.differential"
local engines = require "spec.support.engine_features"
local record_town = require "docs.record_town"

local PEOPLE, TICKS, TICKS_A_STEP, TEAM = 30, 48, 4, 5
local BOSS, IGNORER = 1, 2
local SIZE = 1000

-- All moments of the recording that are a step apart: the places of all by their ids, and the modes.
local function read_town()
  local path, moments, modes = os.tmpname(), {}, {}
  record_town(path, PEOPLE, TICKS)
  local player = aoi.player(path)
  for position = player:first(), player:last(), TICKS_A_STEP do
    player:seek(position)
    local places = {}
    for _, id in ipairs(player.space:ids()) do
      places[id] = { player.space:position(id) }
      modes[id] = player.space:traits(id).mode
    end
    moments[#moments + 1] = places
  end
  player:close()
  os.remove(path)
  return moments, modes
end

local moments, modes = read_town()

local ids = {}
for id in pairs(moments[1]) do
  ids[#ids + 1] = id
end
table.sort(ids)

local function calls_of(engine, options)
  local calls = {}
  local function add(method, ...)
    calls[#calls + 1] = { method = method, n = select("#", ...), ... }
  end
  for _, id in ipairs(ids) do
    local x, y = table.unpack(moments[1][id])
    local visible_radius = engine.has_radius and id == BOSS and 300 or nil
    add("enter", id, x, y, { mode = modes[id], visible_radius = visible_radius })
  end
  for id = 1, PEOPLE do
    for mate = 1, TEAM - 1 do
      add("set_sight", id, (id - 1) // TEAM * TEAM + (id + mate - 1) % TEAM + 1, true)
    end
  end
  add("set_sight", IGNORER, BOSS, false)
  for step = 2, #moments do
    for _, id in ipairs(ids) do
      local x, y = table.unpack(moments[step][id])
      if x ~= moments[step - 1][id][1] or y ~= moments[step - 1][id][2] then
        add("move", id, x, y)
      end
    end
    if options.deferred then
      add "tick"
    end
  end
  return calls
end

local function options_of(engine, more)
  local options = { engine = engine.engine, deferred = more.deferred }
  if engine.has_map then
    options.width, options.height = SIZE, SIZE
  end
  if engine.has_radius then
    options.radius, options.shape = 60, more.shape
  else
    options.cols, options.rows = 12, 12
  end
  return options
end

local ways = {
  { "", {} },
  { ", in circles", { shape = "circle" } },
  { ", deferred", { deferred = true } },
}

describe("A boss and teams in a recorded town are seen as the model says,", function()
  it("as people do move there", function()
    local moved = 0
    for _, id in ipairs(ids) do
      moved = moved + (moments[1][id][1] ~= moments[#moments][id][1] and 1 or 0)
    end
    assert.is_true(#moments > 10 and moved > PEOPLE / 2)
  end)

  for _, engine in ipairs(engines) do
    for number, way in ipairs(ways) do
      if engine.has_radius or not way[2].shape then
        it("on the " .. engine.name .. way[1], function()
          local options = options_of(engine, way[2])
          differential.run {
            seed = number, engine = engine, options = options, listener = compare.listeners[number],
            calls = calls_of(engine, options),
          }
        end)
      end
    end
  end
end)
