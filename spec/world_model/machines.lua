-- Processes, links between them and their disk, in simulated time: messages are lost, doubled, held up and
-- overtake each other; processes stand still at any step, also between what they decided and what they say,
-- are killed, and start again with their name and a new key; pairs are cut.
local calls = require "aoi.skynet.world.calls"
local coordinator = require "aoi.skynet.world.coordinator"
local copied = require "spec.world_model.copied"
local gathered = require "spec.world_model.gathered"
local land = require "spec.world_model.land"
local lease = require "aoi.skynet.world.lease"
local member = require "aoi.skynet.world.member"
local numbers = require "aoi.skynet.world.numbers"
local stored = require "aoi.skynet.world.stored"

local Machines = {}
Machines.__index = Machines

local machines = {}

-- plan: see schedules.lua. checks: hears what members tell.
function machines.new(plan, random, checks, times)
  local self = setmetatable({
    plan = plan, random = random, checks = checks, times = times, now = 0,
    due = {}, -- time -> list of functions
    processes = {}, disk = {}, file = {}, cuts = {}, keys = 0, loss = plan.loss, doubled = plan.doubled,
    late = plan.late,
    full = {}, -- node -> until when its disk takes nothing
    failures = {}, -- list of { from, to, standstill }
    unheard = {}, -- list of times: a request to Redis, or its answer, was lost by chance, of the coordinator or,
                  -- where there is none, of one that might be it
  }, Machines)
  checks.world = self
  return self
end

-- A failure begins, and lasts for so long. standstill: the most that the world may stand for it.
function Machines:failed(length, standstill)
  table.insert(self.failures, { from = self.now, to = self.now + length, standstill = standstill })
end

