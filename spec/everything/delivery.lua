-- What waits to be told: which calls of handlers a change makes, in which order, and whether one that is
-- heard is one of those that may come now. Order inside a kind is free, so the model follows what the module
-- chooses. A change goes to the set of handlers that it began with; until then to that which is in force.
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
  return setmetatable({ handlers = {}, last = {}, entries = {}, frames = {}, allowed = {} }, delivery)
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

local function new_step(entry)
  local step = { jobs = {}, count = 0 }
  entry.steps[#entry.steps + 1] = step
  return step
end

local function add_views(entry, change)
  local views = {}
  for _, kind in ipairs(VIEW_KINDS) do
    for _, pair in ipairs(change[kind]) do
      local view = views[pair[1]] or { leave = {}, enter = {}, move = {} }
      views[pair[1]] = view
      table.insert(view[kind], pair[2])
    end
  end
  local step = new_step(entry)
  for w, view in pairs(views) do
    local events = #view.leave + #view.enter + #view.move
    add_job(step, { "on_view" }, delivery.key_of_view(w, view.leave, view.enter, view.move),
      { watcher = w, events = events })
  end
end

-- Which handler of groups hears a pair.
local function group_handler(entry, change, kind, pair)
  if not entry.handlers.on_watchers then
    return "on_markers"
  elseif not entry.handlers.on_markers then
    return "on_watchers"
  elseif change.of_tick then
    return kind == "move" and "on_watchers" or "on_markers"
  end
  return pair[1] == change.subject and "on_markers" or "on_watchers"
end

local function add_groups(entry, change, kind)
  local groups = { on_watchers = {}, on_markers = {} }
  for _, pair in ipairs(change[kind]) do
    local name = group_handler(entry, change, kind, pair)
    local subject, member = pair[1], pair[2]
    if name == "on_watchers" then
      subject, member = member, subject
    end
    groups[name][subject] = groups[name][subject] or {}
    table.insert(groups[name][subject], member)
  end
  local step = new_step(entry)
  for name, subjects in pairs(groups) do
    for subject, members in pairs(subjects) do
      local job = { op = kind, events = #members }
      job[name == "on_watchers" and "marker" or "watcher"] = subject
      add_job(step, { name }, delivery.key_of_group(subject, kind, members), job)
    end
  end
end

local function add_singles(entry, change, kind, names)
  local parts = {}
  for _, name in ipairs(names) do
    if entry.handlers[name] then
      parts[#parts + 1] = name
    end
  end
  if #parts == 0 then
    return
  end
  local step = new_step(entry)
  for _, pair in ipairs(change[kind]) do
    add_job(step, parts, delivery.key_of_single(pair[1], pair[2], kind),
      { watcher = pair[1], marker = pair[2], op = kind, events = 1 })
  end
end

-- Whether one of the handlers hears this kind.
local function hears(handlers, kind)
  for name in pairs(handlers) do
    if HEARS[name] and HEARS[name][kind] then
      return true
    end
  end
  return false
end

function delivery:hears(kind)
  return hears(self.handlers, kind)
end

-- The calls that a change makes of the set in force: views, groups, single events, areas. Kinds without a
-- handler are dropped.
local function give(self, entry)
  local change, h = {}, self.handlers
  for name, value in pairs(entry.change) do
    change[name] = type(value) == "table" and not hears(h, name) and {} or value
  end
  entry.change, entry.handlers, entry.set, entry.steps = change, h, self.set, {}
  if h.on_view then
    add_views(entry, change)
  end
  if h.on_watchers or h.on_markers then
    for _, kind in ipairs(VIEW_KINDS) do
      add_groups(entry, change, kind)
    end
  end
  for _, kind in ipairs(VIEW_KINDS) do
    add_singles(entry, change, kind, { "on_event", "on_" .. kind })
  end
  for _, kind in ipairs(AREA_KINDS) do
    add_singles(entry, change, kind, { "on_area" })
  end
end

function delivery:append(change)
  local entry = { change = change }
  give(self, entry)
  table.insert(self.entries, entry)
end

-- The oldest step that has calls left, and its change; nil when nothing waits.
local function first_step(self)
  while self.entries[1] do
    local entry = self.entries[1]
    while entry.steps[1] and entry.steps[1].count == 0 do
      table.remove(entry.steps, 1)
    end
    if entry.steps[1] then
      return entry.steps[1], entry
    end
    table.remove(self.entries, 1)
  end
end

function delivery:waits()
  return first_step(self) ~= nil
end

-- names: a list of handlers. set: what they are known by.
function delivery:listen(names, set)
  first_step(self)
  self.handlers, self.set = {}, set
  for _, name in ipairs(names) do
    self.handlers[name] = true
  end
  for _, entry in ipairs(self.entries) do
    if not entry.has_begun then
      give(self, entry)
    end
  end
end

-- A loaded space goes on with handlers of the same names: the set of all that waits is another one now.
function delivery:go_on(set)
  self.set = set
  for _, entry in ipairs(self.entries) do
    entry.set = set
  end
end

-- Whether what waits goes to handlers of these names.
function delivery:is_for(names)
  first_step(self)
  for _, entry in ipairs(self.entries) do
    local count = 0
    for _ in pairs(entry.handlers) do
      count = count + 1
    end
    for _, name in ipairs(names) do
      count = entry.handlers[name] and count - 1 or -1
    end
    if count ~= 0 then
      return false
    end
  end
  return true
end

-- Whether both handlers of groups would hear of a change of views that has no subject.
function delivery:is_undefined_for(names)
  local has = {}
  for _, name in ipairs(names) do
    has[name] = true
  end
  for _, entry in ipairs(has.on_watchers and has.on_markers and self.entries or {}) do
    local change = entry.change
    if not entry.has_begun and not change.subject and not change.of_tick
      and #change.leave + #change.enter + #change.move > 0 then
      return true
    end
  end
  return false
end

local function count_stages(h)
  local singles = h.on_event or h.on_enter or h.on_leave or h.on_move
  return (h.on_view and 1 or 0) + ((h.on_watchers or h.on_markers) and 1 or 0) + (singles and 1 or 0)
end

-- Whether no event of views is told in several stages (views, groups, single events), nor was the last one.
function delivery:has_one_stage()
  for _, entry in ipairs(self.entries) do
    if count_stages(entry.handlers) > 1 then
      return false
    end
  end
  return count_stages(self.handlers) <= 1 and count_stages(self.last) <= 1
end

-- How many events wait; nil when that has no single answer.
function delivery:pending()
  if not self:waits() then
    return 0
  elseif not self:has_one_stage() then
    return nil
  end
  local count = 0
  for _, entry in ipairs(self.entries) do
    for _, step in ipairs(entry.steps) do
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
  if job and job.parts[job.at + 1] == name and job.key == key and job.entry.set == set then
    job.at, job.optional = job.at + 1, nil
    keep_frame(self, thread, job)
    return job
  elseif job and not job.optional then
    return nil, job.parts[job.at + 1] .. " " .. job.key
  end
  local step, entry = first_step(self)
  job = step and step.jobs[name .. " " .. key]
  if not job then
    return nil, expected_text(step)
  elseif entry.set ~= set then
    return nil, "that of another set"
  end
  step.jobs[name .. " " .. key], step.count = nil, step.count - 1
  entry.has_begun, self.last = true, entry.handlers
  job.at, job.entry = 1, entry
  keep_frame(self, thread, job)
  return job
end

-- A handler of the coroutine has raised: with on_error the other handlers of that event may still be called.
function delivery:raised(thread)
  local job = self.frames[thread]
  if job and job.entry.handlers.on_error then
    job.optional = true
  else
    self.frames[thread] = nil
  end
end

function delivery:clear()
  self.entries, self.frames = {}, {}
end

-- What a coroutine was told is over: its call has ended, or nobody will resume it.
function delivery:forget(thread)
  self.frames[thread], self.allowed[thread] = nil, nil
end

return delivery
