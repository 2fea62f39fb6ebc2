-- What waits to be told: which calls of handlers a change makes, in which order, and whether one that is
-- heard is one of those that may come now. Order inside a kind is free, so the model follows what the module
-- chooses.
local delivery = {}
delivery.__index = delivery

local VIEW_KINDS = { "leave", "enter", "move" }
local AREA_KINDS = { "area_leave", "area_enter" }

-- Handlers of views and the kinds that they hear.
local HEARS = {
  on_event = { leave = true, enter = true, move = true },
  on_watchers = { leave = true, enter = true, move = true },
  on_markers = { leave = true, enter = true, move = true },
  on_view = { leave = true, enter = true, move = true },
  on_enter = { enter = true }, on_leave = { leave = true }, on_move = { move = true },
  on_area = { area_leave = true, area_enter = true },
}

function delivery.new()
  return setmetatable({ handlers = {}, steps = {}, frames = {}, allowed = {} }, delivery)
end

-- names: a list of handlers.
function delivery:listen(names)
  self.handlers = {}
  for _, name in ipairs(names) do
    self.handlers[name] = true
  end
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
local function add_job(step, parts, key, job)
  job.parts, job.key = parts, key
  step.jobs[parts[1] .. " " .. key] = job
  step.count = step.count + 1
end

local function new_step(self)
  local step = { jobs = {}, count = 0 }
  self.steps[#self.steps + 1] = step
  return step
end

local function add_views(self, change)
  local views = {}
  for _, kind in ipairs(VIEW_KINDS) do
    for _, pair in ipairs(change[kind]) do
      local view = views[pair[1]] or { leave = {}, enter = {}, move = {} }
      views[pair[1]] = view
      table.insert(view[kind], pair[2])
    end
  end
  local step = new_step(self)
  for w, view in pairs(views) do
    local events = #view.leave + #view.enter + #view.move
    add_job(step, { "on_view" }, delivery.key_of_view(w, view.leave, view.enter, view.move),
      { watcher = w, events = events })
  end
end

-- Which handler of groups hears a pair.
local function group_handler(self, change, kind, pair)
  if not self.handlers.on_watchers then
    return "on_markers"
  elseif not self.handlers.on_markers then
    return "on_watchers"
  elseif change.of_tick then
    return kind == "move" and "on_watchers" or "on_markers"
  end
  return pair[1] == change.subject and "on_markers" or "on_watchers"
end

local function add_groups(self, change, kind)
  local groups = { on_watchers = {}, on_markers = {} }
  for _, pair in ipairs(change[kind]) do
    local name = group_handler(self, change, kind, pair)
    local subject, member = pair[1], pair[2]
    if name == "on_watchers" then
      subject, member = member, subject
    end
    groups[name][subject] = groups[name][subject] or {}
    table.insert(groups[name][subject], member)
  end
  local step = new_step(self)
  for name, subjects in pairs(groups) do
    for subject, members in pairs(subjects) do
      local job = { op = kind, events = #members }
      job[name == "on_watchers" and "marker" or "watcher"] = subject
      add_job(step, { name }, delivery.key_of_group(subject, kind, members), job)
    end
  end
end

local function add_singles(self, change, kind, names)
  local parts = {}
  for _, name in ipairs(names) do
    if self.handlers[name] then
      parts[#parts + 1] = name
    end
  end
  if #parts == 0 then
    return
  end
  local step = new_step(self)
  for _, pair in ipairs(change[kind]) do
    add_job(step, parts, delivery.key_of_single(pair[1], pair[2], kind),
      { watcher = pair[1], marker = pair[2], op = kind, events = 1 })
  end
end

-- Whether a handler hears this kind.
function delivery:hears(kind)
  for name in pairs(self.handlers) do
    if HEARS[name] and HEARS[name][kind] then
      return true
    end
  end
  return false
end

-- Appends the calls that a change makes: views, groups, single events, areas.
function delivery:append(change)
  local h = self.handlers
  if h.on_view then
    add_views(self, change)
  end
  if h.on_watchers or h.on_markers then
    for _, kind in ipairs(VIEW_KINDS) do
      add_groups(self, change, kind)
    end
  end
  for _, kind in ipairs(VIEW_KINDS) do
    add_singles(self, change, kind, { "on_event", "on_" .. kind })
  end
  for _, kind in ipairs(AREA_KINDS) do
    add_singles(self, change, kind, { "on_area" })
  end
end

-- The oldest step that has calls left; nil when nothing waits.
local function first_step(self)
  while self.steps[1] and self.steps[1].count == 0 do
    table.remove(self.steps, 1)
  end
  return self.steps[1]
end

function delivery:waits()
  return first_step(self) ~= nil
end

-- Whether no event of views is told in several stages: views, groups, single events.
function delivery:has_one_stage()
  local h = self.handlers
  local singles = h.on_event or h.on_enter or h.on_leave or h.on_move
  local stages = (h.on_view and 1 or 0) + ((h.on_watchers or h.on_markers) and 1 or 0) + (singles and 1 or 0)
  return stages <= 1
end

-- How many events wait; nil when that has no single answer.
function delivery:pending()
  if not self:waits() then
    return 0
  elseif not self:has_one_stage() then
    return nil
  end
  local count = 0
  for _, step in ipairs(self.steps) do
    for _, job in pairs(step.jobs) do
      count = count + job.events
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

-- A handler was called in a coroutine. Returns the job, or nil and what was expected instead.
function delivery:heard(thread, name, key)
  if not self.allowed[thread] then
    return nil, "no call of a handler here"
  end
  local job = self.frames[thread]
  if job and job.parts[job.at + 1] == name and job.key == key then
    job.at, job.optional = job.at + 1, nil
    keep_frame(self, thread, job)
    return job
  elseif job and not job.optional then
    return nil, job.parts[job.at + 1] .. " " .. job.key
  end
  local step = first_step(self)
  job = step and step.jobs[name .. " " .. key]
  if not job then
    return nil, expected_text(step)
  end
  step.jobs[name .. " " .. key], step.count = nil, step.count - 1
  job.at = 1
  keep_frame(self, thread, job)
  return job
end

-- A handler of the coroutine has raised: with on_error the other handlers of that event may still be called.
function delivery:raised(thread)
  if self.handlers.on_error and self.frames[thread] then
    self.frames[thread].optional = true
  else
    self.frames[thread] = nil
  end
end

function delivery:clear()
  self.steps, self.frames = {}, {}
end

-- What a coroutine was told is over: its call has ended, or nobody will resume it.
function delivery:forget(thread)
  self.frames[thread], self.allowed[thread] = nil, nil
end

return delivery
