-- Ghosts: markers that stand here as they do in the region that owns them. Writes the strings by which a
-- region tells the others of its entities in a tick, and reads theirs.
--
-- Only of what has changed in the tick is anything told; but in the first tick of a configuration everything
-- is, and what nobody names then is gone. An entity that is handed over is told once more by its giver, and
-- from the next tick on by its taker. A string begins with 1 when it has everything, else 0. Then come
-- sections, each with its length before it; most of all records are moves, which the space takes as they are:
--   gone      id: not shown there any more
--   stands    id, place, anchor, traits: new there, or with other traits
--   extras    id, extras: of those that stand or are touched
--   moved     id, place and, with slack, the anchor
--   touched   <i8: counts as moved though it stands still (crowds)
--   details   id, rows of details.lua
--   said      stamp, id, whether the body is a text, the body
local SECTIONS = "<B" .. ("s4"):rep(7)
local GONE, STANDS, MOVED, EXTRAS, TOUCHED, DETAILS, SAID = 1, 2, 3, 4, 5, 6, 7

local ID, ID_AND_ROWS, SPEECH = "<i8", "<i8s4", "<i8i8Bs4"

-- Amounts to tell of an entity, in scene.changed: its place, its traits too, or all that there is.
local ghosts = { PLACE = 1, TRAITS = 2, ALL = 3 }

local core = require "aoi.core"

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

