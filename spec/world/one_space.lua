-- The events that every watcher must be told, tick by tick: one space and the most obvious model of details
-- are given the commands that the world has logged. Pure Lua, without skynet.
--
-- What a watcher believes is, for each marker that it was told of: place, data and properties as it was told
-- them last. What a tick tells it is the difference to what it believed before.
local aoi = require "aoi"
local news = require "spec.world.news"

local OneSpace = {}
OneSpace.__index = OneSpace

-- options: of aoi.new, without `deferred` and handlers; extras: how many, audiences: key of a property -> the
-- layers of watchers that may know it. speak(...): what was said, as one string.
function OneSpace.new(options, speak)
  local own = {}
  for name, value in pairs(options) do
    own[name] = value
  end
  own.extras, own.audiences = nil, nil
  local self = setmetatable({
    speak = speak,
    extras = options.extras or 0, audiences = options.audiences or {},
    notices = {},   -- list of { entity, text }
    gone = {},      -- entity -> what it was, of those that left since the last tick
    is_crowd = options.limit or options.enter_budget or options.rates or options.move_budget,
    entities = {},  -- id -> { node =, hears =, data =, properties = } of those inside
    had = {},       -- set of the ids that have, or had, data or properties
    beliefs = {},   -- node -> watcher -> marker -> { x, y, data =, properties = }
    newcomers = {}, -- set of the watchers that are to be told all
    moved = {},     -- watcher -> set of the markers whose steps this tick tells it
    said = {},      -- list of { speaker, text }
    of_areas = {},  -- list of what this tick tells of areas, as area_notes.lua writes it
  }, OneSpace)
  own.deferred = true
  function own.on_view(watcher, _, _, _, _, moved, n)
    local set = {}
    for i = 1, n do
      set[moved[i]] = true
    end
    self.moved[watcher] = set
  end
  function own.on_area(area, marker, op)
    table.insert(self.of_areas, ("%d %s %d"):format(area, op, marker))
  end
  self.space = aoi.new(own)
  return self
end

-- ---- commands ---------------------------------------------------------------------------------

local OWN = { address = true, data = true, extras = true, stream = true }

-- Takes opts apart: those of the space, and the others.
local function take_apart(opts)
  local of_space, own = {}, {}
  for name, value in pairs(opts or {}) do
    (OWN[name] and own or of_space)[name] = value
  end
  return of_space, own
end

-- In a crowd space, watchers are told of the entity as if it had moved.
function OneSpace:touch(id)
  if self.is_crowd then
    self.space:touch(id)
  end
end

function OneSpace:set_data(id, data)
  if data then
    self.entities[id].data = data ~= "" and data or nil
    self.had[id] = self.had[id] or data ~= "" or nil
  end
end

-- Extras go along with steps; other ones make a step of it where the entity stands still.
function OneSpace:set_extras(id, extras)
  local entity, is_other = self.entities[id], false
  for i, value in ipairs(extras or {}) do
    value = ("<f"):unpack(("<f"):pack(value))
    is_other = is_other or value ~= entity.extras[i]
    extras[i] = value
  end
  if is_other then
    entity.extras = extras
    self.space:touch(id)
  end
end

