-- The areas of a region: those without owner that touch it, which the world puts here as it puts them into
-- other regions, and those of owners that are owned here. Events of the first kind count only for entities of
-- this region; of the second kind all count, ghosts too.
local skynet = require "skynet"
local area_rules = require "aoi.skynet.area_rules"

--[[ `scene` is the table of scene.lua with what region/ghosts.lua adds; `parts` has log, of
region/command_log.lua, if one is kept. What it says to the world is a list of events, in the order in which
they happened:
  { "on", stamp, id, owner, area }   the area is here, and is this now
  { "off", stamp, id, owner }        it has ended, by this command, perhaps one with which its owner left;
                                     0: as another region has the owner
  { "no", stamp, message }           the command was refused ]]
return function(scene, parts)
  local areas = {}
  local rules = area_rules.new(scene.dims, scene.map.max_radius + 2 * scene.map.slack)
  local fixed = {}         -- area without owner that stands here -> { stamp of its last change, what it is }
  local owned = {}         -- area -> what it is; its owner is owned here
  local of_owner = {}      -- owner -> set of its areas
  local ended = {}         -- set of those that had an owner here and ended, since the last tick
  local ended_before = {}  -- the same of the tick that is told now
  local departed = {}      -- set of entities that left with it
  local asked, events = {}, {} -- for the world
  local changed = {}       -- set of areas that are others since the last time, for the store

  local function log(stamp, ok, owner, ...)
    if parts.log then
      parts.log:area(stamp, ok, owner, ...)
    end
  end

  -- ---- areas without owner --------------------------------------------------------------------

  local function remove_fixed(id)
    if fixed[id] then
      fixed[id], changed[id] = nil, true
      scene.space:remove_area(id)
    end
  end

  local function put_fixed(id, stamp, area)
    local before = fixed[id]
    if before and before[1] == stamp or owned[id] then
      return
    elseif before then
      scene.space:set_area(id, area)
    else
      scene.space:add_area(id, area)
    end
    fixed[id], changed[id] = { stamp, area }, true
  end

  -- Puts areas without owner here, or takes them away: a flat list of id, stamp, and what it is or false.
  -- is_whole: others than these are gone. Grows with the list.
  function areas.put(list, is_whole)
    local named = {}
    for i = 1, #list, 3 do
      local id, area = list[i], list[i + 2]
      named[id] = true
      if area then
        put_fixed(id, list[i + 1], area)
      else
        remove_fixed(id)
      end
    end
    if is_whole then
      local others = {}
      for id in pairs(fixed) do
        others[#others + 1] = not named[id] and id or nil
      end
      table.sort(others)
      for _, id in ipairs(others) do
        remove_fixed(id)
      end
    end
  end

  -- ---- areas with an owner --------------------------------------------------------------------

  local function set_owner(id, owner, area)
    local before = owned[id]
    changed[id] = true
    if before then
      of_owner[before.owner][id] = nil
    end
    owned[id] = area
    if area then
      of_owner[owner] = of_owner[owner] or {}
      of_owner[owner][id] = true
    end
    if before and not next(of_owner[before.owner]) then
      of_owner[before.owner] = nil
    end
  end

  local function put_owned(stamp, name, id, area)
    local ok, message = pcall(scene.space[name], scene.space, id, area)
    log(stamp, ok, area.owner, name, id, area)
    if ok then
      set_owner(id, area.owner, area)
      events[#events + 1] = { "on", stamp, id, area.owner, area }
    else
      events[#events + 1] = { "no", stamp, message }
    end
  end

  local function refuse(stamp, name, text, id)
    events[#events + 1] = { "no", stamp, ("%s: " .. text):format(name, id) }
  end

  local apply = {}

  function apply.add_area(stamp, name, id, area, is_same)
    if not scene.owned[area.owner] then
      return
    elseif is_same and not ended[id] then
      refuse(stamp, name, "area %d was in another region of the world until now, expected a tick in between",
        id)
    else
      put_owned(stamp, name, id, area)
    end
  end

  function apply.set_area(stamp, name, id, area)
    if not owned[id] then
      return
    elseif not scene.owned[area.owner] then
      refuse(stamp, name, "owner is %d, expected an entity of the same region of the world as the one before",
        area.owner)
    else
      put_owned(stamp, name, id, area)
    end
  end

  function apply.remove_area(stamp, name, id)
    local area = owned[id]
    if area then
      scene.space:remove_area(id)
      log(stamp, true, area.owner, name, id)
      set_owner(id, nil, nil)
      ended[id] = true
      events[#events + 1] = { "off", stamp, id, area.owner }
    end
  end

  -- A command about an area with an owner, as the world has judged it: all regions are given it. area: what
  -- it is from now on; is_same: another one of this id had an owner when the tick began.
  function areas.run(stamp, name, id, area, is_same)
    apply[name](stamp, name, math.tointeger(id), area, is_same)
  end

  -- An entity that was owned here has left. stamp: of the command by which it did; nil: of none.
  function areas.left(owner, stamp)
    for id in pairs(of_owner[owner] or {}) do
      owned[id], ended[id], changed[id] = nil, true, true
      events[#events + 1] = { "off", stamp or 0, id, owner }
    end
    of_owner[owner] = nil
  end

  -- ---- hand-overs -----------------------------------------------------------------------------

  -- The areas that an entity takes along: area -> its description; nil: it has none. The space hands over the
  -- areas themselves.
  function areas.of(owner)
    local list
    for id in pairs(of_owner[owner] or {}) do
      list = list or {}
      list[id] = owned[id]
    end
    return list
  end

  -- It is gone, with these.
  function areas.handed(owner)
    for id in pairs(of_owner[owner] or {}) do
      owned[id], changed[id] = nil, true
    end
    of_owner[owner] = nil
  end

  -- Such a list comes. After failures ids may be here already: those that come stay.
  function areas.make_room(list)
    for id in pairs(list or {}) do
      if owned[id] or fixed[id] then
        skynet.error(("region: area %d is there twice: one of them ends"):format(id))
        scene.space:remove_area(id)
        set_owner(id, nil, nil)
        fixed[id], ended[id] = nil, nil
      end
    end
  end

  -- It has come. The world is told once more what it may have missed.
  function areas.taken(list)
    for id, area in pairs(list or {}) do
      set_owner(id, area.owner, area)
      events[#events + 1] = { "on", 0, id, area.owner, area }
    end
  end

  -- ---- for handlers ---------------------------------------------------------------------------

  -- A command of the user's handlers: the world gives it to all regions. Returns true, or nil and a message.
  function areas.ask(stamp, name, id, ...)
    local key = math.type(id) and math.tointeger(id)
    local here = owned[key] or fixed[key] and fixed[key][2]
    if name == "add_area" or here and name == "set_area" then
      local new, message = rules:judge(name ~= "add_area" and here or nil, name, id, ...)
      if not new then
        return nil, message
      end
    end
    local n = #asked
    asked[n + 1], asked[n + 2] = stamp, skynet.packstring(name, id, ...)
    return true
  end

  -- A handler on_area that hears what counts here.
  function areas.only_own(on_area)
    return function(id, marker, op)
      if owned[id] or ended_before[id] or scene.owned[marker] or departed[marker] then
        return on_area(id, marker, op)
      end
    end
  end

  -- Of a list of areas that an entity is in, those of which this region may say so, and how many.
  function areas.only_known(list, n, entity)
    local known = {}
    for i = 1, n do
      if owned[list[i]] or scene.owned[math.tointeger(entity)] then
        known[#known + 1] = list[i]
      end
    end
    return known, #known
  end

  -- ---- ticks ----------------------------------------------------------------------------------

  -- The news for the world since the last time: asked, a flat list of stamp and packed command of the user's
  -- handlers, and events. nil: none.
  function areas.take()
    if not asked[1] and not events[1] then
      return nil
    end
    local news = { asked = asked, events = events }
    asked, events = {}, {}
    return news
  end

  -- The tick comes. left: list of the entities that have left since the last one.
  function areas.open(left)
    ended_before, ended, departed = ended, {}, {}
    for _, id in ipairs(left) do
      departed[id] = true
    end
  end

  -- ---- all of it ------------------------------------------------------------------------------

  -- The state between two ticks beside the space: a table that skynet can pack.
  function areas.save()
    return { fixed = fixed, owned = owned, ended = ended, asked = asked, events = events }
  end

  -- Takes it in. The areas themselves are in the space.
  function areas.load(saved)
    fixed, owned, asked, events = saved.fixed, {}, saved.asked, saved.events
    of_owner, ended, ended_before, departed = {}, saved.ended, {}, {}
    for id, area in pairs(saved.owned) do
      set_owner(id, area.owner, area)
    end
  end

  -- The changes of a tick to `save`, without those that wait for the world: a table for `apply`, or nil.
  function areas.changes()
    local list
    for id in pairs(changed) do
      list = list or {}
      list[id] = { fixed = fixed[id], owned = owned[id] }
    end
    changed = {}
    return list
  end

  -- Adds such changes to what `save` gave.
  function areas.apply(saved, changes)
    for id, now in pairs(changes) do
      saved.fixed[id], saved.owned[id] = now.fixed, now.owned
    end
  end

  -- All that is here, for the world: a flat list as of `put`, and area -> what it is of those with an owner.
  function areas.list()
    local list, n = {}, 0
    for id, entry in pairs(fixed) do
      list[n + 1], list[n + 2], list[n + 3] = id, entry[1], entry[2]
      n = n + 3
    end
    return list, owned
  end

  return areas
end
