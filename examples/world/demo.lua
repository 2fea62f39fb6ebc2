-- The demo of a world: robots walk about on one map that four processes share; a fifth has the robots, as a
-- gate has its clients. One of the four is killed: the others take over its region, and those who were there
-- enter again. Then it comes back, and gets a region. From the environment: ROBOTS (4000); DURATION, seconds
-- of walking before and after (8).
local skynet = require "skynet"
local crowd = require "examples.world.crowd"
local killing = require "spec.world.killing"

local VICTIM = 3
local DEAD = 3  -- seconds
local BACK = 5  -- seconds until everybody is back

local began = skynet.now()

local function say(text, ...)
  print(("%5.1f s  "):format((skynet.now() - began) / 100) .. text:format(...))
  io.stdout:flush()
end

-- Our robots are in one service of a world as those of a game would be; nothing here is about regions.
local function start(control)
  local self = crowd.new(control, { robots = crowd.setting("ROBOTS", 4000), area = 1280, radius = 50,
    columns = 2, rows = 2, nodes = 4, apart = true }):start()
  local stats = control.tell(self.all_nodes, "world", "stats", "world") -- of all nodes in one call
  say("%d robots walk on %d x %d, each sees %d far; %d regions, one for each of %s; "
    .. "process %s has the robots", stats.owned, self.side, self.side, self.radius, stats.regions,
    table.concat(control.nodes, ", ", 1, self.nodes), control.nodes[self.all_nodes])
  return self
end

-- Kills a process while the robots walk on, and starts it again. Returns what happened on the others
-- meanwhile.
local function kill_and_start(self)
  local name = self.control.nodes[VICTIM]
  local before = self:sample(VICTIM)
  killing.kill(name)
  say("process %s is killed", name)
  skynet.sleep(DEAD * 100)
  local without = crowd.growth(before, self:sample(VICTIM))
  killing.start_again(name)
  self:start_service(VICTIM)
  self:wait_for_world()
  local ok, pause = self.control.tell(1, "world", "migrate", VICTIM, name)
  say("process %s has started again, and has %s", name, ok
    and ("region %d: the world stood for %.0f ms"):format(VICTIM, pause) or "no region: " .. tostring(pause))
  skynet.sleep(BACK * 100)
  return without
end

local function say_what_was_lost(self)
  local stats = self.control.tell(self.all_nodes, "stats")
  local heard = self.control.tell(self.all_nodes, "heard")
  say("%d robots were lost with their region; %d have entered again; %d commands were refused meanwhile",
    stats.lost, heard.back, heard.refused)
end

-- One line of the table for each thing, and a column for each phase: a table of node and what happened there.
local function print_table(self, phases)
  local function line(name, pattern, value)
    local cells = {}
    for i, nodes in ipairs(phases) do
      local ticks = math.max(1, nodes[self.all_nodes].tick)
      cells[i] = ("%12s"):format(pattern:format(value(nodes, ticks)))
    end
    print(("%-44s"):format(name) .. table.concat(cells))
  end
  local function per_tick(what, unit)
    return function(nodes, ticks)
      return crowd.sum(nodes, what) / ticks / (unit or 1)
    end
  end
  line("", "%s", function(nodes)
    return nodes == phases[1] and "before" or nodes == phases[2] and "without" or "after"
  end)
  line("seconds", "%.1f", function(nodes) return nodes[1].seconds end)
  line("ticks, ten are expected each second", "%d", function(_, ticks) return ticks end)
  line("hand-overs per tick", "%.1f", per_tick "hand_overs")
  line("ghosts", "%d", function(nodes)
    local ghosts = 0
    for _, one in pairs(nodes) do
      ghosts = ghosts + (one.now.ghosts or 0)
    end
    return ghosts
  end)
  line("messages between processes per tick", "%.1f", per_tick "node_pieces")
  line("kB in them", "%.1f", per_tick("node_bytes", 1e3))
  line("messages to robots per tick", "%.0f", per_tick "heard_messages")
  line("kB in them", "%.1f", per_tick("heard_bytes", 1e3))
  for node, name in ipairs(self.control.nodes) do
    line(("CPU of process %s, ms per tick"):format(name), "%s", function(nodes, ticks)
      return nodes[node] and ("%.1f"):format(nodes[node].cpu_process * 1e3 / ticks) or "-"
    end)
  end
end

return function(control)
  local seconds = crowd.setting("DURATION", 8)
  local self = start(control)
  local before = self:measure(seconds)
  local without = kill_and_start(self)
  say_what_was_lost(self)
  local after = self:measure(seconds)
  print_table(self, { before, without, after })
  local stats = control.tell(self.all_nodes, "world", "stats", "world")
  if stats.entities_of_world ~= self.robots then
    error(("%d of %d robots are in the world"):format(stats.entities_of_world, self.robots), 0)
  elseif before[1].tick < 0.9 * seconds * 10 then
    error("the world did not keep its ticks: this machine is too busy for so many robots; try fewer", 0)
  end
end
