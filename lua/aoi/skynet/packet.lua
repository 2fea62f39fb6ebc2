-- Messages between a scene and its agents and viewers: the protocol of skynet that they go by, and what of
-- them skynet itself packs. The format of blocks is in blocks.lua.
--
-- The protocol is one of their own, "aoi", so that they do not get in the way of an agent's "lua" messages.
-- Its number is 120; the line `aoi_protocol = 121` in skynet's configuration gives another.
local skynet = require "skynet"
local blocks = require "aoi.skynet.blocks"

local packet = { protocol = "aoi" }

-- The first byte of whole messages, for viewers; blocks begin with their kind, which is below 128.
local KEYFRAME, RECORD_OF_CALLS, ENDED = 128, 129, 130

-- Most bytes of a refusal's command and message.
local COMMAND_LIMIT, MESSAGE_LIMIT = 100, 10000

-- Makes the protocol known to skynet; dispatch(session, source, text) is for those who receive.
function packet.register(dispatch)
  skynet.register_protocol {
    name = packet.protocol,
    id = tonumber(skynet.getenv "aoi_protocol") or 120,
    pack = function(text) return text end,
    unpack = skynet.tostring,
    dispatch = dispatch,
  }
end

-- Words as the body of a block, and whether that is one string as it is.
function packet.speech(...)
  local text = ...
  if select("#", ...) == 1 and type(text) == "string" then
    return text, true
  end
  return skynet.packstring(...), false
end

-- The values that were said.
function packet.spoken(body, is_text)
  if is_text then
    return body
  end
  return skynet.unpack(body)
end

-- A message: the answer to a command that was sent, not called, and refused. id: its first argument, if that
-- is a number: the entity or area.
function packet.refused(command, message, id)
  return blocks.refused(skynet.packstring(tostring(command):sub(1, COMMAND_LIMIT),
    tostring(message):sub(1, MESSAGE_LIMIT), math.type(id) and id or nil))
end

-- The command, the message and the id, or nil, of a refusal.
function packet.refusal(body)
  return skynet.unpack(body)
end

-- ---- viewers ----------------------------------------------------------------------------------

local PIECE_HEAD = "<Bi8i8"

-- For those who follow the record of a scene: a piece of a recording. A record goes from one call to another;
-- in a keyframe both are the same.
function packet.piece(is_keyframe, from, to, piece)
  return PIECE_HEAD:pack(is_keyframe and KEYFRAME or RECORD_OF_CALLS, from, to) .. piece
end

-- The record that they follow has ended: the scene has another space now.
function packet.ended()
  return string.char(ENDED)
end

-- Reads a message as a viewer does and calls what fits in `to`:
--   piece(is_keyframe, from, to, piece)
--   ended()
--   refused(command, message, id)
-- Others are passed over.
function packet.read(text, to)
  local kind = text:byte()
  if kind == KEYFRAME or kind == RECORD_OF_CALLS then
    local _, from, to_call, at = PIECE_HEAD:unpack(text)
    to.piece(kind == KEYFRAME, from, to_call, text:sub(at))
  elseif kind == ENDED then
    to.ended()
  elseif kind == blocks.REFUSED then
    local block = blocks.head(text, 1)
    to.refused(packet.refusal(text:sub(block.first, block.last)))
  end
end

return packet
