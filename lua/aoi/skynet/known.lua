-- The knowledge of one service, as scenes have told it: for each of its entities, here called watchers, the
-- markers that it knows, with places and details. Reads messages, passes over messages that are too old,
-- finds out which are missing, and turns a list that replaces all into changes. Pure Lua, without skynet.
local blocks = require "aoi.skynet.blocks"
local new_me = require "aoi.skynet.me".new
local new_recent = require("aoi.skynet.recent").new

local VIEW, SAID, REFUSED, OVER, ELSEWHERE, NOTIFIED =
  blocks.VIEW, blocks.SAID, blocks.REFUSED, blocks.OVER, blocks.ELSEWHERE, blocks.NOTIFIED
local REPLACES, MORE = blocks.REPLACES, blocks.MORE

local Known = {}
Known.__index = Known

local known = {}

--[[ `hear` is a table of functions, called while a message is read:
  view(watcher, news)      what this watcher learns: { left, entered, moved, changed, details, extras, dims },
                           with flat lists as blocks.view gives them, nil where there are none; details: id ->
                           { data or nil, properties or nil }, of those that entered and changed; extras: id
                           -> numbers, of those that entered and moved
  said(watchers, id, body, is_text)    the watchers are those of one message
  notified(watcher, body, is_text)     a message to this watcher itself; may be left out
  refused(body)
  me(watcher, is_moved, changed)  the watcher is told of itself, what Me:take of me.lua gives; may be left out
  elsewhere(watcher, address, stream, is_loaded, is_stale)  the stay goes on in the scene of that address,
                           with this stream. is_loaded: that scene has loaded it; is_stale: as it was in a
                           stay before the present one, or in the last one, which has ended; or it is said
                           of a stay that was dropped
  late_over(watcher, stream, reason)  as `over`, of a stay before the present one; may be left out
  late_list(watcher, stream)         a list of all that it sees begins, in a stream before the present one, or
                           one that has ended; may be left out
  over(watcher, stream, reason)      the stay has ended, and what was seen left. reason: in a world "lost",
                           with the region, or "expelled", as the node that was asked is no member any more;
                           else nil; may be left out
  gap(watcher, scene)      blocks for this watcher are missing: a resync is due; again for each later block
                           until a list comes that replaces all. scene: of `doubt`; nil: the one whose message
                           is being read ]]
function known.new(hear)
  return setmetatable({
    hear = hear,
    watchers = {}, -- watcher -> its state:
    -- stream, number (of the last block), scene (that has told it), markers, me (of me.lua); waits (the
    -- stream has not begun), missing (blocks are, a resync is due); list, named (a list that replaces all and
    -- is not complete: its news, and its ids)
    dropped = {}, -- watcher -> { [stream] = true, last = }: those of stays that somebody else has begun
    over = new_recent(), -- watcher -> its stream that has ended, see hear_over
  }, Known)
end

-- The knowledge of a watcher: marker -> { x, y, z, extras =, data =, properties = }, the last four only where
-- there are any; nil: it is in no scene by what it was told. Not to be changed.
function Known:markers(watcher)
  local state = self.watchers[watcher]
  return state and state.markers
end

-- The scene that has told the present stay of the watcher, and its stream; nil: nothing was told of it.
function Known:told_by(watcher)
  local state = self.watchers[watcher]
  if state and not state.waits then
    return state.scene, state.stream
  end
end

-- The watcher's own state, of me.lua; nil as above.
function Known:me(watcher)
  local state = self.watchers[watcher]
  return state and state.me
end

local function tell(self, watcher, news)
  if news.left or news.entered or news.moved or news.changed then
    self.hear.view(watcher, news)
  end
end

-- The list that is being gathered breaks off: what it brought so far is told, and it replaces nothing.
local function break_off(self, state, watcher)
  local news = state.list
  state.list, state.named = nil, nil
  if news then
    tell(self, watcher, news)
  end
end

-- From now on only this stream counts for the watcher, or a later one; what it knows stays until then.
function Known:expect(watcher, stream)
  local state, dropped = self.watchers[watcher], self.dropped[watcher]
  if dropped and blocks.is_later(stream, dropped.last) then
    self.dropped[watcher] = nil -- those are late by now
  end
  if not state then
    self.watchers[watcher] = { stream = stream, markers = {}, me = new_me(), waits = true }
  elseif blocks.is_later(stream, state.stream) then
    break_off(self, state, watcher)
    state.stream, state.waits = stream, true
  end
end

