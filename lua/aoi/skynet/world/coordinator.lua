-- The coordinator: the one place that makes configurations. It hears requests, counts its own rounds, and
-- answers with what is in effect or in preparation. Its file keeps the last configuration that was committed;
-- in Redis it is written by whoever holds the lease there.
local configurations = require "aoi.skynet.world.configurations"
local greetings = require "aoi.skynet.world.greetings"
local late = require "aoi.skynet.world.late"
local numbers = require "aoi.skynet.world.numbers"
local owners = require "aoi.skynet.world.owners"

local coordinator = {}

-- A set as it is now; nil: it is empty.
local function copy_of(set)
  local copy = {}
  for name in pairs(set) do
    copy[name] = true
  end
  return next(copy) and copy
end

local function are_equal(a, b)
  for name in pairs(a) do
    if not b[name] then
      return false
    end
  end
  for name in pairs(b) do
    if not a[name] then
      return false
    end
  end
  return true
end

-- A configuration: { number, key, members, owners, tick = the first one of a cold start, loads = set of the
-- regions that are read from stores, is_cold = true: nobody was in one before, drained = set of nodes,
-- lacks_owner = true: some region has none, since = region -> number of a
-- configuration: a store of an earlier one is not of that region's present life }.
--
-- options: name of its node, regions, times, new_key(), new_tick() for a cold start, has_stores: whether
-- there are stores, first = list of names without which a cold start waits longer, may_go = true: another
-- node can be the coordinator, leaves_out(name, key, why) hears of members that a change begins without,
-- file = { configuration, commit(configuration, coordinator) }: what was committed last, and how to write a
-- new one, which calls `committed` when that is done.
function coordinator.new(options, now)
  local known = options.file.configuration
  return {
    name = options.name, regions = options.regions, times = options.times, file = options.file,
    new_key = options.new_key, new_tick = options.new_tick or function() return 1 end,
    leaves_out = options.leaves_out or function() end,
    first = options.first or {}, has_stores = options.has_stores, may_go = options.may_go,
    configuration = known, highest = known and known.number or 0, phase = "starting", askers = {},
    moves = {}, rounds = 0, is_told_to_begin = false,
    last_tick = 0, -- the last tick before this configuration
    drained = known and copy_of(known.drained or {}) or {}, -- set of nodes that are to go, or have gone
    round_at = now, out = {},
  }
end

local function post(self, name, key, message)
  message.from, message.to, message.to_key = self.name, name, key
  self.out[#self.out + 1] = message
end

local function status(self, asker, request)
  local offer = self.offer
  local candidate = offer and offer.candidates[asker.name] == asker.key
  local members = configurations.members_of(self.configuration)
  local is_member = members[asker.name] == asker.key
  local message = { kind = "status", request = request }
  if asker.joining then
    message.fellows = offer and offer.candidates or members
  end
  if offer and candidate then
    message.offer, message.lease = offer, true
  elseif not offer and self.phase == "steady" then
    message.lease = is_member
    message.expelled = not is_member and not asker.joining
    message.committed = is_member and self.configuration or nil
  end
  post(self, asker.name, asker.key, message)
end

-- The process that asks, if it is the one at its name's address: an answer has reached it. Another process
-- may have been started with the name of a member. A process whose place was taken does not get it back as
-- long as the other one asks.
local function asker_of(self, message)
  local asker = self.askers[message.from]
  if asker and asker.key == message.from_key then
    return asker
  elseif message.heard and not (asker and asker.former == message.from_key
    and asker.missed < self.times.rounds) then
    asker = {
      name = message.from, key = message.from_key, missed = 0, waits_since = {}, former = asker and asker.key,
    }
    self.askers[message.from] = asker
    return asker
  end
end

-- A configuration of which a process or a store knows: as long as the first one is to be made here, the
-- latest of them is the one before.
local function note(self, configuration)
  local known = self.configuration
  self.highest = math.max(self.highest, configuration and configuration.number or 0)
  if self.phase == "starting" and configuration and not (known and configuration.number <= known.number) then
    self.configuration, self.drained = configuration, copy_of(configuration.drained or {}) or {}
  end
end

-- A member or a process that joins asks.
function coordinator.receive(self, _, message)
  local asker = asker_of(self, message)
  if not asker then
    post(self, message.from, message.from_key, { kind = "status", request = message.request })
    return
  end
  asker.is_refused = nil
  asker.asked, asker.joining, asker.reported = true, message.joining, message.reported
  asker.holds, asker.configuration, asker.tick = message.holds, message.configuration, message.tick
  asker.highest, asker.prepared, asker.finished = message.highest, message.prepared, message.finished
  asker.takes_none = message.takes_none -- no regions
  asker.hears = message.hears or {}
  asker.stores, asker.written = message.stores or {}, message.written
  self.highest = math.max(self.highest, message.highest)
  for _, stamp in pairs(asker.stores) do -- no later store may count for less, also when our own file is lost
    self.highest = math.max(self.highest, stamp[1])
  end
  note(self, message.configuration)
  note(self, message.kept)
  local since = {}
  for _, name in ipairs(message.waits) do
    since[name] = asker.waits_since[name] or self.rounds
  end
  if asker.waited_tick ~= message.tick then
    asker.waited_tick = message.tick
    for name in pairs(since) do
      since[name] = self.rounds
    end
  end
  asker.waits_since = since
  coordinator.proceed(self)
  coordinator.go(self)
  status(self, asker, message.request)
end

-- The configuration that is in effect for certain; nil: none is known. One that was written may never have
-- been told, and members may have gone on without it.
local function in_effect(self)
  local known = self.configuration
  if self.phase == "steady" then
    return known
  end
  for _, asker in pairs(self.askers) do
    if asker.configuration and asker.configuration.key == known.key then
      return known
    end
  end
end

-- Members that go on, name -> key: those that ask, and are neither drained nor left out.
local function staying(self, left_out, gone)
  local members = {}
  for name, key in pairs(configurations.members_of(self.configuration)) do
    members[name] = not (left_out[name] or gone[name] or late.is_silent(self, name, key)) and key or nil
  end
  return members
end

-- Whether a process may join where these are members, name -> key.
local function may_join(self, name, members)
  local asker = self.askers[name]
  return asker and asker.joining and not self.drained[name] and greetings.has_heard(asker, members)
end

coordinator.takes_regions = owners.takes_regions

-- Begins a change with all that ask and are not left out (name -> why).
local function begin_change(self, left_out)
  local members = configurations.members_of(self.configuration)
  for _, name in ipairs(numbers.sorted(left_out)) do
    if members[name] then
      self.leaves_out(name, members[name], left_out[name])
    end
  end
  local drained_moves, gone = owners.of_drained(self)
  local candidates, stay = {}, staying(self, left_out, gone)
  for name, asker in pairs(self.askers) do
    local joins = not left_out[name] and asker.missed < self.times.rounds and may_join(self, name, stay)
    candidates[name] = (stay[name] or joins) and asker.key or nil
  end
  if not next(candidates) then
    self.offer = nil
    return
  end
  self.highest = self.highest + 1
  local moves = {}
  for _, wanted in ipairs { drained_moves, self.moves } do
    for region, taker in pairs(wanted) do
      local is_possible = candidates[taker] and coordinator.takes_regions(self, taker)
      moves[region] = is_possible and taker or moves[region]
    end
  end
  self.offer = {
    number = self.highest, key = self.new_key(), candidates = candidates, moves = moves,
    in_effect = in_effect(self),
  }
  for _, name in ipairs(numbers.sorted(self.askers)) do
    local asker = self.askers[name]
    asker.waits_since, asker.reported = {}, nil
    if candidates[name] then
      post(self, name, asker.key, { kind = "status", request = 0, offer = self.offer })
    end
  end
end

-- Whether nobody of the configuration before is left.
local function is_cold(self)
  for name in pairs(self.offer.candidates) do
    if self.askers[name].configuration then
      return false
    end
  end
  return true
end

-- The first tick of a cold start: by our clock, and behind all that stands in stores.
local function first_tick(self)
  local first = self.new_tick()
  for name in pairs(self.offer.candidates) do
    for _, stamp in pairs(self.askers[name].stores) do
      first = math.max(first, stamp[2] + 1)
    end
  end
  return first
end

-- All candidates have reported.
local function commit(self)
  local offer, members = self.offer, {}
  self.last_tick = 0
  for _, name in ipairs(numbers.sorted(offer.candidates)) do
    members[#members + 1] = { name = name, key = offer.candidates[name] }
    self.last_tick = math.max(self.last_tick, self.askers[name].tick)
  end
  local owned, loads, since, lacks_owner = owners.of_offer(self)
  self.file.commit({
    number = offer.number, key = offer.key, members = members, owners = owned, loads = loads, since = since,
    tick = is_cold(self) and first_tick(self) or 1, is_cold = is_cold(self) or nil,
    lacks_owner = lacks_owner, drained = copy_of(self.drained),
  }, self)
  offer.is_made = true
end

-- The configuration is written: it is in effect.
function coordinator.committed(self, configuration)
  local offer = self.offer
  if not offer or offer.number ~= configuration.number then
    return
  end
  self.configuration = configuration
  self.offer, self.phase = nil, "steady"
  for region, taker in pairs(self.moves) do
    -- A change that was begun once more takes its moves along.
    if offer.moves[region] or not (offer.candidates[taker] and coordinator.takes_regions(self, taker)) then
      self.moves[region] = nil
    end
  end
  for _, name in ipairs(numbers.sorted(offer.candidates)) do
    self.askers[name].waits_since = {}
    self.askers[name].joining = false
    post(self, name, offer.candidates[name], { kind = "status", request = 0, committed = self.configuration })
  end
end

-- An operator wants the region to go to this member.
function coordinator.migrate(self, region, name)
  self.moves[region] = name
end

-- An operator wants the node to go: its regions move to the others, then it is no member any more, and does
-- not become one again before `add`. Of the coordinator's own node the regions alone go.
function coordinator.drain(self, name)
  self.drained[name] = true
end

function coordinator.add(self, name)
  self.drained[name] = nil
end

-- An operator wants the first configuration with those that are there.
function coordinator.begin(self)
  self.is_told_to_begin = true
end

-- Whether a member takes regions, another one than that of this name.
function coordinator.has_taker(self, name)
  for other in pairs(configurations.members_of(self.configuration)) do
    if other ~= name and coordinator.takes_regions(self, other) then
      return true
    end
  end
  return false
end

-- Whether all members have finished a tick since the last change. A world whose ticks take long would else
-- change all the time, and never tick.
local function has_ticked(self)
  for name in pairs(configurations.members_of(self.configuration)) do
    if self.askers[name].finished <= self.last_tick then
      return false
    end
  end
  return true
end

-- Whether an operator wants a change, or a region without owner can get one: a node that was about to go when
-- the configuration was made has been added again. The next coordinator knows from the configuration alone
-- which nodes are drained.
local function is_to_change(self)
  local known = self.configuration
  local lacks_owner, drained = known and known.lacks_owner, known and known.drained or {}
  -- With each request of a member: most often there is nothing.
  local is_possible = next(self.moves) or next(self.drained) or next(drained) or lacks_owner
  if not is_possible or not has_ticked(self) then
    return false
  end
  local moves, gone = owners.of_drained(self)
  return next(self.moves) or next(moves) or next(gone) or not are_equal(self.drained, drained)
    or lacks_owner and coordinator.has_taker(self)
end

-- Moves and drains that are wanted begin at once, unless a change is under way.
function coordinator.go(self)
  if self.phase == "steady" and not self.offer and is_to_change(self) then
    begin_change(self, {})
  end
end

-- The configuration that this process has made last; nil: none yet.
function coordinator.made(self)
  return self.phase == "steady" and self.configuration or nil
end

-- Whether this process is drained, and others go on without it.
function coordinator.has_gone(self)
  local members = configurations.members_of(self.configuration)
  return self.may_go and self.phase == "steady" and not self.offer and self.drained[self.name]
    and next(members) and not members[self.name]
end

-- Commits when all candidates have reported: once, as writing may take its time.
function coordinator.proceed(self)
  if self.offer and not self.offer.is_made then
    for name, key in pairs(self.offer.candidates) do
      local asker = self.askers[name]
      if asker.key ~= key or asker.reported ~= self.offer.key then
        return
      end
    end
    commit(self)
  end
end

-- Whether all that may have regions have begun anew: nobody of before is left.
local function are_all_new(self)
  local names = configurations.members_of(self.configuration)
  for _, name in ipairs(self.first) do
    names[name] = names[name] or true
  end
  for name in pairs(names) do
    local asker = self.askers[name]
    if not (asker and asker.joining and asker.missed == 0) then
      return false
    end
  end
  return next(names) ~= nil
end

-- Whether the first configuration of this process may be made.
local function may_start(self)
  local file, own, here = self.file.configuration, self.askers[self.name], staying(self, {}, {})
  local answered, missing = 0, 0
  for name in pairs(configurations.members_of(self.configuration)) do
    answered = answered + (here[name] and 1 or 0)
    missing = missing + ((here[name] or name == self.name) and 0 or 1) -- our own node has begun anew
  end
  if self.is_told_to_begin then
    return true
  elseif answered > 0 and file and missing == 0 and own
    and (not own.joining or may_join(self, self.name, here)) then
    return true
  elseif answered > 0 then
    -- Without the file, others may have made later ones.
    return (file ~= nil or missing == 0) and self.rounds >= self.times.rounds + 1
  elseif are_all_new(self) then
    return true
  elseif self.rounds < 2 * self.times.rounds then
    return false
  end
  -- A cold start: no region with a store begins empty before the owner named for it has joined.
  local before = self.has_stores and self.configuration
  for region, owner in pairs(before and before.owners or {}) do
    if not owners.is_readable(self, region, owner) then
      return false
    end
  end
  return true
end

-- Whether a process joins whose name is no member's.
local function has_joiner(self, members)
  for name, asker in pairs(self.askers) do
    if asker.missed == 0 and not members[name] and may_join(self, name, members) then
      return true
    end
  end
  return false
end

-- Whether a candidate obeys another offer with this number or a higher one, of a coordinator of before: it
-- came late. This one's is for nothing then.
local function is_outdone(self)
  local offer = self.offer
  for name in pairs(offer.candidates) do
    local asker = self.askers[name]
    if asker.highest >= offer.number and asker.prepared ~= offer.key then
      return true
    end
  end
  return false
end

-- Begins a change if there is a reason for one.
local function look(self)
  if self.phase == "starting" and not self.offer and may_start(self) then
    begin_change(self, {})
  elseif self.offer then
    local left_out = late.of(self, self.offer.candidates)
    if next(left_out) or is_outdone(self) then
      begin_change(self, left_out)
    end
  elseif self.phase == "steady" then
    local members = configurations.members_of(self.configuration)
    local left_out = late.of(self, members)
    if next(left_out) or has_joiner(self, members) or is_to_change(self) then
      begin_change(self, left_out)
    end
  end
end

-- Called every `round` milliseconds. A round that came late does not count: this process had stood itself.
function coordinator.round(self, now)
  local is_late = now - self.round_at > 1.5 * self.times.round
  self.round_at = now
  if is_late then
    return
  end
  self.rounds = self.rounds + 1
  for _, asker in pairs(self.askers) do
    asker.missed = asker.asked and 0 or asker.missed + 1
    asker.asked = false
  end
  look(self)
end

-- Members that have not asked for a short time, name -> key: whether their processes live is worth a look.
-- Not of the only member: if it lives it may go on alone until its lease ends.
function coordinator.in_doubt(self)
  local members, list, n = configurations.members_of(self.configuration), {}, 0
  for name, key in pairs(members) do
    local asker = self.askers[name]
    n = n + 1
    list[name] = asker and asker.key == key and asker.missed >= self.times.doubt and key or nil
  end
  return n > 1 and list or {}
end

-- The process of a member is dead: its port refuses connections.
function coordinator.died(self, name, key)
  if coordinator.in_doubt(self)[name] == key then
    local asker = self.askers[name]
    asker.missed, asker.is_refused = math.max(asker.missed, self.times.rounds), true
    look(self)
  end
end

return coordinator