-- A list without one of its numbers.
function ghosts.without(list, number)
  local rest = {}
  for _, other in ipairs(list) do
    if other ~= number then
      rest[#rest + 1] = other
    end
  end
  return rest
end

--[[ `scene` is the table of scene.lua, in a region also with
  map, region              of world/map.lua, and the number of the region in it
  owned                    set of the entities that this region owns
  shown                    entity -> list of the other regions where it is shown
  changed                  entity -> PLACE, TRAITS or ALL, since the last tick
  speeches                 stamp -> { id, body, is_text }: said since the last tick
  slack, needs_radius      of its space: whether it has slack, and no radius of its own ]]
function ghosts.new(scene)
  local self = {}
  local map, own = scene.map, scene.region
  local strip, margin = map.strip, map.margin
  local x1, y1, x2, y2 = map:bounds(own)
  local dims, has_slack = scene.dims, scene.slack
  local PLACE = ("d"):rep(dims)
  local MOVE = "<i8" .. PLACE .. (has_slack and PLACE or "")
  local STAND = "<i8" .. PLACE .. PLACE .. "I4Bdd"
  local extras = scene.extra_values
  local TURN = "<i8" .. extras:word()
  local hidden = {}   -- set of those owned entities that nobody may see: mode "w"
  local is_ghost = {} -- set of those that others own
  local is_first = false -- true: what is told next is all, as a configuration begins
  local named = nil   -- set of the ghosts of which the first strings of a configuration tell; nil: they came

  -- ---- telling --------------------------------------------------------------------------------

  local parts = {} -- region -> section -> list of records

  local function put(region, section, record)
    parts[region] = parts[region] or { {}, {}, {}, {}, {}, {}, {} }
    local list = parts[region][section]
    list[#list + 1] = record
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
    place[n + 1], place[n + 2] = traits.layers, traits.importance or 0
    place[n + 3], place[n + 4] = traits.radius, traits.visible_radius
    return pack(STAND, id, table.unpack(place, 1, n + 4))
  end

  local NONE = {}

  -- Where it was shown, and is not one of these n.
  local function put_gone(id, regions, still, n)
    for _, region in ipairs(regions) do
      if not has(still, n, region) then
        put(region, GONE, pack(ID, id))
      end
    end
  end

  -- Whether only the eight regions around this one are within a strip of its points.
  local is_wide = (map.columns == 1 or map.width / map.columns > 1.001 * strip)
    and (map.rows == 1 or map.height / map.rows > 1.001 * strip)
  local lists = {} -- near which of its four borders a point of this region is -> list

  -- The other regions where the entity must be shown. Of points of this region that are near the same of its
  -- borders the list is the same table.
  local function regions_for(id, x, y)
    if hidden[id] then
      return NONE
    end
    local at = is_wide and x >= x1 and x < x2 and y >= y1 and y < y2
      and (x - x1 <= strip and 1 or 0) + (x2 - x <= strip and 2 or 0)
        + (y - y1 <= strip and 4 or 0) + (y2 - y <= strip and 8 or 0)
    local list = lists[at]
    if not list then
      list = ghosts.without(map:regions_near(x, y, strip), own)
      if at then
        lists[at] = list
      end
    end
    return list
  end

  -- Whether nobody elsewhere sees what is there.
  local function is_inside(x, y)
    return x - x1 > strip and x2 - x > strip and y - y1 > strip and y2 - y > strip
  end

  -- Tells of a change. how: PLACE, TRAITS or ALL.
  local function show(id, how, said, x, y, z)
    local traits = how > ghosts.PLACE and scene.space:traits(id) or nil
    if traits then
      hidden[id] = traits.mode == "w" or nil
    end
    local before = scene.shown[id]
    if not before and is_inside(x, y) then
      return -- as most
    end
    local list = regions_for(id, x, y)
    local n, touched, details = #list, scene.touched[id], scene.details
    local is_move = how == ghosts.PLACE and not said and not touched and not details:has_changed(id)
    if is_move and list == before then -- as most of these
      local move = move_record(id, x, y, z)
      for i = 1, n do
        put(list[i], MOVED, move)
      end
      return
    end
    local turn = extras.n > 0 and (traits or touched) and pack(TURN, id, extras.of[id])
    local move, stand, all, changes
    for i = 1, n do
      local region = list[i]
      local is_new = not before or not has(before, #before, region)
      if is_new or traits then
        stand = stand or stand_record(id, traits or scene.space:traits(id))
        put(region, STANDS, stand)
      else
        move = move or move_record(id, x, y, z)
        put(region, MOVED, move)
      end
      if is_new and extras.n > 0 then
        turn = turn or pack(TURN, id, extras.of[id])
      end
      if turn then
        put(region, EXTRAS, turn)
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
        put(region, SAID, speech)
      end
    end
    if before then
      put_gone(id, before, list, n)
    end
    scene.shown[id] = n > 0 and list or nil
  end

  -- The words that nobody was told yet: speaker -> list of records. Words of a tick that nobody has finished
  -- are told with the next one, and shown again: by then their speaker may have another owner, be shown
  -- elsewhere, or be hidden no more. A region that has them already knows them by their stamps.
  local function speeches_by_id()
    local by_id = {}
    for stamp, speech in pairs(scene.speeches) do
      local id, body, is_text = table.unpack(speech)
      by_id[id] = by_id[id] or {}
      table.insert(by_id[id], pack(SPEECH, stamp, id, is_text and 1 or 0, body))
    end
    return by_id
  end

  local function strings_of_parts()
    local strings = {}
    for region, of in pairs(parts) do
      for section = GONE, SAID do
        of[section] = table.concat(of[section])
      end
      strings[region] = pack(SECTIONS, is_first and 1 or 0, table.unpack(of))
    end
    parts, is_first = {}, false
    return strings
  end

  -- A configuration begins: all that is owned here is told once more, and what nobody names then is gone.
  function self.begin_anew()
    is_first, named = true, {}
    scene.shown = {}
  end

  -- The region has come back from a store: what is in its space and not its own are ghosts, of old.
  function self.come_back()
    hidden, is_ghost = {}, {}
    local ids, n = scene.space:ids()
    for i = 1, n do
      is_ghost[ids[i]] = not scene.owned[ids[i]] or nil
    end
  end

  -- Owned entities have moved: rows of id and place. Most of them are nobody's concern elsewhere, and of
  -- those that were shown and are no more near a border `write` knows by itself. O(rows).
  function self.note_moves(rows)
    local changed = scene.changed
    for _, id in ipairs(core.rows_outside(rows, dims, x1 + strip, y1 + strip, x2 - strip, y2 - strip)) do
      changed[id] = changed[id] or ghosts.PLACE
    end
  end

  -- Adds those that are shown somewhere, and have gone to where nobody sees them.
  local function note_hidden(changed)
    for id in pairs(scene.shown) do
      if not changed[id] then
        local x, y = scene.space:position(id)
        changed[id] = x and is_inside(x, y) and ghosts.PLACE or nil
      end
    end
  end

  -- The taker of an entity that was handed over: it is a ghost from now on, if it is there still.
  function self.handed(id)
    hidden[id] = nil
    is_ghost[id] = scene.space:has(id) or nil
    if named then
      named[id] = true -- its taker tells of it from the next tick on
    end
  end

  -- Ends what has changed: tells the other regions of it, and hands over those that are too far outside this
  -- one. hand_over(id, region, words) does that, unless it can't be; words: what it said, for `hear`. Returns
  -- a table of region and string.
  -- O(changes).
  function self.write(hand_over)
    local changed, space, said = scene.changed, scene.space, speeches_by_id()
    scene.changed = {}
    if is_first then
      for id in pairs(scene.owned) do
        changed[id] = ghosts.ALL
      end
    end
    note_hidden(changed)
    for id, how in pairs(changed) do
      local x, y, z = space:position(id)
      if x then
        show(id, how, said[id], x, y, z)
        if x1 - x > margin or x - x2 > margin or y1 - y > margin or y - y2 > margin then
          if not hand_over(id, map:region_at(x, y), table.concat(said[id] or NONE)) then
            scene.changed[id] = ghosts.PLACE
          end
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
    return { hidden = hidden, is_ghost = is_ghost }
  end

  function self.load(saved)
    hidden, is_ghost = saved.hidden, saved.is_ghost
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

  -- Removes what is here of an entity that is not owned here.
  function self.remove(id)
    is_ghost[id] = nil
    if scene.space:has(id) then
      scene.space:leave(id)
    end
    extras:forget(id)
    scene.details:leave(id)
  end

  local function drop(id)
    if is_ghost[id] then
      self.remove(id)
    end
  end

  -- It is owned here from now on. Returns whether it was a ghost.
  function self.is_own(id)
    local was_ghost = is_ghost[id]
    is_ghost[id] = nil
    return was_ghost
  end

  local opts = { mode = "m", anchor = {} } -- used again for each

  local function anchored(from, ...)
    local anchor = opts.anchor
    for i = 1, dims do
      anchor[i] = select(from + i - 1, ...)
    end
  end

  local function on_stands(id, ...)
    if scene.owned[id] then
      return
    end
    is_ghost[id] = true
    anchored(dims + 1, ...)
    opts.layers, opts.importance, opts.radius, opts.visible_radius = select(2 * dims + 1, ...)
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
    if not is_ghost[id] then
      return
    elseif not has_slack then
      scene.space:move(id, x, y, z)
    elseif dims == 3 then
      anchored(1, ...)
      scene.space:update(id, x, y, z, moving)
    else
      anchored(1, z, ...)
      scene.space:update(id, x, y, moving)
    end
  end

  -- Takes in moves. Those of entities that are owned here by now, as a hand-over brought them, are passed
  -- over.
  local function read_moves(rows)
    local is_whole = not has_slack
    for at = 1, #rows, MOVE:packsize() do
      if not is_ghost[unpack(ID, rows, at)] then
        is_whole = false
      end
    end
    if is_whole and rows ~= "" then
      scene.space:move_all(rows)
    else
      each(rows, MOVE, on_moved)
    end
  end

  -- Whether anybody here was told of the entity by the last tick.
  local function is_told(id)
    local _, n = scene.space:told_watchers_of(id)
    return n > 0
  end

  -- Words that this tick tells, as `write` gave them to `hand_over`.
  function self.hear(words)
    each(words, SPEECH, function(stamp, id, is_text, body)
      scene.speeches[stamp] = { id, body, is_text == 1 }
    end)
  end

  -- One string of a region.
  local function read(is_all, sections)
    local is_new, is_other = {}, {}
    each(sections[GONE], ID, drop)
    each(sections[STANDS], STAND, function(id, ...)
      is_new[id] = not scene.space:has(id) or nil
      is_other[id] = (is_all or is_new[id]) and true or nil -- then all its details come, too
      on_stands(id, ...)
      if named then
        named[id] = true
      end
    end)
    read_moves(sections[MOVED])
    if extras.n > 0 then
      each(sections[EXTRAS], TURN, function(id, made)
        if is_ghost[id] then
          extras:put(id, made)
        end
      end)
    end
    each(sections[TOUCHED], ID, function(id)
      if is_ghost[id] then
        scene.space:touch(id)
      end
    end)
    each(sections[DETAILS], ID_AND_ROWS, function(id, rows)
      if is_ghost[id] then
        -- An entity that has left and is back in one tick has stayed for its watchers.
        scene.details:put_rows(id, rows, not is_new[id] or is_told(id), is_other[id])
        is_other[id] = nil
      end
    end)
    for id in pairs(is_other) do -- it has none
      if is_ghost[id] and scene.details:has_any(id) then
        scene.details:put_rows(id, "", true, true)
      end
    end
    self.hear(sections[SAID])
  end

  -- Takes in what other regions tell in a tick, a list of strings. is_first_tick: of the configuration; what
  -- none of them names is gone. Raises when a string is damaged. O(what they tell).
  function self.read(incoming, is_first_tick)
    for _, text in ipairs(incoming) do
      local sections = { unpack(SECTIONS, text) }
      read(table.remove(sections, 1) == 1, sections)
    end
    if is_first_tick and named then
      local kept = named
      named = nil
      for id in pairs(is_ghost) do
        if not kept[id] then
          drop(id)
        end
      end
    end
  end

  return self
end

return ghosts
