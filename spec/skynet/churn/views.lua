-- Views in a map of the churn run, and members of its areas, by brute force: from the places of clients by
-- their own records, the traits that they believe to have, and the sights that the scene names.
local Model = require "spec.support.model"
local harness = require "spec.skynet.harness"
local maps = require "spec.skynet.churn.maps"

local views = {}

local TRAITS = { "radius", "visible_radius", "layers", "sees_layers" }

local function set_sights(map, model, id)
  local list = harness.command(map.scene, "query", "sights", id)
  for i = 1, #list, 2 do
    model:set_sight(id, list[i], list[i + 1])
  end
end

local function model_of(map, believed)
  local model = Model.new(map.space)
  for id, belief in pairs(believed) do
    local opts = {}
    for _, name in ipairs(TRAITS) do
      opts[name] = belief.own and belief.own.traits[name] or nil
    end
    model:enter(id, belief.x, belief.y, opts)
  end
  for id in pairs(believed) do
    set_sights(map, model, id)
  end
  return model
end

local function distance(one, other)
  return math.sqrt((one.x - other.x) ^ 2 + (one.y - other.y) ^ 2)
end

-- Of those that a watcher in a crowd sees, exactly so many are told, and nobody else is nearer by the
-- factor. Returns the told ones.
local function told_of(map, belief, believed, view, problems)
  local told, n, farthest, seen = {}, 0, 0, 0
  for id in pairs(view) do
    seen = seen + 1
    if belief.seen[id] then
      told[id], n = true, n + 1
      farthest = math.max(farthest, distance(belief, believed[id]))
    end
  end
  if n ~= math.min(seen, map.crowd.limit) then
    problems[#problems + 1] = ("%s: %d sees %d, and is told of %d"):format(map.name, belief.id, seen, n)
  end
  for id in pairs(view) do
    if not told[id] and distance(belief, believed[id]) * map.crowd.keep_factor < farthest then
      problems[#problems + 1] = ("%s: %d is not told of %d, which is nearer by the factor"):format(map.name,
        belief.id, id)
    end
  end
  return told
end

-- The views in a map: watcher -> set of the ids that it must know. In a crowd that is a part of the view: the
-- watcher itself says which one, and it must be by the rules; what is not is appended to problems.
function views.of(map, believed, problems)
  local model, all = model_of(map, believed), {}
  for id, watcher in pairs(model.entities) do
    local view = {}
    for other, marker in pairs(model.entities) do
      view[other] = other ~= id and model:entity_sees(watcher, marker) or nil
    end
    all[id] = map.crowd and told_of(map, believed[id], believed, view, problems) or view
  end
  return all
end

local function compare_members(map, area, at, owner, believed, problems)
  local members = {}
  for _, id in ipairs((harness.command(map.scene, "query", "members_of", area))) do
    members[id] = true
  end
  for id, belief in pairs(believed) do
    local is_inside = id ~= owner and distance(belief, at) <= maps.AREA_RADIUS
    if is_inside ~= (members[id] or false) then
      problems[#problems + 1] = ("%s: %d at %g, %g is %s of area %d at %g, %g"):format(map.name, id, belief.x,
        belief.y, members[id] and "a member" or "no member", area, at.x, at.y)
    end
  end
end

-- The areas of a scene must be that in its middle and those of its guards, with the members by brute force.
function views.compare_areas(map, believed, problems)
  local owners = { [maps.MIDDLE] = false }
  for id in pairs(believed) do
    if maps.is_guard(id) then
      owners[maps.GUARDED + id] = id
    end
  end
  local areas = harness.command(map.scene, "query", "areas")
  for _, area in ipairs(areas) do
    if owners[area] == nil then
      problems[#problems + 1] = ("%s has area %d, whose owner is not there"):format(map.name, area)
    else
      compare_members(map, area, believed[owners[area]] or { x = 100, y = 100 }, owners[area], believed,
        problems)
      owners[area] = nil
    end
  end
  for area in pairs(owners) do
    problems[#problems + 1] = ("%s has no area %d"):format(map.name, area)
  end
end

return views
