-- Ghosts: markers that stand here as they do in the region that owns them. Writes the strings by which a
-- region tells the others of its entities in a tick, and reads theirs.
local ghost_sums = require "aoi.skynet.region.ghost_sums"

-- Only of what has changed in the tick is anything told. The string from one region to another begins with
-- the number of the tick when it has everything, so that what it does not name is gone, else 0; with flags;
-- and with the number of region/ghost_sums.lua. Then come sections, each with its length before it; most of
-- all records are moves, which the space takes as they are:
--   gone      id, epoch: no longer shown there
--   stands    id, epoch, place, anchor, traits: new there, or with other traits or another owner
--   moved     id, place and, with slack, the anchor
--   touched   <i8: counts as moved though it stands still (crowds)
--   details   id, rows of details.lua
--   said      stamp, id, whether the body is a text, the body
--   given     id, region, epoch, tick: handed over to that region, which tells of it from the next tick on
--   luggage   tick, what region/luggage.lua gives, of entities that the other region owns from then on
local HEAD = "<i8Bi8"
local SECTIONS = HEAD .. ("s4"):rep(8)
local HAS_SUM, ASKS = 1, 2 -- flags: the number counts; the other region is to tell everything
local GONE, STANDS, MOVED, TOUCHED, DETAILS, SAID, GIVEN, LUGGAGE = 1, 2, 3, 4, 5, 6, 7, 8

local ID, LEAVING, ID_AND_ROWS, SPEECH, LETTER = "<i8", "<i8i8", "<i8s4", "<i8i8Bs4", "<i8s4"
local HANDED = "<i8i4i8i8"

-- Amounts to tell of an entity, in scene.changed: its place, its traits too, or all that there is.
local ghosts = { PLACE = 1, TRAITS = 2, ALL = 3 }

local KEPT = 64 -- ticks for which the epoch of a ghost that is gone is remembered, at least
local NOBODY = 0 -- in place of a region, after a return

local pack, unpack = string.pack, string.unpack

-- Whether one of the first n of a list is this number.
local function has(list, n, number)
  for i = 1, n do
    if list[i] == number then
      return true
    end
  end
  return false
end

