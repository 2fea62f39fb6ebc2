-- Calls of one node: what its agents ask, in their order, the numbers of commands, and what is kept until its
-- effect is certain. Pure Lua, without skynet, as all of the protocol: docs/inside/world-protocol.md.
--
-- A call is a table that its node does not change once it is asked, but for `hears`:
--   uid           names it among those that want an answer; nil: a refusal alone is told
--   id, kind      the entity, and "enter", "update", "leave", or another word: a command to its owner;
--                 "area": one about an area, which all members judge
--   region        of enter and update: where the entity enters
--   takes_over    true: an enter that is not refused when the entity is in already
--   source        who asks, for its node
--   begins        true: it begins a stay of its agent also where the entity is in; enters do anyway
--   hears         should it begin a stay, its agent hears of that: the number of its stream, or a later one;
--                 each time that it is sent it gets a later one
--   stay          the stay that it is about; nil: whatever stay the entity is in. One that is over is refused
--   text, place   all of it, for the owner's region; here of no account
-- and ends with one outcome: "done", "refused", "again" (it has not been applied) or "unknown" (it may have
-- been). A command is a call with its stay, node, key of the process, number and stamp. Only its node reads
-- `at` and `sent`: which member has it, and the tick of the message that brought it there.
local batches = require "aoi.skynet.world.batches"
local direct = require "aoi.skynet.world.direct"
local numbers = require "aoi.skynet.world.numbers"

local calls = {}

-- told(call, outcome, text) hears of the answers.
function calls.new(told)
  return {
    told = told,
    open = {},         -- uid -> call without an answer
    queue = {},        -- list of calls that wait to be sent
    moves = {},        -- id -> the last call about it in `queue`, if that is a bare move
    under_way = {},    -- id -> { kind = "leave", stay, number }, a leave that was sent; or one of `enters`
    lines = {},        -- id -> { stay, n, open = uid -> place, back = list of { place, call } }: updates that
                       -- were sent as commands to that stay, not all of which have their outcomes
    next_number = {},  -- stay -> number of the next command of this node
    kept = {},         -- list of numbered commands whose effect is not certain, and batches of them
    enters = {},       -- uid -> { kind = "enter", call, uid, stay, region, tick, is_for_both, waits }: enters
                       -- without an answer, and updates sent as such. waits: for regions to be read
    areas = {},        -- uid -> { call, tick, stamp }: commands about areas that were sent and have no answer
  }
end

-- So many calls may wait to be sent. A node that is asked for more than it can do would else make ever longer
-- ticks, for all nodes.
calls.MOST = 65536

-- So many commands that were sent, at most, may have an effect that is not certain: others wait. What is kept
-- is sent again when a configuration begins, and that must not take longer and longer.
calls.MOST_SENT = 16384

-- Whether a call fits an entity that is in, and one that is not.
function calls.is_for_both(call)
  return call.kind == "update" or call.takes_over
end

-- Whether a call with this outcome may be asked once more: nobody has judged it, or knows.
function calls.is_undecided(outcome)
  return outcome == "again" or outcome == "unknown"
end

-- Puts a call into the answers of those that were not applied.
function calls.refuse(member, call, outcome)
  if call.uid then
    calls.answer(member, call.uid, outcome)
  else
    member.calls.told(call, outcome)
  end
end

-- Whether a call, or a command, is a move that nobody wants an answer for. Of such moves of an entity that
-- stand one behind the other the last one is enough: a node that is late has not ever more of them.
function calls.is_bare_move(call)
  return call.kind == "move" and call.place ~= nil and not call.uid
end

