-- The demo of a world: robots walk about on one map that four processes share; a fifth has the robots, as a
-- gate has its clients. One of the four is killed: the others take over its region, and those who were there
-- enter again. Another one is drained: its region moves, and nobody is lost. Both are added again, and get a
-- region each. From the environment: ROBOTS (4000); DURATION, seconds of each part (8).
local skynet = require "skynet"
local crowd = require "examples.world.crowd"
local killing = require "spec.world.killing"

local KILLED, DRAINED = 3, 2
local LOOK = 2 -- hundredths of a second between two looks at the world's tick

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

-- Looks at the world from the robots' process, until it is ended: watch.longest, ms between two ticks, and
-- watch.least, entities in the world.
local function watch_world(self)
  local watch = { is_on = true }
  local tick, at
  function watch.begin()
    watch.longest, watch.least, watch.full_at = 0, math.huge, nil
  end
  watch.begin()
  skynet.fork(function()
    while watch.is_on do
      local stats, now = self.control.tell(self.all_nodes, "stats"), skynet.hpc() / 1e6
      if stats.tick ~= tick then
        watch.longest = math.max(watch.longest, tick and now - at or 0)
        tick, at = stats.tick, now
      end
      local n = stats.entities_of_world
      watch.least = math.min(watch.least, n)
      watch.full_at = n == self.robots and (watch.full_at or now) or nil
      skynet.sleep(LOOK)
    end
  end)
  return watch
end

-- Does something while the robots walk, for `seconds` in all. Returns what has happened meanwhile on all
-- nodes but `without`.
local function part(self, watch, seconds, without, act)
  watch.begin()
  local before, until_then = self:sample(without), skynet.now() + seconds * 100
  act()
  skynet.sleep(math.max(0, until_then - skynet.now()))
  local grown = crowd.growth(before, self:sample(without))
  grown.longest = watch.longest
  return grown
end

local function kill(self, watch)
  local name, at = self.control.nodes[KILLED], skynet.hpc() / 1e6
  local lost_before = self.control.tell(self.all_nodes, "stats").lost
  killing.kill(name)
  say("process %s is killed", name)
  for _ = 1, 1000 do
    if watch.least < self.robots and watch.full_at then
      break
    end
    skynet.sleep(1)
  end
  local stats = self.control.tell(self.all_nodes, "stats")
  say("%d robots were lost with its region, and were all back after %.1f s", stats.lost - lost_before,
    ((watch.full_at or 0 / 0) - at) / 1000)
end

local function drain(self)
  local name = self.control.nodes[DRAINED]
  local at = skynet.hpc()
  local ok, message = self.control.tell(self.all_nodes, "world", "drain_node", name)
  if not ok then
    error(message, 0)
  end
  say("process %s was drained in %.0f ms: %d robots are in the world", name, (skynet.hpc() - at) / 1e6,
    self.control.tell(self.all_nodes, "stats").entities_of_world)
end

-- The process that was killed, with another region, and the drained one.
local function add(self)
  local name = self.control.nodes[KILLED]
  killing.start_again(name)
  self:start_service(KILLED)
  for region, node in ipairs { KILLED, DRAINED } do
    local added, message = self.control.tell(1, "world", "add_node", self.control.nodes[node])
    if not added then
      error(message, 0)
    end
    local ok, pause = self.control.tell(1, "world", "migrate", region + 1, self.control.nodes[node])
    say("process %s is added, and %s", self.control.nodes[node],
      ok and ("has region %d: the world stood for %.0f ms"):format(region + 1, pause)
      or "has no region: " .. tostring(pause))
  end
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
    return nodes.name
  end)
  line("seconds", "%.1f", function(nodes) return nodes[1].seconds end)
  line("ticks, ten are expected each second", "%d", function(_, ticks) return ticks end)
  line("longest time between two ticks, ms", "%.0f", function(nodes) return nodes.longest end)
  line("hand-overs per tick", "%.1f", per_tick "hand_overs")
  line("ghosts", "%d", function(nodes)
    local ghosts = 0
    for node in ipairs(self.control.nodes) do
      ghosts = ghosts + (nodes[node] and nodes[node].now.ghosts or 0)
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
  for node, name in ipairs(self.control.nodes) do
    line(("ticks of process %s, and waits, ms each"):format(name), "%s", function(nodes)
      local one = nodes[node]
      if not one or one.ticks <= 0 then
        return "-"
      end
      return ("%.0f %.0f"):format(one.tick_time / one.ticks, one.wait_time / one.ticks)
    end)
  end
end

return function(control)
  local seconds = crowd.setting("DURATION", 8)
  local self = start(control)
  local watch = watch_world(self)
  local phases = {
    part(self, watch, seconds, nil, function() end),
    part(self, watch, seconds, KILLED, function() kill(self, watch) end),
    part(self, watch, seconds, KILLED, function() drain(self) end),
    part(self, watch, seconds, KILLED, function() add(self) end),
    part(self, watch, seconds, nil, function() end),
  }
  for i, name in ipairs { "before", "killed", "drained", "added", "after" } do
    phases[i].name = name
  end
  watch.is_on = false
  print_table(self, phases)
  local stats = control.tell(self.all_nodes, "world", "stats", "world")
  if stats.entities_of_world ~= self.robots then
    error(("%d of %d robots are in the world"):format(stats.entities_of_world, self.robots), 0)
  elseif phases[1][1].tick < 0.9 * seconds * 10 then
    error("the world did not keep its ticks: this machine is too busy for so many robots; try fewer", 0)
  end
end
