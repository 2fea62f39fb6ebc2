-- The demo (make demo): two small scenes told in words and a crowd of 10,000; with the name of a
-- file as argument, a replay of recorded movement instead (make demo TRACE=file.csv).
local crowd = require "examples.demo.crowd"
local replay = require "examples.demo.replay"
local scenes = require "examples.demo.scenes"

local trace, radius = arg[1], arg[2]
if trace then
  local ok, message = replay.run(trace, tonumber(radius))
  if not ok then
    io.stderr:write("demo: ", message, "\n")
    os.exit(1)
  end
  return
end

for _, scene in ipairs(scenes.all) do
  if not scenes.tell(scene) then
    io.stderr:write "demo: the engines do not tell the same events\n"
    os.exit(1)
  end
end
for _, engine in ipairs { "grid", "crosslist", "quadtree" } do
  crowd.run(engine, 3)
end
