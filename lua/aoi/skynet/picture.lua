-- A picture of a world for a viewer, as a skynet service: all regions in one space. Again and again it looks
-- at them, and makes of it what one space would have. Only the service world starts it, with its handle (a
-- number) and its own words. Between two looks nothing is seen, and told sets of crowds are not shown: the
-- space says who sees whom.
--
-- The borders of the regions are areas, with the numbers of the regions below 0.
local skynet = require "skynet"
local aoi = require "aoi"
local alive = require "aoi.skynet.alive"
local calls = require "aoi.skynet.calls"
local count = require "aoi.skynet.counts"
local new_records = require "aoi.skynet.records"
local options = require "aoi.skynet.options"
local packet = require "aoi.skynet.packet"
local side_by_side = require "aoi.skynet.side_by_side"
local world_map = require "aoi.skynet.world.map"

local words = { ... }
local world = math.tointeger(tonumber(table.remove(words, 1)))
local map = world_map.new(words)
local _, of_space = options.of_scene(map.words)
for _, name in ipairs { "limit", "limit_layers", "keep_factor", "enter_budget", "rates", "move_budget" } do
  of_space[name] = nil
end
of_space.deferred = true

local LOOK = math.max(20, map.tick // 10) -- hundredths of a second from one look to the next
local PATIENCE = 300 -- hundredths of a second that regions have for their answer

local scene = {
  space = aoi.new(of_space), tick = 10 * LOOK, counters = { recorded = 0, looks = 0, missed = 0 },
  addresses = { count = function() return 0 end },
}
scene.records = new_records(scene)

-- ---- looking ----------------------------------------------------------------------------------

local text_of = {} -- entity -> packed, as it was put last
local NUMBERS = { "radius", "visible_radius", "layers", "sees_layers" }

-- One entity: id, its traits, its place; see run.picture of region.lua.
local function put(id, traits, x, y, z)
  local opts = { mode = traits.mode }
  for _, name in ipairs(NUMBERS) do
    opts[name] = traits[name]
  end
  if z then
    scene.space:update(id, x, y, z, opts)
  else
    scene.space:update(id, x, y, opts)
  end
end

local entities = {} -- entity -> region in which it was seen last

-- Takes in what a region has, a flat list of id and all else, packed. seen: set of the entities of this look.
local function take_region(region, list, seen)
  for i = 1, #list, 2 do
    local id, text = list[i], list[i + 1]
    seen[id], entities[id] = true, region
    if text_of[id] ~= text then
      text_of[id] = text
      put(id, skynet.unpack(text))
    end
  end
end

local areas = {} -- area -> packed

-- given: area -> packed. One with an owner may have ended with that, or wait for it.
local function take_areas(given)
  for id, text in pairs(areas) do
    if given[id] ~= text then
      pcall(scene.space.remove_area, scene.space, id)
      areas[id] = nil
    end
  end
  for id, text in pairs(given) do
    if not areas[id] then
      areas[id] = pcall(scene.space.add_area, scene.space, id, skynet.unpack(text)) and text or nil
    end
  end
end

-- The rectangles of the regions, on the map.
local function add_borders()
  for region = 1, map.count > 1 and map.count or 0 do
    local x1, y1, x2, y2 = map:bounds(region)
    x1, x2 = math.max(x1, map.x), math.min(x2, map.x + map.width)
    y1, y2 = math.max(y1, map.y), math.min(y2, map.y + map.height)
    local opts = { shape = "rect", x = (x1 + x2) / 2, y = (y1 + y2) / 2, width = x2 - x1, height = y2 - y1,
      z = of_space.dims == 3 and 0 or nil }
    scene.space:add_area(-region, opts)
  end
end

local function look()
  local list, seen, missing = {}, {}, {}
  for region = 1, map.count do
    list[region] = function()
      return calls.call(world, "lua", "picture_of", region)
    end
  end
  local given = calls.call(world, "lua", "areas_as_they_are")
  for region, answer in pairs(side_by_side(list, PATIENCE)) do
    if answer[1] and type(answer[2]) == "table" then
      take_region(region, answer[2], seen)
    else
      missing[region] = true
      scene.counters.missed = scene.counters.missed + 1
    end
  end
  for id, region in pairs(entities) do
    if not seen[id] and not missing[region] then
      scene.space:leave(id)
      entities[id], text_of[id] = nil, nil
    end
  end
  take_areas(given)
  scene.space:tick()
  scene.records.take()
  scene.counters.looks = scene.counters.looks + 1
end

local function look_again()
  skynet.timeout(LOOK, look_again)
  if not scene.is_looking then
    scene.is_looking = true
    local ok, message = pcall(look)
    scene.is_looking = false
    if not ok then
      skynet.error("picture: " .. tostring(message))
    end
  end
end

-- ---- messages ---------------------------------------------------------------------------------

local run = {}

function run.follow(source)
  return scene.records.follow(source)
end

function run.unfollow(source)
  return scene.records.unfollow(source)
end

-- query(method, ...) -> what the method of the space gives
function run.query(_, method, ...)
  return scene.space[method](scene.space, ...)
end

function run.stats()
  return count(scene)
end

local function probe()
  skynet.timeout(500, probe)
  scene.records.probe()
end

-- It ends with the world of its node.
local function wait_for_the_end()
  if alive.wait_for_end(world) then
    scene.records.finish()
    skynet.exit()
  end
end

skynet.start(function()
  packet.register()
  skynet.fork(wait_for_the_end)
  add_borders()
  look_again()
  probe()
  skynet.info_func(run.stats)
  skynet.dispatch("lua", function(session, source, name, ...)
    if run[name] and session ~= 0 then
      skynet.retpack(run[name](source, ...))
    elseif run[name] then
      run[name](source, ...)
    end
  end)
end)
