-- Rules that must hold in every schedule, by what processes told and did. A breach is an error with its text.
local bare_moves = require "spec.world_model.bare_moves"
local numbers = require "aoi.skynet.world.numbers"
local times = require "spec.world_model.times"

local Checks = {}
Checks.__index = Checks

local checks = {}

function checks.new(stores, sight)
  return setmetatable({
    stores = stores,
    sight = sight,
    ticks = {},       -- configuration and tick -> what members have told of it
    calls = {},       -- uid -> { call, process, outcome }
    tellers = {},     -- configuration, tick and stay -> process that told it
    directories = {}, -- configuration and tick -> text
    stay_of = {},     -- uid -> stay that it was applied to
    applier = {},     -- uid -> process that applied it last
    applied_in = {},  -- uid -> number of the configuration in which it was applied, the latest one
    ended = {},       -- stay -> true: a leave of it was applied, or it was an orphan's end
    final = {},       -- stay -> { uid, number, tick }: its leave has been answered then
    lost = {},        -- stay -> true: its owner was lost, and had no store
    unsaved = {},     -- stay -> true: its owner was lost, and had a store that was behind
    copies = {},      -- configuration -> stay -> { at, trail }: of the stores read in it the last one written
    left_behind = {}, -- stay -> set of regions that are behind: its leave could not be written there
    entered = {},     -- uid -> stay, of enters that were judged
    seen = {},        -- entity -> stay -> when a directory had it last
    living = {},      -- process -> true
    begun_by = {},    -- key of a configuration -> the process that has begun it; false: several have
    asked_count = 0,
    last_answer = 0,  -- when any was given
    highest = 0,      -- number of a configuration
    stood = 0,        -- how long the world has stood, all standstills that were long
    begun_at = 0,     -- when an operator had a coordinator begin last
    areas_lost = 0,   -- order of the last command about areas that may be gone
    counts = { done = 0, refused = 0, again = 0, unknown = 0, configurations = 0, ticks = 0, applied = 0 },
  }, Checks)
end

local function breach(text, ...)
  error({ breach = text:format(...) }, 0)
end

checks.breach = breach

function Checks:started(process)
  self.living[process] = true
end

-- An operator has a coordinator begin without members that may know of later configurations: what only they
-- knew is gone, also that an entity had left.
function Checks:begun()
  self.final, self.begun_at = {}, self.world.now
end

