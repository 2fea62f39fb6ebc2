-- Ghosts: what a region may see and does not own. Owners say with each tick's message what came into the
-- strip around a region, changed there, and went; a region's view is made of its own entities and these.
--
-- The model's map is a line: a region is `width` long, an entity sees as far as `sight`.
local numbers = require "spec.world_model.numbers"

local ghosts = {}

-- Regions but its own that need to know of something at x.
local function regions_near(member, x, own)
  local list = {}
  for region = math.max(0, (x - member.sight) // member.width),
    math.min(member.regions - 1, (x + member.sight) // member.width) do
    if region ~= own then
      list[region] = true
    end
  end
  return list
end

-- A member shows of its entities: shown[id] = { stay, x, regions }.
-- Adds to each message's list what is new since the tick before. gone: entities handed over in this tick; the
-- giver shows them once more, and their taker goes on from there.
function ghosts.show(member, gone, lists)
  local function tell(region, change)
    local owner = member.configuration.owners[region]
    if owner then
      change.region = region
      lists[owner][#lists[owner] + 1] = change
    end
  end
  local now = {}
  for _, entity in pairs(member.owned) do
    now[entity.id] = entity
  end
  for _, entity in ipairs(gone) do
    now[entity.id] = entity
  end
  local shown = member.shown
  for _, id in ipairs(numbers.sorted(shown)) do
    local entity = now[id]
    local stays = entity and entity.stay == shown[id].stay
    local near = stays and regions_near(member, entity.x, entity.region) or {}
    for _, region in ipairs(numbers.sorted(shown[id].regions)) do
      if not near[region] then
        tell(region, { id = id, stay = shown[id].stay })
      end
    end
  end
  for _, id in ipairs(numbers.sorted(now)) do
    local entity, old = now[id], shown[id]
    local near = regions_near(member, entity.x, entity.region)
    for _, region in ipairs(numbers.sorted(near)) do
      if not old or old.stay ~= entity.stay or old.x ~= entity.x or not old.regions[region] then
        tell(region, { id = id, stay = entity.stay, x = entity.x })
      end
    end
    shown[id] = { stay = entity.stay, x = entity.x, regions = near }
  end
  for id in pairs(shown) do
    local entity = member.owned[id]
    if not entity or entity.stay ~= shown[id].stay then
      shown[id] = nil
    end
  end
end

-- An entity was handed over to this member: its giver has shown it where it is.
function ghosts.take_over(member, entity)
  member.shown[entity.id] = {
    stay = entity.stay, x = entity.x, regions = regions_near(member, entity.x, entity.region),
  }
end

-- Takes in what a message says.
function ghosts.take_in(member, changes)
  for _, change in ipairs(changes) do
    local of_region = member.ghosts[change.region] or {}
    member.ghosts[change.region] = of_region
    local known = of_region[change.id]
    if change.x then
      of_region[change.id] = { stay = change.stay, x = change.x }
    elseif known and known.stay == change.stay then
      of_region[change.id] = nil
    end
  end
end

-- The view of each own entity: id -> id of the other -> its stay.
function ghosts.views(member)
  local views = {}
  for id, entity in pairs(member.owned) do
    local view = {}
    for other, known in pairs(member.ghosts[entity.region] or {}) do
      if other ~= id and math.abs(known.x - entity.x) <= member.sight then
        view[other] = known.stay
      end
    end
    for other, known in pairs(member.owned) do
      if known.region == entity.region then
        view[other] = other ~= id and math.abs(known.x - entity.x) <= member.sight and known.stay or nil
      end
    end
    views[id] = view
  end
  return views
end

return ghosts
