-- Packets for one watcher in several stays, as a scene sends them: views, some in pieces, words that are
-- said, lists that replace. Some packets get lost on the way, some are overtaken by later ones, and some of a
-- stay that is over come late, also such a list.
--
-- Returns the packets that arrive, and for each what is known of it: `text`, what is seen after it, as
-- spec/packets/dump.c prints it, where a list has ended there; `missing`: whether something was lost since a
-- list that replaces began; `notified`: whether it is a message to the watcher itself.
local writer = require "spec.support.packet_writer"

local WATCHER, IDS = 7, 12

local function shown(world)
  local text = {}
  for id = 1, IDS do
    text[#text + 1] = world[id] and ("%d:%d "):format(id, world[id]) or nil
  end
  return table.concat(text)
end

-- Changes some; returns the ids that left, entered, moved.
local function change(random, world)
  local left, entered, moved = {}, {}, {}
  for id = 1, IDS do
    local x = random:integer(0, 1000)
    if world[id] and random:chance(0.15) then
      world[id], left[#left + 1] = nil, id
    elseif world[id] and random:chance(0.5) then
      world[id], moved[#moved + 1] = x, id
    elseif not world[id] and random:chance(0.2) then
      world[id], entered[#entered + 1] = x, id
    end
  end
  return left, entered, moved
end

-- Sections of at most `most` records each, in order.
local function sections(world, lists, most)
  local result = {}
  for _, list in ipairs(lists) do
    for first = 1, #list.ids, most do
      local records = {}
      for i = first, math.min(#list.ids, first + most - 1) do
        local id = list.ids[i]
        records[#records + 1] = list.kind == writer.LEFT and writer.id(0, id) or
          writer.place(0, id, world[id], 0) .. (list.kind == writer.ENTERED_WITH and "\0\0" or "")
      end
      result[#result + 1] = writer.section(list.kind, table.concat(records))
    end
  end
  return result
end

return function(random)
  local arrived, seen = {}, {}
  local stream, number, world = 0xFFFFFFFE, 0, {} -- streams go on behind 2^32 - 1
  local missing = false
  local late -- a packet of the stay before
  local overtaken -- a packet of this one that has not come, and how many had before it: { packet, n }
  local function send(packet, note)
    if random:chance(0.15) then
      overtaken = random:chance(0.5) and { packet, #arrived } or overtaken
      return false
    end
    arrived[#arrived + 1], seen[#seen + 1] = packet, note
    return true
  end

  local function block(kind, flags, body)
    number = (number + 1) & 0xFFFFFFFF
    return writer.block(kind, flags, WATCHER, stream, number, body)
  end

  -- One list, each piece in a packet of its own here, so that it may be lost alone.
  local function list(flags, parts)
    local replaces = flags & writer.REPLACES ~= 0
    local complete, last = true, math.max(1, #parts)
    for i = 1, last do
      local more = i < last and writer.MORE or 0
      local packet = block(writer.VIEW, flags | more, parts[i] or "")
      flags = flags & ~writer.REPLACES
      late = packet
      local note = { text = i == last and shown(world) or nil, missing = missing or not complete }
      if replaces and i == 1 then
        note.missing = false
      end
      if not send(packet, note) then
        complete = false
        missing = true
      elseif replaces and i == 1 then
        missing = false
      end
    end
  end

  local function whole()
    local ids = {}
    for id = 1, IDS do
      ids[#ids + 1] = world[id] and id or nil
    end
    local kind = random:pick { writer.ENTERED, writer.ENTERED_WITH }
    list(writer.REPLACES, sections(world, { { kind = kind, ids = ids } }, random:pick { 3, 50 }))
  end

  for stay = 1, 4 do
    if stay > 1 then
      stream, number, world = (stream + random:pick { 1, 3, 0x70000000 }) & 0xFFFFFFFF, 0, {}
      if stay == 3 then
        number = 0xFFFFFFFA -- numbers, too
      end
    end
    missing, overtaken = true, nil
    local before = late
    change(random, world)
    whole()
    for tick = 1, 30 do
      local left, entered, moved = change(random, world)
      list(0, sections(world, { { kind = writer.LEFT, ids = left }, { kind = writer.ENTERED, ids = entered },
        { kind = writer.MOVED, ids = moved } }, random:pick { 2, 50 }))
      if random:chance(0.3) then
        -- A kind that readers do not know counts, too.
        local kind = random:pick { writer.SAID, writer.NOTIFIED, 100 }
        missing = not send(block(kind, writer.TEXT, writer.id(0, 1) .. "hello"),
          { text = shown(world), missing = missing, notified = kind == writer.NOTIFIED }) or missing
      end
      if overtaken and #arrived > overtaken[2] and random:chance(0.5) then
        missing = true -- what it says may be out of date
        arrived[#arrived + 1], seen[#seen + 1] = overtaken[1], { missing = true }
        overtaken = nil
      end
      if before and tick % 10 == 0 and #arrived > 0 then
        arrived[#arrived + 1], seen[#seen + 1] = before, {} -- changes nothing
      end
      if missing and random:chance(0.3) then
        whole()
      end
    end
    if random:chance(0.5) then
      arrived[#arrived + 1], seen[#seen + 1] = block(writer.OVER, 0, ""), { text = "", missing = false }
      arrived[#arrived + 1], seen[#seen + 1] = late, { text = "", missing = false }
      arrived[#arrived + 1], seen[#seen + 1] = block(writer.VIEW, writer.REPLACES,
        writer.section(writer.ENTERED, writer.place(0, 1, 5, 0))), { text = "", missing = false }
    end
  end
  return arrived, seen
end