-- The copies of regions that a process has got in changes to which it has reported: these may be in effect
-- elsewhere, and then nobody else has the regions.
local function copies_of(process)
  local list = {}
  for _, change in ipairs { process.member.change or {}, process.member.reported_change or {} } do
    for _, copy in pairs(change.reported and change.copies or {}) do
      list[#list + 1] = copy
    end
  end
  return list
end

-- A process takes with it the entities and the leaves that its stores, which are behind, do not have; a leave
-- is lost with the last process that knows of it. keys: of the members that go on without the process, others
-- can tell them nothing any more; nil: of no configuration.
local function lose_behind(self, process, keys)
  for _, entity in pairs(process.member.owned) do
    if process.behind[entity.region] then
      self.unsaved[entity.stay] = true
    end
  end
  for _, given in ipairs(process.member.given) do
    if process.behind[given.from] then
      self.unsaved[given.entity.stay] = true
    end
  end
  for _, copy in ipairs(copies_of(process)) do
    self:damaged(copy.state and copy.entities or {})
    for _, given in ipairs(copy.state and copy.given or {}) do
      self:damaged { given.entity }
    end
  end
  for stay in pairs(self.left_behind) do
    local is_known = false
    for other in pairs(self.living) do
      is_known = is_known or (not keys or keys[other.key]) and other.member.ended[stay] ~= nil
    end
    if not is_known then
      self.unsaved[stay] = true
    end
  end
end

-- A region could not be written, and its store has these stays: those that have ended may be back from it.
function Checks:behind(region, stays)
  for stay in pairs(stays) do
    if self.ended[stay] then
      self.left_behind[stay] = self.left_behind[stay] or {}
      self.left_behind[stay][region] = true
    end
  end
end

-- The store of a region is whole again: it has the leaves that it had not.
function Checks:written(region)
  for stay, regions in pairs(self.left_behind) do
    regions[region] = nil
    self.left_behind[stay] = next(regions) and regions or nil
  end
end

-- Commands about areas may be gone when no member of the last configuration is there any more.
local function lose_areas(self)
  for process in pairs(self.living) do
    local of = process.member
    if of.configuration and of.configuration.number == self.highest then
      return
    end
  end
  self.areas_lost = self.asked_count
end

-- Whether nobody else has begun the configuration of a process, and nobody will: others had prepared a later
-- one when it did, or the coordinator that has made it was its own.
local function has_moved_alone(self, process)
  local last, seat = process.member.configuration, process.coordinator
  local was_made_here = last and seat and seat.configuration and seat.configuration.key == last.key
  return last and self.begun_by[last.key] == process and (process.began_late or was_made_here)
end

-- The process is dead, or has ended itself: its open calls are nobody's, what it owned may be lost.
function Checks:killed(process)
  self.living[process] = nil
  lose_areas(self)
  lose_behind(self, process)
  if not self.stores then
    for _, entity in pairs(process.member.owned) do
      self.lost[entity.stay] = true
    end
    for _, entity in ipairs(has_moved_alone(self, process) and process.land.dropped or {}) do
      self.lost[entity.stay] = true -- its region has moved to nobody
    end
    for _, given in ipairs(process.member.given) do
      self.lost[given.entity.stay] = true
    end
    for _, copy in ipairs(copies_of(process)) do
      for _, entity in ipairs(copy.entities) do
        self.lost[entity.stay] = true
      end
      for _, given in ipairs(copy.given) do
        self.lost[given.entity.stay] = true
      end
    end
    for other in pairs(self.living) do
      for _, given in ipairs(other.member.given) do
        if given.to == process.name then
          self.lost[given.entity.stay] = true
        end
      end
    end
  end
end

-- The state of these entities, or that they had left, may be in no store any more.
function Checks:damaged(entities)
  for _, entity in ipairs(entities) do
    self.unsaved[entity.stay] = true
  end
end

-- A store was read; at: when it was written last.
function Checks:read(of, at, entities)
  local key = of.configuration.key
  local copies = self.copies[key] or {}
  self.copies[key] = copies
  for _, entity in ipairs(entities) do
    local known, trail = copies[entity.stay], entity.trail or {}
    if not known or at > known.at or at == known.at and #trail > #known.trail then
      copies[entity.stay] = { at = at, trail = trail }
    end
  end
end

function Checks:asked(process, call)
  self.asked_count = self.asked_count + 1
  self.calls[call.uid] = {
    call = call, process = process, order = self.asked_count, at = self.world.now, stood = process.stood,
    stay = (process.member.directory[call.id] or {}).stay, -- of the entity, as its node knows it then
  }
end

-- The failures from a time on until now: how many, how long the world may stand for them, and when the first
-- one began.
local function failures_since(self, time)
  local n, standstill, first = 0, 0, math.huge
  for _, one in ipairs(self.world.failures) do
    if one.to + times.silence + 1000 >= time then
      n, standstill, first = n + 1, standstill + one.standstill, math.min(first, one.from)
    end
  end
  return n, math.max(standstill, times.silence + 1000), first
end

-- A process that does not stand itself answers in time, whatever fails.
local function in_time(self, process, known)
  local now = self.world.now
  local waited = now - known.at - (process.stood - known.stood)
  if waited > 2 * times.silence + 2000 + times.wake then
    breach("call %d was answered after %d ms", known.call.uid, waited)
  end
  self.last_answer = now
end

-- For how long the coordinator has waited, in a time, for answers of Redis that were lost by chance, and one
-- process, the one that did so longest, for what it and the coordinator told each other.
local function waited_in_vain(self, from, to)
  local waited = 0
  for _, one in ipairs(self.world.in_vain) do
    waited = math.max(waited, math.min(to, one.to) - math.max(from, one.from))
  end
  for _, at in ipairs(self.world.unheard) do
    waited = waited + (at + times.seat // 3 >= from and at <= to and times.seat // 3 + times.wake or 0)
  end
  return waited
end

-- Where no message is lost by chance, the world stands once for each failure, not again and again.
local function stands_seldom(self, stood)
  if stood > times.silence / 2 and self.world.plan.loss == 0 then
    self.stood = self.stood + stood
    local allowed = 0
    for _, one in ipairs(self.world.failures) do
      allowed = allowed + one.standstill
    end
    if self.stood > allowed then
      breach("the world stood for %d ms in all until %d", self.stood, self.world.now)
    end
  end
end

-- The world has not stood for longer than the failures allow, counted from the first one on; before that for
-- no longer than it may without any, as messages are lost then, too.
local function stands_no_longer(self)
  local now, before = self.world.now, self.ticked_at or self.world.now
  self.ticked_at = now
  local usual = times.silence + 1000
  if now - before > usual then
    local n, most, first = failures_since(self, before)
    first = n > 0 and math.max(first, before) or before
    if now - first > most + waited_in_vain(self, first, now)
      or first - before > usual + waited_in_vain(self, before, first) then
      breach("the world stood for %d ms until %d", now - before, now)
    end
  end
  stands_seldom(self, now - before)
end

function Checks:applied(process, one)
  self.counts.applied = self.counts.applied + 1
  local is_leave = one.orphan or one.uid and self.calls[one.uid].call.kind == "leave"
  if is_leave then
    self.ended[one.stay] = true
    for region, stays in pairs(self.world:stays_behind()) do
      self:behind(region, stays)
    end
    if process.behind[one.region] then
      self:behind(one.region, { [one.stay] = true })
    end
  end
  if not one.uid then
    return -- the end of an orphan
  end
  local number = process.member.configuration.number
  if number < (self.applied_in[one.uid] or 0) then
    return -- by a process that has been left out and does not know it yet: others go on without its tick
  end
  self.applied_in[one.uid] = number
  if one.enters then
    local before = self.entered[one.uid]
    if self.final[before] and not self.unsaved[before] then
      breach("call %d entered %s, and enters once more after a leave that was answered", one.uid, before)
    end
    self.entered[one.uid] = one.stay
  else
    self.stay_of[one.uid], self.applier[one.uid] = one.stay, process
  end
end

local function text_of(directory)
  local parts = {}
  for _, id in ipairs(numbers.sorted(directory)) do
    local one = directory[id]
    parts[#parts + 1] = ("%s=%s@%d(%s)"):format(id, one.stay, one.region, table.concat(one.number, "."))
  end
  return table.concat(parts, " ")
end

local function same_directory(self, process, what)
  local of = process.member
  local name, text = ("%s %s"):format(of.configuration.key, what), text_of(of.directory)
  text = process.land.areas_text and text .. process.land.areas_text() or text
  local known = self.directories[name]
  if known and known.text ~= text then
    breach("directories differ at %s: %s has %s, %s has %s", name, known.name, known.text, process.name, text)
  end
  self.directories[name] = { text = text, name = process.name }
  for _, one in pairs(of.directory) do
    local final = not self.unsaved[one.stay] and self.final[one.stay]
    self.seen[one.id] = self.seen[one.id] or {}
    self.seen[one.id][one.stay] = self.world.now
    if final and (of.configuration.number > final.number
      or of.configuration.number == final.number and of.finished > final.tick) then
      breach("%s lists stay %s, whose leave was answered (call %d)", process.name, one.stay, final.uid)
    end
  end
end

local function owns_what_it_should(process)
  local of = process.member
  for id, entity in pairs(of.owned) do
    local known = of.directory[id]
    if not known or known.stay ~= entity.stay or of.configuration.owners[known.region] ~= of.name then
      breach("%s owns %s, which its directory does not say", process.name, id)
    end
    local seen = {}
    for _, uid in ipairs(entity.trail) do
      if seen[uid] then
        breach("call %d was applied twice to %s", uid, id)
      end
      seen[uid] = true
    end
  end
  for id, known in pairs(of.directory) do
    if of.configuration.owners[known.region] == of.name and not of.owned[id] then
      breach("%s should own %s, by its directory", process.name, id)
    end
  end
end

local tellings = {}

function tellings.answer(self, process, one)
  local known = self.calls[one.uid]
  if known.outcome then
    breach("call %d was answered twice", one.uid)
  end
  known.outcome, known.answered = one.outcome, self.world.now
  in_time(self, process, known)
  self.counts[one.outcome] = self.counts[one.outcome] + 1
  if one.outcome == "done" and known.call.kind == "leave" and not self.stay_of[one.uid] then
    breach("call %d was answered, and nobody has applied it", one.uid)
  elseif one.outcome == "done" and known.call.kind == "leave" and process.alive then
    local of = process.member
    self.final[self.stay_of[one.uid]] = {
      uid = one.uid, number = of.configuration.number, tick = of.finished,
    }
  end
end

-- A move that nobody wants an answer for was not applied, or nobody knows.
function tellings.not_moved(self, _, one)
  self.calls[one.uid].outcome = one.outcome
end

-- Once all members have told a tick, each view must be what one space would tell.
local function exact(self, name, all)
  local places = {}
  for _, one in ipairs(all) do
    for id, told in pairs(one.owned) do
      places[id] = told
    end
  end
  for _, one in ipairs(all) do
    for id, view in pairs(one.views) do
      for other, place in pairs(places[id].astray and {} or places) do
        local near = other ~= id and math.abs(place.x - places[id].x) <= self.sight
        if (view[other] == place.stay) ~= near then
          breach("at %s entity %s %s %s", name, id, near and "does not see" or "sees", other)
        end
      end
      for other, stay in pairs(view) do
        if not places[other] or places[other].stay ~= stay then
          breach("at %s entity %s sees %s, which nobody owns", name, id, other)
        end
      end
    end
  end
end

function tellings.tick(self, process, one)
  self.counts.ticks = self.counts.ticks + 1
  for id, told in pairs(one.owned) do
    local name = ("%s %d %s"):format(one.key, one.tick, told.stay)
    if self.tellers[name] then
      breach("stay %s of %s is told in tick %d by %s and %s", told.stay, id, one.tick, self.tellers[name],
        process.name)
    end
    self.tellers[name] = process.name
  end
  local name = ("%s %d"):format(one.key, one.tick)
  local all = self.ticks[name] or {}
  self.ticks[name] = all
  all[#all + 1] = one
  if #all == one.members then
    exact(self, name, all)
    self.ticks[name] = nil
  end
end

function tellings.gone() end

function tellings.vanished(_, process, one)
  breach("call %d of %s has vanished, and no member was lost", one.uid, process.name)
end

-- A member says that entities are lost.
function Checks:lost_entities(process, list)
  for _, one in ipairs(self.stores and list or {}) do
    if not self.unsaved[one.stay] then
      breach("%s says that %s is lost, and there are stores", process.name, one.id)
    end
  end
end

-- All stores are read: the effects of moves that were answered are there again.
local function has_all_effects(self, process)
  local trails = {}
  for _, entity in pairs(process.member.owned) do
    trails[entity.stay] = {}
    for _, uid in ipairs(entity.trail) do
      trails[entity.stay][uid] = true
    end
  end
  for uid, stay in pairs(self.stay_of) do
    local known = self.calls[uid]
    if known.outcome == "done" and known.call.kind ~= "leave" and trails[stay] and not trails[stay][uid]
      and not self.unsaved[stay] then
      breach("call %d was answered done, and its effect is in no store", uid)
    end
  end
end

-- All stores are read: what the last one has of an entity counts.
local function has_what_was_stored_last(self, of)
  local copies = not next(of.loading) and self.copies[of.configuration.key] or {}
  for id, known in pairs(of.directory) do
    local copy = known.read and copies[known.stay]
    local entity = of.owned[id]
    local has = {}
    for _, uid in ipairs(copy and entity and entity.trail or {}) do
      has[uid] = true
    end
    for _, uid in ipairs(copy and entity and copy.trail or {}) do
      if not has[uid] then
        breach("%s has %s without call %d, from an older store", of.name, id, uid)
      end
    end
  end
end

-- A member has finished a tick, or begun a configuration.
function Checks:observed(process, _, what)
  local is_loading = next(process.member.loading) ~= nil
  -- A process that is late may still finish a tick of a configuration whose regions others have by now.
  local is_latest = process.member.configuration.number >= self.highest
  if self.stores and process.was_loading and not is_loading and is_latest then
    has_all_effects(self, process)
  end
  process.was_loading = is_loading
  for other in pairs(what == "begin" and self.living or {}) do
    if not process.member.keys[other.key] then
      lose_behind(self, other, process.member.keys)
    end
  end
  self.highest = math.max(self.highest, process.member.configuration.number)
  if what == "begin" then
    local key = process.member.configuration.key
    local first = self.begun_by[key]
    self.begun_by[key] = (first == nil or first == process) and process
    process.began_late = false
    for other in pairs(self.living) do
      local is_ahead = other.member.highest > process.member.configuration.number
      process.began_late = process.began_late or is_ahead
    end
  end
  if process.member.configuration.is_cold then -- areas come from stores alone, which the model does not have
    self.areas_lost = self.asked_count
  end
  if what ~= "begin" then
    stands_no_longer(self)
  end
  self.counts.configurations = self.counts.configurations + (what == "begin" and 1 or 0)
  same_directory(self, process, what)
  owns_what_it_should(process)
  has_what_was_stored_last(self, process.member)
end

function Checks:told(process, one)
  tellings[one.kind](self, process, one)
end

-- The node of each agent knows that its entity is the agent's, and in which stream; no other node thinks so.
-- alive: id -> entity of its owner.
local function agents_agree(process, alive)
  for id, entity in pairs(alive) do
    local is_here = entity.agent.address == process.key
    local known = process.agents:here(id)
    if is_here and not known or known and known.stay == entity.stay and not is_here then
      breach("%s %s that the agent of %s is there", process.name, known and "thinks" or "does not know", id)
    elseif known and (known.stay ~= entity.stay or known.stream ~= entity.agent.stream) then
      breach("the agent of %s hears stream %d of %s, but %d of %s is told", id, known.stream, known.stay,
        entity.agent.stream, entity.stay)
    elseif is_here ~= (entity.home == process.key) then
      breach("%s is an agent's of %s, and its home is %s", id, entity.agent.address, entity.home)
    end
  end
  for id, last in pairs(process.agents.last) do
    local entity = alive[id]
    local goes_on = entity and entity.stay == last.stay and entity.agent.address == process.key
    if not goes_on and not last.is_over then
      breach("the agent of %s on %s was never told that this stay is over", last.stay, process.name)
    end
  end
  for id in pairs(process.agents.whose.of) do
    if not alive[id] then
      breach("%s has an agent of %s, which nobody owns", process.name, id)
    end
  end
end

-- All is healed, and nothing has been asked for long.
function Checks:at_rest(processes, plan)
  local first
  local trails, alive = {}, {}
  for _, name in ipairs(plan.names) do
    local of = processes[name].member
    first = first or of
    if not processes[name].alive or of.phase ~= "ticking" then
      breach("%s is not ticking at rest, but %s", name, of.phase)
    end
    if of.configuration ~= first.configuration or math.abs(of.tick - first.tick) > 1 then
      breach("%s is in another configuration or tick than %s", name, first.name)
    end
    if next(of.calls.open) then
      breach("call %d of %s has no answer", (next(of.calls.open)), name)
    end
    if next(of.calls.kept) then
      breach("%s keeps commands at rest", name)
    end
    if of.calls.queue[1] or next(of.calls.lines) then
      breach("calls wait on %s at rest", name)
    end
    if next(of.homeless) then
      breach("%s has an orphan at rest", name)
    end
    for id, entity in pairs(of.owned) do
      if alive[id] then
        breach("%s has two owners at rest", id)
      end
      alive[id] = entity
      trails[entity.stay] = {}
      for i, uid in ipairs(entity.trail) do
        trails[entity.stay][uid] = i
      end
      local last = self.calls[entity.trail[#entity.trail]].call
      if entity.x ~= last.x then
        breach("%s is at %d, and call %d has put it elsewhere", id, entity.x, last.uid)
      end
    end
  end
  for region = 1, plan.regions do
    if not first.configuration.owners[region] then
      breach("region %d has no owner at rest", region)
    end
  end
  for _, name in ipairs(plan.names) do
    agents_agree(processes[name], alive)
  end
  self:check_answers(trails)
  local lost = bare_moves.lost(self, trails, alive)
  if lost then
    breach("move %d of %d, which nobody wants an answer for, is lost", lost.uid, lost.id)
  end
  if first.land.areas_trail then
    self:check_areas(first.land.areas_trail())
  end
end

-- trail: list of the calls about areas that have taken effect, at rest.
function Checks:check_areas(trail)
  local places, last = {}, {}
  for place, uid in ipairs(trail) do
    places[uid] = place
  end
  for _, uid in ipairs(self:in_order()) do
    local known = self.calls[uid]
    local place, line = places[uid], known.process.key
    if known.call.kind == "area" and known.order > self.areas_lost then
      if known.outcome == "done" and not place then
        breach("call %d about an area was answered done, and is gone", uid)
      elseif (known.outcome == "refused" or known.outcome == "again") and place then
        breach("call %d about an area was answered %s, and has taken effect", uid, known.outcome)
      elseif place and last[line] and last[line] > place then
        breach("commands of %s about areas took effect out of order", known.process.name)
      end
      last[line] = place or last[line]
    end
  end
end

-- All calls as they were asked.
function Checks:in_order()
  local asked = numbers.sorted(self.calls)
  table.sort(asked, function(a, b)
    return self.calls[a].order < self.calls[b].order
  end)
  return asked
end

-- trails: stay of each entity at rest -> uid -> place in the order of what was applied.
function Checks:check_answers(trails)
  local placed, last, standing, begun = {}, {}, {}, {}
  for _, stay in pairs(self.entered) do
    begun[stay] = true
  end
  for stay, trail in pairs(trails) do
    if not begun[stay] then
      breach("nobody has entered stay %s", stay)
    end
    for uid in pairs(trail) do
      placed[uid] = stay
    end
  end
  for _, uid in ipairs(self:in_order()) do
    local known = self.calls[uid]
    local call, outcome = known.call, known.outcome
    local stay = placed[uid]
    if (outcome == "refused" or outcome == "again") and stay then
      breach("call %d was answered %s, and stands in the entity", uid, outcome)
    end
    if outcome == "done" and call.kind ~= "leave" and self.stay_of[uid] then
      local trail = trails[self.stay_of[uid]]
      -- Without its region's store an entity comes back from its giver as it was then.
      if trail and not trail[uid] and (self.stores or self.living[self.applier[uid]])
        and not self.unsaved[self.stay_of[uid]] then
        breach("call %d was answered done, and its effect is gone", uid)
      end
    end
    if outcome == "done" and self.entered[uid] and not stay and not self:may_have_ended(uid) then
      breach("call %d entered %s, which is gone without a leave", uid, call.id)
    end
    -- A leave ends all that its process asked before.
    local line_of_id = known.process.key .. " " .. tostring(call.id)
    if outcome == "done" and call.kind == "leave" and known.answered > self.begun_at
      and standing[line_of_id] then
      breach("call %d left %s, and call %d of before stands in it", uid, call.id, standing[line_of_id])
    end
    standing[line_of_id] = standing[line_of_id] or stay and not self.unsaved[stay] and uid or nil
    if stay then
      local line = stay .. " " .. known.process.key
      local place = trails[stay][uid]
      if last[line] and last[line] > place then
        breach("commands of %s about %s were applied out of order", known.process.name, call.id)
      end
      last[line] = place
    end
  end
end

-- Whether the stay that a call began may have ended since.
function Checks:may_have_ended(uid)
  local stay = self.entered[uid]
  return self.ended[stay] or self.lost[stay] or self.unsaved[stay]
end

return checks
