-- The same robots in one scene, and in worlds of more and more processes: what each process has to do, and
-- what the borders cost. From the environment: ROBOTS (4000); DURATION, seconds of measuring each (10).
local crowd = require "examples.world.crowd"

-- columns, rows, processes
local WORLDS = { { 1, 1, 1 }, { 2, 1, 2 }, { 2, 2, 4 }, { 4, 2, 4 } }

local function print_line(name, self, nodes, first)
  local ticks = math.max(1, crowd.most(nodes, "world_tick"))
  local total = crowd.sum(nodes, "process_cpu") * 1e3 / ticks
  print(("%-24s %6.1f /s %8.1f ms %8.1f ms %8.2f %8.1f kB %7.1f %8.0f kB"):format(name,
    ticks / nodes[1].seconds, crowd.most(nodes, "process_cpu") * 1e3 / ticks, total, total / (first or total),
    crowd.sum(nodes, "node_bytes") / ticks / 1e3, crowd.sum(nodes, "hand_overs") / ticks,
    crowd.sum(nodes, "heard_bytes") / ticks / 1e3))
  io.stdout:flush()
  crowd.stop(self)
  return total
end

return function(control)
  local count, seconds = crowd.setting("ROBOTS", 4000), crowd.setting("DURATION", 10)
  print(("%s, %d robots; CPU of processes, robots included, per tick"):format(_VERSION, count))
  print(("%-24s %9s %11s %11s %8s %11s %7s %11s"):format("", "ticks", "busiest", "all", "ratio", "nodes",
    "handed", "heard"))
  local scene = crowd.start_scene(control, count)
  local total = print_line("one scene", scene, crowd.measure(scene, seconds))
  for number, world in ipairs(WORLDS) do
    local columns, rows, nodes = table.unpack(world)
    local self = crowd.start_world(control, count, columns, rows, nodes, "bench" .. number)
    local name = ("%d regions, %d processes"):format(columns * rows, nodes)
    print_line(name, self, crowd.measure(self, seconds), total)
  end
end
