-- The example: a scene, robots that walk in it, an observer of one of them, a viewer and a debug console.
-- It measures, and goes on until it is ended. From the environment: ROBOTS (2000); DURATION, seconds of
-- measuring, after which it ends; VIEWER and CONSOLE, the ports of the viewer (8001) and the debug console
-- (8000; 0: none); STORE, a folder that the scene is stored in; FIGURES=1: what was measured goes into the
-- pages.
local skynet = require "skynet"
local crowd = require "examples.skynet.crowd"

local MEASURE = 10 -- seconds, without DURATION

local function report(self, result)
  local lines = {}
  local function line(name, text, ...)
    lines[#lines + 1] = ("%-12s"):format(name) .. text:format(...) .. "\n"
  end
  line("robots", "%d on %d x %d, radius %d", #self.robots, self.side, self.side, self.radius)
  line("ticks", "%d in %.1f seconds; %d left out; late by %.1f ms on average, %.1f ms at most",
    result.ticks, result.seconds, result.ticks_skipped, result.late_mean, result.late_most)
  line("messages", "%.0f per tick to robots, at most %.1f per tick to one of them; %.0f moves",
    result.messages, result.messages_most, result.moves)
  line("events", "%.0f per second, %.1f in a message; %.0f bytes in a message",
    result.events / result.seconds, result.events / result.ticks / result.messages,
    result.bytes_sent / result.messages)
  line("CPU", "%.1f ms per tick in the scene, %.1f ms per tick in the whole process", result.scene_cpu,
    result.process_cpu)
  if result.stored > 0 then
    line("store", "%.0f bytes per tick", result.stored)
  end
  line("memory", "%.0f kB in the scene's space", result.bytes / 1e3)
  local text = table.concat(lines)
  io.write(text)
  if os.getenv "FIGURES" == "1" then
    local figures = require "tools.figures"
    figures.text("skynet-demo", "console", "make skynet-demo", text)
  end
end

local function start_console(port, scene)
  if pcall(skynet.newservice, "debug_console", "127.0.0.1", port) then
    print(("debug console: telnet 127.0.0.1 %d, then: info %x"):format(port, scene))
  else
    print(("no debug console: is port %d in use?"):format(port))
  end
end

-- Says where the viewer is, and returns that line.
local function start_viewer(port, scene)
  local ok, viewer = pcall(skynet.newservice, "viewer", scene, "port=" .. port)
  local line = ok and "viewer: open " .. skynet.call(viewer, "lua", "address")
    or ("no viewer: is port %d in use?"):format(port)
  print(line)
  io.stdout:flush() -- what reads it through a pipe wants it now
  return line
end

-- Until skynet is ended from outside.
local function go_on(where)
  print "It goes on. Ctrl-C ends it; with DURATION=10 it ends by itself."
  print(where)
  io.stdout:flush()
  skynet.wait()
end

local function main()
  local robots, duration = crowd.setting("ROBOTS", 2000), crowd.setting("DURATION", 0)
  local seconds = duration > 0 and duration or MEASURE
  local port, viewer_port = crowd.setting("CONSOLE", 8000), crowd.setting("VIEWER", 8001)
  print(("skynet with %s: starting %d robots"):format(_VERSION, robots))
  local folder = os.getenv "STORE"
  local self = crowd.start(robots, folder and folder ~= "" and "store=" .. folder or nil)
  skynet.newservice("observer", self.scene, 1, seconds)
  if port > 0 then
    start_console(port, self.scene)
  end
  local where = viewer_port > 0 and start_viewer(viewer_port, self.scene) or "no viewer: VIEWER is 0"
  report(self, crowd.measure(self, seconds))
  if duration == 0 then
    go_on(where)
  end
end

skynet.start(function()
  crowd.run(main)
end)