function Machines:at(time, f)
  local list = self.due[time]
  if list then
    list[#list + 1] = f
  else
    self.due[time] = { f }
  end
end

local function new_key(self)
  self.keys = self.keys + 1
  return "k" .. self.keys
end

-- Where the model's regions keep what belongs to their entities: place and trail.
local function places_of(of, region, marked)
  local places = {}
  for id in pairs(marked) do
    local entity = of.owned[id]
    places[id] = entity and entity.region == region and { x = entity.x, trail = entity.trail } or nil
  end
  return places
end

-- The store of a node for a region, as it is now: { full, chunks }. A chunk with sync: what stands here
-- outlives the process. Luggage is within what was handed over.
local function write_store(self, name, writer, of, region, is_full)
  local path = name .. " " .. region
  local store = self.disk[path]
  if is_full or not store then
    local all = writer:full(of, region)
    self.disk[path] = copied { full = all, places = places_of(of, region, of.owned), chunks = {} }
  else
    local marked = writer.marked[region] or {}
    store.chunks[#store.chunks + 1] = copied {
      places = places_of(of, region, marked), rows = writer:chunk(of, region),
    }
  end
  self.disk[path].at = self.now
end

-- All that stands there, as it was last.
local function read_store(store)
  local all, places = copied(store.full), copied(store.places)
  for _, chunk in ipairs(store.chunks) do
    stored.merge(all, copied(chunk.rows))
    for id, place in pairs(copied(chunk.places)) do
      places[id] = place
    end
  end
  local entities, ended = stored.result(all)
  for _, entity in ipairs(entities) do
    if not entity.is_given then
      entity.x, entity.trail = places[entity.id].x, places[entity.id].trail
    end
  end
  return { entities = entities, ended = ended }
end

local function stamp_of(store)
  local last = store.chunks[#store.chunks]
  return last and last.rows.stamp or store.full.stamp
end

-- The latest store of a region that the node can read; nil: none.
local function latest_store(self, name, region)
  local latest
  for _, other in ipairs(self.plan.is_shared and self.plan.names or { name }) do
    local store = self.disk[other .. " " .. region]
    if store and (not latest or numbers.later(stamp_of(store), stamp_of(latest))) then
      latest = store
    end
  end
  return latest
end

-- The store of a node for a region has lost its last chunks; math.huge: it can't be read any more.
function Machines:damage(name, region, chunks)
  local path = name .. " " .. region
  local store = self.disk[path]
  if store then
    self.checks:damaged(read_store(store).entities)
    for _ = 1, math.min(chunks, #store.chunks) do
      table.remove(store.chunks)
      self.checks:damaged(read_store(store).entities) -- also of those that have entered and left since
    end
    self.disk[path] = chunks < math.huge and store or nil
  end
end

local function disk_of(self, process)
  if not self.plan.stores then
    return nil
  end
  local name = process.name
  local disk = { writer = stored.new() }
  local is_written, ready = {}, {} -- region -> the file is this process's own; when it has been read
  local left = {} -- set of regions that have gone elsewhere

  -- Returns the regions of which nothing could be written, or nil.
  function disk.write(of)
    local is_full, unsaved = (self.full[name] or 0) > self.now, {}
    for region, owner in pairs(of.configuration.owners) do
      if owner == of.name and not of.loading[region] then
        if is_full then
          unsaved[#unsaved + 1] = region
        else
          write_store(self, name, disk.writer, of, region, not is_written[region] or process.behind[region])
          is_written[region] = true
        end
        process.behind[region] = is_full or nil
      end
    end
    table.sort(unsaved)
    return unsaved[1] and unsaved or nil
  end

  -- A configuration is in effect: what is not its own any more it writes no more.
  function disk.configure(of)
    if (self.full[name] or 0) <= self.now then
      self.disk["configuration " .. name] = copied(of.configuration)
    end
    for region in pairs(left) do
      left[region] = of.configuration.owners[region] ~= of.name or nil
    end
    for region in pairs(is_written) do
      left[region] = of.configuration.owners[region] ~= of.name or nil
      process.behind[region] = not left[region] and process.behind[region] or nil
      is_written[region] = of.configuration.owners[region] == of.name and not of.loading[region] or nil
    end
    for region in pairs(ready) do
      local is_own = of.configuration.owners[region] == of.name
      ready[region] = is_own and of.loading[region] and ready[region] or nil
    end
  end

  -- A tick is told: where the new owners have written, the stores here are of no use any more.
  function disk.told(of)
    for _, region in ipairs(numbers.sorted(left)) do
      if not of:lacks_store(region) then
        self.disk[name .. " " .. region], left[region] = nil, nil
      end
    end
  end

  function disk.stores(_, is_wanted)
    local stamps = {}
    for region = 1, self.plan.regions do
      local store = is_wanted(region) and latest_store(self, name, region)
      stamps[region] = store and stamp_of(store) or nil
    end
    return stamps
  end

  function disk.kept_configuration()
    local latest
    for _, other in ipairs(self.plan.is_shared and self.plan.names or { name }) do
      local kept = self.disk["configuration " .. other]
      latest = kept and not (latest and latest.number >= kept.number) and kept or latest
    end
    return copied(latest)
  end

  function disk.read(of, region, now)
    ready[region] = ready[region] or now + self.random:integer(0, self.times.load)
    if now >= ready[region] then
      local store = latest_store(self, name, region)
      if not store then -- lost since the node said that it could read it
        return { entities = {}, ended = {} }
      end
      local result = read_store(store)
      self.checks:read(of, store.at, result.entities)
      return result
    end
  end

  return disk
end

-- Starts a process with this name; its former one, if any, must be dead.
function Machines:start(name)
  local key = new_key(self)
  local process = {
    name = name, key = key, alive = true, stopped_until = 0, hung_until = 0, waiting = {},
    stood = 0, -- how long it has been stopped or hung
    behind = {}, -- set of regions whose last chunk could not be written
  }
  self.processes[name] = process
  process.land = land.new {
    width = 10, sight = self.plan.sight, regions = self.plan.regions, disk = disk_of(self, process),
    has_areas = self.plan.has_areas,
  }
  process.member = member.new {
    name = name, key = key, coordinators = self.plan.redis and self.plan.names or { self.plan.names[1] },
    times = self.times, orphan_ticks = self.plan.orphan_ticks, land = process.land, gathered = gathered(),
    told = function(call, outcome)
      table.insert(process.land.told, { kind = "answer", uid = call.uid, outcome = outcome })
    end,
    observe = function(of, what, ...)
      if what == "vanished" or what == "gone" then
        table.insert(process.land.told, { kind = what, uid = ... })
      elseif what == "lost" then
        self.checks:lost_entities(process, ...)
      elseif what ~= "left" then
        self.checks:observed(process, of, what)
      end
    end,
  }
  process.member.ticked_at = self.now
  if self.plan.redis then
    process.lease = lease.new({
      name = name, key = key, length = self.times.seat,
      sit = function(file)
        return self:sit(process, file)
      end,
    }, self.now)
  elseif name == self.plan.names[1] then
    process.coordinator = self:sit(process, {
      configuration = self.file.configuration,
      commit = function(configuration, seat)
        self.file.configuration = configuration
        coordinator.committed(seat, configuration)
      end,
    })
  end
  self.checks:started(process)
  self:at(self.now + self.random:integer(1, self.times.wake), function()
    self:wake(process)
  end)
end

-- The process becomes the coordinator.
function Machines:sit(process, file)
  process.round_at = self.now + self.times.round
  return coordinator.new({
    name = process.name, regions = self.plan.regions, times = self.times, file = file,
    new_key = function()
      return new_key(self)
    end,
    -- All of them, where a cold start need not wait.
    first = self.plan.seed % 2 == 0 and self.plan.names or nil,
    has_stores = self.plan.stores, may_go = self.plan.redis,
  }, self.now)
end

-- Redis does these at one moment: see lease.lua. `register` is all that stands there.
local serve = {}
machines.serve = serve

local function has_lease(register, request, now)
  return register.key == request.key and register.ends > now
end

function serve.take(register, request, now)
  if register.key and register.ends > now and register.key ~= request.key then
    return { holder = register.holder, left = register.ends - now }
  end
  register.key, register.holder, register.ends = request.key, request.name, now + request.length
  return { is_granted = true, configuration = register.configuration }
end

function serve.write(register, request, now)
  local known, new = register.configuration, request.configuration
  local may = has_lease(register, request, now)
    and (not known or known.number < new.number or known.key == new.key)
  register.configuration = may and new or known
  return { is_written = may }
end

function serve.give(register, request, now)
  register.ends = has_lease(register, request, now) and now or register.ends
  return {}
end

-- Asks Redis what is due. Request and answer may be lost.
function Machines:ask_redis(process)
  local request = lease.request(process.lease, self.now)
  if not request then
    return
  end
  local function way(f)
    local is_lost, cut_until = self.random:fraction() < self.loss, self.cuts[process.name .. "redis"] or 0
    if not is_lost and cut_until <= self.now then
      self:at(self.now + self.random:integer(1, 4), f)
    elseif cut_until <= self.now and self.loss == self.plan.loss then
      local register = self.file
      local may_sit = not register.key or register.key == process.key
        or register.ends <= self.now + self.times.seat // 3
      self.unheard[#self.unheard + 1] = may_sit and self.now or nil
    end
  end
  way(function()
    local answer = serve[request.kind](self.file, request, self.now)
    way(function()
      self:step(process, function()
        lease.answered(process.lease, self.now, request, answer)
      end, true)
    end)
  end)
end

-- The coordinator of a process, if it is one.
function Machines:seated(process)
  if process.lease then
    process.coordinator = lease.coordinator(process.lease, self.now)
  end
  return process.coordinator
end

function Machines:kill(name)
  local process = self.processes[name]
  if process.alive then
    process.alive = false
    self.checks:killed(process)
  end
end

-- A process that is stopped hears and says nothing for a while, and goes on as if no time had passed.
function Machines:stop(name, length)
  local process = self.processes[name]
  process.stop_next = length
end

local function is_cut(self, a, b)
  local pair = a < b and a .. b or b .. a
  return (self.cuts[pair] or 0) > self.now
end

local function carry(self, message)
  if message.to ~= message.from and is_cut(self, message.from, message.to) then
    return
  end
  local random = self.random
  local times = 1
  if message.to ~= message.from then
    if random:fraction() < self.loss then
      return
    end
    if random:fraction() < self.doubled then
      times = 2
    end
  end
  for _ = 1, times do
    local delay = random:integer(1, 4)
    if message.to ~= message.from and random:fraction() < self.late then
      delay = random:integer(1, 300)
    end
    self:at(self.now + delay, function()
      self:deliver(self.processes[message.to], message)
    end)
  end
end

-- Messages and tellings of a process go out.
local function let_out(self, process)
  local of, seat = process.member, process.coordinator
  local out, told = of.out, process.land.told
  of.out, process.land.told = {}, {}
  for _, one in ipairs(told) do
    self.checks:told(process, one)
  end
  for _, message in ipairs(out) do
    carry(self, message)
  end
  if seat then
    out, seat.out = seat.out, {}
    for _, message in ipairs(out) do
      carry(self, message)
    end
  end
  if of.phase == "gone" and process.alive then
    process.alive = false
    self.checks:killed(process)
    self:at(self.now + 200, function()
      if self.processes[process.name] == process then
        self:start(process.name)
      end
    end)
  end
end

local function go_on(self, process)
  local waiting = process.waiting
  process.waiting = {}
  for _, one in ipairs(waiting) do
    self:step(process, table.unpack(one))
  end
end

-- A region of the process hangs: the member waits for it, and hears nothing for a while but that it is
-- expelled. The coordinator, if the process is it, goes on, and the member still asks it.
function Machines:hang(name, length)
  local process = self.processes[name]
  process.hung_until, process.member.is_busy = self.now + length, true
  process.stood = process.stood + length
  self:at(process.hung_until, function()
    if process.hung_until <= self.now then
      process.member.is_busy = false
      go_on(self, process)
    end
  end)
end

-- Runs a step of a process, if it lives, is not stopped and, unless `always`, no region of it hangs;
-- otherwise later, or never.
function Machines:step(process, f, always)
  if not process.alive then
    return
  end
  if process.stopped_until > self.now or not always and process.hung_until > self.now then
    process.waiting[#process.waiting + 1] = { f, always }
    return
  end
  f()
  -- A command that was applied stands in the store, also when nobody hears of it any more.
  for _, one in ipairs(process.land.applied) do
    self.checks:applied(process, one)
  end
  process.land.applied = {}
  if process.stop_next then
    -- Between the check and its effect: what was decided is said after the stop.
    process.stopped_until = self.now + process.stop_next
    process.stood = process.stood + process.stop_next
    process.stop_next = nil
    self:at(process.stopped_until, function()
      if process.alive then
        let_out(self, process)
        go_on(self, process)
      end
    end)
  else
    let_out(self, process)
  end
end

function Machines:deliver(process, message)
  self:step(process, function()
    if message.kind == "ask" then
      local seat = self:seated(process)
      if seat then
        coordinator.receive(seat, self.now, message)
      end
    else
      member.receive(process.member, self.now, message)
    end
  end, message.kind == "ask" or message.expelled)
end

function Machines:wake(process)
  if not process.alive then
    return
  end
  self:step(process, function()
    if process.lease then
      if lease.is_late(process.lease, self.now) then
        lease.answered(process.lease, self.now, process.lease.asked)
      end
      self:ask_redis(process)
      process.member.coordinators = lease.coordinators(process.lease, self.now) or self.plan.names
    end
    local seat = self:seated(process)
    if seat and self.now >= process.round_at then
      process.round_at = self.now + self.times.round
      coordinator.round(seat, self.now)
      for name, key in pairs(coordinator.in_doubt(seat)) do
        local other = self.processes[name]
        if other.key ~= key or not other.alive then
          coordinator.died(seat, name, key)
        end
      end
    end
    if process.hung_until > self.now then
      member.wake_busy(process.member, self.now)
    else
      member.wake(process.member, self.now)
    end
  end, true)
  self:at(self.now + self.times.wake, function()
    self:wake(process)
  end)
end

-- An agent of this node asks.
function Machines:ask(name, call)
  local process = self.processes[name]
  if process and process.alive and math.max(process.stopped_until, process.hung_until) <= self.now
    and process.member.phase ~= "gone" then
    self.checks:asked(process, call)
    local asked = {
      uid = call.uid, id = call.id, kind = call.kind, text = call.x, region = process.land.region_of(call.x),
      takes_over = call.takes_over,
    }
    if call.kind == "area" then
      asked.text = { call.area, call.what, call.owner }
    end
    if call.kind == "move" and process.member.gathered.put(asked) then
      asked.asked = self.now
      process.member.calls.open[call.uid] = asked
      self.direct = (self.direct or 0) + 1
    else
      calls.ask(process.member, asked, self.now)
    end
  end
end

-- Runs all events up to this time, those of one millisecond as they came.
function Machines:run_to(time)
  for now = self.now, time do
    self.now = now
    local list, i = self.due[now], 1
    while list and list[i] do
      list[i]()
      i = i + 1
    end
    self.due[now] = nil
  end
end

return machines
