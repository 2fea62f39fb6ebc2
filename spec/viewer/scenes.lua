--[[ Writes a recording of a scene full of walkers, and prints what a player must show at 20 of its moments,
found by looking at every pair of walkers, without asking the space:

    lua spec/viewer/scenes.lua NAME FILE [zlib]

Each line is an object in JSON, with ids as strings: position (in ticks or calls), entities, sees, told,
events. told is what the space says: of which part of what it sees a watcher is told is shown by other
specs. ]]
local aoi = require "aoi"

local MOMENTS, UNITS, WALKERS = 20, 100, 120
local SIDE, HEIGHT = 400, 60

local scenes = {
  grid = { engine = "grid", width = SIDE, height = SIDE, radius = 40, deferred = true },
  folded = { engine = "grid", radius = 35, deferred = true },
  crosslist = { engine = "crosslist", radius = 55, dims = 3, shape = "circle", slack = 6, deferred = true },
  quadtree = {
    engine = "quadtree", width = SIDE, height = SIDE, radius = 45, shape = "circle", capacity = 8,
  },
  classic = { engine = "grid", width = SIDE, height = SIDE, cols = 10, rows = 8 },
  crowd = {
    engine = "crosslist", radius = 90, deferred = true, limit = 8, limit_layers = 3, enter_budget = 4,
    rates = { { 30, 1 }, { 60, 2 }, { math.huge, 5 } }, move_budget = 6,
  },
}

