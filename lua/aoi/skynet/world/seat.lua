-- The coordinator of a world on a node that may have it: its rounds, its file or its lease in Redis, and who
-- may join.
local skynet = require "skynet"
local cluster = require "skynet.cluster"
local coordinator = require "aoi.skynet.world.coordinator"
local calls = require "aoi.skynet.calls"
local lease = require "aoi.skynet.world.lease"
local numbers = require "aoi.skynet.world.numbers"

local name_of = require("aoi.skynet.world.map").name_of
local VERSION = require("aoi.skynet.world.map").VERSION
local EPOCH = require("aoi.skynet.world.times").EPOCH

-- The configuration that was written last; nil: none.
local function read(path)
  local file = path ~= "" and io.open(path, "rb")
  local text = file and file:read "a"
  if file then
    file:close()
  end
  return text and text ~= "" and skynet.unpack(text) or nil
end

-- The coordinator that the words give to this process. sit(file) makes one, flush(of) sends its messages.
-- Returns it, and a function that tries again to write the configuration that could not be written: it is in
-- effect only when it is. Another service waits for the disk, and this one goes on.
local function new_own(map, sit, flush)
  local wanted, is_writing, problem -- the configuration; what was logged about it
  local writer = map.configuration ~= "" and skynet.newservice "world_writer"

  local function written(of, configuration)
    if wanted == configuration then
      wanted = nil
    end
    problem = nil
    coordinator.committed(of, configuration)
  end

  -- Writes what is wanted, one after the other. What could not be written is tried again in the next round.
  local function write(of)
    local is_free = not is_writing
    while is_free and wanted and of.offer and of.offer.number == wanted.number do
      local configuration = wanted
      is_writing = true
      local ok, message = calls.call(writer, "lua", map.configuration, skynet.packstring(configuration))
      is_writing, is_free = false, ok
      if ok then
        written(of, configuration)
        flush(of)
      elseif problem ~= message then
        problem = message
        skynet.error(
          "world: the configuration can't be written, and the world stands until then: " .. message)
      end
    end
  end

  local own = sit {
    configuration = read(map.configuration),
    commit = function(configuration, of)
      if writer then
        wanted = configuration
        skynet.fork(write, of)
      else
        written(of, configuration)
      end
    end,
  }
  return own, write
end

