-- Processes and links between them, in simulated time: messages are lost, doubled, held up and
-- overtake each other; processes stand still at any step, also between what they decided and what they say,
-- are killed, and start again with their name and a new key; pairs are cut.
local agents = require "spec.world_model.agents"
local calls = require "aoi.skynet.world.calls"
local coordinator = require "aoi.skynet.world.coordinator"
local disks = require "spec.world_model.disks"
local gathered = require "spec.world_model.gathered"
local land = require "spec.world_model.land"
local lease = require "aoi.skynet.world.lease"
local member = require "aoi.skynet.world.member"
local new_random = require("spec.support.random").new

local Machines = {}
Machines.__index = Machines

local machines = {}

local GREETINGS = { greeting = true, greeted = true }
local AHEAD = 400 -- milliseconds by which the clock of each process is ahead of that of the one before

-- plan: see schedules.lua. checks: hears what members tell.
function machines.new(plan, random, checks, times)
  local self = setmetatable({
    plan = plan, random = random, of_greetings = new_random(plan.seed + 8888), checks = checks,
    times = times, now = 0,
    due = {}, -- time -> list of functions
    processes = {}, disk = {}, file = {}, cuts = {}, keys = 0, loss = plan.loss, doubled = plan.doubled,
    late = plan.late,
    full = {}, -- node -> until when its disk takes nothing
    failures = {}, -- list of { from, to, standstill }
    unheard = {}, -- list of times: a request to Redis, or its answer, was lost by chance; of the coordinator
                  -- or, where there is none, of a process that might be it
    in_vain = {}, -- list of { from, to }: all that a process and the coordinator told each other was lost by
                  -- chance
  }, Machines)
  checks.world = self
  return self
end

-- A failure begins, and lasts for so long. standstill: the most that the world may stand for it.
function Machines:failed(length, standstill)
  for _, process in pairs(self.processes) do
    process.unheard_since = nil -- it may be so by the failure from now on
  end
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

-- Starts a process with this name; its former one, if any, must be dead.
function Machines:start(name)
  local key = new_key(self)
  local process = {
    name = name, key = key, alive = true, stopped_until = 0, hung_until = 0, waiting = {},
    stood = 0, -- how long it has been stopped or hung
    behind = {}, -- set of regions whose last chunk could not be written
    agents = agents.new(key, function()
      return self.now + AHEAD * math.tointeger(name:match "%d+")
    end, self.checks.unsaved),
  }
  self.processes[name] = process
  process.land = land.new {
    width = 10, sight = self.plan.sight, regions = self.plan.regions, disk = disks.new(self, process),
    has_areas = self.plan.has_areas, agents = process.agents,
  }
  process.member = member.new {
    name = name, key = key, coordinators = self.plan.redis and self.plan.names or { self.plan.names[1] },
    times = self.times, orphan_ticks = self.plan.orphan_ticks, land = process.land, gathered = gathered(),
    told = function(call, outcome)
      if call.uid then
        table.insert(process.land.told, { kind = "answer", uid = call.uid, outcome = outcome })
      elseif call.place then -- a result of an owner does not say which move it is about
        table.insert(process.land.told, { kind = "not_moved", uid = call.place[2], outcome = outcome })
      end
    end,
    observe = function(of, what, ...)
      process.agents:observed(of, what, ...)
      if what == "vanished" or what == "gone" then
        table.insert(process.land.told, { kind = what, uid = ... })
      elseif what == "lost" then
        self.checks:lost_entities(process, ...)
      elseif what == "begin" or math.type(what) then
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

-- The stays in the stores of regions that are behind: region -> set of stays.
function Machines:stays_behind()
  local all = {}
  for _, process in pairs(self.processes) do
    for region in pairs(process.alive and process.behind or {}) do
      all[region] = all[region] or disks.stays_in(self, region)
    end
  end
  return all
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
  if register.key ~= request.key then
    register.since = request.sent
  end
  register.key, register.holder, register.ends = request.key, request.name, now + request.length
  return { is_granted = true, since = register.since, configuration = register.configuration }
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

-- Whether a process is stopped or hangs.
local function is_held(self, process)
  return math.max(process.stopped_until, process.hung_until) > self.now
end

-- Whether any is.
function Machines:has_held()
  for _, process in pairs(self.processes) do
    if is_held(self, process) then
      return true
    end
  end
  return false
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

-- A message of a process to the coordinator, or the other way, is lost by chance.
local function note_lost(self, message)
  local name = message.kind == "ask" and message.from or message.kind == "status" and message.to
  local process = self.loss == self.plan.loss and self.processes[name]
  if process then
    process.unheard_since = process.unheard_since or self.now
  end
end

-- The coordinator's message has come.
local function note_heard(self, process)
  if process.unheard_since then
    table.insert(self.in_vain, { from = process.unheard_since, to = self.now })
    process.unheard_since = nil
  end
end

local function carry(self, message)
  if message.to ~= message.from and is_cut(self, message.from, message.to) then
    return
  end
  -- Drawn apart: what became of all other messages does not depend on who joins.
  local random = GREETINGS[message.kind] and self.of_greetings or self.random
  local times = 1
  if message.to ~= message.from then
    if random:fraction() < self.loss then
      note_lost(self, message)
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
      if message.kind == "status" then
        note_heard(self, process)
      end
      member.receive(process.member, self.now, message)
    end
  end, message.kind == "ask" or member.is_urgent(message))
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
  if process and process.alive and not is_held(self, process)
    and process.member.phase ~= "gone" then
    self.checks:asked(process, call)
    local asked = {
      uid = not call.sender and call.uid or nil, id = call.id, kind = call.kind,
      text = call.is_wrong and land.WRONG or call.x,
      region = process.land.region_of(call.x), takes_over = call.takes_over,
    }
    if call.kind == "enter" then
      asked.hears = process.agents.streams:ask(call.id)
    elseif not call.sender then
      asked.hears = process.agents.streams:time()
    end
    if call.kind == "area" then
      asked.text = { call.area, call.what, call.owner }
    end
    if call.sender then
      asked.source, asked.text, asked.place = call.sender, nil, { call.x, call.uid }
    end
    if call.kind == "move" and process.member.gathered.put(asked) then
      if asked.uid then
        asked.asked = self.now
        process.member.calls.open[call.uid] = asked
      end
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
