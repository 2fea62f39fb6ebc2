-- A service that stands for many walkers in the world of its node: has them do what paths.lua says, step by
-- step, and writes what they are told into a file, as it comes.
local skynet = require "skynet"
local packet = require "aoi.skynet.packet"
local paths = require "spec.world.paths"

local world, plan, ids, pace
local file
local step = 0
local is_walking = false
local counts = { steps = 0, commands = 0, calls = 0, answers = 0, refused = 0, messages = 0, strangers = 0 }

local function count_answer(result, message)
  counts.answers = counts.answers + 1
  if result == nil and message ~= nil then
    counts.refused = counts.refused + 1
  end
end

local function each(how, ...)
  counts.commands = counts.commands + 1
  if how == "send" then
    skynet.send(world, "lua", ...)
    return
  end
  counts.calls = counts.calls + 1
  skynet.fork(function(...)
    count_answer(skynet.call(world, "lua", ...))
  end, ...)
end

local function take_step()
  step = step + 1
  counts.steps = step
  for _, id in ipairs(ids) do
    paths.commands(plan, id, step, each)
  end
end

local function walk()
  local due = skynet.hpc()
  while is_walking do
    take_step()
    due = math.max(due + pace * 1000000000 // 1, skynet.hpc()) // 1
    skynet.sleep(math.ceil((due - skynet.hpc()) / 10000000))
  end
  is_walking = nil
end

local COMMAND = {}

-- plan, ids: of paths.lua; seconds of a step; where what they are told goes, nil: nowhere.
function COMMAND.start(to, as, list, seconds, path)
  world, plan, ids, pace = to, as, list, seconds
  plan.address = skynet.address(skynet.self())
  file = path and assert(io.open(path, "wb"))
  is_walking = true
  skynet.fork(walk)
end

-- Ends the steps, waits for the last answers (no longer than 10 seconds).
function COMMAND.stop()
  is_walking = false
  for _ = 1, 1000 do
    if is_walking == nil and counts.answers == counts.calls then
      break
    end
    skynet.sleep(1)
  end
  return counts
end

function COMMAND.finish()
  if file then
    file:close()
  end
  skynet.fork(skynet.exit)
  return counts
end

packet.register(function(_, source, text)
  counts.messages = counts.messages + 1
  if source ~= world then
    counts.strangers = counts.strangers + 1 -- all must come from the world of this node
  end
  if file then
    file:write(("<s4"):pack(text))
  end
end)

skynet.start(function()
  skynet.dispatch("lua", function(_, _, command, ...)
    skynet.retpack(COMMAND[command](...))
  end)
end)
