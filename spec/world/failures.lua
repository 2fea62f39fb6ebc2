-- A world after failures: nodes are stopped, killed and cut off, and messages lost, doubled and held up:
-- wanderers on all nodes go on all the time, and sequences.lua checks all that they are told. After each
-- failure they stand still; then every node must know the same entities, at the places that were confirmed,
-- and each watcher those that it sees by brute force. From the environment: ONLY (words of a failure's name),
-- WANDERERS (160), STORE (folder: with stores), REDIS (not empty: the coordinator by a lease there).
local skynet = require "skynet"
local redis = require "skynet.db.redis"
local killing = require "spec.world.killing"
local meeting = require "spec.world.meeting"
local new_register = require "aoi.skynet.world.register"
local rightness = require "spec.world.rightness"
local try_register = require "spec.world.register"
local worlds = require "spec.world.worlds"

local FOLDER = os.getenv "AOI_FOLDER"
local SIDE, COUNT = 1200, tonumber(os.getenv "WANDERERS") or 160
local SILENCE, LEASE = 800, 1000 -- milliseconds
local ORPHAN = 4 * SILENCE + LEASE
local REDIS = meeting.read(FOLDER .. "/redis.port") -- its port; nil: without
local STORE = os.getenv "STORE" == "folder" -- with stores, in a folder that all share
local RIGHT = 6   -- seconds in which all must know what they see then
local RESTS = 5   -- times that a node may be expelled meanwhile, as it is on a machine with too much to do

local control
local failed
local disturb -- what a failure wants done when all stand still; or nil

local function say(text, ...)
  print(text:format(...))
  io.stdout:flush()
end

local function node_of(name)
  for node, other in ipairs(control.nodes) do
    if other == name then
      return node
    end
  end
end

local function of_all(f)
  return rightness.of_all(control, f)
end

-- ---- starting ---------------------------------------------------------------------------------

local function start_world(node)
  local words = { "node=" .. control.nodes[node],
    "nodes=" .. table.concat(control.nodes, ","), "columns=2", "rows=2", "max_radius=100",
    "regions=" .. tostring(node <= 4),
    "margin=10", "tick=50", "silence=" .. SILENCE, "name=failures", "engine=grid", "shape=circle",
    "width=" .. SIDE, "height=" .. SIDE, "radius=50", "orphan=" .. ORPHAN }
  if REDIS then
    words[#words + 1] = "coordinator=redis:127.0.0.1:" .. math.tointeger(tonumber(REDIS))
    words[#words + 1] = "lease=" .. LEASE
  else
    words[#words + 1] = "configuration=" .. FOLDER .. "/configuration"
  end
  if STORE then
    words[#words + 1] = "store=" .. FOLDER
    words[#words + 1] = "save_every=5000"
  end
  control.tell(node, "start_world", words)
end

-- Half of the wanderers are at the last node, whose process is left alone; the others everywhere.
local function start_wanderers(node)
  local ids = {}
  for id = 1, COUNT do
    local of = id % 2 == 0 and #control.nodes or 1 + id // 2 % (#control.nodes - 1)
    ids[#ids + 1] = of == node and id or nil
  end
  control.tell(node, "start_wanderers", ids, SIDE, 5, node)
end

-- ---- checking -------------------------------------------------------------------------------

local function show_reasons(reasons)
  for reason, n in pairs(reasons) do
    say("    %d times: %s", n, reason)
  end
end

-- How the nodes are, one line for each.
local function show_nodes()
  for node, stats in ipairs(of_all(function(node)
    return control.tell(node, "stats")
  end)) do
    local words = {}
    for _, name in ipairs { "tick", "owned", "ghosts", "entities_of_world", "configuration", "members",
      "expelled", "lost", "again", "unknown" } do
      words[#words + 1] = ("%s %s"):format(name, stats[name])
    end
    say("    node %s: %s", control.nodes[node], table.concat(words, ", "))
  end
end

-- Looks at the ticks of the driver's node until `done` says so, and for so many hundredths of a second more.
-- Returns how many seconds it has stood at most.
local function standstill(done, more)
  local driver, last, since, most = #control.nodes, nil, skynet.now(), 0
  local ends
  repeat
    local tick = control.tell(driver, "stats").tick
    if tick ~= last then
      last, since = tick, skynet.now()
    end
    most = math.max(most, skynet.now() - since)
    ends = ends or done() and skynet.now() + (more or 50)
    skynet.sleep(1)
  until ends and skynet.now() > ends
  return most / 100
end

-- Looks until all is right, for RIGHT seconds from when all stand still. Entities whose stay was ended
-- meanwhile, with their node or region, enter again first. Returns what rightness.look returns, and how many
-- these were. With WHY it says what was wrong in each look.
local function look(places)
  local rested, disturbed, rests, before = skynet.now(), 0, 0, nil
  while true do
    local seen, first, wrong = rightness.look(control, places)
    if os.getenv "WHY" and first and first ~= before then
      say("    after %.1f s: %d things, %s", (skynet.now() - rested) / 100, wrong, first)
    end
    before = first
    local ok, ended = true, 0
    if rests < RESTS then
      ok, ended = pcall(rightness.rest_again, control)
    end
    if not ok then
      return nil, ended, 1, disturbed
    elseif ended > 0 then
      rested, disturbed, rests = skynet.now(), disturbed + ended, rests + 1
    elseif seen or skynet.now() - rested > RIGHT * 100 then
      return seen, first, wrong, disturbed
    else
      skynet.sleep(20)
    end
  end
end

-- stood: for how many seconds the world has stood at most.
local function verify(name, stood)
  local began, disturb_them = skynet.now(), disturb
  disturb = nil
  local ok, places = pcall(rightness.places, control)
  if not ok then
    failed = true
    say("%s\n  WRONG: %s", name, places)
    show_nodes()
    for _, news in pairs(of_all(function(node)
      return control.tell(node, "wanderers", "news")
    end)) do
      say("    %d events, %d of them told wrongly%s", news.counts.events, #news.complaints,
        news.complaints[1] and ": " .. news.complaints[1] or "")
    end
    of_all(function(node)
      return control.tell(node, "wanderers", "walk")
    end)
    return
  end
  local rested = skynet.now()
  if disturb_them then
    local is_done = false
    skynet.fork(function()
      disturb_them()
      is_done = true
    end)
    stood = math.max(stood, standstill(function() return is_done end, 100)) -- its agents are told
  end
  local seen, first, wrong, disturbed = look(places)
  local sum, told_wrongly, reasons, longest_wait = {}, {}, {}, 0
  for _, news in pairs(of_all(function(node)
    return control.tell(node, "wanderers", "news")
  end)) do
    for key, count in pairs(news.counts) do
      sum[key] = (sum[key] or 0) + count
    end
    for reason, n in pairs(news.reasons) do
      reasons[reason] = (reasons[reason] or 0) + n
    end
    table.move(news.complaints, 1, #news.complaints, #told_wrongly + 1, told_wrongly)
    longest_wait = math.max(longest_wait, news.longest_wait / 100)
  end
  say("%s: %d commands, %d refused, %d times in; %d events in %d blocks, %d gaps, %d lists, %d stale", name,
    sum.commands, sum.refused, sum.entered, sum.events, sum.blocks, sum.gaps, sum.lists, sum.stale)
  if os.getenv "WHY" then
    show_reasons(reasons)
  end
  local function complain(text, ...)
    failed = true
    say("  WRONG: " .. text, ...)
  end
  if seen then
    say("  at rest after %.1f s, right after %.1f s: %d entities, %d pairs", (rested - began) / 100,
      (skynet.now() - rested) / 100, COUNT, seen)
  else
    complain("%d things, the first is: %s", wrong, first)
  end
  if disturbed > 0 then
    say("  at rest %d stays were ended, with their node or region, and these are in again", disturbed)
  end
  if disturb_them and disturbed == 0 then
    complain("nobody was told that its stay has ended")
  end
  say("  the world stood for %.1f s at most, an answer came after %.1f s at most", stood, longest_wait)
  for i = 1, math.min(5, #told_wrongly) do
    complain("%s", told_wrongly[i])
  end
  if sum.strangers > 0 then
    complain("%d messages came from others than the world of the agent's node", sum.strangers)
  elseif sum.events < 100 then
    complain("only %d events", sum.events)
  end
  of_all(function(node)
    return control.tell(node, "wanderers", "walk")
  end)
end

-- ---- failures ---------------------------------------------------------------------------------

local function stop(seconds, ...)
  for _, node in ipairs { ... } do
    killing.signal("STOP", node)
  end
  skynet.sleep(seconds * 100 // 1)
  for _, node in ipairs { ... } do
    killing.signal("CONT", node)
  end
end

-- An agent whose node is expelled while all stand still asks for nothing, but is told.
local function stop_at_rest(...)
  local arguments = table.pack(...)
  function disturb()
    stop(table.unpack(arguments, 1, arguments.n))
  end
end

local function transport(text, seconds)
  meeting.write(FOLDER .. "/transport", "return " .. text)
  skynet.sleep(seconds * 100 // 1)
  meeting.write(FOLDER .. "/transport", "return {}")
end

-- Kills nodes and starts them anew after so many seconds.
local function kill(seconds, ...)
  for _, node in ipairs { ... } do
    killing.kill(node)
  end
  skynet.sleep(seconds * 100 // 1)
  killing.start_again(...)
  for _, node in ipairs { ... } do
    start_world(node_of(node))
    start_wanderers(node_of(node))
  end
end

-- A region is to move to a node; a moment later nodes are stopped.
local function migrate(region, to, ...)
  local asked = #control.nodes
  skynet.fork(function()
    local ok, moved, answer = pcall(control.tell, asked, "world", "migrate", region, to)
    say("  region %d to node %s: %s", region, to, ok and moved and ("the world stood for %.1f ms"):format(
      answer) or tostring(ok and answer or moved))
  end)
  skynet.sleep(3)
  stop(...)
end

-- ---- failures of the lease in Redis -------------------------------------------------------------

local LEASE_KEY = "{aoi failures} lease"

-- The nodes that have the coordinator.
local function coordinating()
  local names = {}
  for node, stats in ipairs(of_all(function(node)
    return control.tell(node, "stats")
  end)) do
    names[#names + 1] = stats.coordinates == 1 and control.nodes[node] or nil
  end
  return names
end

-- Waits until so many nodes have the coordinator; returns their names, or nil after a while.
local function wait_for_coordinators(n, seconds)
  local limit = skynet.now() + seconds * 100
  while skynet.now() < limit do
    local names = coordinating()
    if #names == n then
      return names
    end
    skynet.sleep(1)
  end
end

local function ask_redis(command, ...)
  local db = redis.connect { host = "127.0.0.1", port = math.tointeger(tonumber(REDIS)) }
  local answer = db[command](db, ...)
  db:disconnect()
  return answer
end

-- The node that has the coordinator, which is none of agents alone, as these are not to fail here.
local function coordinator()
  for _ = 1, 20 do
    local names = assert(wait_for_coordinators(1, 10), "nobody coordinates")
    if node_of(names[1]) <= 4 then
      return names[1]
    end
    ask_redis("set", LEASE_KEY, "key nobody", "PX", LEASE)
    skynet.sleep(LEASE // 10 + 20)
  end
  error("the lease stays at nodes of agents", 0)
end

-- The coordinator's node fails. The world stands as long as it may.
local function to_coordinator(fail, seconds)
  local name, is_done = coordinator(), false
  say("  node %s coordinates", name)
  skynet.fork(function()
    fail(seconds, name)
    is_done = true
  end)
  local stood, may = standstill(function() return is_done end, 300), (LEASE + SILENCE) / 1000 + 1
  say("  the world stood for %.1f s, it may for %.1f", stood, may)
  failed = failed or stood > may
end

-- Redis is killed, and starts anew after so many seconds; is_empty: without what it knew.
local function kill_redis(seconds, is_empty)
  killing.signal("KILL", "redis")
  skynet.sleep(seconds * 100)
  if is_empty then
    os.execute(("rm -rf '%s/appendonlydir'"):format(FOLDER))
  end
  meeting.write(FOLDER .. "/redis.again", "")
  skynet.sleep(100)
end

-- The lease is lost in Redis, and another node has it before the first one knows. Both are asked for a
-- change.
local function two_coordinators()
  for _ = 1, 20 do
    local first = assert(wait_for_coordinators(1, 10), "nobody coordinates")[1]
    ask_redis("del", LEASE_KEY)
    local names = wait_for_coordinators(2, 0.5)
    if names then
      for i, name in ipairs(names) do
        skynet.fork(pcall, control.tell, node_of(name), "world", "of_coordinator", "migrate", i, "d")
      end
      skynet.sleep(100)
      local left = assert(wait_for_coordinators(1, 10), "not one coordinates")
      say("  nodes %s coordinated, %s was the first; then node %s", table.concat(names, " and "), first,
        left[1])
      return
    end
  end
  error("there were never two coordinators", 0)
end

-- Redis does what it must, without the world.
local function use_register()
  try_register(new_register({ host = "127.0.0.1", port = math.tointeger(tonumber(REDIS)) }, "another world"))
end

-- The coordinator's node goes, and comes back.
local function drain()
  local name = coordinator()
  local asked = node_of(name) % 4 + 1
  for _, what in ipairs { "drain_node", "add_node" } do
    local began = skynet.now()
    local answer, message = control.tell(asked, "world", what, name)
    say("  %s %s: %s, after %.1f s", what, name, answer and not message and "done" or message,
      (skynet.now() - began) / 100)
    failed = failed or not answer or message ~= nil
    skynet.sleep(100)
  end
end

local FAILURES = {
  { "nothing", skynet.sleep, 200 },
  { "a node stopped for 0.1 s", stop, 0.1, "b" },
  { "a node stopped for 0.5 s", stop, 0.5, "c" },
  { "a node stopped for 2 s", stop, 2, "b" },
  { "a node stopped for 5 s", stop, 5, "d" },
  { "two nodes stopped for 2 s", stop, 2, "a", "c" },
  { "a node of agents stopped for 2 s", stop, 2, "f" },
  { "a node of agents stopped for 2 s while all stand still", stop_at_rest, 2, "f" },
  { "a node stopped for 2 s while all stand still", stop_at_rest, 2, "c" },
  { "messages lost", transport, "{ loss = 0.1 }", 3 },
  { "messages doubled", transport, "{ double = 0.3 }", 3 },
  { "messages held up", transport, "{ late = 0.2 }", 3 },
  { "messages lost, doubled and held up", transport, "{ loss = 0.1, double = 0.2, late = 0.1 }", 3 },
  { "cut in two for 0.5 s", transport, "{ sides = { a = 1, b = 1, e = 1 } }", 0.5 },
  { "cut in two for 2 s", transport, "{ sides = { a = 1, b = 1, e = 1 } }", 2 },
  { "cut in two for 5 s", transport, "{ sides = { a = 1, c = 1, f = 1 } }", 5 },
  { "cut in three for 2 s", transport, "{ sides = { a = 1, b = 1, c = 2, d = 2 } }", 2 },
  { "cut in two for 2 s, delivered then", transport, "{ is_held = true, sides = { b = 1, d = 1 } }", 2 },
  { "cut in two for 5 s, delivered then", transport, "{ is_held = true, sides = { a = 1, b = 1 } }", 5 },
  { "two nodes that hear each other no more for 2 s", transport, '{ apart = { ["a b"] = true } }', 2 },
  { "two nodes that hear each other no more for 5 s", transport, '{ apart = { ["c d"] = true } }', 5 },
  { "a region moves, its new node is stopped for 2 s", migrate, 1, "d", 2, "d" },
  { "a region moves, its old node is stopped for 2 s", migrate, 2, "a", 2, "b" },
  { "a node of agents killed for 1 s", kill, 1, "f" },
  { "a node of agents killed for 5 s", kill, 5, "f" },
  { "a node killed for 0.3 s", kill, 0.3, "b" },
  { "a node killed for 5 s", kill, 5, "c" },
  { "two nodes killed for 2 s", kill, 2, "a", "d" },
  { "all nodes with regions killed for 1 s", kill, 1, "a", "b", "c", "d" },
  { "everything killed but the driver for 4 s", kill, 4, "a", "b", "c", "d", "f" },
}

local OF_REDIS = {
  { "what stands in Redis", use_register },
  { "the coordinator's node killed for 5 s", to_coordinator, kill, 5 },
  { "the coordinator's node stopped for 0.7 s", to_coordinator, stop, 0.7 },
  { "the coordinator's node stopped for 1.5 s", to_coordinator, stop, 1.5 },
  { "the coordinator's node stopped for 5 s", to_coordinator, stop, 5 },
  { "the coordinator's node drained", drain },
  { "two coordinators", two_coordinators },
  { "Redis stopped for 3 s", stop, 3, "redis" },
  { "Redis killed for 0.5 s", kill_redis, 0.5 },
  { "Redis killed for 3 s", kill_redis, 3 },
  { "Redis killed for 3 s, all forgotten", kill_redis, 3, true },
}

-- Whether ONLY names it.
local function is_wanted(name)
  local only = os.getenv "ONLY" or ""
  for words in only:gmatch "[^,]+" do
    if name:find(words, 1, true) then
      return true
    end
  end
  return only == ""
end

return function(given)
  control = given
  for node = 1, #control.nodes do
    start_world(node)
  end
  worlds.wait_for(control, #control.nodes)
  for node = 1, #control.nodes do
    start_wanderers(node)
  end
  skynet.sleep(200)
  local count = 0
  table.move(OF_REDIS, 1, REDIS and #OF_REDIS or 0, #FAILURES + 1, FAILURES)
  for _, failure in ipairs(FAILURES) do
    local name = failure[1]
    if failure[2] and is_wanted(name) then
      count = count + 1
      local is_done = false
      skynet.fork(function()
        local ok, message = pcall(failure[2], table.unpack(failure, 3))
        is_done, failed = true, failed or not ok
        if not ok then
          say("%s\n  WRONG: %s", name, tostring(message))
        end
      end)
      verify(name, standstill(function() return is_done end))
      skynet.sleep(50)
    end
  end
  if failed or count == 0 then
    error(failed and "not all is right after failures"
      or "ONLY is " .. os.getenv "ONLY" .. ", expected words of a failure in spec/world/failures.lua", 0)
  end
end