-- The shared words as one text.
local function text_of(words)
  local list = {}
  for _, name in ipairs(numbers.sorted(words)) do
    list[#list + 1] = name .. "=" .. words[name]
  end
  return table.concat(list, " ")
end

-- The coordinator in this process, as long as it has the lease in Redis. sit(file) makes one, flush(of) sends
-- its messages. Returns a table with functions.
local function new_leased(world, sit, flush)
  local leased, map = {}, world.map
  local self = lease.new({
    name = map.node, key = world.new_key(), length = map.lease, words = text_of(map.shared), sit = sit,
  }, world.now())
  local register = require "aoi.skynet.world.register" (map.redis, map.name)
  local was_seated, is_silent = false, false

  -- nil: this node does not have the lease.
  function leased.coordinator()
    local seat = lease.coordinator(self, world.now())
    if was_seated ~= (seat ~= nil) then
      was_seated, leased.given = seat ~= nil, not seat and leased.given or nil
      skynet.error(("world: node %s coordinates%s"):format(map.node, seat and "" or " no more"))
    end
    return seat
  end

  local function answered(request, answer, message)
    lease.answered(self, world.now(), request, answer)
    if is_silent ~= not answer then
      is_silent = not answer
      skynet.error(("world: Redis at %s:%d %s"):format(map.redis.host, map.redis.port,
        answer and "answers" or "gives no answer: " .. tostring(message)))
    end
    local seat = leased.coordinator()
    if seat then
      flush(seat)
    end
  end

  -- All nodes that are known here.
  local function names()
    local list, is_known = {}, {}
    for _, some in ipairs { map.nodes, world.member.names } do
      for _, name in ipairs(some) do
        list[#list + 1] = not is_known[name] and name or nil
        is_known[name] = true
      end
    end
    return list
  end

  -- Asks Redis for what is due. A process does not try for the lease while a coordinator refuses it.
  function leased.wake()
    local now = world.now()
    if lease.is_late(self, now) then
      register.drop()
      answered(self.asked, nil, "it is late")
    end
    local seat = leased.coordinator()
    local request = now >= world.refused_at + world.times.silence and lease.request(self, now)
    if request then
      leased.given = request.kind == "give" and seat.configuration or leased.given
      register.ask(request, answered)
    end
    leased.coordinator()
    world.member.coordinators = lease.coordinators(self, now) or names()
  end

  -- The node that has the lease, as far as is known here.
  function leased.holder()
    return self.holder
  end

  return leased
end

-- `world` is the table of world.lua: map, words, new_key(), now(), times, send(messages).
return function(world)
  local seat = {}
  local map = world.map
  local refused = {} -- set of keys of processes that were refused
  local left_out = {} -- set of keys of members that were left out of a change

  -- Says which member is expelled, and why.
  local function leaves_out(name, key, why)
    if not left_out[key] then
      left_out[key] = true
      skynet.error(("world: node %s is expelled: %s"):format(name, why))
    end
  end

  local function sit(file)
    return coordinator.new({
      name = map.node, regions = map.count, times = world.times, new_key = world.new_key, first = map.nodes,
      has_stores = map.store ~= "", may_go = map.redis ~= nil, leaves_out = leaves_out, file = file,
      new_tick = function()
        return (skynet.time() - EPOCH) * 1000 // map.tick | 0
      end,
    }, world.now())
  end

  local function flush(self)
    local out = self.out
    self.out = {}
    for _, message in ipairs(out) do
      message.from_key = world.key
    end
    world.send(out)
  end

  local leased = map.redis and new_leased(world, sit, flush)
  local own, write_again
  if map.coordinator == map.node then
    own, write_again = new_own(map, sit, flush)
  end

  -- nil: another node has it.
  local function seated()
    if leased then
      return leased.coordinator()
    end
    return own
  end

  -- The word in which a process that joins differs from this one, of several the first by name: a process
  -- that looks for the coordinator elsewhere has no word for the lease. nil: none. In another version words
  -- may mean something else.
  local function other_word(words)
    if words[VERSION] ~= map.shared[VERSION] then
      return VERSION
    end
    local names = {}
    for _, some in ipairs { words, map.shared } do
      for name in pairs(some) do
        names[name] = true
      end
    end
    for _, name in ipairs(numbers.sorted(names)) do
      if words[name] ~= map.shared[name] then
        return name
      end
    end
  end

  -- Whether a process asks here as it looks for the coordinator in another place than this member does.
  local function asks_elsewhere(words)
    return world.member.configuration and words.coordinator ~= map.shared.coordinator
  end

  -- A member or a process that joins asks.
  function seat.receive(message)
    local self, words = seated(), message.words
    local word
    if words and self then
      word = other_word(words)
    elseif words then
      word = asks_elsewhere(words) and "coordinator"
    end
    if word then
      if not refused[message.from_key] then
        refused[message.from_key] = true
        skynet.error(("world: node %s may not join: its %s is %s, expected %s"):format(message.from,
          name_of(word), tostring(message.words[word]), tostring(map.shared[word])))
      end
      world.send { { kind = "status", request = message.request, from = map.node, to = message.from,
        to_key = message.from_key, refused = word } }
    elseif self then
      coordinator.receive(self, world.now(), message)
      flush(self)
    end
  end

  local probed = {} -- set of keys of processes that have a question of ours

  -- Looks whether a process lives. A dead one's port refuses connections: the question fails at once, and
  -- once more over a new connection. A process that stands still, or is cut off, does not answer.
  local function probe(name, key)
    probed[key] = true
    for _ = 1, 2 do
      if pcall(cluster.call, name, "@" .. map.name, "fellow", key, "probe") then
        probed[key] = nil
        return
      end
    end
    probed[key] = nil
    local self = seated()
    if self then
      coordinator.died(self, name, key)
      flush(self)
    end
  end

  function seat.round()
    local self = seated()
    if self then
      if write_again then
        skynet.fork(write_again, self)
      end
      coordinator.round(self, world.now())
      flush(self)
      for name, key in pairs(coordinator.in_doubt(self)) do
        if name ~= map.node and not probed[key] then
          skynet.fork(probe, name, key)
        end
      end
    end
  end

  -- Called as often as processes look at their timers.
  function seat.wake()
    if leased then
      leased.wake()
    end
  end

  -- Whether the coordinator is here.
  function seat.is_held()
    return seated() ~= nil
  end

  -- The node that has the coordinator, as far as is known here.
  function seat.node()
    return map.coordinator or leased.holder()
  end

  -- Does what an operator wants: a function of coordinator.lua and its arguments. The change begins at once.
  function seat.want(what, ...)
    local self = seated()
    if self then
      coordinator[what](self, ...)
      coordinator.go(self)
      flush(self)
    end
  end

  -- The answer of a function of coordinator.lua about a node; nil: the coordinator is elsewhere.
  function seat.ask(what, name)
    local self = seated()
    return self and coordinator[what](self, name)
  end

  -- The configuration in effect, as the coordinator here has it, or had it when its node went; nil: none was
  -- made by this process.
  function seat.configuration()
    local self = seated()
    if not self then
      return leased and leased.given
    end
    return coordinator.made(self)
  end

  return seat
end
