-- A whole scene as a string, and a scene from such a string: the space, the addresses, and what waits for the
-- next tick.
local skynet = require "skynet"
local aoi = require "aoi"
local details = require "aoi.skynet.details"
local entities = require "aoi.skynet.entities"

-- A table of entity -> address as a command gets it, with addresses as numbers. Raises.
local function check_addresses(given)
  if type(given) ~= "table" then
    error(("load: addresses is %s, expected a table of entity and address"):format(tostring(given)), 0)
  end
  local checked = {}
  for id, value in pairs(given) do
    local address, message = entities.to_address(value)
    if math.type(id) ~= "integer" then
      error(("load: an entity in addresses is %s, expected an integer"):format(tostring(id)), 0)
    elseif address == nil then
      error(("load: entity %d: %s"):format(id, message), 0)
    end
    checked[id] = address
  end
  return checked
end

-- Reads the string of save, and the addresses that are given instead of those saved. Raises when anything in
-- them is wrong.
local function unpack_saved(saved, given)
  local ok, state = pcall(skynet.unpack, saved)
  if type(saved) ~= "string" or not ok or type(state) ~= "table" or state.scene ~= 2 then
    error("load: this is no string of save", 0)
  end
  state.addresses = check_addresses(given == nil and state.addresses or given)
  return state, aoi.load(state.space)
end

-- `scene` is the table of scene.lua, `ticks` of ticks.lua, `handlers` of handlers.lua.
return function(scene, ticks, handlers)
  local saving = {}

  local function all()
    return skynet.packstring {
      scene = 2, -- version of this table
      space = scene.space:save(),
      dims = scene.dims,
      tick = scene.tick,
      addresses = scene.addresses.of,
      unsaid = scene.unsaid,
      details = scene.details:save(),
      streams = scene.streams:save(),
      own = handlers.save(),
    }
  end

  -- The string; or nil and a message.
  function saving.save()
    local ok, result = pcall(all)
    if not ok then
      return nil, "save: " .. tostring(result):gsub("^save: ", "")
    end
    return result
  end

  -- Ends the streams of what is here, and begins those of what was saved: later ones, so that nobody takes a
  -- block for one that it has seen. Every address is told all that its entities see.
  local function put_addresses(state, given)
    local streams, former = scene.streams, state.streams.of
    for id, address in pairs(scene.addresses.of) do
      former[id] = streams.later(former[id], streams.of[id])
      streams:finish(id, address)
      scene.addresses:set(id, nil)
    end
    streams:load(state.streams, not given)
    scene.newcomers, scene.owed, scene.changes = {}, {}, {}
    for id, address in pairs(state.addresses) do
      if address and scene.space:has(id) then
        streams:begin(id, nil, former[id])
        streams:returned(id, address)
        scene.addresses:set(id, address)
        scene.newcomers[id] = true
      end
    end
  end

  -- The space that was loaded and what belongs to it take the place of what is here. given: see load.
  local function put(space, state, given)
    scene.records.finish()
    scene.space:close()
    scene.space, scene.dims, scene.tick = space, state.dims, state.tick
    scene.is_crowd = entities.is_crowd(space)
    scene.unsaid, scene.details, scene.orphans = state.unsaid, details.new(state.details), {}
    scene.records.go_on()
    put_addresses(state, given)
    ticks.start()
  end

  -- Takes the saved scene in place of what is in this one. given: entity -> address instead of those saved;
  -- they are told all that their entities see. Returns true, or nil and a message; then all is as before,
  -- unless the message says otherwise.
  function saving.load(saved, given)
    local ok, state, space = pcall(unpack_saved, saved, given)
    if not ok then
      return nil, state
    end
    local done, message = handlers.replace(nil, state.own, function()
      put(space, state, given)
    end)
    if scene.space ~= space then
      space:close()
    end
    ticks.changed()
    return done, message and "load: " .. message
  end

  return saving
end