-- An agent of the node asks. now: milliseconds. When too many wait it may ask again, but for a leave: an
-- agent that leaves may not be there any more. Returns true when the call took the place of another one.
function calls.ask(member, call, now)
  local of_node = member.calls
  local is_bare = calls.is_bare_move(call)
  local before = is_bare and of_node.moves[call.id]
  if before and before.source == call.source then
    before.place = call.place
    return true
  end
  if call.uid then
    call.asked = now
    of_node.open[call.uid] = call
  end
  if #of_node.queue >= calls.MOST and call.kind ~= "leave" then
    calls.refuse(member, call, "again")
    return
  end
  of_node.queue[#of_node.queue + 1] = call
  if call.kind ~= "area" then
    of_node.moves[call.id] = is_bare and call or nil
    direct.asked(member, call.id)
  end
end

-- An update that was sent as a command has its outcome. Those of its line that are to be sent once more wait
-- until all have theirs: then they stand in front, in their order.
local function leave_line(member, call, is_anew)
  local of_node = member.calls
  local line = of_node.lines[call.id]
  if not line then -- it was sent as an enter
    direct.put_first(member, { is_anew and call or nil })
    return
  end
  local place = line.open[call.uid] or 0 -- 0: it was sent as an enter once more, and the line behind it
  line.open[call.uid] = nil
  line.back[#line.back + 1] = is_anew and { place, call } or nil
  if not next(line.open) then
    of_node.lines[call.id] = nil
    table.sort(line.back, function(a, b) return a[1] < b[1] end)
    local list = {}
    for _, one in ipairs(line.back) do
      list[#list + 1] = of_node.open[one[2].uid] and one[2] -- else it has its answer
    end
    direct.put_first(member, list)
  end
end

-- Gives a call its answer, once. An enter that has one is not sent again. outcome "anew": it was sent as what
-- it is not any more, and waits to be sent once more, before all that was asked after it. text: what the
-- region says.
function calls.answer(member, uid, outcome, text)
  local of_node = member.calls
  local call = uid and of_node.open[uid]
  if uid then
    of_node.enters[uid], of_node.areas[uid] = nil, nil
  end
  if not call then
    return
  end
  leave_line(member, call, outcome == "anew")
  if outcome == "anew" then
    direct.asked(member, call.id)
  else
    of_node.open[uid] = nil
    of_node.told(call, outcome, text)
  end
end

-- A result of an owner, for a call of this node, or for the node of an entity's agent. later: a list that
-- takes what says whose entities are; nil: that counts at once.
function calls.take_result(member, one, later)
  if one.outcome == "agent" and later then
    later[#later + 1] = one
  elseif one.outcome == "agent" then
    member.observe(member, "agent", one.id, one.stay, one.text)
  elseif one.uid then
    calls.answer(member, one.uid, one.outcome, one.text)
  elseif one.outcome == "refused" then
    member.calls.told(one, one.outcome, one.text)
  end
end

local function name_of(command)
  return command.stay .. "#" .. command.number
end

calls.name_of = name_of

-- Commands were not applied, a list of results: they are not sent again as they are.
function calls.forget(member, refused)
  local names, left = {}, {}
  for _, one in ipairs(refused) do
    if one.number then
      names[name_of(one)] = true
    end
  end
  for _, command in ipairs(member.calls.kept) do
    left[#left + 1] = not names[name_of(command)] and command or nil
  end
  member.calls.kept = left
end

local function stamp_of(member, tick, outgoing)
  outgoing.place = outgoing.place + 1
  return numbers.stamp(tick, member.place, outgoing.place)
end

-- The number of the stream with which a call is sent; nil: it begins none. Sent again, it has a later one:
-- its agent may have heard this one, long before, and its node may have forgotten that.
local function stream_of(member, call)
  local stream = call.hears and member.land.stream(member, call.id, call.hears) or nil
  call.hears = stream and stream + 1 & 0xFFFFFFFF
  return stream
end

local function stand_in_line(of_node, call, stay)
  local line = of_node.lines[call.id] or { stay = stay, n = 0, open = {}, back = {} }
  of_node.lines[call.id], line.n = line, line.n + 1
  line.open[call.uid] = line.n
end

local function numbered(member, call, stay, tick, outgoing)
  local of_node = member.calls
  local number = of_node.next_number[stay] or 1
  of_node.next_number[stay] = number + 1
  if calls.is_for_both(call) then
    stand_in_line(of_node, call, stay)
  end
  return {
    uid = call.uid, id = call.id, kind = call.kind, text = call.text, takes_over = call.takes_over,
    place = call.place, source = call.source, stay = stay, node = member.name, key = member.key,
    stream = (call.kind == "enter" or call.begins) and stream_of(member, call) or nil,
    number = number, stamp = stamp_of(member, tick, outgoing),
  }
end

-- Sends an enter with the message of this tick.
function calls.send_enter(member, call, tick, outgoing)
  local of_node = member.calls
  local stamp = stamp_of(member, tick, outgoing)
  local stay = ("%s:%x"):format(member.configuration.key, stamp)
  local way = {
    kind = "enter", call = call, uid = call.uid, stay = stay, region = call.region, tick = tick,
    is_for_both = calls.is_for_both(call),
  }
  of_node.under_way[call.id], of_node.enters[call.uid] = way, way
  outgoing.enters[#outgoing.enters + 1] = {
    uid = call.uid, id = call.id, kind = call.kind, text = call.text, source = call.source,
    takes_over = call.takes_over, stay = stay, region = call.region,
    stream = stream_of(member, call), node = member.name, key = member.key, stamp = stamp,
  }
  return stay
end

local function send_area(member, call, tick, outgoing)
  local stamp = stamp_of(member, tick, outgoing)
  member.calls.areas[call.uid] = { call = call, tick = tick, stamp = stamp }
  outgoing.areas[#outgoing.areas + 1] = {
    uid = call.uid, id = call.id, kind = call.kind, text = call.text, node = member.name, key = member.key,
    stamp = stamp, of_handlers = call.of_handlers,
  }
end

-- Sends direct moves to the owner of a region that is not here. Without an owner they are calls.
function calls.send_moves(member, batch, region, tick, outgoing)
  local owner, stamp = member.configuration.owners[region], outgoing.place + 1
  outgoing.place = outgoing.place + batch.n
  batches.number(member, batch, region, numbers.stamp(tick, member.place, stamp))
  calls.keep(member, batch, owner, tick)
  table.insert(outgoing.commands[owner], batch)
end

-- Whether a call waits for one of before about its id: for an enter or a leave that is under way, or an
-- update that may yet have to be sent once more. What would not come too early, should that happen, need not
-- wait.
local function has_to_wait(of_node, call, way, known)
  if way and (call.kind == "enter" or call.kind == "leave" or way.is_for_both
    or of_node.enters[way.uid] and of_node.enters[way.uid].waits) then
    return true
  end
  local line = of_node.lines[call.id]
  local stay = way and way.kind == "enter" and way.stay or known and known.stay
  return line and (call.kind == "leave" or line.stay ~= stay)
end

-- Sends a call; false when it has to wait.
local function send_one(member, call, tick, outgoing)
  local of_node = member.calls
  if call.kind == "area" then
    send_area(member, call, tick, outgoing)
    return true
  end
  local way, known = of_node.under_way[call.id], member.directory[call.id]
  local entering = way and way.kind == "enter"
  local enters = call.kind == "enter" or call.kind == "update"
  if has_to_wait(of_node, call, way, known) then
    return false
  elseif enters and not known and not entering then
    calls.send_enter(member, call, tick, outgoing)
    return true
  end
  local stay = entering and way.stay or known and known.stay
  if not stay or call.stay and call.stay ~= stay then
    calls.refuse(member, call, (next(member.loading) or member.has_unread) and "again" or "refused")
    return true
  end
  local owner = member.configuration.owners[entering and way.region or known.region]
  if not owner then
    calls.refuse(member, call, "again")
    return true
  end
  local command = numbered(member, call, stay, tick, outgoing)
  -- Commands about an entity of the own node need no message: the tick that begins applies them.
  if owner == member.name and not entering and call.kind ~= "leave" then
    outgoing.own[#outgoing.own + 1] = command
  else
    calls.keep(member, command, owner, tick)
    local list = outgoing.commands[owner]
    list[#list + 1] = command
  end
  if call.kind == "leave" then
    of_node.under_way[call.id] = { kind = "leave", stay = stay, number = command.number }
  end
  return true
end

-- Keeps a command that this member has from the message of tick `sent` on.
function calls.keep(member, command, at, sent)
  command.at, command.sent = at, sent
  local kept = member.calls.kept
  kept[#kept + 1] = command
end

-- How many commands may be kept, with those that wait for a store beside that.
local function most_kept(of_node)
  local most = calls.MOST_SENT
  for _, command in ipairs(of_node.kept) do
    most = most + (command.waits and 1 or 0)
  end
  return most
end

-- Sends with the message of this tick all that need not wait. outgoing: { place, enters, own, commands }.
-- What stands behind a call that waits, about the same entity, waits too.
function calls.issue(member, tick, outgoing)
  local of_node, waits = member.calls, {}
  local queue, most = of_node.queue, most_kept(of_node)
  of_node.queue = {}
  for i = 1, #queue do
    local call = queue[i]
    local is_area = call.kind == "area"
    if #of_node.kept >= most or not is_area and waits[call.id]
      or not send_one(member, call, tick, outgoing) then
      if not is_area then
        waits[call.id] = true
      end
      of_node.queue[#of_node.queue + 1] = call
    elseif of_node.moves[call.id] == call then
      of_node.moves[call.id] = nil
    end
  end
end

-- Message t of a member is here: commands that it had before are done, unless it names them.
-- passed: name -> member that it was passed on to; held: name -> true.
function calls.settle(member, from, tick, passed, held)
  local left, stays = {}, {} -- stays: set of those of the names
  for _, names in ipairs { passed, held } do
    for name in pairs(names) do
      stays[name:match "^[^#]*"] = true
    end
  end
  for _, command in ipairs(member.calls.kept) do
    if command.at ~= from or command.sent >= tick then
      left[#left + 1] = command
    elseif next(stays) then
      for _, one in ipairs(command.ids and batches.of_stays(member, command, stays) or { command }) do
        local name = name_of(one)
        if passed[name] or held[name] then
          one.at, one.sent = passed[name] or one.at, tick
          left[#left + 1] = one
        end
      end
    end
  end
  member.calls.kept = left
end

-- Whether all members have judged an enter.
local function is_judged(of_node, way, tick)
  local enter = of_node.enters[way.uid]
  return way.tick < tick and not (enter and enter.waits)
end

-- Ids whose last enter or leave has been judged, and taken in, may send the next one.
function calls.free_lines(member, tick)
  local of_node, leaves = member.calls, {}
  for _, command in ipairs(of_node.kept) do
    if command.kind == "leave" then
      leaves[name_of(command)] = true
    end
  end
  for id, way in pairs(of_node.under_way) do
    if way.kind == "enter" and is_judged(of_node, way, tick)
      or way.kind == "leave" and not leaves[name_of(way)] then
      of_node.under_way[id] = nil
    end
  end
end

-- What waits to be sent is dropped, and asked for again.
function calls.drop(member)
  direct.end_all(member)
  local queue = member.calls.queue
  member.calls.queue, member.calls.moves = {}, {}
  for _, call in ipairs(queue) do
    calls.refuse(member, call, "again")
  end
end

-- The calls that have not been applied and wait to be sent, or to be sent once more: a set of uids.
function calls.waiting(member)
  local waiting = {}
  for _, call in ipairs(member.calls.queue) do
    waiting[call.uid or false] = true
  end
  for _, line in pairs(member.calls.lines) do
    for _, one in ipairs(line.back) do
      waiting[one[2].uid] = true
    end
  end
  return waiting
end

-- What was asked before then gets an answer. What waits to be sent is dropped: an update that went out after
-- its answer would keep its line for ever, and all that is asked about its entity later would wait. What was
-- sent goes on being sent.
function calls.give_up(member, before)
  local of_node, late = member.calls, {}
  for uid, call in pairs(of_node.open) do
    late[uid] = call.asked <= before or nil
  end
  if not next(late) then
    return
  end
  local waiting = calls.waiting(member)
  for _, uid in ipairs(numbers.sorted(late)) do
    local enter = of_node.enters[uid]
    calls.answer(member, uid, waiting[uid] and "again" or "unknown")
    of_node.enters[uid] = enter
  end
  local queue = of_node.queue -- by now also what stood in lines that have ended
  of_node.queue = {}
  for _, call in ipairs(queue) do
    if not call.uid or of_node.open[call.uid] then
      of_node.queue[#of_node.queue + 1] = call
    end
  end
end

-- Whether one of these calls may still be applied: it has no answer, or its enter goes on being sent.
function calls.are_open(member, uids)
  for _, uid in ipairs(uids) do
    if member.calls.enters[uid] or member.calls.open[uid] then
      return true
    end
  end
  return false
end

-- The process is expelled: what waits has not been applied, of the rest nobody knows.
function calls.end_all(member)
  calls.drop(member)
  for _, uid in ipairs(numbers.sorted(member.calls.open)) do
    calls.answer(member, uid, "unknown")
  end
end

return calls
