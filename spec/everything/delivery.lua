-- Events that wait to be told: which calls of handlers a change makes, in which order, and whether one that
-- is heard is one of those that may come now. Order inside a kind is free, so the model follows what the
-- module chooses.
local delivery = {}
delivery.__index = delivery

local VIEW_KINDS = { "leave", "enter", "move" }
local AREA_KINDS = { "area_leave", "area_enter" }

local EVERY_KIND = { leave = true, enter = true, move = true, area_leave = true, area_enter = true }

-- Handlers of views and areas, and the kinds that they hear.
local HEARS = {
  on_event = { leave = true, enter = true, move = true },
  on_watchers = { leave = true, enter = true, move = true },
  on_markers = { leave = true, enter = true, move = true },
  on_view = { leave = true, enter = true, move = true },
  on_enter = { enter = true }, on_leave = { leave = true }, on_move = { move = true },
  on_area = { area_leave = true, area_enter = true },
}

-- set: who listens, { has = { [name of a handler] = true } }. A change that waits is { events by kind,
-- subject, of_tick, set, steps, has_begun }.
function delivery.new()
  return setmetatable({ set = { has = {} }, changes = {}, frames = {}, allowed = {} }, delivery)
end

local function text_of(ids)
  table.sort(ids)
  local texts = {}
  for i, id in ipairs(ids) do
    texts[i] = ("%d"):format(id)
  end
  return table.concat(texts, ",")
end

-- The texts by which a call of a handler is known; the runner makes the same of what it hears.
function delivery.key_of_single(watcher, marker, op)
  return ("%d %s %d"):format(watcher, op, marker)
end

function delivery.key_of_group(subject, op, ids)
  return ("%d %s [%s]"):format(subject, op, text_of(ids))
end

function delivery.key_of_view(watcher, left, entered, moved)
  return ("%d [%s] [%s] [%s]"):format(watcher, text_of(left), text_of(entered), text_of(moved))
end

-- A job: calls of handlers that follow each other, for the same event or group. `events` is how many events
-- it has; watcher, marker and op are what on_error gets.
local function add_job(change, step, parts, key, job)
  job.parts, job.key, job.set = parts, key, change.set
  step.jobs[parts[1] .. " " .. key] = job
  step.count = step.count + 1
end

