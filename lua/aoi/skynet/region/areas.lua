-- The areas of a region: those without owner that touch it, which the world puts here as it puts them into
-- other regions, and those of owners that are owned here. Events of the first kind count only for entities of
-- this region; of the second kind all count, ghosts too.
local area_rules = require "aoi.skynet.area_rules"

-- `scene` is the table of scene.lua with what region/ghosts.lua adds.
return function(scene)
  local areas = {}
  local rules = area_rules.new(scene.dims, scene.map.max_radius + 2 * scene.map.slack)
  local fixed = {}         -- area without owner that stands here -> what it is
  local owned = {}         -- area -> what it is; its owner is owned here
  local of_owner = {}      -- owner -> set of its areas
  local ended = {}         -- set of those that had an owner here and ended, since the last tick
  local former = {}        -- owner that was here -> those of them that it had: area -> what it was
  local noted = nil        -- set of areas that are others since the last chunk of a store; nil: there is none
  local departed = {}      -- set of entities that left since the last tick
  local ended_before, departed_before = {}, {} -- the same of the tick that is told now

  -- ---- changes --------------------------------------------------------------------------------

  local function put(known, id, area)
    if not area then
      scene.space:remove_area(id)
    elseif known then
      scene.space:set_area(id, area)
    else
      scene.space:add_area(id, area)
    end
  end

  local function note(id)
    if noted then
      noted[id] = true
    end
  end

  local function set_owner(id, area)
    note(id)
    local before = owned[id]
    if before then
      of_owner[before.owner][id] = nil
      if not next(of_owner[before.owner]) then
        of_owner[before.owner] = nil
      end
    end
    owned[id] = area
    if area then
      of_owner[area.owner] = of_owner[area.owner] or {}
      of_owner[area.owner][id] = true
    end
  end

  -- An area without owner is this from now on, as far as this region is concerned; nil: it is not here.
  function areas.put_fixed(id, area)
    if fixed[id] or area then
      put(fixed[id], id, area)
      fixed[id] = area
      note(id)
    end
  end

  -- An area whose owner is here is this from now on; nil: it has ended.
  function areas.put_owned(id, area)
    local before = owned[id]
    if before or area then
      put(before, id, area)
      ended[id] = not area or nil
      if not area then
        former[before.owner] = former[before.owner] or {}
        former[before.owner][id] = before
      end
      set_owner(id, area)
    end
  end

  local function is_same(a, b)
    if type(a) ~= "table" or type(b) ~= "table" then
      return a == b
    end
    for key, value in pairs(a) do
      if not is_same(value, b[key]) then
        return false
      end
    end
    for key in pairs(b) do
      if a[key] == nil then
        return false
      end
    end
    return true
  end

  -- Calls change(id, area or nil) where what is `here` is not as it should be.
  local function put_all(here, all, change)
    local ids = {}
    for id in pairs(here) do
      ids[id] = true
    end
    for id in pairs(all) do
      ids[id] = true
    end
    for id in pairs(ids) do
      if not is_same(here[id], all[id]) then
        change(id, all[id])
      end
    end
  end

  -- A configuration begins: these are all areas that touch this region, and all whose owners are here.
  function areas.put_all(all_fixed, all_owned)
    put_all(fixed, all_fixed, areas.put_fixed)
    put_all(owned, all_owned, areas.put_owned)
  end

  -- An entity that was owned here has left; its areas end with it.
  function areas.left(owner)
    departed[owner] = true
    for id in pairs(of_owner[owner] or {}) do
      owned[id], ended[id] = nil, true
      note(id)
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

  -- Those of an entity that have ended since the last tick, as `of` gives the others. They go along, too: if
  -- nobody finishes this tick they may be there again, and their members are known only where they ended.
  function areas.ended_of(owner)
    local list
    for id, area in pairs(former[owner] or {}) do
      if ended[id] then
        list = list or {}
        list[id] = area
      end
    end
    return list
  end

  -- Puts such a list into the space, which hands over what is in it.
  function areas.put_back(list)
    for id, area in pairs(list or {}) do
      scene.space:add_area(id, area)
    end
  end

  -- They end once more, as far as they are in the space: memory may have been too short for some.
  function areas.end_again(list)
    for id in pairs(list or {}) do
      pcall(scene.space.remove_area, scene.space, id)
    end
  end

  -- It is gone, with all of these.
  function areas.handed(owner)
    for id in pairs(of_owner[owner] or {}) do
      owned[id] = nil
      note(id)
    end
    for id in pairs(former[owner] or {}) do
      ended[id] = nil
    end
    of_owner[owner], former[owner] = nil, nil
  end

  -- Such lists come, of an owner.
  function areas.taken(owner, list, list_of_ended)
    for id, area in pairs(list or {}) do
      set_owner(id, area)
    end
    areas.end_again(list_of_ended)
    for id in pairs(list_of_ended or {}) do
      ended[id] = true
    end
    former[owner] = list_of_ended
  end

  -- ---- for handlers ---------------------------------------------------------------------------

  -- A command of the user's handlers, as far as it can be judged here: true, or nil and a message.
  function areas.check(name, id, ...)
    local key = math.type(id) and math.tointeger(id)
    local here = owned[key] or fixed[key]
    if name == "add_area" or here and (name == "set_area" or name == "update_area") then
      local new, message = rules:judge(name ~= "add_area" and here or nil, name, id, ...)
      if not new then
        return nil, message
      end
    end
    return true
  end

  -- A handler on_area that hears what counts here.
  function areas.only_own(on_area)
    return function(id, marker, op)
      if owned[id] or ended_before[id] or scene.owned[marker] or departed_before[marker] then
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

  -- A tick is told: what happens from now on is told by the next one.
  function areas.open()
    ended_before, departed_before, ended, departed, former = ended, departed, {}, {}, {}
  end

  -- The areas that are others since the last time: area -> { fixed, owned }, each what it is or nil; nil:
  -- none. They are noted from the first time on.
  function areas.take_noted()
    local list
    for id in pairs(noted or {}) do
      list = list or {}
      list[id] = { fixed = fixed[id], owned = owned[id] }
    end
    noted = {}
    return list
  end

  -- Changes what `save` gave by what `take_noted` gave later.
  function areas.apply(saved, changes)
    for id, change in pairs(changes or {}) do
      saved.fixed[id], saved.owned[id] = change.fixed, change.owned
    end
  end

  -- The state between two ticks beside the space: a table that skynet can pack.
  function areas.save()
    return { fixed = fixed, owned = owned, ended = ended, departed = departed, former = former }
  end

  -- Takes it in. The areas themselves are in the space.
  function areas.load(saved)
    fixed, owned, of_owner, ended, departed = saved.fixed, {}, {}, saved.ended, saved.departed
    former = saved.former or {} -- nil: an earlier version has saved it
    for id, area in pairs(saved.owned) do
      set_owner(id, area)
    end
  end

  return areas
end
