-- Faults to plant in the protocol: each is a design that one might take for good, and the model must find it.
-- plant(modules) changes functions of the modules, which are loaded anew for each fault.
-- alter(plan), where it is there: a drawn schedule alone would seldom find it.
local calm = require "spec.world_model.calm_plan"
local crossing = require "spec.world_model.crossing_plan"

-- Each node keeps what it knows of agents as whose.lua does, but for what `change` has altered.
local function alter_whose(modules, change)
  local new = modules.whose.new
  function modules.whose.new(options)
    local of_node = new(options)
    change(of_node)
    return of_node
  end
end

-- The commands that a node keeps are those of change(kept) when a configuration begins.
local function alter_kept(modules, change)
  local resume = modules.resuming.calls
  function modules.resuming.calls(member, ...)
    modules.resuming.part(member)
    member.calls.kept = change(member.calls.kept)
    resume(member, ...)
  end
end

-- The calls or commands of a list for which is_left(one, the one before it) is true.
local function left_of(list, is_left)
  local left = {}
  for i, one in ipairs(list) do
    left[#left + 1] = is_left(one, list[i - 1]) and one or nil
  end
  return left
end

-- Agents of entities on another node ask for two bare moves each, every second one for another move between,
-- a little later than the agent before; then that node is lost.
local function move_until_lost(plan)
  calm(plan, 5000)
  plan.disasters, plan.calls = { { kind = "kill", at = 2000, name = "n2", other = "n2", length = 2500 } }, {}
  local function ask(at, id, kind, x, sender)
    local uid = #plan.calls + 1
    plan.calls[uid] = { at = at, name = "n1", uid = uid, id = id, kind = kind, x = x, sender = sender }
  end
  for id = 1, 40 do
    local at = 1600 + 10 * id
    ask(300, id, "enter", 15)
    ask(at, id, "move", 11, 1)
    if id % 2 == 0 then
      ask(at, id, "move", 12)
    end
    ask(at + id % 2 * 100, id, "move", 13, 1)
  end
end

-- The coordinator is away for so long that calls which wait are dropped, a bare move among them; one more is
-- asked for then.
local function move_until_dropped(plan)
  calm(plan, 12000)
  plan.disasters = { { kind = "kill", at = 1500, name = "n1", other = "n1", length = 8000 } }
  plan.calls = {
    { at = 300, name = "n3", uid = 1, id = 1, kind = "enter", x = 15 },
    { at = 2500, name = "n3", uid = 2, id = 1, kind = "update", x = 11 }, -- moves behind it are calls
    { at = 2500, name = "n3", uid = 3, id = 1, kind = "move", x = 12, sender = 1 },
    { at = 8500, name = "n3", uid = 4, id = 1, kind = "move", x = 13, sender = 1 },
  }
end

-- A coordinator that is alone is not heard by Redis, nor by a node that starts: that one goes on from the
-- stores. An entity leaves with the one that was alone.
local function be_alone_unheard(plan)
  calm(plan, 12000)
  plan.names, plan.regions, plan.redis, plan.is_shared = { "n1", "n2" }, 2, true, true
  plan.orphan_ticks, plan.forgets = 80, nil
  plan.disasters = {
    { kind = "kill", at = 500, name = "n2", other = "n2", length = 3000 },
    { kind = "cut", at = 3000, name = "n1", other = "n2", length = 7000 },
    { kind = "redis", at = 3000, name = "n1", other = "n1", length = 7001 },
  }
  plan.calls = {
    { at = 300, name = "n1", uid = 1, id = 1, kind = "enter", x = 5 },
    { at = 9000, name = "n1", uid = 2, id = 1, kind = "leave", x = 0 },
  }
end

return {
  {
    seed = 1,
    name = "no lists: a member keeps the directory that it had",
    plant = function(modules)
      local unite = modules.lists.unite
      function modules.lists.unite(lists, configuration, first_tick, member)
        if member.configuration then
          lists = { [member.name] = lists[member.name] }
        end
        return unite(lists, configuration, first_tick)
      end
    end,
  },
  {
    seed = 8,
    name = "repair: entries of members that are gone are taken out of the own directory, and no more",
    plant = function(modules)
      local unite = modules.lists.unite
      function modules.lists.unite(lists, configuration, first_tick, member)
        local directory = unite(lists, configuration, first_tick)
        for id, known in pairs(member.directory) do
          local owner = member.configuration.owners[known.region]
          if lists[owner] and not directory[id] then
            directory[id], known.expected = known, {}
          end
        end
        return directory
      end
    end,
  },
  {
    seed = 2,
    name = "patience: a tick goes on without the message of a late member",
    plant = function(modules)
      local message, proceed = modules.ticks.message, modules.change.proceed
      local times, now = {}, 0
      function modules.change.proceed(member, time)
        now = time
        return proceed(member, time)
      end
      function modules.ticks.message(member, name, tick)
        local here = message(member, name, tick)
        local key = table.concat({ member.key, member.configuration.key, tick }, " ")
        times[key] = times[key] or now
        if not here and now > times[key] + 400 then
          return {
            kind = "message", tick = tick, enters = {}, areas = {}, commands = {}, hand_overs = {},
            passed = {}, held = {}, ghosts = {},
            news = { raised = {}, left = {}, handed = {}, loaded = {} },
          }
        end
        return here
      end
    end,
  },
  {
    seed = 94,
    name = "counted starts: a process that starts again has the key of the one before",
    plant = function(modules)
      local new = modules.member.new
      function modules.member.new(options)
        options.key = options.name
        return new(options)
      end
    end,
  },
  {
    seed = 468,
    name = "answers at once: what was applied is answered before the others have the tick's message",
    alter = function(plan) -- giver and taker of an entity that leaves hear each other no more
      calm(plan, 5000)
      plan.stores = false
      plan.disasters = {
        { kind = "cut", at = 1200 + plan.seed * 7 % 200, name = "n2", other = "n3", length = 3000 },
      }
      plan.calls = {
        { at = 300, name = "n3", uid = 1, id = 1, kind = "enter", x = 15 },
        { at = 1000, name = "n3", uid = 2, id = 1, kind = "move", x = 25 },
        { at = 1150, name = "n3", uid = 3, id = 1, kind = "leave", x = 0 },
      }
    end,
    plant = function(modules)
      local begin = modules.ticks.begin
      function modules.ticks.begin(member, tick)
        begin(member, tick)
        for _, one in ipairs(member.results) do
          if one.tick == tick and one.node == member.name then
            modules.calls.answer(member, one.uid, one.outcome)
          end
        end
      end
    end,
  },
  {
    seed = 2,
    name = "no lease: a member ticks as long as it hears its fellows",
    alter = be_alone_unheard,
    plant = function(modules)
      function modules.member.has_lease()
        return true
      end
    end,
  },
  {
    seed = 4,
    name = "local moves without numbers",
    plant = function(modules)
      local issue = modules.calls.issue
      function modules.calls.issue(member, tick, outgoing)
        issue(member, tick, outgoing)
        for _, command in ipairs(outgoing.own) do
          member.calls.next_number[command.stay] = member.calls.next_number[command.stay] - 1
          local entity, outcome = member.owned[command.id], "refused"
          if entity and entity.stay == command.stay then
            local place = command.place or { command.text, command.uid }
            entity.x, outcome = place[1], "done"
            entity.trail = table.move(entity.trail, 1, #entity.trail, 1, {})
            table.insert(entity.trail, place[2])
          end
          modules.calls.answer(member, command.uid, outcome)
        end
        outgoing.own = {}
      end
    end,
  },
  {
    seed = 22,
    name = "direct moves that wait are forgotten when a configuration begins",
    plant = function(modules)
      function modules.direct.end_all(member)
        member.gathered.close_all()
        member.gathered.drain()
      end
    end,
  },
  {
    seed = 4,
    name = "only calls are kept: a move is not sent again",
    plant = function(modules)
      local issue = modules.calls.issue
      function modules.calls.issue(member, tick, outgoing)
        issue(member, tick, outgoing)
        member.calls.kept = left_of(member.calls.kept, function(one)
          return one.kind ~= "move" and one.kind ~= "moves"
        end)
      end
    end,
  },
  {
    seed = 2,
    name = "no lease of the coordinator: Redis takes every configuration, of everybody that was it once",
    alter = be_alone_unheard,
    plant = function(modules)
      function modules.lease.coordinator(self)
        return self.coordinator
      end
      function modules.machines.serve.write(register, request)
        register.configuration = request.configuration
        return { is_written = true }
      end
      function modules.lease.coordinators()
        return nil
      end
    end,
  },
  -- Faults that the model itself has found: docs/inside/world-protocol.md.
  {
    seed = 94,
    name = "no stays that ended: what a store has of them comes back",
    plant = function(modules)
      local new = modules.member.new
      function modules.member.new(options)
        local member = new(options)
        setmetatable(member.ended, { __newindex = function() end })
        return member
      end
    end,
  },
  {
    seed = 1,
    name = "the taker of a hand-over is known by its name",
    alter = function(plan) -- the taker is there again before the change can be made, as another node stops
      calm(plan, 8000)
      plan.names, plan.regions, plan.stores = { "n1", "n2", "n3", "n4" }, 4, false
      plan.disasters = {
        { kind = "stop", at = 1100, name = "n4", other = "n4", length = 4000 },
        { kind = "kill", at = 1000 + plan.seed * 7 % 100, name = "n2", other = "n2", length = 250 },
      }
      plan.calls = {}
      for id = 1, 10 do
        plan.calls[id] = { at = 300, name = "n3", uid = id, id = id, kind = "enter", x = 5 }
        plan.calls[10 + id] = {
          at = 750 + 30 * id, name = "n3", uid = 10 + id, id = id, kind = "move", x = 15,
        }
      end
    end,
    plant = function(modules)
      local unite = modules.lists.unite
      function modules.lists.unite(lists, configuration, first_tick, member)
        for _, list in pairs(lists) do
          for _, given in ipairs(list.given) do
            for _, one in ipairs(configuration.members) do
              given.to_key = one.name == given.to and one.key or given.to_key
            end
          end
        end
        return unite(lists, configuration, first_tick, member)
      end
    end,
  },
  {
    seed = 16,
    name = "only a process that has prepared nothing yet joins",
    alter = function(plan) -- Redis is not heard as the first configuration is to be written
      plan.names, plan.redis, plan.late, plan.forgets = { "n1", "n2", "n3" }, true, 0.3, nil
      plan.ends, plan.calls = 3000, {}
      plan.disasters = {
        { kind = "redis", at = -2900 + plan.seed * 7 % 300, name = "n1", other = "n1", length = 2000 },
      }
    end,
    plant = function(modules)
      local receive = modules.coordinator.receive
      function modules.coordinator.receive(coordinator, now, message)
        message.joining = message.joining and message.highest == 0
        return receive(coordinator, now, message)
      end
    end,
  },
  {
    seed = 27,
    name = "an offer does not say what is in effect",
    alter = function(plan) -- a message of a commit is lost while the coordinator's place changes
      plan.names, plan.regions, plan.redis, plan.stores, plan.forgets = { "n1", "n2" }, 6, true, false, nil
      plan.loss, plan.doubled, plan.late, plan.orphan_ticks, plan.ends = 0.1, 0.2, 0.3, 13, 5000
      plan.disasters = {
        { kind = "kill", at = 376, name = "n2", other = "n1", length = 1105 },
        { kind = "migrate", at = 2412, name = "n1", other = "n2", length = 1737 },
        { kind = "cut", at = 3082, name = "n1", other = "n2", length = 560 },
      }
      plan.calls = { { at = 1118, name = "n1", uid = 1, id = 3, kind = "enter", x = 24 } }
    end,
    plant = function(modules) -- and what is wanted waits for no tick, or hardly a schedule would need it
      local prepare, receive = modules.change.prepare, modules.coordinator.receive
      function modules.coordinator.receive(self, now, message)
        message.finished = math.huge
        return receive(self, now, message)
      end
      function modules.change.prepare(member, offer)
        local copy = {}
        for name, value in pairs(offer) do
          copy[name] = value
        end
        copy.in_effect = nil
        return prepare(member, copy)
      end
    end,
  },
  {
    seed = 467,
    name = "of two stores that have an entity the one counts that is read first",
    plant = function(modules)
      local result = modules.stored.result
      function modules.stored.result(all)
        local entities, ended = result(all)
        for _, entity in ipairs(entities) do
          entity.number = { 0, 0, 0 }
        end
        return entities, ended
      end
    end,
  },
  {
    seed = 23,
    name = "an update that is sent once more stands behind what was asked after it",
    plant = function(modules)
      local answer = modules.calls.answer
      function modules.calls.answer(member, uid, outcome, text)
        answer(member, uid, outcome, text)
        local queue = member.calls.queue
        if outcome == "anew" and queue[1] and queue[1].uid == uid then
          table.insert(queue, table.remove(queue, 1))
        end
      end
    end,
  },
  {
    seed = 951,
    name = "commands about areas that are sent once more stand behind what was asked after them",
    plant = function(modules)
      local areas, direct = modules.resuming.areas, modules.direct
      function modules.resuming.areas(member, judged, results)
        local put_first = direct.put_first
        function direct.put_first(_, list)
          table.move(list, 1, #list, #member.calls.queue + 1, member.calls.queue)
        end
        areas(member, judged, results)
        direct.put_first = put_first
      end
    end,
  },
  {
    seed = 6,
    name = "the packets of the last tick do not go with the lists: agents miss events",
    alter = crossing,
    plant = function(modules)
      local commit = modules.committing.commit
      function modules.committing.commit(member, configuration)
        for name, packets in pairs(member.change.packets) do
          member.change.packets[name] = { tick = packets.tick, answers = packets.answers, views = {} }
        end
        return commit(member, configuration)
      end
    end,
  },
  {
    seed = 67,
    name = "a leave does not wait for updates that may have to be sent once more",
    plant = function(modules)
      local issue = modules.calls.issue
      function modules.calls.issue(member, tick, outgoing)
        issue(member, tick, outgoing)
        member.calls.lines = {}
      end
    end,
  },
  {
    seed = 2,
    name = "nodes do not say whose agents they know: the stream of a store that is behind counts",
    alter = function(plan) -- a disk is full, an agent takes over its entity there, and the node is lost
      calm(plan, 5000)
      plan.forgets = nil
      plan.disasters = {
        { kind = "full", at = 1000, name = "n2", other = "n2", length = 3000 },
        { kind = "kill", at = 2000, name = "n2", other = "n2", length = 2500 },
      }
      plan.calls = {
        { at = 300, name = "n1", uid = 1, id = 1, kind = "enter", x = 15 },
        { at = 1500, name = "n3", uid = 2, id = 1, kind = "enter", takes_over = true, x = 15 },
      }
    end,
    plant = function(modules)
      local write = modules.lists.write
      function modules.lists.write(member)
        local list = write(member)
        list.agents = nil
        return list
      end
    end,
  },
  {
    seed = 47,
    name = "the node of an agent goes by answers: it hears nothing when another node's call takes the entity",
    plant = function(modules)
      local take_result = modules.calls.take_result
      function modules.calls.take_result(member, one, later)
        if one.outcome ~= "agent" or one.text.address == member.key then
          take_result(member, one, later)
        end
      end
    end,
  },
  {
    seed = 103,
    name = "the node of an agent hears of a stream with the answer: its end is that of the stream before",
    plant = function(modules)
      local finish = modules.ticks.finish
      function modules.ticks.finish(member, tick)
        local held = {}
        for _, one in ipairs(member.results) do
          if one.outcome == "agent" and one.tick == tick then
            held[#held + 1], one.outcome = one, "later"
          end
        end
        local read = finish(member, tick)
        for _, one in ipairs(held) do
          one.outcome = "agent"
        end
        return read
      end
    end,
  },
  {
    seed = 1,
    name = "a store that could not be written goes on with the next chunk: who left meanwhile is back",
    alter = function(plan)
      calm(plan, 5000)
      plan.forgets = nil
      plan.disasters = {
        { kind = "full", at = 1000, name = "n2", other = "n2", length = 700 },
        { kind = "kill", at = 3000, name = "n2", other = "n2", length = 2500 },
      }
      plan.calls = {
        { at = 300, name = "n1", uid = 1, id = 1, kind = "enter", x = 15 },
        { at = 1300, name = "n1", uid = 2, id = 1, kind = "leave", x = 15 },
      }
    end,
    plant = function(modules)
      local new = modules.disks.new
      function modules.disks.new(world, process)
        local disk = new(world, process)
        local write = disk.write
        function disk.write(of)
          local is_full = (world.full[process.name] or 0) > world.now
          for region, owner in pairs(is_full and of.configuration.owners or {}) do
            if owner == of.name then
              disk.writer:chunk(of, region)
            end
          end
          process.behind = is_full and process.behind or {}
          return write(of)
        end
        return disk
      end
    end,
  },
  {
    seed = 619,
    name = "an agent is not told anew when what its entity's former owner told last went with that one",
    alter = function(plan) -- two nodes hear each other no more just before an entity is handed over
      calm(plan, 5000)
      plan.sight = 5
      plan.disasters = {
        { kind = "cut", at = 1660, name = "n1", other = "n2", length = 3000 },
        { kind = "kill", at = 2500, name = "n2", other = "n2", length = 2000 },
      }
      plan.calls = {
        { at = 300, name = "n3", uid = 1, id = 1, kind = "enter", x = 22 },
        { at = 300, name = "n1", uid = 2, id = 2, kind = "enter", x = 15 },
        { at = 1500, name = "n1", uid = 3, id = 2, kind = "move", x = 18 },
        { at = 1600, name = "n1", uid = 4, id = 2, kind = "move", x = 21 },
      }
    end,
    plant = function(modules)
      function modules.lists.is_handed_since()
        return false
      end
    end,
  },
  {
    seed = 527,
    name = "an agent is given what a giver told that has the entity back, and what came before is lost",
    alter = function(plan) -- an entity is handed over twice; before that two nodes hear each other no more
      plan.names, plan.regions, plan.stores, plan.redis = { "n1", "n2", "n3", "n4" }, 3, false, false
      plan.ends, plan.loss, plan.doubled, plan.late, plan.sight = 5000, 0, 0, 0, 5
      plan.disasters = { { kind = "cut", at = 540, name = "n1", other = "n3", length = 3000 } }
      plan.calls = {
        { at = 337, name = "n1", uid = 1, id = 1, kind = "enter", x = 28 },
        { at = 575, name = "n3", uid = 2, id = 1, kind = "move", x = 12 },
        { at = 675, name = "n2", uid = 3, id = 1, kind = "move", x = 24 },
      }
    end,
    plant = function(modules)
      local give = modules.ticks.give
      function modules.ticks.give(member, name, packets, whose)
        for _, list in pairs(whose and member.change.lists or {}) do
          for _, given in ipairs(list.given) do
            whose[given.id] = true
          end
        end
        give(member, name, packets, whose)
      end
    end,
  },
  {
    seed = 60,
    name = "packets are given as a configuration begins: the lists do not say what they say",
    alter = function(plan) -- two disks lose their last chunks just as an entity is taken over
      calm(plan, 5000)
      plan.names, plan.regions, plan.redis, plan.late = { "n1", "n2", "n3", "n4" }, 5, true, 0.05
      plan.forgets = nil
      plan.disasters = {
        { kind = "migrate", at = 1080, name = "n3", other = "n4", length = 1735 },
        { kind = "damage", at = 1408, name = "n1", other = "n1", length = 1096 },
        { kind = "damage", at = 1443, name = "n2", other = "n2", length = 1114 },
      }
      plan.calls = {
        { at = 522, name = "n3", uid = 1, id = 3, kind = "update", x = 10 },
        { at = 1066, name = "n4", uid = 2, id = 3, kind = "enter", takes_over = true, x = 43 },
      }
    end,
    plant = function(modules)
      local give, commit = modules.ticks.give_packets, modules.committing.commit
      function modules.ticks.give_packets(member)
        if member.phase ~= "prepared" then
          give(member)
        end
      end
      function modules.committing.commit(member, configuration)
        give(member)
        return commit(member, configuration)
      end
    end,
  },
  {
    seed = 59,
    name = "packets are given as a configuration begins, member by member: what is seen goes back in time",
    alter = crossing,
    plant = function(modules)
      local ticks, calls = modules.ticks, modules.calls
      local give_packets, give, forget = ticks.give_packets, ticks.give, calls.forget
      local commit = modules.committing.commit
      function ticks.give_packets(member)
        if member.phase ~= "prepared" then
          give_packets(member)
        end
      end
      function modules.committing.commit(member, configuration)
        local late = {}
        function ticks.give(_, name, ...)
          late[name] = late[name] or {}
          table.insert(late[name], { ... })
        end
        function calls.forget(...) -- all packets have been taken by then
          ticks.give, calls.forget = give, forget
          for _, name in ipairs(member.names) do
            for _, one in ipairs(late[name] or {}) do
              give(member, name, one[1], one[2], one[3])
            end
          end
          forget(...)
        end
        commit(member, configuration)
      end
    end,
  },
  {
    seed = 92,
    name = "an agent is given what a taker told of a tick in which the giver's packets are lost",
    alter = function(plan) -- an agent takes over, the entity is handed over; giver and taker are lost
      calm(plan, 3000)
      plan.names, plan.regions, plan.stores, plan.late = { "n1", "n2", "n3", "n4" }, 4, false, 0.3
      plan.disasters = {
        { kind = "kill", at = 1000 + plan.seed % 250, name = "n2", other = "n2", length = 1000 },
        { kind = "kill", at = 1000 + plan.seed * 7 % 900, name = "n3", other = "n3", length = 1000 },
      }
      plan.calls = {
        { at = 300, name = "n4", uid = 1, id = 1, kind = "enter", x = 15 },
        { at = 1000, name = "n4", uid = 2, id = 1, kind = "enter", takes_over = true, x = 25 },
      }
    end,
    plant = function(modules)
      function modules.lists.is_handed_since(number, list)
        return number[2] > list.finished
      end
    end,
  },
  {
    seed = 330,
    name = "an agent whose entity is lost is not told while an enter is under way, nor afterwards",
    plant = function(modules)
      alter_whose(modules, function(of_node)
        function of_node.settle() end
      end)
    end,
  },
  {
    seed = 2,
    name = "an enter is sent again in the same stream: its agent has heard the end of that, or a later one",
    alter = function(plan) -- an enter is sent again, with one behind it that is heard first, and lost
      calm(plan, 5000)
      plan.stores, plan.late = false, 0.3
      plan.disasters = {
        { kind = "kill", at = 1229, name = "n2", other = "n2", length = 2000 },
        { kind = "kill", at = 2109, name = "n1", other = "n1", length = 300 },
      }
      plan.calls = {
        { at = 1000, name = "n3", uid = 1, id = 1, kind = "update", x = 15 },
        { at = 1010, name = "n3", uid = 2, id = 1, kind = "enter", takes_over = true, x = 15 },
      }
    end,
    plant = function(modules)
      local send_enter, given = modules.calls.send_enter, {}
      function modules.calls.send_enter(member, call, tick, outgoing)
        local stay = send_enter(member, call, tick, outgoing)
        local enter = outgoing.enters[#outgoing.enters]
        given[member] = given[member] or {}
        enter.stream = given[member][call.uid] or enter.stream
        given[member][call.uid] = enter.stream
        return stay
      end
    end,
  },
  {
    seed = 1,
    name = "an enter that its region refuses leaves its stay in the directories",
    plant = function(modules)
      local take_outcome = modules.applying.take_outcome
      function modules.applying.take_outcome(member, tick, work, done, ...)
        for _, of in pairs(done) do
          for i = #of.left, 1, -1 do
            local entity = member.owned[of.left[i]]
            if not entity.x then
              table.remove(of.left, i)
              entity.x, entity.trail, entity.agent = 0, {}, { address = "nobody", stream = 0, order = 0 }
            end
          end
        end
        take_outcome(member, tick, work, done, ...)
      end
    end,
  },
  {
    seed = 1,
    name = "an orphan ends behind what has taken it over in the same tick",
    alter = function(plan) -- agents of one node take over orphans of another one, the last ones too late
      calm(plan, 6000)
      plan.orphan_ticks = 20
      plan.disasters = { { kind = "kill", at = 1000, name = "n3", other = "n3", length = 5000 } }
      plan.calls = {}
      for id = 1, 150 do
        plan.calls[2 * id - 1] = { at = 300, name = "n3", uid = 2 * id - 1, id = id, kind = "enter", x = 15 }
        plan.calls[2 * id] = {
          at = 2000 + 20 * id, name = "n1", uid = 2 * id, id = id, kind = "enter", takes_over = true, x = 15,
        }
      end
    end,
    plant = function(modules)
      local applying = modules.applying
      local give, finish = applying.give_commands, applying.end_orphans
      function applying.end_orphans() end
      function applying.give_commands(member, tick, before, outgoing, work)
        give(member, tick, before, outgoing, work)
        finish(member, tick, work)
      end
    end,
  },
  {
    seed = 685,
    name = "nobody but the region tells an agent that its entity has left",
    plant = function(modules)
      alter_whose(modules, function(of_node)
        local left = of_node.left
        function of_node.left(self, id, stay)
          left(self, id, stay, false, true)
        end
      end)
    end,
  },
  {
    seed = 2,
    name = "an enter whose stay has ended is sent again",
    alter = function(plan) -- the region that was entered is lost with the answer
      calm(plan, 4000)
      plan.disasters = { { kind = "cut", at = 1200, name = "n1", other = "n2", length = 3000 } }
      plan.calls = {
        { at = 1000, name = "n3", uid = 1, id = 1, kind = "enter", x = 15 },
        { at = 1000, name = "n3", uid = 2, id = 1, kind = "move", x = 25 },
        { at = 1000, name = "n3", uid = 3, id = 1, kind = "leave", x = 0 },
      }
    end,
    plant = function(modules)
      local resume = modules.resuming.calls
      function modules.resuming.calls(member, ...)
        local ended = member.ended
        member.ended = {}
        resume(member, ...)
        member.ended = ended
      end
    end,
  },
  {
    seed = 87,
    name = "a node answers for others only while it does not tick",
    plant = function(modules)
      local give_up = modules.calls.give_up
      function modules.calls.give_up(member, before)
        if member.ticked_at <= before then
          give_up(member, before)
        end
      end
    end,
  },
  {
    seed = 227,
    name = "a bare move takes the place of one that was sent",
    plant = function(modules)
      local issue = modules.calls.issue
      function modules.calls.issue(member, tick, outgoing)
        local moves = {}
        for id, call in pairs(member.calls.moves) do
          moves[id] = call
        end
        issue(member, tick, outgoing)
        member.calls.moves = moves
      end
    end,
  },
  {
    seed = 72,
    name = "a bare move takes the place of one from before another call",
    plant = function(modules)
      local ask = modules.calls.ask
      function modules.calls.ask(member, call, now)
        local moves = member.calls.moves
        local before = moves[call.id]
        local is_replaced = ask(member, call, now)
        if call.id and not modules.calls.is_bare_move(call) then
          moves[call.id] = before
        end
        return is_replaced
      end
    end,
  },
  {
    seed = 106,
    name = "a bare move is not sent again",
    plant = function(modules)
      alter_kept(modules, function(kept)
        return left_of(kept, function(one)
          return not modules.calls.is_bare_move(one)
        end)
      end)
    end,
  },
  {
    seed = 1,
    name = "of the bare moves about a stay only the last one is sent again, also across other calls",
    alter = move_until_lost,
    plant = function(modules)
      alter_kept(modules, function(kept)
        local bare, last = modules.calls.is_bare_move, {}
        for _, command in ipairs(kept) do
          local before = last[command.stay]
          if bare(command) and (not before or before.number < command.number) then
            last[command.stay] = command
          end
        end
        return left_of(kept, function(one)
          return not bare(one) or last[one.stay] == one
        end)
      end)
    end,
  },
  {
    seed = 1,
    name = "of bare moves that are kept the first one is sent again",
    alter = move_until_lost,
    plant = function(modules)
      alter_kept(modules, function(kept)
        local bare = modules.calls.is_bare_move
        table.sort(kept, function(a, b)
          return a.stay < b.stay or a.stay == b.stay and a.number < b.number
        end)
        return left_of(kept, function(one, before)
          return not (before and bare(one) and bare(before) and one.stay == before.stay)
        end)
      end)
    end,
  },
  {
    seed = 114,
    name = "direct moves that nobody wants an answer for are forgotten when a configuration begins",
    plant = function(modules)
      local put_first = modules.direct.put_first
      function modules.direct.put_first(member, list)
        put_first(member, left_of(list, function(call)
          return not modules.calls.is_bare_move(call)
        end))
      end
    end,
  },
  {
    seed = 1,
    name = "a bare move takes the place of one that was dropped",
    alter = move_until_dropped,
    plant = function(modules)
      local drop = modules.calls.drop
      function modules.calls.drop(member)
        local moves = member.calls.moves
        drop(member)
        member.calls.moves = moves
      end
    end,
  },
  {
    seed = 179,
    name = "an update that waits is sent though its agent has been told that nobody knows: its line stays",
    plant = function(modules)
      local give_up = modules.calls.give_up
      function modules.calls.give_up(member, before)
        local queue = member.calls.queue
        member.calls.queue = {}
        give_up(member, before)
        table.move(queue, 1, #queue, #member.calls.queue + 1, member.calls.queue)
      end
    end,
  },
  {
    seed = 1,
    name = "a process joins that hears not all members",
    alter = function(plan)
      calm(plan, 14000)
      plan.names, plan.regions = { "n1", "n2", "n3", "n4" }, 4
      plan.disasters = { { kind = "cut", at = 1000, name = "n2", other = "n3", length = 12000 } }
    end,
    plant = function(modules)
      function modules.greetings.has_heard()
        return true
      end
    end,
  },
}
