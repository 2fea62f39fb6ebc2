-- A whole scene as a string, and a scene from such a string: the space, and what belongs to its entities.
local skynet = require "skynet"
local aoi = require "aoi"
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

local VERSION = 4 -- of the string

-- Reads the string of save, and the addresses that are given instead of those saved. dims: that it has to
-- have, as a store is read by a scene that is started with the same options; nil: any. Raises when anything
-- in them is wrong.
local function unpack_saved(saved, given, dims)
  local ok, state = pcall(skynet.unpack, saved)
  if type(saved) ~= "string" or not ok or type(state) ~= "table" or not math.type(state.scene) then
    error("load: this is no string of save", 0)
  elseif state.scene ~= VERSION then
    error(("load: the string of save has version %d, expected %d"):format(state.scene, VERSION), 0)
  end
  if dims and state.tick == 0 then
    error("load: the scene that was saved has no ticks, expected one with ticks, as a store needs them", 0)
  elseif dims and state.dims ~= dims then
    error(("load: the scene that was saved has %s dimensions, expected %d, as this one with its store")
      :format(state.dims, dims), 0)
  end
  state.addresses = check_addresses(given == nil and state.addresses or given)
  return state, aoi.load(state.space)
end

-- `scene` is the table of scene.lua; `parts` has ticks, handlers and perhaps store, each of the file of its
-- name, and of_entity, of parts.lua.
return function(scene, parts)
  local saving = {}

  local function all()
    local state = {
      scene = VERSION,
      space = scene.space:save(), dims = scene.dims, tick = scene.tick,
    }
    parts.of_entity.save("save", state)
    return skynet.packstring(state)
  end

  -- The string; or nil and a message.
  function saving.save()
    local ok, result = pcall(all)
    if not ok then
      return nil, "save: " .. tostring(result):gsub("^save: ", "")
    end
    return result
  end

  -- The space that was loaded and what belongs to it take the place of what is here. given: see load.
  local function put(space, state, given)
    scene.records.finish()
    scene.space:close()
    scene.space, scene.dims, scene.tick = space, state.dims, state.tick
    scene.is_crowd = entities.is_crowd(space)
    scene.records.go_on()
    parts.of_entity.load("save", state, given ~= nil)
    scene.views.flush() -- before somebody ends the scene from which agents come
    parts.ticks.start()
  end

  -- Takes the saved scene in place of what is in this one. given: entity -> address instead of those saved;
  -- they are told all that their entities see. Returns true, or nil and a message; then all is as before,
  -- unless the message says otherwise.
  function saving.load(saved, given)
    local ok, state, space = pcall(unpack_saved, saved, given, parts.store and scene.dims)
    if not ok then
      return nil, state
    end
    local done, message = parts.handlers.replace(nil, state.own, function()
      put(space, state, given)
    end)
    if scene.space ~= space then
      space:close()
    end
    parts.ticks.changed()
    return done, message and "load: " .. message
  end

  return saving
end
