-- Compares scenes with the same robots: one message per tick and agent, against one message per event, and
-- against a nine-grid in plain Lua; and then what extras and properties cost, see costs.lua. From the
-- environment: ROBOTS (1000), DURATION in seconds (10); ONLY, words in names of scenes, or "costs":
-- those alone; FIGURES=1: what was measured goes into the pages.
local skynet = require "skynet"
local costs = require "examples.skynet.costs"
local crowd = require "examples.skynet.crowd"

local SCENES = {
  { name = "one message per tick", options = "tick=100", row = 1 },
  { name = "one message per event", options = "tick=100 handlers=examples.skynet.one_message_per_event" },
  -- Nine cells of a third of the view's width are as large as the view, and miss some who are within the
  -- radius. Nine cells of the radius miss nobody.
  { name = "plain Lua, cell 33", plain_cell = 100 / 3, row = 2 },
  { name = "plain Lua, cell 50", plain_cell = 50, row = 3 },
}
local ONLY = os.getenv "ONLY" or ""

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

local function is_wanted(scene)
  for words in ONLY:gmatch "[^;]+" do
    if scene.name:find(words, 1, true) then
      return true
    end
  end
  return ONLY == ""
end

-- Runs one scene, and returns what it took.
local function run_scene(scene, robots, seconds)
  io.stderr:write(("(%s: %d robots come, then %g seconds are measured)\n"):format(
    scene.name, robots, seconds))
  local self = scene.plain_cell and crowd.start_plain(robots, scene.plain_cell)
    or crowd.start(robots, scene.options)
  local result = crowd.measure(self, seconds)
  crowd.stop(self)
  return result
end

-- The lines of a scene, beside the first one.
local function in_words(name, result, first)
  local text = ("%-24s %10.0f %10.0f %9.1f ms %13.1f ms %8.0f\n"):format(name, result.messages,
    result.bytes_sent, result.scene_cpu, result.process_cpu, result.events / result.ticks)
  if first == result then
    return text
  end
  return text .. ("ratio: messages %.1f, bytes %.1f, CPU of the scene %.1f, CPU of the process %.1f\n")
    :format(result.messages / first.messages, result.bytes_sent / first.bytes_sent,
      result.scene_cpu / first.scene_cpu, result.process_cpu / first.process_cpu)
end

local function compare()
  local robots, seconds = crowd.setting("ROBOTS", 1000), crowd.setting("DURATION", 10)
  give_up_after(math.ceil(#SCENES * (seconds + PATIENCE)))
  print(("skynet with %s, %d robots, per tick of 100 ms:"):format(_VERSION, robots))
  local lines = {
    ("%-24s %10s %10s %12s %16s %8s\n"):format("scene sends", "messages", "bytes", "CPU scene",
      "CPU process", "events"),
  }
  io.write(lines[1])
  local first
  local rows = { { false, false }, { false, false }, { false, false } }
  for _, scene in ipairs(SCENES) do
    if is_wanted(scene) then
      local result = run_scene(scene, robots, seconds)
      first = first or result
      lines[#lines + 1] = in_words(scene.name, result, first)
      io.write(lines[#lines])
      io.stdout:flush()
      if scene.row then
        -- On a busy machine a scene takes fewer steps in than its robots make: what a step of each costs. One
        -- message per tick goes out however many steps there are.
        local scale = robots / result.moves
        rows[scene.row] = { ("%.0f"):format(result.messages * (scene.plain_cell and scale or 1)),
          ("%.1f ms"):format(result.scene_cpu * scale) }
      end
    end
  end
  if os.getenv "FIGURES" == "1" then
    local figures = require "tools.figures"
    figures.table("plain-scene", "make skynet-bench", rows)
    if ONLY == "" then
      figures.text("skynet-bench", "console", "make skynet-bench", table.concat(lines))
    end
  end
end

skynet.start(function()
  crowd.run(function()
    if ONLY ~= "costs" then
      compare()
    end
    is_compared = true
    if ONLY == "" or ONLY == "costs" then
      costs.run()
    end
  end)
end)
