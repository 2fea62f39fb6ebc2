-- Compares scenes with the same robots: one message per tick and agent, against one message per event; and
-- then what extras and properties cost, see costs.lua. From the environment: ROBOTS (1000), DURATION in
-- seconds (10).
local skynet = require "skynet"
local costs = require "examples.skynet.costs"
local crowd = require "examples.skynet.crowd"

local SCENES = {
  { name = "one message per tick", options = "tick=100" },
  { name = "one message per event", options = "tick=100 handlers=examples.skynet.one_message_per_event" },
}

-- A scene that can't keep up answers ever later: on a machine too busy for so many robots nothing would end.
-- Seconds for each scene, beside the measuring itself.
local PATIENCE = 30

local is_compared = false

local function give_up_after(seconds)
  skynet.timeout(seconds * 100, function()
    if is_compared then
      return
    end
    print(("given up after %d seconds: this machine is too busy for so many robots; try fewer, ROBOTS=300")
      :format(seconds))
    io.stdout:flush()
    skynet.abort()
  end)
end

local function compare()
  local robots, seconds = crowd.setting("ROBOTS", 1000), crowd.setting("DURATION", 10)
  give_up_after(math.ceil(#SCENES * (seconds + PATIENCE)))
  print(("skynet with %s, %d robots, per tick of 100 ms:"):format(_VERSION, robots))
  print(("%-24s %10s %10s %12s %16s %8s"):format("scene sends", "messages", "bytes", "CPU scene",
    "CPU process", "events"))
  local first
  for _, scene in ipairs(SCENES) do
    io.stderr:write(("(%s: %d robots come, then %g seconds are measured)\n"):format(
      scene.name, robots, seconds))
    local self = crowd.start(robots, scene.options)
    local result = crowd.measure(self, seconds)
    crowd.stop(self)
    print(("%-24s %10.0f %10.0f %9.1f ms %13.1f ms %8.0f"):format(scene.name, result.messages,
      result.bytes_sent, result.scene_cpu, result.process_cpu, result.events / result.ticks))
    if first then
      print(("ratio: messages %.1f, bytes %.1f, CPU of the scene %.1f, CPU of the process %.1f"):format(
        result.messages / first.messages, result.bytes_sent / first.bytes_sent,
        result.scene_cpu / first.scene_cpu, result.process_cpu / first.process_cpu))
    end
    first = first or result
  end
end

skynet.start(function()
  crowd.run(function()
    compare()
    is_compared = true
    costs.run()
  end)
end)