-- A list without one of its numbers; nil when nothing else is in it.
function ghosts.without(list, number)
  local rest = {}
  for _, other in ipairs(list) do
    if other ~= number then
      rest[#rest + 1] = other
    end
  end
  return rest[1] and rest or nil
end

-- The rest of a string when only the hand-overs in it count, and of them those for which counts(letter) is
-- true; nil: none.
function ghosts.only_luggage(text, counts)
  local luggage, kept, at = select(3 + LUGGAGE, unpack(SECTIONS, text)), {}, 1
  while at <= #luggage do
    local tick, letter, after = unpack(LETTER, luggage, at)
    if counts(letter) then
      kept[#kept + 1] = pack(LETTER, tick, letter)
    end
    at = after
  end
  return kept[1] and pack(SECTIONS, 0, 0, 0, "", "", "", "", "", "", "", table.concat(kept)) or nil
end

--[[ `scene` is the table of scene.lua, in a region also with
  map, region              of world/map.lua, and the number of the region in it
  owned                    entity -> epoch, of those that this region owns
  shown                    entity -> list of the other regions where it is shown
  changed                  entity -> PLACE, TRAITS or ALL, since the last tick
  speeches                 list of { stamp, id, body, is_text }: said since the last tick
  slack, needs_radius      of its space: whether it has slack, and no radius of its own
  letters                  of region/letters.lua, in a region with a store
`parts` has store, of region/store.lua, if there is one. ]]
function ghosts.new(scene, parts_of_region)
  local self = {}
  local map, own = scene.map, scene.region
  local strip, margin = map.strip, map.margin
  local x1, y1, x2, y2 = map:bounds(own)
  local dims, has_slack = scene.dims, scene.slack
  local PLACE = ("d"):rep(dims)
  local MOVE = "<i8" .. PLACE .. (has_slack and PLACE or "")
  local STAND = "<i8i8" .. PLACE .. PLACE .. "I4Bd"
  local hidden = {}   -- set of those owned entities that nobody may see: mode "w"
  local shown_by = {} -- ghost -> the region that showed it
  local epochs = {}   -- ghost -> the epoch of the owner that did
  local gone, gone_before = {}, {} -- who was a ghost -> the epoch of its owner then
  local since = 0     -- the tick since when `gone` is kept
  local given = {}    -- ghost -> the tick in which it was handed over from here
  local wants = {}    -- set of regions that are told everything with the next tick
  local silent = {}   -- set of regions that are told nothing in this one
  local untold = {}   -- region -> entity -> epoch: it is gone there, which that region has not been told
  local unanswered = {} -- set of regions that are sent again what was handed over to them
  local unheard = {}  -- set of regions that have not told everything since this one came back
  local sums = ghost_sums.new()

  -- ---- telling --------------------------------------------------------------------------------

  local parts = {} -- region -> section -> list of records

  -- The sections for a region in this tick; nil: it is silent.
  local function part_of(region)
    if not silent[region] then
      parts[region] = parts[region] or { {}, {}, {}, {}, {}, {}, {}, {} }
    end
    return parts[region]
  end

  local function put(region, section, record)
    local of = part_of(region)
    if of then
      local list = of[section]
      list[#list + 1] = record
    end
  end

  local function move_record(id, x, y, z)
    if has_slack then
      return dims == 3 and pack(MOVE, id, x, y, z, scene.space:anchor(id))
        or pack(MOVE, id, x, y, scene.space:anchor(id))
    end
    return pack(MOVE, id, x, y, z)
  end

  local function stand_record(id, traits)
    local place, space = { scene.space:position(id) }, scene.space
    table.move({ space:anchor(id) }, 1, dims, dims + 1, place)
    local n = 2 * dims
    place[n + 1], place[n + 2], place[n + 3] = traits.layers, traits.importance or 0, traits.radius
    return pack(STAND, id, scene.owned[id], table.unpack(place, 1, n + 3))
  end

  local function hold_gone(region, id, epoch)
    untold[region] = untold[region] or {}
    untold[region][id] = epoch
  end

  -- Where it was shown, and is not one of these n. It may have been another region that showed it.
  local function put_gone(id, regions, still, n)
    for _, region in ipairs(regions) do
      if silent[region] and not has(still, n, region) then
        hold_gone(region, id, scene.owned[id])
      elseif not has(still, n, region) then
        put(region, GONE, pack(LEAVING, id, scene.owned[id]))
      end
    end
  end

  local NONE = {}
  local near = {}

  -- The other regions where the entity must be shown, and how many; the list is used again.
  local function regions_for(id, x, y)
    if hidden[id] then
      return NONE, 0
    end
    local list, n = map:regions_near(x, y, strip, near)
    for i = 1, n do
      if list[i] == own then
        list[i] = list[n]
        return list, n - 1
      end
    end
    return list, n
  end

  -- Tells of a change. how: PLACE, TRAITS or ALL.
  local function show(id, how, said, x, y, z)
    local traits = how > ghosts.PLACE and scene.space:traits(id) or nil
    if traits then
      hidden[id] = traits.mode == "w" or nil
    end
    local before = scene.shown[id]
    if not before and x - x1 > strip and x2 - x > strip and y - y1 > strip and y2 - y > strip then
      return -- as most
    end
    local list, n = regions_for(id, x, y)
    local touched, details = scene.touched[id], scene.details
    local move, stand, all, changes
    local is_same = n == #(before or NONE)
    for i = 1, n do
      local region = list[i]
      local is_new = not before or not has(before, #before, region)
      is_same = is_same and not is_new
      if is_new or traits then
        stand = stand or stand_record(id, traits or scene.space:traits(id))
        put(region, STANDS, stand)
      else
        move = move or move_record(id, x, y, z)
        put(region, MOVED, move)
      end
      if touched then
        put(region, TOUCHED, pack(ID, id))
      end
      if (is_new or traits) and details:has_any(id) then -- all, should that region not have it after all
        all = all or pack(ID_AND_ROWS, id, details:rows(id))
        put(region, DETAILS, all)
      elseif details:has_changed(id) then
        changes = changes or pack(ID_AND_ROWS, id, details:rows(id, scene.number))
        put(region, DETAILS, changes)
      end
      for _, speech in ipairs(said or NONE) do
        put(region, SAID, pack(SPEECH, speech[1], id, speech[4] and 1 or 0, speech[3]))
      end
    end
    if before then
      put_gone(id, before, list, n)
    end
    if not is_same then
      scene.shown[id] = n > 0 and table.move(list, 1, n, 1, {}) or nil
    end
  end

  -- It is no more this region's to tell of an entity that it owned with this epoch: the regions where it was
  -- shown hear so with the next tick.
  function self.disown(id, epoch)
    for _, region in ipairs(scene.shown[id] or NONE) do
      hold_gone(region, id, epoch)
    end
    scene.shown[id], hidden[id] = nil, nil
  end

  -- The words that were said, by speaker.
  local function speeches_by_id()
    local by_id = {}
    for _, speech in ipairs(scene.speeches) do
      local id = speech[2]
      by_id[id] = by_id[id] or {}
      table.insert(by_id[id], speech)
    end
    return by_id
  end

  -- That region is told everything with the next tick.
  function self.show_all(region)
    wants[region] = true
    for id in pairs(scene.owned) do
      local shown = scene.shown[id]
      if shown and has(shown, #shown, region) then
        hold_gone(region, id, scene.owned[id])
        scene.shown[id] = ghosts.without(shown, region)
      end
      scene.changed[id] = scene.changed[id] or ghosts.PLACE
    end
    return true
  end

  -- Sends again, after a return, what has not come: also tells of it again.
  local function send_again(handed)
    for region in pairs(unanswered) do
      if not silent[region] then
        scene.letters:each_to(region, function(tick, letter, id, epoch)
          put(region, LUGGAGE, pack(LETTER, tick, letter))
          table.move({ id, region, epoch }, 1, 3, #handed + 1, handed)
        end)
        unanswered[region] = nil
      end
    end
  end

  local function tell_untold()
    for region, ids in pairs(untold) do
      if not silent[region] then
        for id, epoch in pairs(ids) do
          put(region, GONE, pack(LEAVING, id, epoch))
        end
        untold[region] = nil
      end
    end
  end

  -- Hands over to the region that has the point; where that can't be, the entity stays for now.
  local function give(id, how, x, y, hand_over)
    local region, shown = map:region_at(x, y), scene.shown[id] or NONE
    local letter, epoch
    if not silent[region] then
      letter, epoch = hand_over(id, region)
    end
    if letter then
      put(region, LUGGAGE, pack(LETTER, scene.number, letter))
      for _, other in ipairs(shown) do
        if other ~= region then
          put(other, GIVEN, pack(HANDED, id, region, epoch, scene.number))
        end
      end
      if scene.letters then
        scene.letters:send(region, scene.number, id, epoch, letter)
      end
      hidden[id] = nil
      if scene.space:has(id) then -- as a ghost now
        shown_by[id], epochs[id], given[id] = region, epoch, scene.number
      end
    else
      scene.changed[id] = how
    end
  end

  -- The strings for other regions, of all that was put into parts and all else to be told: region -> string.
  local function strings_of_parts()
    local strings, still_wants, numbers = {}, {}, {}
    if (scene.number + own) % ghost_sums.PERIOD == 0 then
      numbers = sums:of_shown(scene.owned, scene.shown)
    end
    for _, regions in ipairs { wants, sums.asks, numbers } do
      for region in pairs(regions) do
        part_of(region)
      end
    end
    for region in pairs(wants) do
      still_wants[region] = silent[region]
    end
    for region, of in pairs(parts) do
      sums:told_markers_of(region)
      for section = 1, LUGGAGE do
        of[section] = table.concat(of[section])
      end
      local number = numbers[region]
      strings[region] = pack(SECTIONS, wants[region] and scene.number or 0,
        (number and HAS_SUM or 0) | (sums:take_ask(region) and ASKS or 0), number or 0, table.unpack(of))
    end
    parts, wants = {}, still_wants
    return strings
  end

  -- Ends what has changed: tells the other regions of it, and hands over those that are too far outside this
  -- one. hand_over(id, region) does that and gives the luggage and the new epoch, or nil: it stays for now.
  -- closed: a list of regions that are told nothing, and given nothing. handed: a flat list of id, region,
  -- epoch, to which is added what is sent again. Returns a table of region and string. O(changes).
  function self.write(closed, handed, hand_over)
    local changed, space, said = scene.changed, scene.space, speeches_by_id()
    scene.changed, silent = {}, {}
    for _, region in ipairs(closed) do
      silent[region] = true
    end
    send_again(handed)
    tell_untold()
    for id, how in pairs(changed) do
      local x, y, z = space:position(id)
      if x then
        show(id, how, said[id], x, y, z)
        if x1 - x > margin or x - x2 > margin or y1 - y > margin or y - y2 > margin then
          give(id, how, x, y, hand_over)
        end
      else
        put_gone(id, scene.shown[id] or NONE, NONE, 0)
        scene.shown[id], hidden[id] = nil, nil
      end
    end
    if scene.touched then
      scene.touched = {}
    end
    return strings_of_parts()
  end

  -- The state between ticks, for region/state.lua.
  function self.save()
    return { hidden = hidden, shown_by = shown_by, epochs = epochs, given = given, wants = wants,
      unanswered = unanswered, unheard = unheard, untold = untold, gone = gone, gone_before = gone_before,
      since = since, sums = sums:save() }
  end

  function self.load(saved)
    hidden, shown_by, epochs = saved.hidden, saved.shown_by, saved.epochs
    given, wants, unanswered, unheard = saved.given, saved.wants, saved.unanswered, saved.unheard
    untold, gone, gone_before, since = saved.untold, saved.gone, saved.gone_before, saved.since
    sums:load(saved.sums)
  end

  -- ---- hearing --------------------------------------------------------------------------------

  -- Calls f(value, ...) for each record of this format; the records end where the text does.
  local function each(text, format, f)
    local at = 1
    while at <= #text do
      local record = { unpack(format, text, at) }
      at = record[#record]
      f(table.unpack(record, 1, #record - 1))
    end
  end

  local function drop(id)
    local is_ghost = shown_by[id] -- also of one that has left here in this tick, and is owned until it ends
    shown_by[id], epochs[id], given[id] = nil, nil, nil
    if is_ghost or not scene.owned[id] then
      if scene.space:has(id) then
        scene.space:leave(id)
      end
      scene.details:leave(id)
    end
  end

  -- Drops the ghosts of that region but for those in the set, and those that it did not own yet in this tick.
  local function drop_all(region, but, tick)
    for id, by in pairs(shown_by) do
      if by == region and not but[id] and (given[id] or 0) < tick then
        drop(id)
      end
    end
  end

  -- That region has told everything, or never will. When all have, nobody owns what nobody has named.
  local function hear_of(region)
    if unheard[region] then
      unheard[region] = nil
      if not next(unheard) then
        drop_all(NOBODY, NONE, math.huge)
      end
    end
  end

  -- Drops the ghosts of entities that the region owns.
  function self.forget(region)
    drop_all(region, NONE, math.huge)
    sums:ask(region) -- should it live, it does not know that it is to show anything again
    hear_of(region)
    untold[region] = nil
    return true
  end

  -- This region has come back from its store: the other ones are told everything, and until they have told
  -- everything nobody knows whose ghosts are here.
  function self.come_back()
    local ids, n = scene.space:ids()
    for i = 1, n do
      if not scene.owned[ids[i]] then
        shown_by[ids[i]], epochs[ids[i]] = NOBODY, 0
      end
    end
    for region = 1, map.count do
      if region ~= own then
        self.show_all(region)
        unheard[region], unanswered[region] = true, true
      end
    end
  end

  -- That region does not own the entity, though it has said so; nil: nor does any to which we handed it.
  function self.lose(id, region)
    if not region or shown_by[id] == region then
      drop(id)
    end
  end

  -- From now on news of an owner before that epoch are late.
  local function note_gone(id, epoch)
    if scene.number - since >= KEPT then
      gone, gone_before, since = {}, gone, scene.number
    end
    gone[id] = math.max(gone[id] or epoch, epoch)
  end

  -- Only an owner says that its entity is gone: not one before.
  local function on_gone(from, id, epoch)
    local known = epochs[id] or epoch
    if epoch > known or epoch == known and shown_by[id] == from then
      drop(id)
    end
    note_gone(id, epoch)
  end

  local opts = { mode = "m", anchor = {} } -- used again for each

  local function anchored(from, ...)
    local anchor = opts.anchor
    for i = 1, dims do
      anchor[i] = select(from + i - 1, ...)
    end
  end

  local function on_stands(from, id, epoch, ...)
    local least = math.max(epochs[id] or epoch, gone[id] or epoch, gone_before[id] or epoch)
    local is_ours = scene.owned[id] and scene.space:has(id) -- else it has left in this tick
    if is_ours or epoch < least then
      return
    end
    shown_by[id], epochs[id], given[id] = from, epoch, nil
    anchored(dims + 1, ...)
    opts.layers, opts.importance, opts.radius = select(2 * dims + 1, ...)
    opts.importance = scene.is_crowd and opts.importance or nil
    opts.radius = scene.needs_radius and opts.radius or nil
    local x, y, z = ...
    if dims == 3 then
      scene.space:update(id, x, y, z, opts)
    else
      scene.space:update(id, x, y, opts)
    end
  end

  local moving = { anchor = opts.anchor }

  local function on_moved(id, x, y, z, ...)
    if not has_slack then
      scene.space:move(id, x, y, z)
    elseif dims == 3 then
      anchored(1, ...)
      scene.space:update(id, x, y, z, moving)
    else
      anchored(1, z, ...)
      scene.space:update(id, x, y, moving)
    end
  end

  -- Takes in moves, of ghosts of that region alone: what else a late string names stays as it is.
  local function read_moves(from, rows)
    local is_whole = not has_slack
    for at = 1, #rows, MOVE:packsize() do
      local id = unpack(ID, rows, at)
      if shown_by[id] ~= from then
        is_whole = false
      end
    end
    if is_whole and rows ~= "" then
      scene.space:move_all(rows)
      return
    end
    each(rows, MOVE, function(id, ...)
      if shown_by[id] == from then
        on_moved(id, ...)
      end
    end)
  end

  -- Whether anybody here was told of the entity by the last tick.
  local function is_told(id)
    local _, n = scene.space:told_watchers_of(id)
    return n > 0
  end

  -- One string of a region. skip: set of ids that it must not tell of. tick: as at its beginning.
  local function read(from, skip, tick, sections)
    local named, is_new, is_other = tick > 0 and {}, {}, {}
    each(sections[GONE], LEAVING, function(id, epoch)
      on_gone(from, id, epoch)
    end)
    each(sections[STANDS], STAND, function(id, epoch, ...)
      is_new[id] = not scene.space:has(id) or nil
      -- Then all its details come, too.
      is_other[id] = (named or epoch ~= epochs[id] or given[id]) and true or nil
      if not skip[id] then
        on_stands(from, id, epoch, ...)
      end
      if named then
        named[id] = true
      end
    end)
    read_moves(from, sections[MOVED])
    if named then
      drop_all(from, named, tick)
      hear_of(from)
    end
    each(sections[TOUCHED], ID, function(id)
      if shown_by[id] == from then
        scene.space:touch(id)
      end
    end)
    each(sections[DETAILS], ID_AND_ROWS, function(id, rows)
      if shown_by[id] == from then
        -- The string may be late; and one that has left and is back in one tick has stayed for its watchers.
        local is_known = not is_new[id] or is_told(id)
        scene.details:put_rows(id, rows, is_known, is_other[id])
        is_other[id] = nil
      end
    end)
    for id in pairs(is_other) do -- it has none
      if shown_by[id] == from and scene.details:has_any(id) then
        scene.details:put_rows(id, "", true, true)
      end
    end
    each(sections[SAID], SPEECH, function(stamp, id, is_text, body)
      if shown_by[id] == from then
        table.insert(scene.speeches, { stamp, id, body, is_text == 1 })
      end
    end)
    each(sections[GIVEN], HANDED, function(id, to, epoch, sent)
      if shown_by[id] == from then
        -- Should that region not reach us, it is for it to say what it has. What it tells of the entity as of
        -- one that it had before this epoch is late.
        shown_by[id], epochs[id], given[id] = to, epoch, sent
      end
    end)
  end

  -- Takes in what other regions tell in a tick: a flat list of region, string; of one region in the order of
  -- ticks. lost: region -> set of the ids that it must not tell of, or take; nil: none. take_over(luggage,
  -- two of these sets or nil) is called for each entity that comes, and returns its id. Raises when a string
  -- is damaged. O(what they tell).
  function self.read(incoming, lost, take_over)
    local letters, numbers = {}, {}
    for i = 1, #incoming, 2 do
      local from, text = incoming[i], incoming[i + 1]
      if text ~= "" then
        local tick, flags, number = unpack(HEAD, text)
        local sections = { select(4, unpack(SECTIONS, text)) }
        numbers[from] = flags & HAS_SUM ~= 0 and number or nil
        if flags & ASKS ~= 0 then
          self.show_all(from)
        end
        local skip = lost and lost[from]
        read(from, skip or NONE, tick, sections)
        local last = 0
        each(sections[LUGGAGE], LETTER, function(sent, letter)
          if not (scene.letters and scene.letters:is_known(from, sent)) then
            letters[#letters + 1] = { letter, skip, from, sent }
          end
          last = sent
        end)
        if scene.letters then
          scene.letters:took(from, last)
        end
      end
    end
    for _, letter in ipairs(letters) do
      local id = take_over(letter[1], letter[2], lost and lost[own])
      if id then
        shown_by[id], epochs[id], given[id] = nil, nil, nil
        if letter[4] < scene.number and scene.addresses.of[id] then
          scene.newcomers[id] = true -- it comes late, and was not told meanwhile what this region has told
        end
        if parts_of_region.store then
          parts_of_region.store.came(letter[3], letter[4], id)
        end
      end
    end
    if next(numbers) then
      local n = sums:compare(numbers, shown_by, epochs, given, scene.number)
      scene.counters.ghosts_renewed = scene.counters.ghosts_renewed + n
    end
  end

  return self
end

return ghosts
