-- Which functions of lua/aoi a scene's calls pass: lua tools/scene_trips.lua, in the folder of the checkout
-- that is looked at. Two scenes and an agent on a simulated process; prints a line for each function: the
-- trip, the function's file and the line where it begins, with tabs between. A hook in every coroutine sees
-- the calls.
local passed -- file and line -> true; nil: nothing is counted

local function note()
  local info = passed and debug.getinfo(2, "S")
  local file = info and info.source:match "^@%.?/?(lua/aoi/.*)$"
  if file then
    passed[("%s\t%d"):format(file, info.linedefined)] = true
  end
end

local create = coroutine.create
function coroutine.create(f) -- luacheck: ignore 122
  local routine = create(f)
  debug.sethook(routine, note, "c")
  return routine
end
debug.sethook(note, "c")

local simulation = require "spec.support.simulation"
local scenes = require("spec.support.simulated_scene").new(1)
local BETWEEN = 21000 -- milliseconds, in which an agent may move again

local function new_scene()
  local words = { "engine=crosslist", "radius=20", "tick=2000" }
  return scenes.process:start_service(simulation.path_of "scene", table.unpack(words))
end

local function count(trip, f)
  passed = {}
  f()
  local list = {}
  for place in pairs(passed) do
    list[#list + 1] = trip .. "\t" .. place
  end
  passed = nil
  table.sort(list)
  print(table.concat(list, "\n"))
end

local first, second = new_scene(), new_scene()
scenes.all:run(10)
local agent = scenes:agent(first)
assert(scenes:ask(agent, "view", "join", 1, 10, 10, { data = "gold" }))
for id = 2, 9 do
  assert(scenes:ask(first, "enter", id, 10 + id, 10, { address = false, data = "silver" }))
  assert(scenes:ask(second, "enter", 10 + id, 10 + id, 10, { address = false, data = "iron" }))
end
for x = 11, 13 do -- all memory and all tables are there
  scenes.all:run(BETWEEN)
  assert(scenes:ask(agent, "view", "move", x, 10))
  scenes:tick(first)
  scenes:tick(second)
end

scenes.all:run(BETWEEN)
count("a move of an agent", function()
  assert(scenes:ask(agent, "view", "move", 14, 10))
  scenes.all:run(20)
end)
assert(scenes:ask(first, "move", 2, 13, 11))
count("a tick of a scene", function()
  scenes:tick(first)
end)
count("a transfer", function()
  assert(scenes:ask(first, "transfer", 1, second.handle, 12, 12))
  scenes:tick(first)
  scenes:tick(second)
end)
assert(scenes:ask(second, "query", "has", 1))
