-- The blocks for a service with many watchers, read one by one as docs/packets.md has it: whatever happens,
-- for each pair of watcher and marker come enter, moves, leave, in this order. Stricter than
-- aoi.skynet.known, which makes the best of all that it is told. Pure Lua, without skynet.
local blocks = require "aoi.skynet.blocks"

local Sequences = {}
Sequences.__index = Sequences

local sequences = {}

-- refused(body) hears of commands that were refused, over(watcher, flags) of stays that have ended, with the
-- flags of the block, notified(watcher, text) of notices of one text.
function sequences.new(refused, over, notified)
  return setmetatable({
    refused = refused, over = over, notified = notified,
    watchers = {},   -- watcher -> { stream, number, is_behind, markers =
    -- id -> { x, y, extra = (the first one), data =, properties = } }
    complaints = {}, -- what was told and must not have been: list of texts
    behind = {},     -- set of watchers that must ask for all anew
    counts = { events = 0, blocks = 0, gaps = 0, stale = 0, lists = 0 },
  }, Sequences)
end

local function complain(self, watcher, text, ...)
  local state = self.watchers[watcher]
  if #self.complaints < 20 then
    self.complaints[#self.complaints + 1] = ("watcher %d, stream %d, block %d: %s"):format(watcher,
      state.stream, state.number, text:format(...))
  end
end

local function keep_details(marker, packed)
  local data, properties = blocks.details(packed or "")
  marker.data = data and (data ~= "" and data or false) or marker.data
  for key, value in pairs(properties or {}) do
    marker.properties[key] = value or nil
  end
end

local NONE = {}

-- One view. markers: those that it changes; is_list: it is part of a list that replaces all.
local function take_in(self, watcher, view, markers, is_list)
  local counts, step, extras = self.counts, view.dims + 1, view.extras or NONE
  for _, id in ipairs(view.left or {}) do
    counts.events = counts.events + 1
    if not markers[id] then
      complain(self, watcher, "%d leaves and was not seen", id)
    end
    markers[id] = nil
  end
  for i = 1, #(view.entered or {}), step do
    local id = view.entered[i]
    counts.events = counts.events + 1
    if markers[id] then
      complain(self, watcher, is_list and "the list names %d twice" or "%d enters and is seen already", id)
    end
    markers[id] = { view.entered[i + 1], view.entered[i + 2], extra = (extras[id] or NONE)[1],
      properties = {} }
    keep_details(markers[id], (view.details or {})[id])
  end
  for i = 1, #(view.moved or {}), step do
    local id = view.moved[i]
    local marker = markers[id]
    counts.events = counts.events + 1
    if marker then
      marker[1], marker[2] = view.moved[i + 1], view.moved[i + 2]
      marker.extra = (extras[id] or NONE)[1]
    else
      complain(self, watcher, "%d moves and was not seen", id)
    end
  end
  for _, id in ipairs(view.changed or {}) do
    counts.events = counts.events + 1
    if markers[id] then
      keep_details(markers[id], view.details[id])
    else
      complain(self, watcher, "%d changes and was not seen", id)
    end
  end
end

local function fall_behind(self, state, watcher)
  if not state.is_behind then
    self.counts.gaps = self.counts.gaps + 1
  end
  state.is_behind, state.list = true, nil
  self.behind[watcher] = true
end

-- Whether this block is the next one of its stream.
local function is_next(self, state, block)
  if state.stream ~= block.stream then
    fall_behind(self, state, block.watcher)
  elseif block.number ~= state.number + 1 & 0xFFFFFFFF then
    -- Also one that was overtaken by those of the entity's next owner.
    fall_behind(self, state, block.watcher)
  end
  if state.stream == block.stream and blocks.is_later(block.number, state.number) then
    state.number = block.number
  end
  return not state.is_behind
end

local function hear_view(self, state, text, block)
  local watcher = block.watcher
  if block.flags & blocks.REPLACES ~= 0 then
    local is_overtaken = state.stream == block.stream and not blocks.is_later(block.number, state.number)
    state.stream, state.number, state.is_behind, state.list = block.stream, block.number, false, {}
    self.counts.lists = self.counts.lists + 1
    self.behind[watcher] = nil
    if is_overtaken then -- by blocks of the entity's next owner
      fall_behind(self, state, watcher)
      return
    end
  elseif not is_next(self, state, block) then
    return
  end
  take_in(self, watcher, blocks.view(text, block), state.list or state.markers, state.list ~= nil)
  if state.list and block.flags & blocks.MORE == 0 then
    state.markers, state.list = state.list, nil
  end
end

local function hear(self, text, block)
  local watcher = block.watcher
  if block.kind == blocks.REFUSED then
    self.refused(text:sub(block.first, block.last))
    return
  end
  if block.kind == blocks.NOTIFIED then -- late ones count, too
    self.notified(watcher, (blocks.notified_body(text, block)))
  end
  local state = self.watchers[watcher]
  if state and blocks.is_later(state.stream, block.stream) then
    self.counts.stale = self.counts.stale + 1
    return
  end
  if not state then
    state = { stream = block.stream, number = block.number - 1, is_behind = true, markers = {} }
    self.watchers[watcher] = state
  end
  if block.kind == blocks.VIEW then
    hear_view(self, state, text, block)
  elseif block.kind == blocks.OVER then
    self.watchers[watcher] = nil
    self.over(watcher, block.flags)
  elseif is_next(self, state, block) and block.kind == blocks.SAID then
    local speaker = blocks.said_body(text, block)
    if not state.markers[speaker] then
      complain(self, watcher, "%d says something and is not seen", speaker)
    end
  end
end

-- Reads one message.
function Sequences:read(text)
  local at = 1
  while at <= #text do
    local block
    block, at = blocks.head(text, at)
    self.counts.blocks = self.counts.blocks + 1
    hear(self, text, block)
  end
end

return sequences
