-- Calls of one node when a configuration begins: what is kept is sent again, or gets the answer that follows
-- from the lists.
local batches = require "aoi.skynet.world.batches"
local calls = require "aoi.skynet.world.calls"
local direct = require "aoi.skynet.world.direct"
local numbers = require "aoi.skynet.world.numbers"

local resuming = {}

-- Makes single commands of the batches that are kept.
function resuming.part(member)
  local kept, all = member.calls.kept, {}
  for _, command in ipairs(kept) do
    local list = command.ids and batches.of_stays(member, command) or { command }
    table.move(list, 1, #list, #all + 1, all)
  end
  member.calls.kept = all
end

-- The command with another number; an id whose leave is under way waits for the new one.
local function renumbered(member, command, number)
  local way = member.calls.under_way[command.id]
  if way and way.kind == "leave" and way.stay == command.stay and way.number == command.number then
    way.number = number
  end
  local copy = {}
  for key, value in pairs(command) do
    copy[key] = value
  end
  copy.number, copy.waits = number, nil -- it is sent: regions that are read from now on do not matter to it
  return copy
end

-- Of the enters without an answer: those in the directory are done. Where the stay has ended, the answer was
-- lost with its region. The others are to be sent again. One that waits is under way again, also where it has
-- been judged: its id's next ones must not overtake it. One that has its answer is under way no longer: the
-- directory says where its stay is, or that it is lost. Returns stay -> enter of those to be sent.
local function resume_enters(member, again, waiting)
  local of_node, renamed, waits = member.calls, {}, next(member.loading) ~= nil
  for _, uid in ipairs(numbers.sorted(of_node.enters)) do
    local enter = of_node.enters[uid]
    local known = member.directory[enter.call.id]
    if not waiting or enter.waits then
      enter.waits = waits
      if known and known.stay == enter.stay then
        calls.answer(member, uid, "done")
      elseif member.ended[enter.stay] or not waits and member.has_unread then
        calls.answer(member, uid, "unknown") -- the store of a region without owner may have it
      elseif waits then
        of_node.under_way[enter.call.id] = of_node.under_way[enter.call.id] or enter
      else
        again.enters[#again.enters + 1] = enter
        renamed[enter.stay] = enter
      end
    end
  end
  for id, way in pairs(of_node.under_way) do
    if way.kind == "enter" and not of_node.enters[way.uid] then
      of_node.under_way[id] = nil
    end
  end
  return renamed
end

-- A configuration begins with the areas as they were judged at the begin of tick `judged`; results: node and
-- uid -> outcome and text, of those that were judged then. Commands that came too late for that are sent
-- again, before those that were asked after them.
function resuming.areas(member, judged, results)
  local of_node, again = member.calls, {}
  for _, uid in ipairs(numbers.sorted(of_node.areas)) do
    local area = of_node.areas[uid]
    local result = results[member.key .. uid]
    of_node.areas[uid] = nil
    if area.tick >= judged then
      again[#again + 1] = area
    elseif result then
      calls.answer(member, uid, result[1], result[2])
    else
      calls.answer(member, uid, "unknown")
    end
  end
  table.sort(again, function(a, b) return a.stamp < b.stamp end)
  for i, area in ipairs(again) do
    again[i] = area.call
  end
  direct.put_first(member, again)
end

-- Whether of two commands of one stay that are kept, one behind the other, the later one is enough.
local function is_replaced(command, later)
  return command.stay == later.stay and command.source == later.source and command.waits == later.waits
    and calls.is_bare_move(command) and calls.is_bare_move(later)
end

-- The commands by stay and number: there may be very many.
local function sorted(kept)
  local by_stay, list = {}, {}
  for _, command in ipairs(kept) do
    local of_stay = by_stay[command.stay] or {}
    by_stay[command.stay] = of_stay
    of_stay[#of_stay + 1] = command
  end
  for _, stay in ipairs(numbers.sorted(by_stay)) do
    local of_stay = by_stay[stay]
    numbers.sort_by(of_stay, "number")
    table.move(of_stay, 1, #of_stay, #list + 1, list)
  end
  return list
end

-- The next number of this node that the owner of a stay in the directory expects.
local function expected(member, known)
  return known.expected[member.key] or 1
end

-- Whether the lists say that a command has been applied.
local function is_applied(member, command)
  local known = member.directory[command.id]
  return known and known.stay == command.stay and known.expected
    and command.number < expected(member, known)
end

-- The commands that are kept, by stay and number, without the moves that need not be sent again.
local function in_order(member, kept)
  kept = sorted(kept)
  local list = {}
  for i, command in ipairs(kept) do
    local later = kept[i + 1]
    local is_needless = later and is_replaced(command, later) and not is_applied(member, command)
    list[#list + 1] = not is_needless and command or nil
  end
  member.observe(member, "replaced", #kept - #list)
  return list
end

-- Calls that nobody will answer any more: their commands took effect at an owner that is no member, and went
-- with its answers.
local function end_unowned(member, again, lost)
  local of_node, waits = member.calls, calls.waiting(member)
  for _, list in ipairs { of_node.kept, again.commands } do
    for _, one in ipairs(list) do
      waits[one.uid or false] = true
    end
  end
  for _, uid in ipairs(numbers.sorted(of_node.open)) do
    if not waits[uid] and not of_node.enters[uid] and not of_node.areas[uid] then
      if not lost then
        member.observe(member, "vanished", uid)
      end
      calls.answer(member, uid, "unknown")
    end
  end
end

-- A new configuration is in effect: what is kept is sent again from the number on that its owner expects,
-- or gets the answer that follows from the lists. While regions are read from stores, what no list shows
-- waits, and the last region that has been read resumes it (`waiting`). lost: whether a member of the
-- configuration before is gone.
function resuming.calls(member, lost, waiting)
  local of_node = member.calls
  resuming.part(member)
  local again = { enters = {}, commands = {} }
  local waits = next(member.loading) ~= nil
  local renamed = resume_enters(member, again, waiting)
  -- Nothing of a stay is under way: its numbers go on from what the owner expects. So a gap closes that is
  -- left where an owner is gone that had taken a command.
  local next_number = of_node.next_number
  if not waiting then
    -- Stays that were lost are in no directory any more.
    next_number = {}
    for _, enter in pairs(of_node.enters) do
      next_number[enter.stay] = of_node.next_number[enter.stay]
    end
    of_node.next_number = next_number
  end
  for _, known in pairs(member.directory) do
    if not waiting or known.read then
      next_number[known.stay] = expected(member, known)
    end
  end
  local kept = in_order(member, of_node.kept)
  of_node.kept = {}
  for _, command in ipairs(kept) do
    local known = member.directory[command.id]
    local resumed = not waiting or command.waits
    local first = resumed and known and known.stay == command.stay and expected(member, known)
    if not resumed then
      of_node.kept[#of_node.kept + 1] = command
    elseif first and command.number < first then
      calls.answer(member, command.uid, "unknown")
    elseif first then
      again.commands[#again.commands + 1] = renumbered(member, command, next_number[command.stay])
      next_number[command.stay] = next_number[command.stay] + 1
    elseif renamed[command.stay] then
      again.commands[#again.commands + 1] = command
    elseif waits then
      command.waits, command.at = true, nil
      of_node.kept[#of_node.kept + 1] = command
    elseif calls.is_for_both(command) and not lost then
      calls.answer(member, command.uid, "anew")
    elseif command.uid or not member.ended[command.stay] then -- else it may have been the leave itself
      calls.refuse(member, command, lost and "unknown" or "refused")
    end
  end
  if not waiting then
    end_unowned(member, again, lost)
  end
  for _, known in pairs(member.directory) do
    known.expected, known.read = nil, nil
  end
  table.move(again.enters, 1, #again.enters, #member.again.enters + 1, member.again.enters)
  table.move(again.commands, 1, #again.commands, #member.again.commands + 1, member.again.commands)
end

-- Commands that a change of the configuration left to send again go first.
function resuming.issue(member, tick, outgoing)
  local again = member.again
  member.again = { enters = {}, commands = {} }
  local renamed = {}
  for _, enter in ipairs(again.enters) do
    renamed[enter.stay] = {
      stay = calls.send_enter(member, enter.call, tick, outgoing), region = enter.call.region,
    }
  end
  for _, command in ipairs(again.commands) do
    local enter, known = renamed[command.stay], member.directory[command.id]
    local copy
    if enter then
      local number = member.calls.next_number[enter.stay] or 1
      member.calls.next_number[enter.stay] = number + 1
      copy = renumbered(member, command, number)
      copy.stay = enter.stay
      local line = member.calls.lines[command.id]
      if line and line.stay == command.stay then
        line.stay = enter.stay
      end
    else
      copy = renumbered(member, command, command.number)
    end
    local owner = member.configuration.owners[enter and enter.region or known.region]
    if owner then
      outgoing.place = outgoing.place + 1
      copy.stamp = numbers.stamp(tick, member.place, outgoing.place)
      outgoing.commands[owner][#outgoing.commands[owner] + 1] = copy
      calls.keep(member, copy, owner, tick)
    else
      calls.answer(member, command.uid, "unknown")
    end
  end
end

return resuming
