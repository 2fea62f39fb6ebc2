-- Calls of one node: what its agents ask, in the order of each id, the numbers of commands, and what is kept
-- until its effect is certain.
--
-- A call is { uid, id, kind, x, asked = time } and ends with one answer: "done", "refused", "again" (it has
-- not been applied) or "unknown" (it may have been). A command is a call with its stay, node, key of the
-- process, number and stamp; it is not changed once it is sent, but for `at` and `sent`, which only its node
-- reads: which member has it, and the tick of the message that brought it there.
local numbers = require "spec.world_model.numbers"

local calls = {}

function calls.new()
  return {
    open = {},         -- uid -> call without an answer
    line = {},         -- id -> list of calls that wait to be sent
    under_way = {},    -- id -> { kind, uid, stay, region, tick, number }: an enter or leave that was sent
    next_number = {},  -- stay -> number of the next command of this node
    kept = {},         -- list of numbered commands whose effect is not certain
    enters = {},       -- uid -> { call, stay, tick }: enters without an answer
  }
end

-- An agent of the node asks.
function calls.ask(member, call, now)
  call.asked = now
  member.calls.open[call.uid] = call
  local line = member.calls.line[call.id] or {}
  member.calls.line[call.id] = line
  line[#line + 1] = call
end

-- Gives a call its answer, once. An enter that has one is not sent again.
function calls.answer(member, uid, outcome)
  member.calls.enters[uid] = nil
  if member.calls.open[uid] then
    member.calls.open[uid] = nil
    member.told[#member.told + 1] = { kind = "answer", uid = uid, outcome = outcome }
  end
end

local function numbered(member, call, stay, tick, place)
  local of_node = member.calls
  local number = of_node.next_number[stay] or 1
  of_node.next_number[stay] = number + 1
  local command = {
    uid = call.uid, id = call.id, kind = call.kind, x = call.x, stay = stay, node = member.name,
    key = member.key, number = number, stamp = { tick, member.place, place },
  }
  of_node.kept[#of_node.kept + 1] = command
  return command
end

-- Sends the call at the head of an id's line; false when it has to wait.
local function send_one(member, call, tick, outgoing)
  local of_node = member.calls
  local way, known = of_node.under_way[call.id], member.directory[call.id]
  if call.kind == "enter" then
    if way then
      return false
    end
    outgoing.place = outgoing.place + 1
    local stay = ("%s:%d:%s:%d"):format(member.configuration.key, tick, member.name, outgoing.place)
    local region = member.region_of(call.x)
    of_node.under_way[call.id] = { kind = "enter", uid = call.uid, stay = stay, region = region, tick = tick }
    of_node.enters[call.uid] = { call = call, stay = stay, tick = tick }
    outgoing.enters[#outgoing.enters + 1] = {
      uid = call.uid, id = call.id, x = call.x, stay = stay, region = region, node = member.name,
      key = member.key,
    }
    return true
  end
  if call.kind == "leave" and way then
    return false
  end
  local entering = way and way.kind == "enter"
  local stay = entering and way.stay or known and known.stay
  if not stay then
    calls.answer(member, call.uid, next(member.loading) and "again" or "refused")
    return true
  end
  local owner = member.configuration.owners[entering and way.region or known.region]
  if not owner then
    calls.answer(member, call.uid, "again")
    return true
  end
  outgoing.place = outgoing.place + 1
  -- Commands about an entity of the own node need no message: the tick that begins applies them.
  local at_once = owner == member.name and not entering and call.kind ~= "leave"
  local command = numbered(member, call, stay, at_once and tick - 1 or tick, outgoing.place)
  command.at, command.sent = owner, at_once and tick - 1 or tick
  local list = at_once and outgoing.own or outgoing.commands[owner]
  list[#list + 1] = command
  if call.kind == "leave" then
    of_node.under_way[call.id] = { kind = "leave", stay = stay, number = command.number }
  end
  return true
end

-- Sends with the message of this tick all that need not wait. outgoing: { place, enters, own, commands }.
function calls.issue(member, tick, outgoing)
  local lines = member.calls.line
  for _, id in ipairs(numbers.sorted(lines)) do
    local line = lines[id]
    while line[1] and send_one(member, line[1], tick, outgoing) do
      table.remove(line, 1)
    end
    if not line[1] then
      lines[id] = nil
    end
  end
end

local function name_of(command)
  return command.stay .. "#" .. command.number
end

calls.name_of = name_of

-- Message t of a member is here: commands that it had before are done, unless it names them.
-- passed: name -> member that it was passed on to; held: name -> true.
function calls.settle(member, from, tick, passed, held)
  local kept, n = member.calls.kept, 0
  for i = 1, #kept do
    local command = kept[i]
    local done = false
    if command.at == from and command.sent < tick then
      local name = name_of(command)
      if passed[name] then
        command.at, command.sent = passed[name], tick
      elseif held[name] then
        command.sent = tick
      else
        done = true
      end
    end
    if not done then
      n = n + 1
      kept[n] = command
    end
  end
  for i = #kept, n + 1, -1 do
    kept[i] = nil
  end
end

-- Ids whose last enter or leave has been judged, and taken in, may send the next one.
function calls.free_lines(member, tick)
  local of_node = member.calls
  for id, way in pairs(of_node.under_way) do
    if way.kind == "enter" then
      if way.tick < tick then
        of_node.under_way[id] = nil
      end
    else
      local waits = false
      for _, command in ipairs(of_node.kept) do
        waits = waits or command.stay == way.stay and command.number == way.number
      end
      if not waits then
        of_node.under_way[id] = nil
      end
    end
  end
end

-- The command with another number; an id whose leave is under way waits for the new one.
function calls.renumbered(member, command, number)
  local way = member.calls.under_way[command.id]
  if way and way.kind == "leave" and way.stay == command.stay and way.number == command.number then
    way.number = number
  end
  local copy = {}
  for key, value in pairs(command) do
    copy[key] = value
  end
  copy.number = number
  return copy
end

-- A new configuration is in effect: what is kept is sent again from the number on that its owner expects,
-- or gets the answer that follows from the lists. While regions are read from stores, what no list shows
-- waits, and the last region that has been read resumes it (`waiting`). expected(known): the number that
-- the owner of a stay in the directory expects of this node. lost: whether a member of the configuration
-- before is gone.
function calls.resume(member, expected, lost, waiting)
  local of_node = member.calls
  local again = { enters = {}, commands = {} }
  local renamed, waits = {}, next(member.loading) ~= nil
  for _, uid in ipairs(numbers.sorted(of_node.enters)) do
    local enter = of_node.enters[uid]
    local known = member.directory[enter.call.id]
    if waiting and not enter.waits then
      goto continue
    end
    enter.waits = waits
    if known and known.stay == enter.stay then
      calls.answer(member, uid, "done")
    elseif not waits then
      again.enters[#again.enters + 1] = enter
      renamed[enter.stay] = enter
    end
    ::continue::
  end
  -- Nothing of a stay is under way: its numbers go on from what the owner expects. So a gap closes that is
  -- left where an owner is gone that had taken a command.
  local next_number = of_node.next_number
  for _, known in pairs(member.directory) do
    if not waiting or known.read then
      next_number[known.stay] = expected(known)
    end
  end
  local kept = of_node.kept
  of_node.kept = {}
  table.sort(kept, function(a, b)
    return a.stay < b.stay or a.stay == b.stay and a.number < b.number
  end)
  for _, command in ipairs(kept) do
    local known = member.directory[command.id]
    local resumed = not waiting or command.waits
    local first = resumed and known and known.stay == command.stay and expected(known)
    if not resumed then
      of_node.kept[#of_node.kept + 1] = command
    elseif first and command.number < first then
      calls.answer(member, command.uid, "unknown")
    elseif first then
      again.commands[#again.commands + 1] = calls.renumbered(member, command, next_number[command.stay])
      next_number[command.stay] = next_number[command.stay] + 1
    elseif renamed[command.stay] then
      again.commands[#again.commands + 1] = command
    elseif waits then
      command.waits, command.at = true, nil
      of_node.kept[#of_node.kept + 1] = command
    else
      calls.answer(member, command.uid, lost and "unknown" or "refused")
    end
  end
  if not waiting then
    calls.end_unowned(member, again, lost)
  end
  return again
end

-- Calls that nobody will answer any more: their commands took effect at an owner that is no member, and went
-- with its answers.
function calls.end_unowned(member, again, lost)
  local of_node, waits = member.calls, {}
  for _, line in pairs(of_node.line) do
    for _, call in ipairs(line) do
      waits[call.uid] = true
    end
  end
  for _, command in ipairs(of_node.kept) do
    waits[command.uid] = true
  end
  for _, command in ipairs(again.commands) do
    waits[command.uid] = true
  end
  for _, uid in ipairs(numbers.sorted(of_node.open)) do
    if not waits[uid] and not of_node.enters[uid] then
      if not lost then
        member.told[#member.told + 1] = { kind = "vanished", uid = uid }
      end
      calls.answer(member, uid, "unknown")
    end
  end
end

-- The node has not ticked for long: its agents get answers. What was sent goes on being sent.
function calls.give_up(member, now, since)
  local of_node = member.calls
  for _, id in ipairs(numbers.sorted(of_node.line)) do
    for _, call in ipairs(of_node.line[id]) do
      calls.answer(member, call.uid, "again")
    end
    of_node.line[id] = nil
  end
  for _, uid in ipairs(numbers.sorted(of_node.open)) do
    if of_node.open[uid].asked <= now - since then
      local enter = of_node.enters[uid]
      calls.answer(member, uid, "unknown")
      of_node.enters[uid] = enter
    end
  end
end

return calls
