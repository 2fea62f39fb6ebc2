-- A member of a world: one process of a node. It decides by its state and by messages alone: `receive` takes
-- one, `wake` is for timers. Its own messages stand in `out`, until its process takes them.
local calls = require "aoi.skynet.world.calls"
local change = require "aoi.skynet.world.change"
local committing = require "aoi.skynet.world.committing"
local greetings = require "aoi.skynet.world.greetings"
local links = require "aoi.skynet.world.links"
local numbers = require "aoi.skynet.world.numbers"
local resuming = require "aoi.skynet.world.resuming"
local ticks = require "aoi.skynet.world.ticks"

local member = {}

local function post(self, name, key, message)
  message.from, message.from_key, message.to, message.to_key = self.name, self.key, name, key
  self.out[#self.out + 1] = message
end

-- Only the first items go to a member that may not know the configuration.
local function post_item(self, name, number, item)
  local configuration = self.configuration
  post(self, name, self.key_of[name], {
    kind = "item", configuration_key = configuration.key,
    configuration = number <= 2 and configuration or nil, number = number, item = links.light(item),
    heard = self.links[name].heard,
  })
end

-- Items to oneself come at once.
local function send(self, name, item)
  local link = self.links[name]
  local number = links.add(link, item)
  if name == self.name then
    links.take(link, number, item)
    links.acknowledge(link, number)
  else
    post_item(self, name, number, item)
  end
end

local function holds(self)
  local regions = {}
  if self.configuration then
    for region, owner in pairs(self.configuration.owners) do
      if owner == self.name then
        regions[region] = self.loading[region] and "loading" or "held"
      end
    end
  end
  return regions
end

-- Whether a region has no store of its present owner yet, as a tick is told: it is read, or could not be
-- written.
local function lacks_store(self, region)
  return not self.configuration.owners[region] or self.loading[region] or self.unsaved[region]
end

-- The stores that can be read here of regions whose owner is no candidate: region -> stamp.
local function stores(self)
  local candidates, configuration = self.change and self.change.candidates or {}, self.configuration
  return self.land.stores and self.land.stores(self, function(region)
    local owner = configuration and configuration.owners[region]
    return not owner or candidates[owner] ~= self.key_of[owner]
  end) or nil
end

-- Regions that are the own ones now: those to be read from a store are read, the others go on, or begin
-- empty.
local function begin_regions(self)
  self.key_of = {}
  for key, name in pairs(self.keys) do
    self.key_of[name] = key
  end
  self.reading = {}
  for _, region in ipairs(numbers.sorted(self.loading)) do
    if self.configuration.owners[region] == self.name then
      self.reading[region] = true
    end
  end
end

--[[ options:
  name, key       of the process; the key is random
  coordinators    names of nodes whose process may be it
  times           of times.lua
  orphan_ticks    how long an entity whose agent's process is gone waits for another
  takes_none      true: this process gets no regions
  words           those that must be the same in all processes: name -> value
  clock           function: milliseconds, as the functions below get them, for steps that wait; may be left
                  out
  told            function(call, outcome, text), as of calls.lua
  observe         function(member, what, ...): a tick is finished (its number), a configuration "begin"s, an
                  entity has "left" (id, stay, whether lists alone say so), a call has "vanished", the process
                  is "gone", or "refused" for a word; an entity has another "agent" (id, stay, and what its
                  region says of it), or so many kept moves are "replaced" by later ones; may be left out
  land            the regions of this process, see below
  gathered        where moves of agents here wait, see below; nil: with all other calls
`land` has functions. None of them changes the member, but for its field is_busy: it is true while one waits
for a region.
  begin(member, tick, work, moves) applies commands, work: region -> list, and then moves, region -> batch
                                   of `gathered`; see `take_outcome` of applying.lua
  write(member)                    the chunks of the stores; returns those of the own regions that can't be
                                   written, a list, or nil
  take(member, tick, ghosts, list) takes in what others' regions show, and a list of entities with luggage
  tell(member, tick)               the views; returns name of a member -> list for the agents there
  give(member, name, list, whose)  they go to the agents of this process; whose: a set of entities whose views
                                   do; nil: all
  judge_areas(member, tick, list)  commands about areas, of all members; returns { outcome, text } for each
  areas(member)                    the table of areas: { tick = the last that was judged, results, ... }
  put_areas(member, areas, is_unfinished)  that of another member takes its place; is_unfinished: without what
                                   was judged in its tick
  stream(member, id, asked)        the number of a stream that an agent of this process begins for the entity;
                                   asked: the one of when it asked for it
  agents(member)                   whose entities are, as this process was told of its agents: a list of
                                   { id, stay, address, tick = when that was, ... }; may be left out
  copy(member, region)             all of a region that moves, for `configure`
  configure(member, work)          a configuration is in effect. work: drop, a list of entities, take, a list
                                   of those with luggage, and perhaps `said`, as of stays.lua, copies: region
                                   -> copy, anew, a list of those whose agents are to be told their views
                                   anew, said, a list of those whose agents' nodes are to hear of them anew
  stores(member, is_wanted)        region -> { configuration, tick }, of the last chunk, of the regions with a
                                   store that can be read here and is_wanted(region); may be left out
  kept_configuration(member)       the last one that stores here know; nil: none. Only with `stores`
  read(member, region, now)        of a store: a table { entities =, ended = set of stays that had ended, and
                                   what else the land wants to get back }; or nil as long as that takes
  loaded(member, loaded, list)     of such a table, with its region, these count, of the own ones, perhaps
                                   with `said`
  taken_back(member, region, list) entities that a store lists as given are this own region's, with luggage,
                                   and perhaps `said`
`gathered` has functions; see direct.lua. Moves of an entity that is closed go to calls.ask.
  open(id, region), close(id), close_all()
  drain()                          takes all out: region -> batch with n, how many; and a list of calls, of
                                   entities that were closed meanwhile
  ids(batch), call(batch, i)       the entities of a batch; one move of it as a call
  run(batch, first, last)          those of its moves as a batch ]]
function member.new(options)
  return {
    name = options.name, key = options.key, coordinators = options.coordinators, times = options.times,
    orphan_ticks = options.orphan_ticks, land = options.land, phase = "joining", place = 0, highest = 0,
    tick = 0,
    finished = 0, first_tick = 1, directory = {}, owned = {}, given = {}, results = {}, loading = {},
    loaded = {}, ended = {}, missing = {},
    said = {},    -- list of what the own regions have said of agents in the last ticks
    agents = {},  -- as long as stores are read: stay -> what nodes were told of its agent last
    read = {},    -- region -> what its store has, as long as others are read
    unsaved = {}, -- region, of any member -> the tick from which on its chunks could not be written
    written = {}, -- own region -> the last configuration in which its chunk was written
    reading = {}, again = { enters = {}, commands = {} }, keys = {}, names = {},
    key_of = {}, taken = setmetatable({}, { __mode = "k" }), packets_given = 0, -- up to this tick
    out = {}, calls = calls.new(options.told), gathered = options.gathered, asked = {},
    holding = {}, homeless = {}, next_at = 0, lease_until = -1, request = 0,
    begun_at = 0,    -- when the present tick began
    waits_since = 0, -- since when it waits for the messages of others, who may begin it later
    took = nil,      -- how long the one before took: milliseconds
    early = {}, requests = {}, asked_at = -math.huge, ticked_at = 0, gave_up_at = 0, is_busy = false,
    is_heard = false, -- true: a coordinator has answered
    fellows = {}, -- of a process that joins: name -> key of those that it must have heard to be taken in
    greeted = {}, -- key of a fellow -> when the latest greeting was sent that it has answered
    coordinator_keys = {}, -- name of a node whose coordinator has answered -> key of that process
    observe = options.observe or function() end, takes_none = options.takes_none, words = options.words,
    clock = options.clock, post = post, send = send, holds = holds, begin_regions = begin_regions,
    lacks_store = lacks_store,
  }
end

local function waits(self)
  if self.is_busy then
    return { self.name }
  elseif self.change then
    return change.waits_for(self)
  elseif self.phase == "ticking" and self.tick > self.finished then
    return ticks.missing(self, self.tick)
  end
  return {}
end

-- Asks the coordinator for what is in effect or in preparation; the answer is the lease.
local function ask_coordinator(self, now)
  self.asked_at = now
  self.request = self.request + 1
  self.requests[self.request] = now
  self.requests[self.request - 16] = nil
  local doing = self.change
  if doing and doing.reported and not doing.stores then
    doing.stores = stores(self)
  elseif not doing and not self.configuration then
    if self.land.stores and not self.stores then
      self.kept_configuration = self.land.kept_configuration(self)
    end
    self.stores = self.stores or stores(self)
  end
  if not self.configuration then
    greetings.greet(self, now)
  end
  for _, name in ipairs(self.coordinators) do
    post(self, name, nil, {
      kind = "ask", request = self.request, tick = self.tick, finished = self.finished, waits = waits(self),
      highest = self.highest,
      configuration = self.configuration,
      kept = not self.configuration and self.kept_configuration or nil,
      joining = not self.configuration, takes_none = self.takes_none,
      hears = not self.configuration and greetings.heard(self, now) or nil,
      words = not self.configuration and self.words or nil,
      prepared = doing and doing.key, reported = doing and doing.reported and doing.key,
      stores = doing and doing.stores or not self.configuration and self.stores or nil,
      written = self.written, heard = self.is_heard,
      holds = doing and doing.own_list and doing.own_list.holds or holds(self),
    })
  end
end

-- The process is expelled, or can't go on: its regions end, its agents are told, and it joins as a new one.
function member.gone(self)
  self.phase = "gone"
  calls.end_all(self)
  self.observe(self, "gone")
end

local receivers

local function on_status(self, message)
  local sent = self.requests[message.request]
  self.coordinator_keys[message.from] = message.from_key
  if not self.is_heard then
    self.is_heard, self.asked_at = true, -math.huge -- the coordinator takes note of it when it asks again
  end
  if message.expelled then
    member.gone(self)
    return
  elseif message.refused then
    self.observe(self, "refused", message.refused)
    return
  end
  if message.fellows then
    self.fellows = message.fellows
  end
  if sent and message.lease then
    self.lease_until = math.max(self.lease_until, sent + self.times.lease)
  end
  if message.offer and message.offer.number > self.highest then
    change.prepare(self, message.offer)
    local early = self.early
    self.early = {}
    for _, name in ipairs(numbers.sorted(early)) do
      receivers.flush(self, early[name])
    end
  end
  local committed = message.committed
  local doing = self.change
  if committed and doing and doing.key == committed.key and doing.reported then
    committing.commit(self, committed)
  end
end

local function on_item(self, message)
  local key, configuration = message.configuration_key, message.configuration
  if configuration and not (self.configuration and self.configuration.key == key) then
    change.on_other_configuration(self, message.from, message.from_key, configuration)
  end
  if self.configuration and self.configuration.key == key
    and self.key_of[message.from] == message.from_key then
    local doing = self.change
    if doing and (doing.candidates[message.from] ~= message.from_key or doing.own_list) then
      return
    end
    local link = self.links[message.from]
    links.fill(message.item)
    links.take(link, message.number, message.item)
    links.acknowledge(link, message.heard)
  end
end

-- Requests that have waited here, as this process was late, are one.
local function on_need(self, message, now)
  local link = self.configuration and self.configuration.key == message.configuration_key
    and self.key_of[message.from] == message.from_key and self.links[message.from]
  if link and now >= link.sent_again_at + self.times.repeated then
    link.sent_again_at = now
    for number = message.first, link.last do
      if link.sent[number] then
        post_item(self, message.from, number, link.sent[number])
      end
    end
  end
end

receivers = {
  status = on_status,
  greeting = greetings.answer,
  greeted = greetings.answered,
  item = on_item,
  need = on_need,
  flush = function(self, message)
    if message.number > self.highest then
      self.early[message.from] = message -- of a change that the coordinator has not told us of yet
    elseif self.change and self.change.candidates[message.from] == message.from_key then
      change.on_flush(self, message.from, message)
    end
  end,
  list = function(self, message)
    if self.change and self.change.candidates[message.from] == message.from_key then
      change.on_list(self, message.from, message)
    end
  end,
}

-- Asks fellows for items that should be here. What is not late is not asked for: it would come twice.
local function need(self, now)
  local behind = {}
  if self.change and not self.change.own_list then
    for name, flush in pairs(self.change.flushes) do
      if self.configuration and flush.configuration_key == self.configuration.key and self.links[name]
        and self.links[name].heard < flush.last then
        behind[name] = true
      end
    end
  elseif self.phase == "ticking" and now >= self.waits_since + self.times.repeated then
    for _, name in ipairs(self.names) do
      local link = self.links[name]
      local wanted = 2 * (self.tick - self.first_tick) + (self.tick > self.finished and 1 or 0)
      if name ~= self.name and link.heard < wanted then
        behind[name] = true
      end
    end
  end
  for _, name in ipairs(numbers.sorted(behind)) do
    local link = self.links[name]
    if now >= link.needed_at + self.times.repeated then
      link.needed_at = now
      post(self, name, self.key_of[name], {
        kind = "need", configuration_key = self.configuration.key, first = link.heard + 1,
      })
    end
  end
end

-- Whether the coordinator cannot have made a configuration without this member yet.
function member.has_lease(self, now)
  return now < self.lease_until
end

-- When the tick behind one that has begun now is to begin. early: by how much this member was ahead of
-- others: it waits for them less when it begins a little later each time, and so do its agents for what is
-- told.
local function next_begin(self, now, early)
  local tick, late = self.times.tick, now - self.next_at
  -- Late by less than half a tick: the next one is reckoned from when this should have been.
  return (late < tick / 2 and self.next_at or now) + tick + math.min(early, tick) / 4
end

-- Goes on with all that can be done now.
local function proceed(self, now)
  if self.phase == "gone" then
    return
  end
  local had_reported = self.change and self.change.reported
  change.proceed(self, now)
  if self.change and self.change.reported and not had_reported then
    ask_coordinator(self, now)
  end
  while self.phase == "ticking" and member.has_lease(self, now) do
    now = self.clock and self.clock() or now
    if self.tick > self.finished then
      if not ticks.all_here(self, self.tick) then
        break
      end
      self.took = now - self.begun_at
      ticks.give_packets(self) -- of the tick before: this one may be told by others
      local read = ticks.finish(self, self.tick)
      self.ticked_at = now
      if self.tick == self.first_tick then
        ask_coordinator(self, now) -- another change may wait for it
      end
      if read and not next(self.loading) then
        resuming.calls(self, self.was_lost, true)
        self.was_lost = false
        committing.settle_missing(self)
      end
    elseif now >= self.next_at then
      local early = ticks.head_start(self, self.tick)
      ticks.begin(self, self.tick + 1)
      self.begun_at, self.waits_since = now, self.clock and self.clock() or now
      self.next_at = next_begin(self, now, early)
    else
      break
    end
  end
  if self.phase == "ticking" and member.has_lease(self, now) then
    ticks.give_packets(self)
  end
end

function member.receive(self, now, message)
  local take = receivers[message.kind]
  if take and self.phase ~= "gone" and message.to_key == self.key then
    take(self, message, now)
    if not self.is_busy then
      proceed(self, now)
    end
  end
end

-- Whether a message is heard even while the member waits for a region: that it is expelled, and the greeting
-- of a process that may take its place.
function member.is_urgent(message)
  return message.expelled or message.kind == "greeting"
end

-- Goes on when it is time for a tick.
function member.go_on(self, now)
  proceed(self, now)
end

-- Asks the coordinator when it is time to.
local function ask(self, now)
  if now >= self.asked_at + self.times.round then
    ask_coordinator(self, now)
  end
end

-- Answers calls of agents here that have waited for long, once in a round: where very many wait, looking at
-- them takes time. What would be late by the next round is answered now.
local function give_up(self, now)
  if now < self.gave_up_at + self.times.round then
    return
  end
  self.gave_up_at = now
  local before = now + self.times.round - 2 * self.times.silence - 2000
  if self.ticked_at <= before then
    calls.drop(self)
  end
  calls.give_up(self, before)
end

-- Called every `wake` milliseconds while the member is busy.
function member.wake_busy(self, now)
  if self.phase ~= "gone" then
    ask(self, now)
    give_up(self, now)
  end
end

-- Called every `wake` milliseconds.
function member.wake(self, now)
  if self.phase == "gone" then
    return
  end
  ask(self, now)
  for _, region in ipairs(numbers.sorted(self.reading)) do
    local loaded = self.land.read(self, region, now)
    if loaded and self.phase == "ticking" then
      self.reading[region], loaded.region = nil, region
      self.loaded[#self.loaded + 1] = loaded
    end
  end
  need(self, now)
  proceed(self, now)
  give_up(self, now)
end

return member
