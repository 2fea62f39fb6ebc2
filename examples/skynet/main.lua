-- The example: a scene, robots that walk in it, an observer of one of them, a viewer and a debug console.
-- From the environment: ROBOTS (2000); DURATION, seconds of measuring (10; 0: it goes on until it is
-- stopped); VIEWER and CONSOLE, the ports of the viewer (8001) and the debug console (8000; 0: none); STORE,
-- a folder that the scene is stored in.
local skynet = require "skynet"
local crowd = require "examples.skynet.crowd"

local function report(self, result)
  local function line(name, text, ...)
    print(("%-12s"):format(name) .. text:format(...))
  end
  line("robots", "%d on %d x %d, radius %d", #self.robots, self.side, self.side, self.radius)
  line("ticks", "%d in %.1f seconds; %d left out; late by %.1f ms on average, %.1f ms at most",
    result.ticks, result.seconds, result.ticks_skipped, result.late_mean, result.late_most)
  line("messages", "%.0f per tick to robots, at most %.1f per tick to one of them; %.0f moves",
    result.messages, result.messages_most, result.moves)
  line("events", "%.0f per second, %.1f in a message; %.0f bytes in a message",
    result.events / result.seconds, result.events / result.ticks / result.messages,
    result.bytes_sent / result.messages)
  line("CPU", "%.1f ms per tick in the scene, %.1f ms per tick in the whole process", result.scene_cpu * 1e3,
    result.process_cpu * 1e3)
  if result.stored > 0 then
    line("store", "%.0f bytes per tick", result.stored)
  end
  line("memory", "%.0f kB in the scene's space", result.bytes / 1e3)
end

local function start_console(port, scene)
  if pcall(skynet.newservice, "debug_console", "127.0.0.1", port) then
    print(("debug console: telnet 127.0.0.1 %d, then: info %x"):format(port, scene))
  else
    print(("no debug console: is port %d in use?"):format(port))
  end
end

local function start_viewer(port, scene)
  local ok, viewer = pcall(skynet.newservice, "viewer", scene, "port=" .. port)
  print(ok and "viewer: open " .. skynet.call(viewer, "lua", "address")
    or ("no viewer: is port %d in use?"):format(port))
  io.stdout:flush() -- what reads it through a pipe wants it now
end

local function main()
  local robots, seconds = crowd.setting("ROBOTS", 2000), crowd.setting("DURATION", 10)
  local port, viewer_port = crowd.setting("CONSOLE", 8000), crowd.setting("VIEWER", 8001)
  print(("skynet with %s: starting %d robots"):format(_VERSION, robots))
  local folder = os.getenv "STORE"
  local self = crowd.start(robots, folder and folder ~= "" and "store=" .. folder or nil)
  skynet.newservice("observer", self.scene, 1)
  if port > 0 then
    start_console(port, self.scene)
  end
  if viewer_port > 0 then
    start_viewer(viewer_port, self.scene)
  end
  if seconds == 0 then
    skynet.wait() -- until it is stopped from outside
  end
  report(self, crowd.measure(self, seconds))
end

skynet.start(function()
  crowd.run(main)
end)
