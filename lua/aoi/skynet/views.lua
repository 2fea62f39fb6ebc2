-- Tells the agents of a scene: gathers the views of a tick and sends one message to each address. The command
-- `reload` loads this file anew. Between two ticks nothing is kept here.
local blocks = require "aoi.skynet.blocks"
local view_writer = require "aoi.skynet.view_writer"
local packet = require "aoi.skynet.packet"

local NOWHERE = 0 / 0
local NONE = {}

-- `scene` is the table of scene.lua.
return function(scene)
  local views = {}
  local counters, address_of = scene.counters, scene.addresses.of
  local stream_of, numbers = scene.streams.of, scene.streams.numbers

  -- The blocks that wait for each address: one, or a list.
  local waiting = {}
  local order, count = {}, 0

  local writer = view_writer.new {
    dims = function() return scene.dims end,
    doubles = function() return scene.options.places ~= "float" end,
    extras = function() return scene.extra_values end,
    place = function(id)
      local x, y, z = scene.space:position(id)
      if x then
        return x, y, z
      end
      return NOWHERE, NOWHERE, scene.dims == 3 and NOWHERE or nil -- gone by now; its `left` follows
    end,
    details = function(id, hidden) return scene.details:of(id, hidden) or "" end,
    changes = function(id, since, hidden) return scene.details:since(id, since, hidden) end,
  }

  local write = writer.view

  local function send(address, text)
    if scene.rawsend(address, packet.protocol, text) then
      counters.messages = counters.messages + 1
      counters.bytes_sent = counters.bytes_sent + #text
    else
      scene.addresses.failed(address)
    end
  end

  local function post(address, block)
    local before = waiting[address]
    if not before then
      count = count + 1
      order[count] = address
      waiting[address] = block
    elseif type(before) == "table" then
      before[#before + 1] = block
    else
      waiting[address] = { before, block }
    end
  end

  -- ---- views ----------------------------------------------------------------------------------

  -- The sections of the view that is being made.
  local LEFT = { kind = blocks.LEFT }
  local ENTERED = { kind = blocks.ENTERED }
  local ENTERED_WITH = { kind = blocks.ENTERED_WITH }
  local MOVED = { kind = blocks.MOVED }
  local CHANGED = { kind = blocks.CHANGED }
  local sections = {}

  -- What the watcher is told of itself; nil: nothing.
  local function own_section(watcher, is_all)
    if is_all then
      return scene.own.whole(watcher)
    end
    return scene.own.take(watcher)
  end

  local function post_view(address, watcher, is_all, n)
    local number = numbers[watcher] + 1
    local text, pieces = write(writer, watcher, stream_of[watcher], number, is_all, sections, n,
      own_section(watcher, is_all))
    numbers[watcher] = number + pieces - 1 & 0xFFFFFFFF
    if waiting[address] then
      post(address, text)
    else -- as in most cases
      count = count + 1
      order[count], waiting[address] = address, text
    end
  end

  -- Puts the entities into sections behind the n-th: those with details into one, the others into another.
  -- Returns how many there are then.
  local function add_entered(n, watcher, ids, n_ids)
    local details, hidden = scene.details, scene.audiences:hidden(watcher)
    if next(details.entries) == nil then -- nobody has any
      ENTERED.ids, ENTERED.n = ids, n_ids
      sections[n + 1] = ENTERED
      return n + 1
    end
    local plain, n_plain, with, n_with = {}, 0, {}, 0
    for i = 1, n_ids do
      local id = ids[i]
      if details:of(id, hidden) then
        n_with = n_with + 1
        with[n_with] = id
      else
        n_plain = n_plain + 1
        plain[n_plain] = id
      end
    end
    if n_plain > 0 then
      ENTERED.ids, ENTERED.n = plain, n_plain
      n = n + 1
      sections[n] = ENTERED
    end
    if n_with > 0 then
      ENTERED_WITH.ids, ENTERED_WITH.n, ENTERED_WITH.hidden = with, n_with, hidden
      n = n + 1
      sections[n] = ENTERED_WITH
    end
    return n
  end

  -- Puts a section with changes of the details of n_ids entities behind the n-th. Returns how many there are
  -- then.
  local function add_changed(n, ids, n_ids, since, hidden)
    if n_ids == 0 then
      return n
    end
    counters.events = counters.events + n_ids
    -- One view may have several: each of them a table of its own.
    local section = n > 0 and sections[n].kind == blocks.CHANGED and { kind = blocks.CHANGED } or CHANGED
    section.ids, section.n, section.since, section.hidden = ids, n_ids, since, hidden
    sections[n + 1] = section
    return n + 1
  end

  -- Whether a watcher may know anything of what has changed.
  local function may_know(id, since, hidden)
    return not (hidden or scene.details.brief[id]) or scene.details:has_since(id, since, hidden)
  end

  local spare = {} -- lists that are filled for one view after the other

  local function spare_list(k)
    spare[k] = spare[k] or {}
    return spare[k]
  end

  -- Puts sections with the changes of n_ids entities behind the n-th: one for most, as a tick tells what has
  -- changed since the last one; others for those that are told of an earlier turn. turns: entity -> turn. k:
  -- the first spare list that is not in use.
  local function add_by_turn(n, ids, n_ids, turns, hidden, k)
    local some, n_some, rest, n_rest, first = spare_list(k), 0, spare_list(k + 1), 0, turns[ids[1]]
    for i = 1, n_ids do
      local id = ids[i]
      if turns[id] == first then
        n_some = n_some + 1
        some[n_some] = id
      else
        n_rest = n_rest + 1
        rest[n_rest] = id
      end
    end
    n = add_changed(n, some, n_some, first, hidden)
    return n_rest > 0 and add_by_turn(n, rest, n_rest, turns, hidden, k + 2) or n
  end

  -- The changes of those of the markers that have a turn in `turns`.
  local function add_due(n, markers, n_markers, turns, hidden)
    local ids, n_ids, rest, n_rest, first = spare_list(1), 0, spare_list(2), 0, nil
    local brief = scene.details.brief
    for i = 1, n_markers do
      local id = markers[i]
      local since = turns[id]
      if since and (not (hidden or brief[id]) or may_know(id, since, hidden)) then
        first = first or since
        if since == first then -- as in most cases
          n_ids = n_ids + 1
          ids[n_ids] = id
        else
          n_rest = n_rest + 1
          rest[n_rest] = id
        end
      end
    end
    n = add_changed(n, ids, n_ids, first, hidden)
    return n_rest > 0 and add_by_turn(n, rest, n_rest, turns, hidden, 3) or n
  end

  local told_anew = {} -- watcher -> set of changed entities that it has come to see in the tick under way

  -- The changes of entities that the watcher learns of anyway: those that have moved. Whoever has come into
  -- view was told with all that it is.
  local function add_changes(n, watcher, entered, ne, moved, nm)
    local changes = scene.changes
    for i = 1, ne do
      if changes[entered[i]] then
        told_anew[watcher] = told_anew[watcher] or {}
        told_anew[watcher][entered[i]] = true
      end
    end
    return add_due(n, moved, nm, changes, scene.audiences:hidden(watcher))
  end

  -- In crowd spaces: those of the markers whose turn has come. left and entered: those of which it is owed
  -- nothing any more.
  local function add_owed(n, watcher, left, nl, entered, ne, moved, nm)
    local owed = scene.owed[watcher]
    if not owed then
      return n
    end
    for i = 1, nl do
      owed[left[i]] = nil
    end
    for i = 1, ne do
      owed[entered[i]] = nil
    end
    n = add_due(n, moved, nm, owed, scene.audiences:hidden(watcher))
    for i = 1, nm do
      if owed[moved[i]] then
        owed[moved[i]] = false -- it will be owed something again
      end
    end
    return n
  end

  -- A handler of the space: all that one entity learns from one tick.
  function views.on_view(watcher, left, nl, entered, ne, moved, nm)
    local address = address_of[watcher]
    if not address or scene.newcomers[watcher] then
      return
    end
    counters.events = counters.events + nl + ne + nm
    local n = 0
    if nl > 0 then
      LEFT.ids, LEFT.n = left, nl
      n = 1
      sections[1] = LEFT
    end
    if ne > 0 then
      n = add_entered(n, watcher, entered, ne)
    end
    if nm > 0 then
      MOVED.ids, MOVED.n = moved, nm
      n = n + 1
      sections[n] = MOVED
    end
    if scene.is_crowd then
      n = add_owed(n, watcher, left, nl, entered, ne, moved, nm)
    elseif next(scene.changes) then
      n = add_changes(n, watcher, entered, ne, moved, nm)
    end
    if n > 0 then
      post_view(address, watcher, false, n)
    end
  end

  -- In crowd spaces the watchers of an entity are owed what has changed since this turn, until its turn
  -- comes.
  local function owe(id, turn, watchers, n)
    local owed, newcomers, audiences = scene.owed, scene.newcomers, scene.audiences
    for i = 1, n do
      local watcher = watchers[i]
      if address_of[watcher] and not newcomers[watcher]
        and may_know(id, turn, audiences:hidden(watcher)) then
        local of_watcher = owed[watcher]
        if not of_watcher then
          owed[watcher] = { [id] = turn }
        elseif not of_watcher[id] then
          of_watcher[id] = turn
        end
      end
    end
  end

  -- Before a tick: notes the entities whose details have changed; those who come to know one by the tick
  -- learn all of it anyway. Raises when memory is short.
  function views.note_changes()
    local details, none, changes = scene.details, scene.audiences.none, scene.changes
    scene.audiences:begin_tick()
    local turn, changed = details:take()
    local space, watchers, brief = scene.space, {}, details.brief
    for _, id in ipairs(changed) do
      local is_known = not (none or brief[id]) or details:has_since(id, turn, none)
      if is_known and not scene.is_crowd then
        changes[id] = changes[id] or turn
      elseif is_known and space:has(id) then
        local _, n = space:told_watchers_of(id, watchers)
        owe(id, turn, watchers, n)
      end
    end
  end

  local told_watchers = {} -- of one entity after the other

  -- Puts an entity into lists by watcher, for those that were told of it before. since: of its changes.
  -- skipped: those that were told all of it now.
  local function gather(by_watcher, id, since, skipped)
    local newcomers, audiences = scene.newcomers, scene.audiences
    local watchers, n = scene.space:told_watchers_of(id, told_watchers)
    for i = 1, n do
      local watcher = watchers[i]
      local anew = skipped[watcher]
      if address_of[watcher] and not newcomers[watcher] and not (anew and anew[id])
        and may_know(id, since, audiences:hidden(watcher)) then
        local list = by_watcher[watcher]
        if list then
          list[#list + 1] = id
        else
          by_watcher[watcher] = { id }
        end
      end
    end
  end

  -- After a tick: tells changes of those that have not moved; whoever was told of a move was told them, too.
  -- In crowd spaces each has its turn. Raises when memory is short.
  function views.tell_changes()
    local changes, skipped, by_watcher = scene.changes, told_anew, {}
    if next(changes) == nil then
      return
    end
    scene.changes, told_anew = {}, {}
    for id, since in pairs(changes) do
      if not (scene.tick > 0 and writer.has_moved(id)) and scene.space:has(id) then
        gather(by_watcher, id, since, skipped)
      end
    end
    for watcher, ids in pairs(by_watcher) do
      local n = add_by_turn(0, ids, #ids, changes, scene.audiences:hidden(watcher), 1)
      post_view(address_of[watcher], watcher, false, n)
    end
  end

  -- After a tick: tells those to whom others have done something, and who have learnt nothing else. Raises
  -- when memory is short; then the rest waits.
  function views.tell_own()
    for id in pairs(scene.own.notes) do
      local address = address_of[id]
      if not address then
        scene.own.part.forget(id)
      elseif not scene.newcomers[id] then
        post_view(address, id, false, 0)
      end
    end
  end

  -- After a tick: tells the addresses of newcomers all that they are to know, even if that is nothing.
  function views.tell_newcomers()
    local newcomers = scene.newcomers
    for id in pairs(newcomers) do
      local address = address_of[id]
      if address and scene.space:has(id) then
        -- Raises when memory is short; then it stays a newcomer.
        local told, n = scene.space:told_markers_of(id)
        counters.events = counters.events + n
        scene.owed[id] = nil
        post_view(address, id, true, n > 0 and add_entered(0, id, told, n) or 0)
      end
      newcomers[id] = nil
    end
  end

  -- Tells the addresses whose streams are over; before that, the last one what waits for its entity.
  function views.tell_over()
    scene.streams:take_over(function(address, id, stream, number, is_last)
      local notices = is_last and not address_of[id] and scene.notices.hand_out(id) or NONE
      for _, notice in ipairs(notices) do
        post(address, blocks.notified(id, stream, number, notice.body, notice.is_text))
        number = number + 1
      end
      post(address, blocks.over(id, stream, number))
    end)
  end

  -- Tells entities that have an address what was given for them: a list of notices.lua.
  function views.notify(notices)
    for _, notice in ipairs(notices) do
      local id = notice.id
      post(address_of[id], blocks.notified(id, stream_of[id], scene.streams:count(id, 1), notice.body,
        notice.is_text))
    end
  end

  -- Tells an entity's address that it is in another scene from now on. knows_streams: see blocks.elsewhere.
  function views.tell_elsewhere(address, id, to, knows_streams)
    local number = scene.streams:count(id, 1)
    post(address, blocks.elsewhere(id, scene.streams.of[id], number, to, knows_streams))
  end

  -- Sends what waits: one message to each address.
  function views.flush()
    if count == 0 then
      return
    end
    local texts, addresses, n = waiting, order, count
    waiting, order, count = {}, {}, 0
    writer:forget()
    local rawsend, protocol, sent, bytes = scene.rawsend, packet.protocol, 0, 0
    for i = 1, n do
      local address = addresses[i]
      local text = texts[address]
      if type(text) == "table" then
        text = table.concat(text)
      end
      if rawsend(address, protocol, text) then
        sent, bytes = sent + 1, bytes + #text
      else
        scene.addresses.failed(address)
      end
    end
    counters.messages, counters.bytes_sent = counters.messages + sent, counters.bytes_sent + bytes
  end

  -- ---- what is said ---------------------------------------------------------------------------

  -- Passes on to the n watchers what `id` says: at once, one message to each address.
  function views.say(id, watchers, n, body, is_text)
    local texts, listed = {}, {}
    for i = 1, n do
      local watcher = watchers[i]
      local address = address_of[watcher]
      if address then
        if not texts[address] then
          texts[address] = {}
          listed[#listed + 1] = address
        end
        table.insert(texts[address], blocks.said(watcher, stream_of[watcher],
          scene.streams:count(watcher, 1), id, body, is_text))
      end
    end
    for _, address in ipairs(listed) do
      local text = table.concat(texts[address])
      if waiting[address] then
        post(address, text) -- behind what has the numbers before
      else
        send(address, text)
      end
    end
  end

  -- Passes on what was said to watchers that had not been told of the speaker; after the tick that does so.
  -- Who has not been told by now does not see it any more, or has no place for it in its told set.
  function views.say_unsaid(unsaid)
    for _, said in ipairs(unsaid) do
      local id, watchers, n, body, is_text = table.unpack(said, 1, 5)
      local told, known = {}, {}
      local list, n_list = {}, 0
      if scene.space:has(id) then
        list, n_list = scene.space:told_watchers_of(id)
      end
      for i = 1, n_list do
        told[list[i]] = true
      end
      for i = 1, n do
        if told[watchers[i]] then
          known[#known + 1] = watchers[i]
        end
      end
      views.say(id, known, #known, body, is_text)
    end
  end

  -- Answers a command that was sent and not called. id: its first argument.
  function views.refuse(address, command, message, id)
    send(address, packet.refused(command, message, id))
  end

  return views
end
