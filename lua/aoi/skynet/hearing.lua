-- The messages of scenes to one service: takes them in, once for all of its entities, and says to each of its
-- clients what that one hears. A client hears about one entity, or about all that are nobody else's.
local skynet = require "skynet"
local blocks = require "aoi.skynet.blocks"
local calling_back = require "aoi.skynet.calling_back"
local new_known = require "aoi.skynet.known".new
local packet = require "aoi.skynet.packet"

local hearing = {}

local SECOND = 100 -- in skynet's hundredths

local ears, rest = {}, nil -- entity -> the table of functions that hears about it; of all others, or nil
local passes_blocks        -- true: ears that are for one entity want the blocks
local source               -- of the message that is being read
local asked = {}           -- watcher of which all was asked within the last second -> false, or which
                           -- scene is to be asked again in which stream: { scene =, stream = }

-- Has a table of functions hear about an entity; id nil: about all others. hear nil: nobody does any more. It
-- has those of known.lua but `gap`, those of the client, and `packet(text)`: the message as it came, or the
-- blocks of it that are about this entity. `refused` gets the command, the message and the id. None of them
-- waits or raises: they are called in the middle of a message.
function hearing.listen(id, hear)
  if id == nil then
    rest = hear
  else
    ears[id] = hear
  end
end

-- The ear of an entity alone; nil: there is none.
function hearing.listener(id)
  return ears[id]
end

-- Whether those that hear about one entity are given the blocks, as `packet`.
function hearing.pass_blocks(yes)
  passes_blocks = yes
end

-- The scene whose message is being read.
function hearing.source()
  return source
end

local function tell(id, name, ...)
  local ear = ears[id] or rest
  local f = ear and ear[name]
  if f then
    f(...)
  end
end

local hear = {}

for _, name in ipairs { "view", "notified", "me", "elsewhere", "late_list", "late_over", "over" } do
  hear[name] = function(watcher, ...)
    tell(watcher, name, watcher, ...)
  end
end

function hear.said(watchers, ...)
  local others = {}
  for _, watcher in ipairs(watchers) do
    if ears[watcher] then
      ears[watcher].said({ watcher }, ...)
    else
      others[#others + 1] = watcher
    end
  end
  if others[1] and rest then
    rest.said(others, ...)
  end
end

function hear.refused(body)
  local command, message, id = packet.refusal(body)
  if rest or ears[id] then
    tell(id, "refused", command, message, id)
  else
    skynet.error("a scene has refused a command: " .. message)
  end
end

local known = nil

-- Blocks are missing: asks the scene for all, at most once a second. What is missed within that second may
-- have been the last for long.
local function ask_for_all(watcher, of)
  asked[watcher] = false
  skynet.timeout(SECOND, function()
    local again = asked[watcher]
    asked[watcher] = nil
    -- Another stream begins with all, perhaps in another scene.
    if again and known:is_behind(watcher) and known:stream(watcher) == again.stream then
      ask_for_all(watcher, again.scene)
    end
  end)
  skynet.send(of, "lua", "resync", watcher)
end

function hear.gap(watcher, scene)
  if asked[watcher] == nil then
    ask_for_all(watcher, scene or source)
  else
    asked[watcher] = { scene = scene or source, stream = known:stream(watcher) }
  end
end

known = new_known(hear)
hearing.known = known

-- Gives each ear the blocks that are about its entity.
local function split(text)
  local parts, at = {}, 1
  while at <= #text do
    local block, after = blocks.head(text, at)
    local ear = ears[block.watcher]
    if ear and block.kind ~= blocks.REFUSED then
      local own = parts[block.watcher] or {}
      parts[block.watcher] = own
      own[#own + 1] = text:sub(at, after - 1)
    end
    at = after
  end
  for watcher, own in pairs(parts) do
    ears[watcher].packet(table.concat(own))
  end
end

-- Reads blocks of a message. passed: those of them that ears get as `packet`.
local function take_in(from, text, passed)
  if rest and rest.packet and passed ~= "" then
    rest.packet(passed)
  end
  if passes_blocks then
    split(passed)
  end
  source = from
  known:read(text, from)
end

-- ---- stays that a scene has not said to have begun --------------------------------------------

-- Watcher -> { stream =, list of { scene, block, its stream } }: what was told in this stream, or in a later
-- one. A scene may tell all that is to be seen there before it answers that the watcher has entered, and then
-- refuse, or end. Until it answers, only what the scene tells in which the watcher is counts.
local held = {}

-- Has all that is told to the watcher in this stream, and in later ones, held back.
function hearing.hold(watcher, stream)
  if math.type(watcher) and watcher == watcher then
    held[watcher] = { stream = stream }
  end
end

-- Ends what `hold` has begun for this stream. Returns the list of what was held back, {} for another stream.
local function take_held(watcher, stream)
  local list = held[watcher]
  if not list or list.stream ~= stream then
    return {}
  end
  held[watcher] = nil
  return list
end

-- The stay has begun: hears what was held back.
function hearing.release(watcher, stream)
  for _, one in ipairs(take_held(watcher, stream)) do
    take_in(one[1], one[2], one[2])
  end
end

-- There is no such stay: nothing in its stream counts, nor in a later one but that of the stay that there is.
-- may_come: it may begin still. Returns a list of { scene, stream }: those that have told of it.
function hearing.drop(watcher, stream, may_come)
  local told = {}
  for _, one in ipairs(take_held(watcher, stream)) do
    if known:is_in(watcher, one[3]) then
      take_in(one[1], one[2], one[2])
    else
      known:drop(watcher, one[3])
      told[#told + 1] = { one[1], one[3] }
    end
  end
  if may_come then
    known:drop(watcher, stream)
  end
  return told
end

-- Holds back the blocks of a message that are to be. Returns the others, as one text, and those of them that
-- ears get as `packet`: whoever passes these on does not know what was dropped.
local function hold_back(from, text)
  local others, passed, at = {}, {}, 1
  while at <= #text do
    local block, after = blocks.head(text, at)
    local one = text:sub(at, after - 1)
    local list = block.kind ~= blocks.REFUSED and held[block.watcher]
    if list and not blocks.is_later(list.stream, block.stream) then
      list[#list + 1] = { from, one, block.stream }
    else
      others[#others + 1] = one
      if block.kind == blocks.NOTIFIED or not known:is_dropped(block.watcher, block.stream) then
        passed[#passed + 1] = one
      end
    end
    at = after
  end
  return table.concat(others), table.concat(passed)
end

packet.register(function(_, from, text)
  local passed = text
  if next(held) or known:drops() then
    text, passed = hold_back(from, text)
  end
  take_in(from, text, passed)
  calling_back.go_on()
end)

return hearing
