--[[ The demo (make demo): a walker's view for ten seconds, two small scenes told in words on all engines, and
a table of what a crowd costs on each. With the name of a file as argument the table is about the movement
recorded there (make demo TRACE=file.csv), and nothing else is shown. ]]
local crowd = require "examples.demo.crowd"
local replay = require "examples.demo.replay"
local scenes = require "examples.demo.scenes"
local terminal = require "examples.demo.terminal"
local view = require "examples.demo.view"

local trace, radius = arg[1], tonumber(arg[2])

local function check(ok, message)
  if not ok then
    io.stderr:write("demo: ", message, "\n")
    os.exit(1)
  end
end

if trace then
  local rows, message = replay.read_file(trace)
  check(rows, message)
  check(replay.compare(rows, trace, radius))
  return
end

if view.show(terminal.kind()) == "interrupted" then
  os.exit(130) -- as a shell reports Ctrl-C
end
for _, scene in ipairs(scenes.all) do
  check(scenes.tell(scene), "an engine tells other events than expected")
end
check(replay.compare(crowd.rows(), crowd.title, crowd.radius))