local function new_step(change)
  local step = { jobs = {}, count = 0 }
  change.steps[#change.steps + 1] = step
  return step
end

local function add_views(change)
  local views = {}
  for _, kind in ipairs(VIEW_KINDS) do
    for _, pair in ipairs(change[kind]) do
      local view = views[pair[1]] or { leave = {}, enter = {}, move = {} }
      views[pair[1]] = view
      table.insert(view[kind], pair[2])
    end
  end
  local step = new_step(change)
  for w, view in pairs(views) do
    local events = #view.leave + #view.enter + #view.move
    add_job(change, step, { "on_view" }, delivery.key_of_view(w, view.leave, view.enter, view.move),
      { watcher = w, events = events })
  end
end

-- Which handler of groups hears a pair.
local function group_handler(change, kind, pair)
  if not change.set.has.on_watchers then
    return "on_markers"
  elseif not change.set.has.on_markers then
    return "on_watchers"
  elseif change.of_tick then
    return kind == "move" and "on_watchers" or "on_markers"
  end
  return pair[1] == change.subject and "on_markers" or "on_watchers"
end

local function add_groups(change, kind)
  local groups = { on_watchers = {}, on_markers = {} }
  for _, pair in ipairs(change[kind]) do
    local name = group_handler(change, kind, pair)
    local subject, member = pair[1], pair[2]
    if name == "on_watchers" then
      subject, member = member, subject
    end
    groups[name][subject] = groups[name][subject] or {}
    table.insert(groups[name][subject], member)
  end
  local step = new_step(change)
  for name, subjects in pairs(groups) do
    for subject, members in pairs(subjects) do
      local job = { op = kind, events = #members }
      job[name == "on_watchers" and "marker" or "watcher"] = subject
      add_job(change, step, { name }, delivery.key_of_group(subject, kind, members), job)
    end
  end
end

local function add_singles(change, kind, names)
  local parts = {}
  for _, name in ipairs(names) do
    if change.set.has[name] then
      parts[#parts + 1] = name
    end
  end
  if #parts == 0 then
    return
  end
  local step = new_step(change)
  for _, pair in ipairs(change[kind]) do
    add_job(change, step, parts, delivery.key_of_single(pair[1], pair[2], kind),
      { watcher = pair[1], marker = pair[2], op = kind, events = 1 })
  end
end

-- Whether a set of handlers hears this kind.
local function hears(set, kind)
  for name in pairs(set.has) do
    if HEARS[name] and HEARS[name][kind] then
      return true
    end
  end
  return false
end

-- Makes the calls of a change, for a set of handlers: views, groups, single events, areas. Kinds that the
-- set does not hear are dropped for good.
local function tell_to(change, set)
  change.set, change.steps = set, {}
  for kind in pairs(EVERY_KIND) do
    change[kind] = hears(set, kind) and change[kind] or {}
  end
  if set.has.on_view then
    add_views(change)
  end
  if set.has.on_watchers or set.has.on_markers then
    for _, kind in ipairs(VIEW_KINDS) do
      add_groups(change, kind)
    end
  end
  for _, kind in ipairs(VIEW_KINDS) do
    add_singles(change, kind, { "on_event", "on_" .. kind })
  end
  for _, kind in ipairs(AREA_KINDS) do
    add_singles(change, kind, { "on_area" })
  end
end

-- A change waits to be told.
function delivery:append(change)
  local waiting = { subject = change.subject, of_tick = change.of_tick }
  for kind in pairs(EVERY_KIND) do
    waiting[kind] = change[kind]
  end
  tell_to(waiting, self.set)
  table.insert(self.changes, waiting)
end

-- Whether it is clear what a set hears of the changes that wait: of one about no entity (set_bounds) it is
-- not said which pairs go to on_watchers and which to on_markers.
function delivery:can_tell_to(set)
  for _, change in ipairs(self.changes) do
    local about_nobody = not change.has_begun and not change.of_tick and not change.subject
    local has_views = #change.leave + #change.enter > 0
    if about_nobody and has_views and set.has.on_watchers and set.has.on_markers then
      return false
    end
  end
  return true
end

-- From the next change on another set listens; one that has begun goes on as it began.
function delivery:listen(set)
  self.set = set
  for _, change in ipairs(self.changes) do
    if not change.has_begun then
      tell_to(change, set)
    end
  end
end

-- A loaded space: its first set of handlers goes on where a change was.
function delivery:take_over(set)
  for _, change in ipairs(self.changes) do
    if change.has_begun then
      change.set = set
      for _, step in ipairs(change.steps) do
        for _, job in pairs(step.jobs) do
          job.set = set
        end
      end
    end
  end
  self:listen(set)
end

-- The oldest step that has calls left, and its change; nil when nothing waits.
local function first_step(self)
  while self.changes[1] do
    local change = self.changes[1]
    while change.steps[1] and change.steps[1].count == 0 do
      table.remove(change.steps, 1)
    end
    if change.steps[1] then
      return change.steps[1], change
    end
    table.remove(self.changes, 1)
  end
end

function delivery:waits()
  return first_step(self) ~= nil
end

-- Whether a change has begun, and calls of it are left.
function delivery:is_midway()
  local _, change = first_step(self)
  return change ~= nil and change.has_begun == true
end

local function has_one_stage(set)
  local singles = set.has.on_event or set.has.on_enter or set.has.on_leave or set.has.on_move
  local groups = set.has.on_watchers or set.has.on_markers
  return (set.has.on_view and 1 or 0) + (groups and 1 or 0) + (singles and 1 or 0) <= 1
end

-- Whether no event of views is told in several stages: views, groups, single events.
function delivery:has_one_stage()
  for _, change in ipairs(self.changes) do
    if not has_one_stage(change.set) then
      return false
    end
  end
  return has_one_stage(self.set) and (not self.last_set or has_one_stage(self.last_set))
end

-- How many events wait; nil when that has no single answer.
function delivery:pending()
  if not self:waits() then
    return 0
  elseif not self:has_one_stage() then
    return nil
  end
  local count = 0
  for _, change in ipairs(self.changes) do
    for _, step in ipairs(change.steps) do
      for _, job in pairs(step.jobs) do
        count = count + job.events
      end
    end
  end
  return count
end

-- Whether a coroutine is in the middle of an event that more handlers are to hear.
function delivery:has_frames()
  return next(self.frames) ~= nil
end

local function expected_text(step)
  local keys = {}
  for key in pairs(step and step.jobs or {}) do
    keys[#keys + 1] = key
  end
  table.sort(keys)
  return #keys == 0 and "nothing" or "one of: " .. table.concat(keys, "; ")
end

-- A job has begun in a coroutine: what of it is still to come there.
local function keep_frame(self, thread, job)
  self.frames[thread] = job.at < #job.parts and job or nil
end

-- A handler of a set was called in a coroutine. Returns the job, or nil and what was expected instead.
function delivery:heard(thread, set, name, key)
  if not self.allowed[thread] then
    return nil, "no call of a handler here"
  end
  local job = self.frames[thread]
  if job and job.set == set and job.parts[job.at + 1] == name and job.key == key then
    job.at = job.at + 1
    keep_frame(self, thread, job)
    return job
  elseif job then
    return nil, job.parts[job.at + 1] .. " " .. job.key
  end
  local step, change = first_step(self)
  job = step and step.jobs[name .. " " .. key]
  if not job or job.set ~= set then
    return nil, (job and "another set of handlers, " or "") .. expected_text(step)
  end
  change.has_begun, self.last_set = true, set
  step.jobs[name .. " " .. key], step.count = nil, step.count - 1
  job.at = 1
  keep_frame(self, thread, job)
  return job
end

-- A handler of the coroutine has raised: with on_error the other handlers of that event are still called.
function delivery:raised(thread)
  local job = self.frames[thread]
  if job and not job.set.has.on_error then
    self.frames[thread] = nil
  end
end

function delivery:clear()
  self.changes, self.frames = {}, {}
end

-- The turn of a coroutine is over: its call has ended, or nobody will resume it.
function delivery:forget(thread)
  self.frames[thread], self.allowed[thread] = nil, nil
end

return delivery
