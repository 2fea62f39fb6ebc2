-- A member of a world: one process of a node. It decides by its state and by messages alone: `receive` takes
-- one, `wake` is for timers. Its own messages stand in `out` (to processes) and `told` (to its agents and to
-- the checks), until its process takes them.
local calls = require "spec.world_model.calls"
local change = require "spec.world_model.change"
local links = require "spec.world_model.links"
local numbers = require "spec.world_model.numbers"
local ticks = require "spec.world_model.ticks"

local member = {}

local function post(self, name, key, message)
  message.from, message.from_key, message.to, message.to_key = self.name, self.key, name, key
  self.out[#self.out + 1] = message
end

-- Items to oneself come at once.
local function send(self, name, item)
  local link = self.links[name]
  local number = links.add(link, item)
  if name == self.name then
    links.take(link, number, item)
    links.acknowledge(link, number)
  else
    post(self, name, self.key_of[name], {
      kind = "item", configuration = self.configuration, number = number, item = item, heard = link.heard,
    })
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

-- options: name, key, coordinators = names of nodes whose process may be it, width of a region, sight,
-- regions, times, orphan_ticks, disk with the functions write(member) and read(member, region), or nil
-- without stores; observe(member, what), called when a tick is finished (its number) and a configuration
-- begins ("begin").
function member.new(options)
  local width, regions = options.width, options.regions
  return {
    name = options.name, key = options.key, coordinators = options.coordinators, times = options.times,
    orphan_ticks = options.orphan_ticks, phase = "joining", place = 0, highest = 0, tick = 0, finished = 0,
    taken_in = 0, first_tick = 1, directory = {}, owned = {}, given = {}, results = {}, loading = {},
    loaded = {}, ended = {}, reading = {}, applied = {}, again = { enters = {}, commands = {} }, keys = {},
    names = {},
    key_of = {}, ghosts = {}, shown = {}, width = width, regions = regions, sight = options.sight,
    out = {}, told = {}, calls = calls.new(), next_at = 0, lease_until = -1, request = 0,
    requests = {}, asked_at = -math.huge, ticked_at = 0,
    region_of = function(x)
      return math.max(0, math.min(regions - 1, x // width))
    end,
    observe = options.observe or function() end,
    post = post, send = send, holds = holds, begin_regions = begin_regions,
    write = options.disk and options.disk.write or function() end,
    read = options.disk and options.disk.read,
  }
end

local function waits(self)
  if self.change then
    return change.waits_for(self)
  elseif self.phase == "ticking" and self.tick > self.finished then
    return ticks.missing(self, self.tick)
  end
  return {}
end

local function ask_coordinator(self, now)
  self.asked_at = now
  self.request = self.request + 1
  self.requests[self.request] = now
  self.requests[self.request - 16] = nil
  for _, name in ipairs(self.coordinators) do
    post(self, name, nil, {
      kind = "ask", request = self.request, tick = self.tick, waits = waits(self), highest = self.highest,
      configuration = self.configuration, joining = not self.configuration,
      reported = self.change and self.change.reported and self.change.number,
      holds = self.change and self.change.own_list and self.change.own_list.holds or holds(self),
    })
  end
end

-- The process is expelled: its regions end, its agents are told, and it joins as a new one.
local function gone(self)
  self.phase = "gone"
  for _, uid in ipairs(numbers.sorted(self.calls.open)) do
    local call, queued = self.calls.open[uid], false
    for _, one in ipairs(self.calls.line[call.id] or {}) do
      queued = queued or one == call
    end
    calls.answer(self, uid, queued and "again" or "unknown")
  end
  self.told[#self.told + 1] = { kind = "gone" }
end

local function on_status(self, message)
  local sent = self.requests[message.request]
  if message.expelled then
    gone(self)
    return
  end
  if sent and message.lease then
    self.lease_until = math.max(self.lease_until, sent + self.times.lease)
  end
  if message.offer then
    change.prepare(self, message.offer)
  end
  local committed = message.committed
  local doing = self.change
  if committed and doing and doing.number == committed.number and doing.reported then
    change.commit(self, committed)
  end
end

local function on_item(self, message)
  local configuration = message.configuration
  if not self.configuration or self.configuration.key ~= configuration.key then
    change.on_other_configuration(self, message.from, message.from_key, configuration)
  end
  if self.configuration and self.configuration.key == configuration.key
    and self.key_of[message.from] == message.from_key then
    local doing = self.change
    if doing and (doing.candidates[message.from] ~= message.from_key or doing.own_list) then
      return
    end
    local link = self.links[message.from]
    links.take(link, message.number, message.item)
    links.acknowledge(link, message.heard)
  end
end

local function on_need(self, message)
  if self.configuration and self.configuration.key == message.configuration_key
    and self.key_of[message.from] == message.from_key then
    local link = self.links[message.from]
    for number = message.first, link.last do
      if link.sent[number] then
        post(self, message.from, message.from_key, {
          kind = "item", configuration = self.configuration, number = number, item = link.sent[number],
          heard = link.heard,
        })
      end
    end
  end
end

local receivers = {
  status = on_status,
  item = on_item,
  need = on_need,
  flush = function(self, message)
    if self.change and self.change.candidates[message.from] == message.from_key then
      change.on_flush(self, message.from, message)
    end
  end,
  list = function(self, message)
    if self.change and self.change.candidates[message.from] == message.from_key then
      change.on_list(self, message.from, message)
    end
  end,
}

-- Asks fellows for items that should be here.
local function need(self, now)
  local behind = {}
  if self.change and not self.change.own_list then
    for name, flush in pairs(self.change.flushes) do
      if self.configuration and flush.configuration_key == self.configuration.key and self.links[name]
        and self.links[name].heard < flush.last then
        behind[name] = true
      end
    end
  elseif self.phase == "ticking" then
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

-- Goes on with all that can be done now.
local function proceed(self, now)
  if self.phase == "gone" then
    return
  end
  change.proceed(self, now)
  while self.phase == "ticking" and member.has_lease(self, now) do
    if self.tick > self.finished then
      if not ticks.all_here(self, self.tick) then
        break
      end
      local read = ticks.finish(self, self.tick)
      self.ticked_at = now
      if read and not next(self.loading) then
        change.resume_calls(self, self.was_lost, true)
        self.was_lost = false
      end
    elseif now >= self.next_at then
      ticks.begin(self, self.tick + 1)
      self.next_at = now + self.times.tick
    else
      break
    end
  end
  if self.phase == "ticking" and member.has_lease(self, now) then
    ticks.give_packets(self)
  end
end

function member.receive(self, now, message)
  if self.phase ~= "gone" and (not message.to_key or message.to_key == self.key) then
    receivers[message.kind](self, message)
    proceed(self, now)
  end
end

-- Called every `wake` milliseconds.
function member.wake(self, now)
  if self.phase == "gone" then
    return
  end
  if now >= self.asked_at + self.times.round then
    ask_coordinator(self, now)
  end
  for _, region in ipairs(numbers.sorted(self.reading)) do
    local loaded = self.read(self, region, now)
    if loaded and self.phase == "ticking" then
      self.reading[region] = nil
      self.loaded[#self.loaded + 1] = { region = region, entities = loaded }
    end
  end
  need(self, now)
  proceed(self, now)
  local long = 2 * self.times.silence + 2000
  if now >= self.ticked_at + long then
    calls.give_up(self, now, long)
  end
end

return member