-- A scene is asked to begin this stream for the watcher.
function Known:ask(watcher, stream)
  local me = self:me(watcher)
  if me then
    me.asked = stream
  end
end

-- Nothing that comes in this stream counts for the watcher: it is of a stay that somebody else has begun.
function Known:drop(watcher, stream)
  local dropped = self.dropped[watcher] or {}
  self.dropped[watcher], dropped[stream] = dropped, true
  dropped.last = blocks.later(dropped.last, stream)
end

-- Whether a stream was dropped for the watcher; and any for anybody.
function Known:is_dropped(watcher, stream)
  local dropped = self.dropped[watcher]
  return dropped ~= nil and dropped[stream] == true
end

function Known:drops()
  return next(self.dropped) ~= nil
end

-- Whether this is the stream that counts for the watcher.
function Known:is_in(watcher, stream)
  local state = self.watchers[watcher]
  return state ~= nil and state.stream == stream
end

-- The latest stream that the watcher has heard of; nil: none.
function Known:stream(watcher)
  local state, dropped = self.watchers[watcher], self.dropped[watcher]
  return blocks.later(state and state.stream or self.over:get(watcher), dropped and dropped.last)
end

-- Whether a block is of a stay that has ended.
local function is_late(self, state, block)
  local dropped = self.dropped[block.watcher]
  if dropped and dropped[block.stream] then
    return true
  elseif state then
    return blocks.is_later(state.stream, block.stream)
  end
  local over = self.over:get(block.watcher)
  return over and not blocks.is_later(block.stream, over)
end

-- Whether blocks for the watcher are missing, and a list that replaces all has not come yet.
function Known:is_behind(watcher)
  local state = self.watchers[watcher]
  return state ~= nil and (state.waits or state.missing) or false
end

-- Something about the watcher, which is in that scene, is in doubt: it is as if blocks were missing. Nothing
-- when it was told nothing.
function Known:doubt(watcher, scene)
  local state = self.watchers[watcher]
  if state and not state.waits then
    state.missing = true
    self.hear.gap(watcher, scene)
  end
end

-- Forgets all about a watcher, without a word.
function Known:forget(watcher)
  self.watchers[watcher] = nil
  self.over:forget(watcher)
end

-- ---- news -------------------------------------------------------------------------------------

-- The list of this name, made when it is needed.
local function list_of(news, name)
  local list = news[name]
  if not list then
    list = {}
    news[name] = list
  end
  return list
end

local function put_place(list, id, x, y, z)
  local n = #list
  list[n + 1], list[n + 2], list[n + 3], list[n + 4] = id, x, y, z
end

-- Keeps the numbers that go along with a step; nil: there are none. True when they are others than before.
local function take_in_extras(marker, values)
  local before, is_other = marker.extras, false
  for i = 1, values and #values or 0 do
    is_other = is_other or not before or before[i] ~= values[i]
  end
  if is_other or not values then
    marker.extras = values
  end
  return is_other
end

local function tell_extras(news, marker, id)
  if marker.extras then
    list_of(news, "extras")[id] = marker.extras
  end
end

