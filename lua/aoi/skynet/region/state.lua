-- All that a region is at the boundary of two ticks, as one string, and a region that goes on from there:
-- what it tells is what the other one would have told.
--
-- What belongs to entities is in it as parts.lua has it. What else keeps something between ticks joins with
-- functions save and load. What the user's handlers keep is not in the string: their hook save gives it.
local skynet = require "skynet"
local aoi = require "aoi"
local entities = require "aoi.skynet.entities"

local VERSION = 3

-- The fields of the scene that are plain tables and numbers.
local FIELDS = {
  "number", "owned", "changed", "renewed", "speeches", "touched", "handler_commands",
}

local region_state = {}

-- `scene` is the table of region.lua; `files` has of_entity, of parts.lua.
function region_state.new(scene, files)
  local state = {}
  local names, parts = {}, {}

  -- Another part of the region: part.save() returns a value for skynet.pack, or nil for nothing;
  -- part.load(value) takes it, in the order in which parts were added, behind the space, the scene's own and
  -- what belongs to entities.
  function state.add(name, part)
    names[#names + 1], parts[name] = name, part
  end

  -- The string. To be called between the `finish` of a tick and the `begin` of the next. Raises when memory
  -- is short. O(what the region has).
  function state.save()
    local fields, values = {}, {}
    for _, name in ipairs(FIELDS) do
      fields[name] = scene[name]
    end
    for _, name in ipairs(names) do
      values[name] = parts[name].save()
    end
    local all = {
      region_state = VERSION, region = scene.region, handlers = scene.options.handlers,
      space = scene.space:save(), fields = fields, parts = values,
    }
    files.of_entity.save("move", all)
    return skynet.packstring(all)
  end

  -- Takes in what `save` gave in another service. To be called before the handlers have started. Raises when
  -- the string is none of a region of this number; then this one is of no use.
  function state.load(text)
    local ok, saved = pcall(skynet.unpack, text)
    if not ok or type(saved) ~= "table" or saved.region_state ~= VERSION then
      error("load: this is no string of a region's save", 0)
    elseif saved.region ~= scene.region then
      error(("load: this is the string of region %s, expected one of region %d"):format(saved.region,
        scene.region), 0)
    end
    local space = aoi.load(saved.space)
    scene.space:close()
    scene.space, scene.is_crowd = space, entities.is_crowd(space)
    scene.options.handlers = saved.handlers
    for _, name in ipairs(FIELDS) do
      scene[name] = saved.fields[name]
    end
    files.of_entity.load("move", saved)
    for _, name in ipairs(names) do
      if saved.parts[name] ~= nil then
        parts[name].load(saved.parts[name])
      end
    end
  end

  return state
end

return region_state
