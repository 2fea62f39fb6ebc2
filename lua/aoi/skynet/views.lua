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
    local own = scene.own
    if own and is_all then
      return own.whole(watcher)
    end
    return own and own.take(watcher)
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
  local function add_changed(n, watcher, ids, n_ids, since, each)
    if n_ids == 0 then
      return n
    end
    counters.events = counters.events + n_ids
    CHANGED.ids, CHANGED.n, CHANGED.since, CHANGED.each = ids, n_ids, since, each
    CHANGED.hidden = scene.audiences:hidden(watcher)
    sections[n + 1] = CHANGED
    return n + 1
  end

  -- Takes those that have left out of a list of changes.
  local function take_out(changes, left, nl)
    local has_left, n = {}, 0
    for i = 1, nl do
      has_left[left[i]] = true
    end
    for i = 1, changes.n do
      if not has_left[changes[i]] then
        n = n + 1
        changes[n] = changes[i]
      end
    end
    changes.n = n
  end

  -- The changes that a watcher has not been told of yet. left: those that it no longer sees.
  local function add_changes(n, watcher, left, nl)
    local changes = scene.changes[watcher]
    if not changes or changes.n == 0 then
      return n
    end
    if nl > 0 then
      take_out(changes, left, nl)
    end
    n = add_changed(n, watcher, changes, changes.n, changes.since)
    changes.n = 0
    return n
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
    local ids, since, n_ids = {}, {}, 0
    for i = 1, nm do
      local id = moved[i]
      if owed[id] then
        n_ids = n_ids + 1
        ids[n_ids], since[n_ids] = id, owed[id]
        owed[id] = nil
      end
    end
    if not next(owed) then
      scene.owed[watcher] = nil
    end
    return add_changed(n, watcher, ids, n_ids, since, true)
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
    elseif scene.changes[watcher] then
      n = add_changes(n, watcher, left, nl)
    end
    if n > 0 then
      post_view(address, watcher, false, n)
    end
  end

  local function owe(watcher, id, turn)
    local owed = scene.owed[watcher]
    if not owed then
      scene.owed[watcher] = { [id] = turn }
    elseif not owed[id] then
      owed[id] = turn
    end
  end

  local function note_change(watcher, id, turn)
    local changes = scene.changes[watcher]
    if not changes then
      changes = { n = 0 }
      scene.changes[watcher] = changes
    end
    if changes.n == 0 then
      changes.since = turn
    end
    changes.n = changes.n + 1
    changes[changes.n] = id
  end

  -- Before a tick: notes for the watchers of entities whose details have changed that they are to be told.
  -- Those who come to know an entity by the tick learn all of it anyway. Raises when memory is short.
  function views.note_changes()
    local details, audiences = scene.details, scene.audiences
    scene.extra_values:begin_tick()
    audiences:begin_tick()
    local turn, changed = details:take()
    local space, newcomers = scene.space, scene.newcomers
    local note = scene.is_crowd and owe or note_change
    local watchers = {}
    for _, id in ipairs(changed) do
      if space:has(id) and (not audiences.none or details:has_since(id, turn, audiences.none)) then
        local _, n = space:told_watchers_of(id, watchers)
        for i = 1, n do
          local watcher = watchers[i]
          local hidden = address_of[watcher] and audiences:hidden(watcher)
          if address_of[watcher] and not newcomers[watcher]
            and (not hidden or details:has_since(id, turn, hidden)) then
            note(watcher, id, turn)
          end
        end
      end
    end
  end

  -- The entities that have turned and not moved, by watchers that are to be told: watcher -> list. One that
  -- has moved was told with all extras. In crowd spaces, and without ticks, all of them count as moved.
  local function find_turned()
    local extras, by_watcher = scene.extra_values, {}
    local telling, space, has_moved = extras.telling, scene.space, writer.has_moved
    extras.telling = {}
    for id in pairs(scene.tick > 0 and not scene.is_crowd and telling or {}) do
      if not has_moved(id) and space:has(id) then
        local watchers, n = space:told_watchers_of(id)
        for i = 1, n do
          local watcher = watchers[i]
          if address_of[watcher] and not scene.newcomers[watcher] then
            by_watcher[watcher] = by_watcher[watcher] or {}
            table.insert(by_watcher[watcher], id)
          end
        end
      end
    end
    return by_watcher
  end

  local function add_turned(n, ids)
    if not ids then
      return n
    end
    counters.events = counters.events + #ids
    MOVED.ids, MOVED.n = ids, #ids
    sections[n + 1] = MOVED
    return n + 1
  end

  -- After a tick: tells the changes to those who have learnt nothing else, and turns. In crowd spaces they
  -- wait until the marker's turn comes.
  function views.tell_changes()
    local turned = find_turned()
    for watcher, changes in pairs(scene.changes) do
      if changes.n > 0 then
        local address = address_of[watcher]
        if address and not scene.newcomers[watcher] then
          post_view(address, watcher, false, add_changes(add_turned(0, turned[watcher]), watcher, nil, 0))
          turned[watcher] = nil
        end
        changes.n = 0
      end
    end
    for watcher, ids in pairs(turned) do
      post_view(address_of[watcher], watcher, false, add_turned(0, ids))
    end
  end

  -- After a tick: tells those to whom others have done something, and who have learnt nothing else. Raises
  -- when memory is short; then the rest waits.
  function views.tell_own()
    for id in pairs(scene.own and scene.own.notes or {}) do
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
        scene.owed[id], scene.changes[id] = nil, nil
        post_view(address, id, true, n > 0 and add_entered(0, id, told, n) or 0)
      end
      newcomers[id] = nil
    end
  end

  -- Tells the addresses whose streams are over; before that, the last one what waits for its entity.
  function views.tell_over()
    scene.streams:take_over(function(address, id, stream, number, is_last)
      local notices = is_last and scene.notices and not address_of[id] and scene.notices.hand_out(id) or NONE
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