-- Takes in a list of moves. Most news are moves: this list itself is told, without what is passed over.
local function take_in_moved(news, markers, list, dims, extras)
  local n, step = 0, dims + 1
  for i = 1, #list, step do
    local id, x, y, z = list[i], list[i + 1], list[i + 2], nil
    if dims == 3 then
      z = list[i + 3]
    end
    local marker = markers[id]
    local is_turned = marker and extras and take_in_extras(marker, extras[id])
    if marker and (is_turned or marker[1] ~= x or marker[2] ~= y or marker[3] ~= z) then
      marker[1], marker[2] = x, y
      if z then
        marker[3] = z
      end
      tell_extras(news, marker, id)
      if n + 1 < i then
        table.move(list, i, i + dims, n + 1)
      end
      n = n + step
    end
  end
  for i = #list, n + 1, -1 do
    list[i] = nil
  end
  if n > 0 then
    local before = news.moved
    news.moved = before and table.move(list, 1, n, #before + 1, before) or list
  end
end

-- Keeps and tells what has changed; false in properties: that one was removed.
local function take_in_details(news, marker, id, data, properties)
  local told
  if data and data ~= (marker.data or "") then
    marker.data = data ~= "" and data or nil
    told = { data }
  end
  for key, value in pairs(properties or {}) do
    local before = marker.properties and marker.properties[key]
    if before ~= (value or nil) then
      marker.properties = marker.properties or {}
      marker.properties[key] = value or nil
      told = told or {}
      told[2] = told[2] or {}
      told[2][key] = value
    end
  end
  if told then
    table.insert(list_of(news, "changed"), id)
    list_of(news, "details")[id] = told
  end
end

-- An entity that is known already is named again, with all that it is.
local function take_in_again(news, marker, id, packed, extras, x, y, z)
  local is_turned = take_in_extras(marker, extras)
  if is_turned or marker[1] ~= x or marker[2] ~= y or marker[3] ~= z then
    marker[1], marker[2], marker[3] = x, y, z
    put_place(list_of(news, "moved"), id, x, y, z)
    tell_extras(news, marker, id)
  end
  if packed or marker.data or marker.properties then
    local data, properties = blocks.details(packed or "")
    properties = properties or {}
    for key in pairs(marker.properties or {}) do
      if properties[key] == nil then
        properties[key] = false
      end
    end
    take_in_details(news, marker, id, data or "", properties)
  end
end

-- An entity comes into view.
local function take_in_new(news, markers, id, packed, extras, x, y, z)
  local marker = { x, y, z, extras = extras }
  markers[id] = marker
  put_place(list_of(news, "entered"), id, x, y, z)
  tell_extras(news, marker, id)
  if packed then
    marker.data, marker.properties = blocks.details(packed)
    -- Another table, since ours goes on changing.
    local properties = marker.properties and {}
    for key, value in pairs(marker.properties or {}) do
      properties[key] = value
    end
    list_of(news, "details")[id] = { marker.data, properties }
  end
end

local NONE = {}

-- Takes in one block of a view. named: set of the ids that a list which replaces all has named, or nil.
local function take_in(news, markers, view, named)
  for _, id in ipairs(view.left or NONE) do
    if markers[id] then
      markers[id] = nil
      table.insert(list_of(news, "left"), id)
    end
  end
  local dims, details, extras = view.dims, view.details or NONE, view.extras or NONE
  local list = view.entered or NONE
  for i = 1, #list, dims + 1 do
    local id, x, y, z = list[i], list[i + 1], list[i + 2], dims == 3 and list[i + 3] or nil
    if markers[id] then
      take_in_again(news, markers[id], id, details[id], extras[id], x, y, z)
    else
      take_in_new(news, markers, id, details[id], extras[id], x, y, z)
    end
    if named then
      named[id] = true
    end
  end
  if view.moved then
    take_in_moved(news, markers, view.moved, dims, view.extras)
  end
  for _, id in ipairs(view.changed or NONE) do
    if markers[id] then
      take_in_details(news, markers[id], id, blocks.details(details[id]))
    end
  end
end

-- ---- blocks -----------------------------------------------------------------------------------

-- A list that replaces all is complete: what it has not named has left.
local function complete(self, state, watcher)
  local news, named = state.list, state.named
  state.list, state.named = nil, nil
  local left = {}
  for id in pairs(state.markers) do
    if not named[id] then
      left[#left + 1] = id
    end
  end
  table.sort(left)
  for _, id in ipairs(left) do
    state.markers[id] = nil
  end
  news.left = #left > 0 and left or nil
  tell(self, watcher, news)
end

-- Counts a block of the stream that the watcher is in.
local function count(self, state, block)
  if block.number ~= state.number + 1 & 0xFFFFFFFF then
    state.missing = true
    break_off(self, state, block.watcher)
  end
  if blocks.is_later(block.number, state.number) then -- else it was overtaken
    state.number = block.number
  end
  if state.missing then
    self.hear.gap(block.watcher)
  end
end

local function hear_view(self, state, text, block, from)
  local watcher, begins = block.watcher, block.flags & REPLACES ~= 0
  if begins then
    if not state then
      state = { markers = {}, me = new_me() }
      self.watchers[watcher] = state
    end
    break_off(self, state, watcher)
    local is_overtaken = not state.waits and state.stream == block.stream
      and not blocks.is_later(block.number, state.number)
    state.stream, state.number, state.waits, state.missing = block.stream, block.number, nil, is_overtaken
    state.scene = from
    if is_overtaken then
      self.hear.gap(watcher) -- by blocks of the region in which the stay went on: it may be out of date
    end
  elseif not state or state.waits or block.stream ~= state.stream then
    self.hear.gap(watcher) -- its beginning is missing
    return
  else
    count(self, state, block)
  end
  local view = blocks.view(text, block)
  if view.me then
    local is_moved, changed = state.me:take(view.me, block.stream)
    if self.hear.me then
      self.hear.me(watcher, is_moved, changed)
    end
  end
  if begins then
    state.list, state.named = { dims = view.dims }, {}
  end
  local news = state.list or { dims = view.dims }
  take_in(news, state.markers, view, state.named)
  if not state.list then
    tell(self, watcher, news)
  elseif block.flags & MORE == 0 then
    complete(self, state, watcher)
  end
end

local REASON = { [blocks.LOST] = "lost", [blocks.EXPELLED] = "expelled" }

local function reason_of(block)
  return REASON[block.flags & (blocks.LOST | blocks.EXPELLED)]
end

-- The stay has ended, and with it all that was seen. What comes late from it, or from one before it, is not
-- believed; so much is kept of the last thousand or two, that a service may have any number of watchers.
local function hear_over(self, state, block)
  local watcher = block.watcher
  self.over:note(watcher, block.stream)
  if state then
    break_off(self, state, watcher)
    self.watchers[watcher] = nil
    local left = {}
    for id in pairs(state.markers) do
      left[#left + 1] = id
    end
    table.sort(left)
    tell(self, watcher, { left = #left > 0 and left or nil, dims = 2 })
  end
  if self.hear.over then
    self.hear.over(watcher, block.stream, reason_of(block))
  end
end

-- The stay of this stream, nil: any, has ended, and nobody will say so any more; nothing when that was heard,
-- or another stay is expected.
function Known:finish(watcher, stream)
  local state = self.watchers[watcher]
  if state and (stream == nil or state.stream == stream) then
    hear_over(self, state, { watcher = watcher, stream = state.stream, flags = 0 })
  end
end

local function hear_elsewhere(self, text, block, late)
  local watcher = block.watcher
  local address, stream, is_loaded = blocks.elsewhere_body(text, block)
  if not late then
    self:expect(watcher, stream)
  end
  local is_stale = late and (is_loaded or self:is_dropped(watcher, block.stream))
  self.hear.elsewhere(watcher, address, stream, is_loaded, is_stale)
end

-- Words to several watchers come as a block for each, one after the other.
local function hear_said(self, waiting, text, block)
  local speaker, body, is_text = blocks.said_body(text, block)
  if waiting and waiting.speaker == speaker and waiting.body == body and waiting.is_text == is_text then
    waiting.watchers[#waiting.watchers + 1] = block.watcher
    return waiting
  end
  if waiting then
    self.hear.said(waiting.watchers, waiting.speaker, waiting.body, waiting.is_text)
  end
  return { watchers = { block.watcher }, speaker = speaker, body = body, is_text = is_text }
end

-- Late ones are heard, too: they were given once, and nothing else says them.
local function hear_notified(self, text, block)
  if self.hear.notified then
    self.hear.notified(block.watcher, blocks.notified_body(text, block))
  end
end

-- Reads one message, a sequence of blocks. from: the scene that has sent it; may be left out. Raises when it
-- is damaged; the blocks before that have been heard.
function Known:read(text, from)
  local at, said = 1, nil
  while at <= #text do
    local block
    block, at = blocks.head(text, at)
    local watcher, kind = block.watcher, block.kind
    local state = self.watchers[watcher]
    if said and kind ~= SAID then
      self.hear.said(said.watchers, said.speaker, said.body, said.is_text)
      said = nil
    end
    if kind == REFUSED then
      self.hear.refused(text:sub(block.first, block.last))
    elseif is_late(self, state, block) then
      -- The scene in which a stay goes on may be quicker than the one that says so.
      if kind == ELSEWHERE then
        hear_elsewhere(self, text, block, true)
      elseif kind == NOTIFIED then
        hear_notified(self, text, block)
      elseif kind == VIEW and block.flags & REPLACES ~= 0 and self.hear.late_list then
        self.hear.late_list(watcher, block.stream)
      elseif kind == OVER and self.hear.late_over then
        self.hear.late_over(watcher, block.stream, reason_of(block))
      end
    elseif kind == VIEW then
      hear_view(self, state, text, block, from)
    elseif kind == OVER then
      hear_over(self, state, block)
    else
      if state and not state.waits and state.stream == block.stream then
        count(self, state, block)
      end
      if kind == SAID then
        said = hear_said(self, said, text, block)
      elseif kind == NOTIFIED then
        hear_notified(self, text, block)
      elseif kind == ELSEWHERE then
        hear_elsewhere(self, text, block, false)
      end
    end
  end
  if said then
    self.hear.said(said.watchers, said.speaker, said.body, said.is_text)
  end
end

return known
