-- Steps of the entities of a scene: a place, and with it the extras. Most messages of all ask for one.
local own_state = require "aoi.skynet.own_state"

local single = require("aoi.core").single

local math_type = math.type

-- `scene` is the table of scene.lua: space, dims, counters, extra_values, own; `ticks` is of ticks.lua.
return function(scene, ticks)
  local steps = {}
  local extras, counters, mine, departing = scene.extra_values, scene.counters, scene.own, scene.departing
  local n_extras, extras_of = extras.n, extras.of

  -- The complaint about what a command carries; nil: none. What is no table is nothing.
  function steps.problem_with_carried(method, carried)
    local problem = type(carried) == "table" and own_state.problem_with_all(carried)
    return problem and method .. ": " .. problem or nil
  end

  -- The complaint about a change of an entity that another scene is asked to take; nil: it is not on its way.
  function steps.problem_with_way(method, id)
    return departing[id] and ("%s: entity %d is on its way to another scene"):format(method, id) or nil
  end

  -- The next tick tells of an entity as of one that has moved, also where it stands still.
  function steps.touch(id)
    if scene.touched then
      scene.touched[id] = true -- other regions tell so, too
    end
    if not pcall(scene.space.touch, scene.space, id) then
      ticks.tell_all_anew() -- memory was short
    end
  end

  -- Calls a method of the space that moves the entity, which has these extras from then on; nil:
  -- those that it has. Without ticks the method itself tells. Returns true and its result, or nil and a
  -- message.
  function steps.take(method, id, made, ...)
    local before = made and extras_of[id]
    local is_other = made and extras:put(id, made)
    local ok, result = pcall(scene.space[method], scene.space, id, ...)
    if is_other and not ok then
      extras:put(id, before)
    elseif is_other and scene.tick > 0 then
      steps.touch(id) -- without ticks the method itself has told
    end
    return ok or nil, result
  end

  -- ---- the command `move` -----------------------------------------------------------------------

  -- The values behind x and y in a step: z; the extras, nil: none, false: they are wrong; and the
  -- table that it carries, nil: none.
  local function behind_many(z, ...)
    local list = scene.dims == 2 and table.pack(z, ...) or table.pack(...)
    local carried
    while list.n > 0 and (list[list.n] == nil or not carried and type(list[list.n]) == "table") do
      carried = carried or list[list.n]
      list[list.n], list.n = nil, list.n - 1
    end
    return scene.dims == 3 and z or nil, extras:given(table.unpack(list, 1, list.n)), carried
  end

  -- The values with one extra, as most scenes with extras have; without any detour.
  local function behind_one(z, value, carried, more)
    if scene.dims == 2 then
      z, value, carried, more = nil, z, value, carried
    end
    if more ~= nil or carried ~= nil and type(carried) ~= "table" then
      return z, false
    elseif value == nil then
      return z, nil, carried
    end
    local made = single(value)
    if not made and carried == nil and type(value) == "table" then
      return z, nil, value
    end
    return z, made or false, carried
  end

  local function behind_none(z, carried)
    if type(z) == "table" then
      return nil, nil, z
    end
    return z, nil, carried
  end

  local behind = n_extras == 0 and behind_none or n_extras == 1 and behind_one or behind_many

  local NONE = {}

  -- Whether this is a step in time by what it carries, as most are; then nothing else of it is to be judged.
  local function is_in_time(id, carried)
    local streams = scene.streams
    local stream = type(carried) == "table" and carried.stream
    return stream and stream == streams.of[id] and carried.pushes == streams.pushes[id]
  end

  -- Judges any other step by own_state.lua: "step", "push" or "late"; or nil and a message.
  local function judge(source, id, carried)
    local message = carried ~= nil and steps.problem_with_carried("move", carried)
    if message then
      return nil, message
    elseif carried ~= nil and type(carried) ~= "table" then
      return nil, ("move: what it carries is %s, expected a table with stream and pushes"):format(
        tostring(carried))
    elseif not (id and scene.space:has(id)) then
      return "step"
    end
    local step = carried or NONE
    return mine.judge(id, source, step.stream, step.pushes)
  end

  -- Behind the place stand all extras or none, and perhaps { stream =, pushes = }. Returns true, and false
  -- when it came too late; or nil and a message.
  function steps.move(source, id, x, y, ...)
    local z, made, carried = behind(...)
    if made == false then
      return nil, "move: " .. extras:complaint(select(scene.dims - 1, ...))
    end
    local key, take_back = math_type(id) and math.tointeger(id), nil
    if not is_in_time(key, carried) then
      local how, message = judge(source, key, carried)
      if not how then
        return nil, message
      elseif how == "late" then
        return true, false
      end
      take_back = how == "push" and mine.push(key)
    end
    local ok, message
    if departing[key] then
      message = steps.problem_with_way("move", key)
    elseif made and (scene.tick == 0 or scene.space:pending() > 0) then -- handlers may run, and wait
      ok, message = steps.take("move", key or id, key and made, x, y, z)
    else
      local space = scene.space
      ok, message = pcall(space.move, space, key or id, x, y, z)
      if made and ok and extras_of[key] ~= made then
        extras:put_other(key, made)
        steps.touch(key)
      end
    end
    if not ok then
      if take_back then
        take_back()
      end
      return nil, message
    end
    ticks.changed()
    counters.moves = counters.moves + 1
    return true
  end

  return steps
end
