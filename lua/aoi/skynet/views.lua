-- Tells the agents of a scene: gathers the views of a tick and sends one message to each address. The command
-- `reload` loads this file anew, also while a handler waits in a tick. Between two ticks nothing is kept
-- here.
local blocks = require "aoi.skynet.blocks"
local view_writer = require "aoi.skynet.view_writer"
local packet = require "aoi.skynet.packet"
local remember = require "aoi.skynet.remember"

local NOWHERE = 0 / 0
local NONE = {}

-- `scene` is the table of scene.lua.
return function(scene)
  local views = {}
  local counters, address_of = scene.counters, scene.addresses.of
  local stream_of, numbers = scene.streams.of, scene.streams.numbers

  local unsent = scene.unsent

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
    details = function(id, hidden) return scene.details:of(id, hidden) end,
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
    local before = unsent.of[address]
    if not before then
      local count = unsent.count + 1
      unsent.count, unsent.order[count], unsent.of[address] = count, address, block
    elseif type(before) == "table" then
      before[#before + 1] = block
    else
      unsent.of[address] = { before, block }
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

  -- The section about the watcher itself; nil: it is told nothing of that.
  local function own_section(watcher, is_all)
    if is_all then
      return scene.own.whole(watcher)
    end
    return scene.own.take(watcher)
  end

  -- A view with the first n sections; without a record of others, only if there is something of its own.
  local function post_view(address, watcher, is_all, n)
    local number, own = numbers[watcher] + 1, own_section(watcher, is_all)
    local text, pieces, n_records =
      write(writer, watcher, stream_of[watcher], number, is_all, sections, n, own)
    if n_records == 0 and not own and not is_all then
      return
    end
    counters.events = counters.events + n_records
    numbers[watcher] = number + pieces - 1 & 0xFFFFFFFF
    local of = unsent.of
    if of[address] then
      post(address, text)
    else -- as in most cases
      local count = unsent.count + 1
      unsent.count, unsent.order[count], of[address] = count, address, text
    end
  end

  -- Puts sections behind the n-th: of the entities without details, and of the others. Returns how many there
  -- are then.
  local function add_entered(n, watcher, ids, n_ids)
    local hidden = scene.audiences:hidden(watcher)
    ENTERED.ids, ENTERED.n, ENTERED.hidden = ids, n_ids, hidden
    sections[n + 1] = ENTERED
    if next(scene.details.entries) == nil then -- nobody has any
      return n + 1
    end
    ENTERED_WITH.ids, ENTERED_WITH.n, ENTERED_WITH.hidden = ids, n_ids, hidden
    sections[n + 2] = ENTERED_WITH
    return n + 2
  end

  -- For one tick: hidden keys or false -> since -> entity -> what has changed since then but for these keys,
  -- packed; false: nothing. since: a turn, or the turns of all: a table of entity and turn.
  local changes_of

  local function forget_changes()
    changes_of = remember(function(hidden)
      return remember(function(since)
        return remember(function(id)
          local turn = since
          if type(since) == "table" then
            turn = since[id]
          end
          local changes = turn and scene.details:since(id, turn, hidden or nil)
          return changes and changes ~= "" and changes
        end)
      end)
    end)
  end
  forget_changes()

  -- The changes of the last turn, as above; the same for all that may know all.
  local function last_changes(hidden)
    local details = scene.details
    return hidden and changes_of[hidden][details.turn - 1] or details.last_changes
  end

  -- Puts a section behind the n-th, with the changes of those of the entities that have some. Returns how
  -- many sections there are then.
  local function add_changed(n, ids, n_ids, changes)
    CHANGED.ids, CHANGED.n, CHANGED.changes = ids, n_ids, changes
    sections[n + 1] = CHANGED
    return n + 1
  end

  local has_older = true -- whether a change may be of a turn before the last

  -- The changes since these turns, a table of entity and turn, as above.
  local function changes_for(watcher, turns)
    local hidden = scene.audiences:hidden(watcher)
    return has_older and changes_of[hidden or false][turns] or last_changes(hidden)
  end

  -- In the tick under way: flat list of watcher and changed entity that it has been told of.
  local told_of, n_told_of = {}, 0

  -- True: views of a former tick, in which a handler waited, may be among those of the tick under way. Of a
  -- move that they tell, other watchers were told before, without what has changed since.
  local are_mixed = false

  local function note_told(watcher, ids, n)
    local changes = scene.changes
    for i = 1, n do
      if changes[ids[i]] then
        told_of[n_told_of + 1], told_of[n_told_of + 2] = watcher, ids[i]
        n_told_of = n_told_of + 2
      end
    end
  end

  -- The changes of entities that the watcher learns of anyway: those that have moved. Whoever has come into
  -- view was told with all that it is.
  local function add_changes(n, watcher, entered, ne, moved, nm)
    note_told(watcher, entered, ne)
    if are_mixed then -- else all are told of the same moves
      note_told(watcher, moved, nm)
    end
    return nm > 0 and add_changed(n, moved, nm, changes_for(watcher, scene.changes)) or n
  end

  local before_last     -- for one tick: entity -> the turn of the newest change before the last turn; 0: none
  local since_turn     -- turn -> a section of what has changed since then, of one view after the other
  local since_views = 0 -- how many views may have had such sections
  local common = {}     -- entities of one view after the other

  local function forget_turns()
    forget_changes()
    since_turn = {}
    before_last = remember(function(id)
      local details, newest = scene.details, 0
      for _, turn in pairs(details.changed[id] or NONE) do
        newest = turn < details.turn - 1 and turn > newest and turn or newest
      end
      -- Whether a removed value is told depends on the turn since which a watcher was told nothing.
      return details.brief[id] and details.turn - 1 or newest
    end)
  end
  forget_turns()

  -- Puts an entity into the section of changes since a turn. Returns how many sections there are then.
  local function add_since(n, watcher, id, since)
    local section = since_turn[since]
    if not section then
      section = { kind = blocks.CHANGED, ids = {} }
      since_turn[since] = section
    end
    if section.view ~= since_views then
      section.view, section.n = since_views, 0
      section.changes = changes_of[scene.audiences:hidden(watcher) or false][since]
      n = n + 1
      sections[n] = section
    end
    local last = section.n + 1
    section.ids[last], section.n = id, last
    return n
  end

  -- In crowd spaces: the changes of those of the markers whose turn has come, since the watcher was told of
  -- them last. Most have changed in the last turn alone since then: all who see them get the same record.
  local function add_due(n, watcher, left, nl, entered, ne, moved, nm)
    local details, told = scene.details, scene.told[watcher]
    local newest, turn = details.newest, details.turn
    if next(newest) == nil then
      return n -- no more was ever told than with an entity that came into view
    elseif not told then
      told = { base = 0 }
      scene.told[watcher] = told
    end
    for i = 1, nl do
      told[left[i]] = nil
    end
    for i = 1, ne do
      told[entered[i]] = newest[entered[i]] and turn
    end
    since_views = since_views + 1
    local varies, base, last_turn, n_common = details.varies, told.base, turn - 1, 0
    for i = 1, nm do
      local id = moved[i]
      local last = newest[id]
      if last then
        local since = told[id] or base
        told[id] = turn
        if last == last_turn and since > (varies[id] and before_last[id] or 0) then
          n_common = n_common + 1
          common[n_common] = id
        elseif last >= since then
          n = add_since(n, watcher, id, since)
        end
      end
    end
    if n_common > 0 then
      n = add_changed(n, common, n_common, last_changes(scene.audiences:hidden(watcher)))
    end
    return n
  end

  local running -- the coroutine for which records are remembered: others come while it waits in a handler

  -- A handler of the space: all that one entity learns from one tick.
  function views.on_view(watcher, left, nl, entered, ne, moved, nm)
    local address, this = address_of[watcher], coroutine.running()
    if not address or scene.newcomers[watcher] then
      return
    elseif this ~= running then
      running = this
      writer:forget()
      forget_turns()
    end
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
      n = add_due(n, watcher, left, nl, entered, ne, moved, nm)
    elseif next(scene.changes) then
      n = add_changes(n, watcher, entered, ne, moved, nm)
    end
    if n > 0 then
      post_view(address, watcher, false, n)
    end
  end

  -- Before a tick: notes the entities whose details have changed; those who come to know one by the tick
  -- learn all of it anyway. In crowd spaces each has its turn, see add_due, as if the entity had moved.
  -- Raises when memory is short.
  function views.note_changes()
    local details, none, changes = scene.details, scene.audiences.none, scene.changes
    writer:forget() -- a tick before may still wait
    scene.audiences:begin_tick()
    local turn, changed = details:take()
    has_older = next(changes) ~= nil
    are_mixed = are_mixed or scene.space:pending() > 0
    if scene.is_crowd then
      local space = scene.space
      for _, id in ipairs(scene.touched and NONE or changed) do -- a region has touched them by now
        if space:has(id) then
          space:touch(id)
        end
      end
      return
    end
    for _, id in ipairs(changed) do
      if not (none or details.brief[id]) or details:has_since(id, turn, none) then
        changes[id] = changes[id] or turn
      end
    end
  end

  -- From the flat list: watcher -> set of entities.
  local function sets_of(list, n)
    local sets = {}
    for i = 1, n, 2 do
      local set = sets[list[i]] or {}
      sets[list[i]], set[list[i + 1]] = set, true
    end
    return sets
  end

  local told_watchers = {} -- of one entity after the other

  -- Puts an entity into lists by watcher, for those that were told of it before. skipped: watcher -> set of
  -- those that it was told all of now.
  local function gather(by_watcher, id, skipped)
    local newcomers = scene.newcomers
    local watchers, n = scene.space:told_watchers_of(id, told_watchers)
    for i = 1, n do
      local watcher = watchers[i]
      local anew = skipped[watcher]
      if address_of[watcher] and not newcomers[watcher] and not (anew and anew[id]) then
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
    local changes, skipped, by_watcher = scene.changes, nil, {}
    local all_know_moves = scene.tick > 0 and not are_mixed
    are_mixed = false
    if next(changes) == nil then
      return
    end
    local list, n_list = told_of, n_told_of
    scene.changes, told_of, n_told_of = {}, {}, 0
    for id in pairs(changes) do
      if not (all_know_moves and writer.has_moved(id)) and scene.space:has(id) then
        skipped = skipped or sets_of(list, n_list)
        gather(by_watcher, id, skipped)
      end
    end
    for watcher, ids in pairs(by_watcher) do
      post_view(address_of[watcher], watcher, false, add_changed(0, ids, #ids, changes_for(watcher, changes)))
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
        scene.told[id] = scene.is_crowd and { base = scene.details.turn } or nil
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

  -- Tells an address that its entity is in no other scene, where this stream would go on.
  function views.tell_end(address, id, stream)
    post(address, blocks.over(id, stream, 0))
  end

  -- Tells entities that have an address what was given for them: a list of notices.lua.
  function views.notify(notices)
    for _, notice in ipairs(notices) do
      local id = notice.id
      post(address_of[id], blocks.notified(id, stream_of[id], scene.streams:count(id, 1), notice.body,
        notice.is_text))
    end
  end

  -- Tells an entity's address that it is in another scene from now on, in the stream `there`.
  function views.tell_elsewhere(address, id, to, there)
    local number = scene.streams:count(id, 1)
    post(address, blocks.elsewhere(id, scene.streams.of[id], number, to, there))
  end

  -- Tells an entity's address that the scene of the address `to`, which is this one, has loaded it, as it was
  -- at that block of a former stream.
  function views.tell_loaded(address, id, to, former, number)
    post(address, blocks.elsewhere(id, former, number, to, scene.streams.of[id], true))
  end

  -- Sends what waits: one message to each address.
  function views.flush()
    if unsent.count == 0 then
      return
    end
    local texts, addresses, n = unsent.of, unsent.order, unsent.count
    unsent.of, unsent.order, unsent.count = {}, {}, 0
    writer:forget()
    forget_turns()
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
      if unsent.of[address] then
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