local name, path, packing = ...
local options = scenes[name]
math.randomseed(#name * 1009 + 7)

local is_classic = options.engine == "grid" and not options.radius
local has_z = options.dims == 3
local slack = options.slack or 0
local walkers, ids, events = {}, {}, {}

-- A recording space calls its handler, too, which then says what happened in the unit that ends.
local space_options = { record = true, on_event = function(watcher, marker, op)
  events[#events + 1] = ('"%d %s %d"'):format(watcher, op, marker)
end }
for key, value in pairs(options) do
  space_options[key] = value
end
local space = aoi.new(space_options)

-- ---- walking ----------------------------------------------------------------------------------

local function place_of(walker)
  return walker.x, walker.y, has_z and walker.z or nil
end

-- A walker is judged from its anchor, which stays while the walker is not more than slack away from it.
local function put(walker, x, y, z)
  walker.x, walker.y, walker.z = x, y, z
  local anchor = walker.anchor
  if not anchor or math.max(math.abs(x - anchor.x), math.abs(y - anchor.y),
    has_z and math.abs(z - anchor.z) or 0) > slack then
    walker.anchor = { x = x, y = y, z = z }
  end
end

local function anywhere()
  return math.random() * SIDE, math.random(0, SIDE) + 0.0, math.random() * HEIGHT
end

local made = 0
-- Every third id is near an end of the 64 bits, far beyond what a double can tell apart.
local function new_id()
  made = made + 1
  return made % 3 == 1 and math.maxinteger - made or made % 3 == 2 and math.mininteger + made or made
end

local MODES = { "wm", "wm", "wm", "w", "m" }

local function enter()
  local walker = { id = new_id(), mode = MODES[math.random(#MODES)], layers = 1 << math.random(0, 3),
    visible_radius = 0, sights = {} }
  walker.sees_layers = math.random(4) == 1 and math.random(0, 15) or -1
  if not is_classic then
    walker.radius = math.random(3) == 1 and math.random() * 100 or options.radius
  end
  put(walker, anywhere())
  walkers[walker.id] = walker
  ids[#ids + 1] = walker.id
  local traits = { mode = walker.mode, layers = walker.layers, sees_layers = walker.sees_layers,
    radius = walker.radius }
  if has_z then
    space:enter(walker.id, walker.x, walker.y, walker.z, traits)
  else
    space:enter(walker.id, walker.x, walker.y, traits)
  end
end

local function leave()
  local id = table.remove(ids, math.random(#ids))
  walkers[id] = nil
  space:leave(id)
end

local function bounded(coordinate, most)
  return math.max(0, math.min(most, coordinate + (math.random() - 0.5) * 20))
end

local function step(walker)
  if math.random(50) == 1 then
    put(walker, anywhere())
  else
    put(walker, bounded(walker.x, SIDE), bounded(walker.y, SIDE), bounded(walker.z, HEIGHT))
  end
end

local function move()
  local walker = walkers[ids[math.random(#ids)]]
  step(walker)
  space:move(walker.id, place_of(walker))
end

local function move_many()
  local rows = {}
  for i = 1, #ids, math.random(2) do
    local walker = walkers[ids[i]]
    step(walker)
    rows[#rows + 1] = walker.id
    for _, coordinate in ipairs { place_of(walker) } do
      rows[#rows + 1] = coordinate
    end
  end
  space:move_all(rows)
end

-- An entity that is seen from further off, or a word about a pair.
local function change_sight()
  local walker, other = walkers[ids[math.random(#ids)]], ids[math.random(#ids)]
  if not is_classic and math.random(2) == 1 then
    walker.visible_radius = math.random() * 200
    space:set_visible_radius(walker.id, walker.visible_radius)
  elseif other ~= walker.id then
    walker.sights[other] = math.random(2) == 1
    space:set_sight(walker.id, other, walker.sights[other])
  else
    walker.mode = "wm"
    space:set_mode(walker.id, walker.mode)
  end
end

local function change()
  local walker = walkers[ids[math.random(#ids)]]
  walker.sees_layers = math.random(0, 15)
  space:set_sees_layers(walker.id, walker.sees_layers)
  if options.limit then
    space:set_importance(walker.id, math.random(0, 255))
    space:pin(walker.id, ids[math.random(#ids)])
  end
end

-- ---- looking ----------------------------------------------------------------------------------

-- The number of the nine-grid's cell along an axis; the last one takes in the far border.
local function cell(coordinate, count)
  return math.min(count - 1, math.floor(coordinate / (SIDE / count)))
end

local function is_in_view(watcher, marker)
  local w, m = watcher.anchor, marker.anchor
  if is_classic then
    return math.abs(cell(watcher.x, options.cols) - cell(marker.x, options.cols)) <= 1
      and math.abs(cell(watcher.y, options.rows) - cell(marker.y, options.rows)) <= 1
  end
  local dx, dy, dz = m.x - w.x, m.y - w.y, has_z and m.z - w.z or 0
  local r = math.max(watcher.radius, marker.visible_radius)
  return w.x - r <= m.x and m.x <= w.x + r and w.y - r <= m.y and m.y <= w.y + r
    and (not has_z or w.z - r <= m.z and m.z <= w.z + r)
    and (options.shape ~= "circle" or dx * dx + dy * dy + dz * dz <= r * r)
end

local function sees(watcher, marker)
  if watcher == marker or watcher.mode == "m" or marker.mode == "w" then
    return false
  elseif watcher.sights[marker.id] ~= nil then
    return watcher.sights[marker.id]
  end
  return marker.layers & watcher.sees_layers ~= 0 and is_in_view(watcher, marker)
end

local function texts(list)
  local result = {}
  for i, id in ipairs(list) do
    result[i] = ('"%d"'):format(id)
  end
  table.sort(result)
  return "[" .. table.concat(result, ",") .. "]"
end

local MODE_BITS = { w = 1, m = 2, wm = 3 }

local function describe(position)
  local entities, seen, told = {}, {}, {}
  for i, id in ipairs(ids) do
    local watcher, markers = walkers[id], {}
    for _, other in ipairs(ids) do
      if sees(watcher, walkers[other]) then
        markers[#markers + 1] = other
      end
    end
    entities[i] = ('["%d",%.17g,%.17g,%.17g,%.17g,%d,%d,%d]'):format(id, watcher.x, watcher.y,
      has_z and watcher.z or 0, watcher.radius or 0, MODE_BITS[watcher.mode], watcher.layers,
      watcher.sees_layers & 0xFFFFFFFF)
    seen[i] = ('"%d":%s'):format(id, texts(markers))
    told[i] = ('"%d":%s'):format(id, texts((space:told_markers_of(id))))
  end
  print(('{"position":%d,"entities":[%s],"sees":{%s},"told":{%s},"events":[%s]}'):format(position,
    table.concat(entities, ","), table.concat(seen, ","), table.concat(told, ","),
    table.concat(events, ",")))
end

-- ---- the scene --------------------------------------------------------------------------------

for _ = 1, WALKERS do
  enter()
end
if options.deferred then
  space:tick()
end

local recorder = aoi.recorder(space, path, {
  keyframe_bytes = options.deferred and 100000 or 5000,
  keyframe_ticks = 40,
  zlib = packing == "zlib" and require "zlib" or nil,
})
local function position()
  local stats = space:stats()
  return options.deferred and stats.tick or stats.calls
end

local CHANGES = { move, move, move, move, move_many, enter, leave, change, change_sight }
for unit = 1, UNITS do
  for i = 1, options.deferred and 30 or 1 do
    events = {}
    CHANGES[math.random(#CHANGES)]()
    if i == 15 and unit % 7 == 3 then -- keyframes may come between two ticks
      recorder:write()
    end
  end
  if options.deferred then
    space:tick()
  end
  if unit % 7 == 0 then
    recorder:write()
  end
  if unit % (UNITS // MOMENTS) == 0 then
    describe(position())
  end
end
recorder:close()
