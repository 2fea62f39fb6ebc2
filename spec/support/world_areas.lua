-- The areas of the random worlds of hand_over_regions_spec.lua: in one space and in regions, fixed and on
-- walkers, of all shapes; how they change; and what is asked about them.

local areas = {}

local FIRST_OWNED = 101 -- ids below are of fixed areas

-- Makes the world one with areas, or without.
function areas.prepare(world, options)
  local random = world.random
  world.fixed_count = random:pick { 0, 0, 4, 10 }
  world.owned_count = random:pick { 0, 0, 4, 10 }
  world.area_share = random:pick { 0.05, 0.3 }
  -- So far reaches an owner's area at most: a strip holds its members.
  world.most_reach = 16 + 2 * (options.slack or 0)
  world.ended = {} -- where an area with an owner was when it ended, since the last tick
end

areas.methods = {}

local function shape(world, opts, most)
  local random = world.random
  local reach = random:pick { 0, 1, 3, 8, most }
  opts.shape = random:pick { "circle", "circle", "square", "rect" }
  if opts.shape == "rect" then
    opts.width, opts.height = 2 * reach, random:float(0, 2 * most)
    return
  end
  opts.radius = reach
  if random:chance(0.6) then
    opts.leave_radius = random:float(reach, most)
  end
end

local function polygon(world, opts)
  local random, place = world.random, world:some_place()
  local x, y, size = place[1], place[2], random:float(2, 30)
  opts.shape, opts.points = "polygon", { x, y, x + size, y + random:float(-1, 1), x + size / 2, y + size }
end

local function placement(world, opts)
  local place = world:some_place()
  opts.x, opts.y, opts.z = place[1], place[2], place[3]
end

-- Somebody who is inside; the region that owns it.
local function some_owner(world)
  for _ = 1, 5 do
    local id = world.random:integer(1, world.ids)
    if world.one:has(id) then
      return id, world.regions.entities[id].owner
    end
  end
end

local function sees(world, opts)
  opts.sees_layers = world.random:chance(0.3) and world.random:pick { 1, 2, 3, -1 } or nil
end

-- Makes the call in the one space and in the regions.
local function both(world, method, id, opts)
  world.one[method](world.one, id, opts)
  world.regions[method](world.regions, id, opts)
end

local function change_fixed(world, id)
  local random, known, opts = world.random, world.regions.areas[id], {}
  local choice = known and random:integer(1, 5) or 1
  if choice == 1 then -- also under an id that has just been taken away
    if known then
      both(world, "remove_area", id)
    end
    if not known or random:chance(0.5) then
      sees(world, opts)
      if random:chance(0.25) then
        polygon(world, opts)
      else
        shape(world, opts, 40)
        placement(world, opts)
      end
      both(world, "add_area", id, opts)
    end
  elseif choice == 2 and not known.points then
    placement(world, opts)
    both(world, "set_area", id, opts)
  elseif choice == 3 and not known.points then
    shape(world, opts, 40)
    both(world, "set_area", id, opts)
  elseif choice == 4 then
    polygon(world, opts)
    both(world, "set_area", id, opts)
  else
    opts.sees_layers = random:pick { 1, 2, 3, -1 }
    both(world, "set_area", id, opts)
  end
end

local function ownership(world, opts, owner)
  opts.owner = owner
  local offset = (world.most_reach - (opts.leave_radius or opts.radius or opts.width / 2)) / 2
  if opts.shape ~= "rect" and world.random:chance(0.5) then
    opts.dx, opts.dy = world.random:float(-offset, offset), world.random:float(-offset, offset)
  end
end

local function change_owned(world, id)
  local random, known, opts = world.random, world.regions.areas[id], {}
  local owner, region = some_owner(world)
  local choice = random:integer(1, 4)
  if not known then
    local ended = world.ended[id]
    if owner and (not ended or ended == region) then
      sees(world, opts)
      shape(world, opts, world.most_reach)
      ownership(world, opts, owner)
      both(world, "add_area", id, opts)
    end
  elseif choice == 1 then
    world.ended[id] = world.regions:region_of_area(id)
    both(world, "remove_area", id)
  elseif choice == 2 then
    shape(world, opts, world.most_reach)
    ownership(world, opts, known.owner)
    both(world, "set_area", id, opts)
  elseif choice == 3 and owner and region == world.regions:region_of_area(id) then
    shape(world, opts, world.most_reach)
    ownership(world, opts, owner)
    both(world, "set_area", id, opts)
  else
    opts.sees_layers = random:pick { 1, 2, 3, -1 }
    both(world, "set_area", id, opts)
  end
end

-- To be called before an entity leaves: its areas end.
function areas.methods:note_ended(owner)
  for id, area in pairs(self.regions.areas) do
    if area.owner == owner then
      self.ended[id] = self.regions:region_of_area(id)
    end
  end
end

function areas.methods:change_areas()
  local random = self.random
  for id = 1, self.fixed_count do
    if random:chance(self.area_share) then
      change_fixed(self, id)
    end
  end
  for id = FIRST_OWNED, FIRST_OWNED + self.owned_count - 1 do
    if random:chance(self.area_share) then
      change_owned(self, id)
    end
  end
  self.ended = {}
end

local function list_text(list, n)
  list = table.move(list, 1, n, 1, {})
  table.sort(list)
  return table.concat(list, " ")
end

local function check_same(what, expected, found)
  if expected ~= found then
    error(("%s: one space says %s, the regions say %s"):format(what, expected, found), 0)
  end
end

-- Compares the members of areas, as the one space and the regions say them.
function areas.methods:compare_areas()
  local regions, one = self.regions, self.one
  local ids = {}
  for id in pairs(regions.areas) do
    ids[#ids + 1] = id
    check_same("members of area " .. id, list_text(one:members_of(id)), list_text(regions:members_of(id)))
  end
  check_same("all areas", list_text(one:areas()), list_text(ids, #ids))
  for id = 1, self.ids do
    if one:has(id) then
      check_same("areas of " .. id, list_text(one:areas_of(id)), list_text(regions:areas_of(id)))
    end
  end
end

return areas
