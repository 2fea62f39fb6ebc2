-- Failures of a world on real processes, one row for each. Every row does something to the nodes, and notes
-- in the run (failures.lua) what may be expected then.
--
-- A row is { its name, function, arguments..., of = "store", "node" or "redis": with stores, with the
-- coordinator on a node, or with one in Redis alone; stands = seconds for which the world may stand, in the
-- place of the ordinary bound; before = what is called before the row begins; keeps = true: nobody is
-- expelled; undoes = true: a store may lack what was answered last, as it is damaged or could not be
-- written }.
local skynet = require "skynet"
local redis = require "skynet.db.redis"
local damage = require "spec.world.damage"
local killing = require "spec.world.killing"
local meeting = require "spec.world.meeting"
local new_register = require "aoi.skynet.world.register"
local pulse = require "spec.world.pulse"
local side_by_side = require "aoi.skynet.side_by_side"
local try_register = require "spec.world.register"

local FOLDER = os.getenv "AOI_FOLDER"
local SECONDS_OF_AN_HOUR = 3600

-- `run` is the table of failures.lua. Returns the rows.
return function(run)
  local control, say, expect = run.control, run.say, run.expect

  local function node_of(name)
    for node, other in ipairs(control.nodes) do
      if other == name then
        return node
      end
    end
  end

  local function sleep(seconds)
    skynet.sleep(seconds * 100 // 1)
  end

  -- ---- nodes ----------------------------------------------------------------------------------

  local function stop(seconds, ...)
    local back = run.fail(...)
    for _, node in ipairs { ... } do
      killing.signal("STOP", node)
    end
    sleep(seconds)
    for _, node in ipairs { ... } do
      killing.signal("CONT", node)
    end
    back()
  end

  -- All processes stand still, also the driver's.
  local function stop_all(seconds)
    local back = run.fail(table.unpack(control.nodes))
    local ends = pulse.now() + seconds
    killing.stop_all(seconds, control.nodes)
    repeat
      skynet.sleep(5)
    until pulse.now() > ends
    back()
  end

  -- An agent whose node is expelled while all stand still asks for nothing, but is told.
  local function stop_at_rest(...)
    local arguments = table.pack(...)
    run.disturb = function()
      stop(table.unpack(arguments, 1, arguments.n))
    end
  end

  local function transport(text, seconds)
    run.fail()
    meeting.write(FOLDER .. "/transport", "return " .. text)
    sleep(seconds)
    meeting.write(FOLDER .. "/transport", "return {}")
  end

  -- Starts nodes anew that were killed, with their wanderers. other: a word that the others do not have, and
  -- then there are none.
  local function start_again(other, ...)
    killing.start_again(...)
    for _, node in ipairs { ... } do
      run.start_world(node_of(node), other)
      if not other then
        run.start_wanderers(node_of(node))
      end
    end
  end

  -- Kills nodes and starts them anew after so many seconds.
  local function kill(seconds, ...)
    local back = run.fail(...)
    for _, node in ipairs { ... } do
      killing.kill(node)
    end
    sleep(seconds)
    start_again(nil, ...)
    back()
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

  -- The coordinator's node is stopped, and no other one can be it: the world stands, and loses nothing.
  local function stop_coordinator(seconds)
    local lost, expelled = run.sum "lost", run.sum "expelled"
    stop(seconds, "a")
    sleep(1)
    lost, expelled = run.sum "lost" - lost, run.sum "expelled" - expelled
    expect(lost == 0 and expelled == 0, "%d entities were lost, and %d nodes expelled", lost, expelled)
  end

  -- ---- clocks ---------------------------------------------------------------------------------

  -- The clocks of nodes are wrong by so many hours from when they start anew.
  local function set_clocks(hours, ...)
    for _, node in ipairs { ... } do
      meeting.write(("%s/%s.clock"):format(FOLDER, node), ("%d"):format(hours * SECONDS_OF_AN_HOUR))
    end
  end

  -- A node comes back an hour ahead, and once more with the right clock, an hour before its former one.
  local function clock_of_node(node)
    set_clocks(1, node)
    kill(0.5, node)
    run.wait_for_members()
    sleep(1)
    set_clocks(0, node)
    kill(0.5, node)
  end

  -- All is started anew, with clocks that are an hour behind those of before, or with that of one node so.
  local function clocks_at_start(...)
    set_clocks(-1, ...)
    run.begin_anew()
    sleep(1)
    set_clocks(0, ...)
  end

  -- ---- words ----------------------------------------------------------------------------------

  local function is_member(node)
    for _, one in ipairs(control.tell(#control.nodes, "world", "configuration").members) do
      if one.name == node then
        return true
      end
    end
    return false
  end

  -- Whether the logs have more such lines than before. A process writes them in its own time, and a busy
  -- machine takes long to start one.
  local function has_more_lines(text, before)
    for _ = 1, 100 do
      if run.count_in_logs(text) > before then
        return true
      end
      sleep(0.1)
    end
    return false
  end

  -- A node comes back with a word that is not the others': it may not join, and logs have lines that name the
  -- word. With a word that its stores were not written with it does not even start. Then it comes back with
  -- the right ones.
  local function other_words(node, list)
    local other = list[run.draw:integer(1, #list)]
    local name = other:match "^[^=]+"
    local refused = ("world: node %s is refused: its word %s is"):format(node, name)
    local not_joined = ("world: node %s may not join: its word %s is"):format(node, name)
    local not_stored = ("was written with %s ="):format(name)
    local before = { run.count_in_logs(refused), run.count_in_logs(not_joined),
      run.count_in_logs(not_stored) }
    run.fail(node)
    killing.kill(node)
    local has_started, message = pcall(start_again, other, node)
    if not has_started then
      say("  node %s does not start with %s", node, other)
      expect(has_more_lines(not_stored, before[3]), "%s", message)
      kill(0, node)
      return
    end
    has_more_lines(not_joined, before[2])
    for _ = 1, 60 do -- its former process may be a member for a while, if it was the coordinator's
      if not is_member(node) then
        break
      end
      sleep(0.1)
    end
    sleep(1)
    say("  node %s began with %s", node, other)
    expect(not is_member(node), "node %s has joined with %s", node, other)
    expect(run.count_in_logs(refused) == before[1] + 1, "no line in its log names the word %s", name)
    expect(run.count_in_logs(not_joined) == before[2] + 1, "no line of the coordinator names the word %s",
      name)
    kill(0, node)
  end

  -- ---- stores ---------------------------------------------------------------------------------

  -- A node is killed, and something happens to the stores of its regions before others can read them.
  local function kill_and(what, node)
    sleep(1.5) -- until no other node has an earlier store of the same region
    local before, lines = run.count_in_logs "world: the store", 0
    local back = run.fail(node)
    killing.kill(node)
    local n = damage[what](FOLDER, node, run.draw)
    for _ = 1, 50 do -- where it was the coordinator's node, its lease is to end first
      sleep(0.1)
      lines = run.count_in_logs "world: the store" - before
      if lines >= n then
        break
      end
    end
    say("  of %d stores: %s; %d lines in the logs", n, what, lines)
    expect(n > 0 and lines > 0, "no line in the logs names the store")
    start_again(nil, node)
    back()
  end

  -- Calls f while a node can write no byte. Returns false when this machine has no such limits.
  local function without_room(node, f)
    if not killing.limit_files(node, 0) then
      say "  SKIPPED: there is no prlimit, which sets limits of a process"
      return false
    end
    f()
    return true
  end

  local function store_failures(node)
    return control.tell(node_of(node), "stats").store_failures
  end

  -- The disk of a node is full for so many seconds, and its regions have no good store; then there is room.
  local function fill_disk(node, seconds)
    run.fail()
    local before = store_failures(node)
    if without_room(node, function() sleep(seconds) end) then
      local failures = store_failures(node)
      killing.limit_files(node)
      sleep(2)
      local at_last = store_failures(node)
      sleep(1.5)
      say("  %d chunks could not be written", at_last - before)
      expect(failures > before, "all could be written")
      expect(store_failures(node) == at_last, "chunks can't be written as there is room again")
    end
  end

  -- Its disk is full, and the node is killed.
  local function fill_disk_and_kill(node)
    if without_room(node, function() sleep(1) end) then
      kill(1, node)
    end
  end

  -- The coordinator can't write the next configuration when it must.
  local function fill_disk_of_coordinator(lost)
    if not without_room("a", function()
        local back = run.fail(lost, "a")
        killing.kill(lost)
        sleep(2)
        back()
      end) then
      return
    end
    killing.limit_files "a"
    start_again(nil, lost)
  end

  -- ---- commands that are wrong ----------------------------------------------------------------

  -- Sends each of them to worlds of all nodes, and calls it. Nothing of that may last.
  local function bad_commands(list)
    local waiting, longest = 0, 0
    for i, command in ipairs(list(run)) do
      local node = i % #control.nodes + 1
      control.tell(node, "send_world", table.unpack(command, 1, command.n))
      waiting = waiting + 1
      skynet.fork(function()
        local began = pulse.now()
        local ok, answer, message = pcall(control.tell, node, "world", table.unpack(command, 1, command.n))
        waiting = waiting - 1
        if pulse.now() - began > longest then
          longest = pulse.now() - began
        end
        if os.getenv "WHY" then
          say("    %s: %s %s", tostring(command[1]), tostring(ok and answer),
            tostring(ok and message or answer))
        end
      end)
      skynet.sleep(1)
    end
    local limit = pulse.now() + run.longest_answer
    while waiting > 0 and pulse.now() < limit do
      skynet.sleep(10)
    end
    say("  an answer to a wrong command came after %.1f s at most", longest)
    expect(waiting == 0, "%d wrong commands have no answer", waiting)
    for node = 1, #control.nodes do
      for _, id in ipairs(damage.IDS) do
        control.tell(node, "send_world", "leave", id)
        control.tell(node, "send_world", "remove_area", id)
      end
    end
    skynet.sleep(50)
  end

  -- ---- the lease in Redis ---------------------------------------------------------------------

  local LEASE_KEY = "{aoi failures} lease"

  -- The nodes that have the coordinator.
  local function coordinating()
    local names = {}
    for node, stats in ipairs(run.of_all(function(node)
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
    local db = redis.connect { host = "127.0.0.1", port = math.tointeger(tonumber(run.redis)) }
    local answer = db[command](db, ...)
    db:disconnect()
    return answer
  end

  -- Waits until the coordinator is at no node of agents alone, as these are not to fail here.
  local function coordinate_with_regions()
    for i = 1, 40 do
      local names = assert(wait_for_coordinators(1, 10), "nobody coordinates")
      if node_of(names[1]) <= 4 then
        sleep(i > 1 and run.lease / 400 or 0) -- the world has stood without a lease: what waits is answered
        return
      end
      -- Nodes try for it at times of their own: without chance it might always be the same one that is first.
      ask_redis("set", LEASE_KEY, "key nobody", "PX", run.lease + run.draw:integer(0, run.lease // 3))
      skynet.sleep(run.lease // 10 + 20)
    end
    error("the lease stays at nodes of agents", 0)
  end

  -- The coordinator's node fails: another one gets the lease when that has run out.
  local function to_coordinator(fail, seconds)
    local name = assert(wait_for_coordinators(1, 10), "nobody coordinates")[1]
    say("  node %s coordinates", name)
    run.lease_runs_out()
    fail(seconds, name)
    sleep(2.5)
  end

  local function stop_redis(seconds)
    local back = run.fail "redis"
    run.lease_runs_out()
    killing.signal("STOP", "redis")
    sleep(seconds)
    killing.signal("CONT", "redis")
    back()
  end

  -- Redis is killed, and starts anew after so many seconds; is_empty: without what it knew.
  local function kill_redis(seconds, is_empty)
    local back = run.fail "redis"
    run.lease_runs_out()
    killing.signal("KILL", "redis")
    sleep(seconds)
    if is_empty then
      os.execute(("rm -rf '%s/appendonlydir'"):format(FOLDER))
    end
    meeting.write(FOLDER .. "/redis.again", "")
    skynet.sleep(100)
    back()
  end

  -- As a process of the world asks the one with the name of a member.
  local function ask_process(name, ...)
    local node = node_of(name)
    for _, one in ipairs(control.tell(node, "world", "configuration").members) do
      if one.name == name then
        return control.tell(node, "world", "fellow", one.key, ...)
      end
    end
    error("node " .. name .. " is no member", 0)
  end

  -- Asks the process of this name for a change, as a node of the world asks the coordinator. Returns a text.
  local function ask_for_change(name, region, to)
    local ok, answer, message = pcall(ask_process, name, "of_coordinator", "migrate", region, to)
    return not ok and answer or answer and "done" or message
  end

  -- The lease is lost in Redis, and another node has it before the first one knows. Both are asked for a
  -- change: each one answers, and what one says is done is in the configuration.
  local function two_coordinators()
    run.lease_runs_out()
    for _ = 1, 60 do
      local first = assert(wait_for_coordinators(1, 10), "nobody coordinates")[1]
      ask_redis("del", LEASE_KEY)
      local names = wait_for_coordinators(2, 0.5)
      if names then
        local answers = side_by_side({
          function() return ask_for_change(names[1], 1, "d") end,
          function() return ask_for_change(names[2], 2, "d") end,
        }, 3000)
        local left = assert(wait_for_coordinators(1, 10), "not one coordinates")
        say("  nodes %s coordinated, %s was the first; then node %s", table.concat(names, " and "), first,
          left[1])
        local owners = control.tell(node_of(left[1]), "world", "configuration").owners
        for i, name in ipairs(names) do
          local answer = answers[i] and tostring(answers[i][2]) or "no answer"
          say("  node %s was asked for a change: %s", name, answer)
          run.expect(answers[i] and (answer ~= "done" or owners[i] == "d"),
            "a change has no answer, or is done, and not in the configuration")
          run.expect(not answer:find("no command", 1, true), "a coordinator does not know the question")
        end
        return
      end
    end
    error("there were never two coordinators", 0)
  end

  -- Redis does what it must, without the world.
  local function use_register()
    try_register(new_register({ host = "127.0.0.1", port = math.tointeger(tonumber(run.redis)) },
      "another world " .. skynet.now()))
  end

  -- The coordinator's node goes, and comes back.
  local function drain()
    local name = assert(wait_for_coordinators(1, 10), "nobody coordinates")[1]
    local asked = node_of(name) % 4 + 1
    run.lease_runs_out()
    for _, what in ipairs { "drain_node", "add_node" } do
      local began = skynet.now()
      local answer, message = control.tell(asked, "world", what, name)
      say("  %s %s: %s, after %.1f s", what, name, answer and not message and "done" or message,
        (skynet.now() - began) / 100)
      expect(answer and message == nil, "%s is refused", what)
      skynet.sleep(100)
    end
  end

  return {
    { "nothing", skynet.sleep, 200, keeps = true },
    { "a node stopped for 0.1 s", stop, 0.1, "b" },
    { "a node stopped for 0.5 s", stop, 0.5, "c" },
    { "a node stopped for 2 s", stop, 2, "b" },
    { "a node stopped for 5 s", stop, 5, "d" },
    { "two nodes stopped for 2 s", stop, 2, "a", "c" },
    { "a node of agents stopped for 2 s", stop, 2, "f" },
    { "a node of agents stopped for longer than orphan", stop, run.orphan + 2, "f" },
    { "a node stopped for longer than orphan", stop, run.orphan + 2, "b" },
    { "a node stopped for 90 s", stop, 90, "d" },
    { "a node of agents stopped for 2 s while all stand still", stop_at_rest, 2, "f" },
    { "a node stopped for 2 s while all stand still", stop_at_rest, 2, "c" },
    { "all nodes stopped for 0.5 s", stop_all, 0.5 },
    { "all nodes stopped for 3 s", stop_all, 3 },
    { "all nodes stopped for longer than orphan", stop_all, run.orphan + 2 },
    { "the coordinator alone stopped for longer than silence", stop_coordinator, 2, of = "node" },
    { "the coordinator alone stopped for longer than orphan", stop_coordinator, run.orphan + 2, of = "node" },
    { "messages lost", transport, "{ loss = 0.1 }", 3, keeps = true },
    { "messages doubled", transport, "{ double = 0.3 }", 3, keeps = true },
    { "messages held up", transport, "{ late = 0.2 }", 3, keeps = true },
    { "messages lost, doubled and held up", transport, "{ loss = 0.1, double = 0.2, late = 0.1 }", 3,
      keeps = true },
    { "cut in two for 0.5 s", transport, "{ sides = { a = 1, b = 1, e = 1 } }", 0.5 },
    { "cut in two for 2 s", transport, "{ sides = { a = 1, b = 1, e = 1 } }", 2 },
    { "cut in two for 5 s", transport, "{ sides = { a = 1, c = 1, f = 1 } }", 5 },
    { "cut in three for 2 s", transport, "{ sides = { a = 1, b = 1, c = 2, d = 2 } }", 2 },
    { "cut in two for 2 s, delivered then", transport, "{ is_held = true, sides = { b = 1, d = 1 } }", 2 },
    { "cut in two for 5 s, delivered then", transport, "{ is_held = true, sides = { a = 1, b = 1 } }", 5 },
    { "two nodes that hear each other no more for 2 s", transport, '{ apart = { ["a b"] = true } }', 2,
      once = true },
    { "two nodes that hear each other no more for 5 s", transport, '{ apart = { ["c d"] = true } }', 5,
      once = true },
    { "a region moves, its new node is stopped for 2 s", migrate, 1, "d", 2, "d" },
    { "a region moves, its old node is stopped for 2 s", migrate, 2, "a", 2, "b" },
    { "a node of agents killed for 1 s", kill, 1, "f" },
    { "a node of agents killed for 5 s", kill, 5, "f" },
    { "a node killed for 0.3 s", kill, 0.3, "b" },
    { "a node killed for 5 s", kill, 5, "c" },
    { "a killed node is dead at once, as its port refuses connections", kill, 2, "d", stands = 0.6 },
    { "two nodes killed for 2 s", kill, 2, "a", "d" },
    { "the coordinator's node killed for 3 s", kill, 3, "a", of = "node" },
    { "all nodes with regions killed for 1 s", kill, 1, "a", "b", "c", "d" },
    { "everything killed but the driver for 4 s", kill, 4, "a", "b", "c", "d", "f" },
    { "a node back with a clock an hour ahead, then with the right one", clock_of_node, "b" },
    { "all started anew with clocks an hour behind", clocks_at_start, "a", "b", "c", "d", "e", "f" },
    { "all started anew, the clock of the first node an hour behind", clocks_at_start, "a" },
    { "a node with other words", other_words, "c",
      { "radius=60", "orphan=90000", "columns=1", "max_radius=110", "slack=1" } },
    { "a node with another coordinator", other_words, "c", { "coordinator=b" } },
    { "a node killed, its stores cut off", kill_and, "cut", "c", of = "store", undoes = true },
    { "a node killed, its stores damaged", kill_and, "flip", "b", of = "store", undoes = true },
    { "a node killed, its stores no recordings", kill_and, "overwrite", "d", of = "store", undoes = true },
    { "a node killed, its stores those of other regions", kill_and, "exchange", "c", of = "store",
      undoes = true },
    { "a node whose disk is full for 3 s", fill_disk, "b", 3, of = "store" },
    { "a node whose disk is full killed", fill_disk_and_kill, "b", of = "store", undoes = true },
    { "a node killed while the coordinator's disk is full", fill_disk_of_coordinator, "c", of = "node" },
    { "wrong commands", bad_commands, damage.wrong_commands },
    { "commands of worlds from an agent", bad_commands, damage.commands_of_worlds },
    { "what stands in Redis", use_register, of = "redis" },
    { "the coordinator's node killed for 5 s", to_coordinator, kill, 5, of = "redis",
      before = coordinate_with_regions },
    { "the coordinator's node stopped for 0.7 s", to_coordinator, stop, 0.7, of = "redis",
      before = coordinate_with_regions },
    { "the coordinator's node stopped for 1.5 s", to_coordinator, stop, 1.5, of = "redis",
      before = coordinate_with_regions },
    { "the coordinator's node stopped for 5 s", to_coordinator, stop, 5, of = "redis",
      before = coordinate_with_regions },
    { "the coordinator's node drained", drain, of = "redis", before = coordinate_with_regions },
    { "two coordinators", two_coordinators, of = "redis" },
    { "Redis stopped for 3 s", stop_redis, 3, of = "redis" },
    { "Redis killed for 0.5 s", kill_redis, 0.5, of = "redis" },
    { "Redis killed for 3 s", kill_redis, 3, of = "redis" },
    { "Redis killed for 3 s, all forgotten", kill_redis, 3, true, of = "redis" },
  }
end