-- As text, which watchers of the same knowledge share.
function OneSpace:hidden_from(watcher)
  local layers, keys = self.space:traits(watcher).layers, {}
  for key, of_key in pairs(self.audiences) do
    keys[#keys + 1] = of_key & layers == 0 and key or nil
  end
  table.sort(keys)
  return table.concat(keys, " ")
end

local COMMAND = {}

function COMMAND.enter(self, node, id, x, y, opts)
  local of_space, own = take_apart(opts)
  self.space:enter(id, x, y, of_space)
  self.entities[id] = { node = own.address or node, hears = own.address ~= false, properties = {},
    extras = { 0, 0, 0, 0 } }
  self.newcomers[id] = own.address ~= false or nil
  self:set_data(id, own.data)
  self:set_extras(id, own.extras)
  if self.had[id] then
    self:touch(id)
  end
end

function COMMAND.move(self, _, id, x, y, ...)
  self.space:move(id, x, y)
  self:set_extras(id, { ... })
end

function COMMAND.update(self, node, id, x, y, opts)
  if not self.entities[id] then
    COMMAND.enter(self, node, id, x, y, opts)
    return
  end
  local of_space, own = take_apart(opts)
  self.space:update(id, x, y, of_space)
  if own.address then -- another node hears from now on
    self.entities[id].node, self.entities[id].hears, self.newcomers[id] = own.address, true, true
  end
  self:set_extras(id, own.extras)
  if own.data then
    self:set_data(id, own.data)
    self:touch(id)
  end
end

function COMMAND.set_traits(self, node, id, opts)
  local x, y = self.space:position(id)
  COMMAND.update(self, node, id, x, y, opts)
end

function COMMAND.notify(self, _, id, ...)
  self.notices[#self.notices + 1] = { id, self.speak(...) }
end

function COMMAND.leave(self, _, id)
  self.space:leave(id)
  self.gone[id] = self.entities[id]
  self.entities[id], self.newcomers[id] = nil, nil
end

function COMMAND.set_property(self, _, id, key, value)
  self.entities[id].properties[key] = value
  self.had[id] = self.had[id] or value ~= nil or nil
  self:touch(id)
end

function COMMAND.say(self, _, id, ...)
  assert(self.entities[id], "it is not inside")
  self.said[#self.said + 1] = { id, self.speak(...) }
end

-- The address is told again what it knows.
function COMMAND.resync()
end

-- One command, as the world has logged it: node is the number of the node that it came from.
function OneSpace:apply(node, name, ...)
  if COMMAND[name] then
    COMMAND[name](self, node, ...)
  else
    self.space[name](self.space, ...)
  end
end

-- ---- a tick -----------------------------------------------------------------------------------

-- The belief of the watcher after the tick. before: its belief until now.
function OneSpace:believe(watcher, before)
  local after, all, moved = {}, self.newcomers[watcher], self.moved[watcher] or {}
  local ids, n = self.space:told_markers_of(watcher)
  local layers = self.space:traits(watcher).layers
  for i = 1, n do
    local id = ids[i]
    local belief, entity = before[id], self.entities[id]
    local is_now = all or moved[id] or not belief
    if is_now or not self.is_crowd and self.had[id] then
      local x, y = self.space:position(id)
      if not is_now then
        x, y = belief[1], belief[2]
      end
      local properties = {}
      for key, value in pairs(entity.properties) do
        local audience = self.audiences[key]
        properties[key] = (not audience or audience & layers ~= 0) and value or nil
      end
      belief = { x, y, data = entity.data, properties = properties,
        extras = is_now and { table.unpack(entity.extras, 1, self.extras) } or belief.extras }
    end
    after[id] = belief
  end
  return after
end

local function tell_difference(each, node, id, before, after)
  local list = news.difference(before, after)
  if #list > 0 then
    each(node, id, "view", list)
  end
end

-- Ticks, for the time of this number. Calls each(node, watcher, kind, list): kind "view" with what this
-- watcher learns, "said" with what it hears, as lists of strings of news.lua. Returns what is told of areas,
-- a list.
function OneSpace:tick(number, each)
  self.moved, self.of_areas = {}, {}
  self.space:tick(number)
  for id, entity in pairs(self.entities) do
    local hidden = self:hidden_from(id)
    if entity.hidden and entity.hidden ~= hidden then
      self.newcomers[id] = entity.hears or nil
    end
    entity.hidden = hidden
  end
  self:tell_those_who_left(each)
  local beliefs = {}
  for id, entity in pairs(self.entities) do
    if entity.hears then
      beliefs[entity.node] = beliefs[entity.node] or {}
      local before = self.beliefs[entity.node] and self.beliefs[entity.node][id] or {}
      beliefs[entity.node][id] = self:believe(id, before)
    end
  end
  for node, watchers in pairs(self.beliefs) do -- those that are gone
    for id, before in pairs(watchers) do
      if not (beliefs[node] and beliefs[node][id]) then
        tell_difference(each, node, id, before, {})
      end
    end
  end
  for node, watchers in pairs(beliefs) do
    for id, after in pairs(watchers) do
      tell_difference(each, node, id, self.beliefs[node] and self.beliefs[node][id] or {}, after)
    end
  end
  self.beliefs, self.newcomers = beliefs, {}
  self:tell_said(each)
  for id in pairs(self.had) do
    if not self.entities[id] then
      self.had[id] = nil
    end
  end
  return self.of_areas
end

-- In place of a tick that nobody has finished. An agent whose entity has left, or was taken over, is told at
-- once that its stay is over: it may have the entity again with the next tick. What it was to be notified of
-- comes behind that.
function OneSpace:tell_ends(each)
  for node, watchers in pairs(self.beliefs) do
    for id, before in pairs(watchers) do
      local entity = self.entities[id]
      if not entity or entity.node ~= node then
        tell_difference(each, node, id, before, {})
        watchers[id] = nil
      end
    end
  end
end

-- An entity that has left is notified before its stay ends.
function OneSpace:tell_those_who_left(each)
  local heard, rest = {}, {}
  for _, notice in ipairs(self.notices) do
    local id = notice[1]
    if self.entities[id] then
      rest[#rest + 1] = notice
    elseif self.gone[id] and self.gone[id].hears then
      heard[id] = heard[id] or {}
      table.insert(heard[id], news.notified(notice[2]))
    end
  end
  for id, list in pairs(heard) do
    table.sort(list)
    each(self.gone[id].node, id, "said", list)
  end
  self.notices, self.gone = rest, {}
end

-- Words are told to the watchers that know the speaker after the tick.
function OneSpace:tell_said(each)
  local heard = {} -- watcher -> list
  for _, said in ipairs(self.said) do
    local speaker, text = said[1], said[2]
    if self.entities[speaker] then
      local watchers, n = self.space:told_watchers_of(speaker)
      for i = 1, n do
        local watcher = watchers[i]
        heard[watcher] = heard[watcher] or {}
        table.insert(heard[watcher], news.said(speaker, text))
      end
    end
  end
  for _, notice in ipairs(self.notices) do
    local id, text = notice[1], notice[2]
    heard[id] = heard[id] or {}
    table.insert(heard[id], news.notified(text))
  end
  for watcher, list in pairs(heard) do
    local entity = self.entities[watcher]
    if entity and entity.hears then
      table.sort(list)
      each(entity.node, watcher, "said", list)
    end
  end
  self.said, self.notices = {}, {}
end

return OneSpace
