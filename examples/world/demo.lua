-- The demo of a world: robots walk about on one map that four processes share. From the environment: ROBOTS
-- (4000); DURATION, seconds of measuring (20).
local crowd = require "examples.world.crowd"

local function line(name, text, ...)
  print(("%-12s"):format(name) .. text:format(...))
end

local function report(self, nodes, seconds)
  local ticks = math.max(1, crowd.most(nodes, "world_tick"))
  local function per_tick(name)
    return crowd.sum(nodes, name) / ticks
  end
  line("robots", "%d on %d x %d, radius %d, in %d regions of %d processes", self.count, self.side, self.side,
    self.radius, self.regions, self.nodes)
  line("ticks", "%d in %.1f seconds, expected %.0f; %d without some node, %.1f ms of waiting for others",
    ticks, nodes[1].seconds, nodes[1].seconds * 10, crowd.sum(nodes, "ticks_late"),
    per_tick "tick_waits" / self.nodes)
  line("hand-overs", "%.1f per tick", per_tick "hand_overs")
  local ghosts = 0
  for _, one in ipairs(nodes) do
    ghosts = ghosts + one.now.ghosts
  end
  line("ghosts", "%d, %.1f %% of the robots", ghosts, 100 * ghosts / self.count)
  line("nodes", "%.1f kB per tick between nodes, in %.1f messages", per_tick "node_bytes" / 1e3,
    per_tick "node_pieces")
  line("robots", "%.0f messages with %.0f bytes come per tick", per_tick "heard",
    per_tick "heard_bytes")
  for node, one in ipairs(nodes) do
    line("process " .. self.control.nodes[node], "%.1f ms of CPU per tick", one.process_cpu * 1e3 / ticks)
  end
  if ticks < 0.9 * seconds * 10 then
    error("the world did not keep its ticks: this machine is too busy for so many robots; try fewer", 0)
  end
end

return function(control)
  local count, seconds = crowd.setting("ROBOTS", 4000), crowd.setting("DURATION", 20)
  local self = crowd.start_world(control, count, 2, 2, 4, "demo")
  report(self, crowd.measure(self, seconds), seconds)
end
