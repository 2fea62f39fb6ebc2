-- The section ME of a view: what a watcher is told of itself. docs/packets.md describes every byte. Pure Lua,
-- without skynet.
--
-- Behind the count of pushes and the flags stand fields, each with a tag and a length, so that readers pass
-- over those of later versions.
local own_section = {
  ME = 6,            -- the kind of the section
  TRAIT_NAMES = {    -- by their keys
    "radius", "visible_radius", "mode", "layers", "sees_layers", "limit", "importance",
  },
}

local WHOLE = 1 -- flag: what the section does not name was removed
local PLACE, EXTRAS, DETAILS, TRAITS, CALLS = 1, 2, 3, 4, 5 -- tags of fields

local KEYS = {}
for key, name in ipairs(own_section.TRAIT_NAMES) do
  KEYS[name] = key
end
own_section.TRAIT_KEYS = KEYS

local pack = string.pack

-- A field; "" without bytes.
local function field(tag, bytes)
  return bytes and pack("<Bs2", tag, bytes) or ""
end

local function numbers_of(list, format)
  return list and pack("<" .. format:rep(#list), table.unpack(list))
end

--[[ The section with its head. own, all but the first optional:
  pushes     how often others have set the place in this stream
  is_whole   what is not named was removed
  place      { x, y [, z] }
  extras     list of floats
  details    entries as in the sections of others
  traits     the same, with the keys of TRAIT_KEYS
  calls      number of the last call of the client in it; none or 0: none was ]]
function own_section.pack(own)
  local calls = own.calls and own.calls > 0 and pack("<I4", own.calls)
  return pack("<Bs2", own_section.ME, pack("<I4B", own.pushes, own.is_whole and WHOLE or 0)
    .. field(PLACE, numbers_of(own.place, "d")) .. field(EXTRAS, numbers_of(own.extras, "f"))
    .. field(DETAILS, own.details) .. field(TRAITS, own.traits) .. field(CALLS, calls))
end

local function cut_off()
  error("packet: the own section is cut off", 0)
end

-- Numbers of a field; least: how many there must be.
local function numbers(text, format, size, least)
  local n = #text // size
  if n < least then
    cut_off()
  end
  local values = { ("<" .. format:rep(n)):unpack(text) }
  values[n + 1] = nil
  return values
end

-- The section between these positions, behind its head: a table as for `pack`. dims: of places. Raises when
-- it is cut off.
function own_section.read(text, at, stop, dims)
  if stop - at < 5 then
    cut_off()
  end
  local pushes, flags, first_field = ("<I4B"):unpack(text, at)
  local own = { pushes = pushes, is_whole = flags & WHOLE ~= 0 }
  at = first_field
  while at < stop do
    if stop - at < 3 then
      cut_off()
    end
    local tag, length, first = ("<BI2"):unpack(text, at)
    at = first + length
    if at > stop then
      cut_off()
    end
    local bytes = text:sub(first, at - 1)
    if tag == PLACE then
      own.place = numbers(bytes, "d", 8, dims)
      own.place[dims + 1] = nil
    elseif tag == EXTRAS then
      own.extras = numbers(bytes, "f", 4, 0)
    elseif tag == DETAILS then
      own.details = bytes
    elseif tag == TRAITS then
      own.traits = bytes
    elseif tag == CALLS then
      own.calls = numbers(bytes, "I4", 4, 1)[1]
    end
  end
  return own
end

return own_section
