-- The maps of the churn run: the options of their scenes, and how a scene starts, is killed and comes back.
local skynet = require "skynet"
require "skynet.manager"

local maps = {}

-- Each map has another engine, and not all of them have ticks or a store; the last is a crowd. settling: when
-- nothing moves, all is told in so many ticks; nil: in 2.
maps.list = {
  { name = "meadow", space = { engine = "grid", width = 320, height = 320, radius = 50 },
    words = { "tick=100" }, has_store = true },
  { name = "square",
    space = { engine = "quadtree", width = 240, height = 240, radius = 40, shape = "circle" },
    words = { "tick=50", "places=float" }, has_store = true, has_floats = true },
  { name = "cave", space = { engine = "crosslist", radius = 30 }, words = { "tick=0" } },
  { name = "fair", space = { engine = "grid", radius = 60 }, has_store = true,
    words = { "tick=50", "limit=8", "keep_factor=1.5", "enter_budget=4", "move_budget=4",
      "rates=20:1,huge:3" },
    crowd = { limit = 8, keep_factor = 1.5 }, settling = 14 },
}

-- By their names.
maps.of = {}
for _, map in ipairs(maps.list) do
  maps.of[map.name] = map
end

-- Where an entity may be, in each map: from 0 to this, on both axes.
maps.side = { meadow = 320, square = 240, cave = 200, fair = 200 }

-- The radius of entities in each map.
maps.radius = {}
for _, map in ipairs(maps.list) do
  maps.radius[map.name] = map.space.radius
end

-- Keys of properties.
maps.LOOK, maps.MOOD = 1, 2 -- which the agent sets
maps.WOUND = 3               -- which others set
maps.SECRET, maps.PLAN = 4, 5 -- for the own agent, and for those on the layer SPIES
maps.SPIES = 4
maps.ALL_LAYERS = 0xffffffff

-- Areas: one in the middle of each map, and one around each guard.
maps.MIDDLE, maps.GUARDED = 1, 1000 -- the number of a guard's is its own more
maps.AREA_RADIUS = 40

function maps.is_guard(id)
  return id % 15 == 0
end

-- The value of a property that not everybody may know.
function maps.hidden(what, id)
  return ("%s of %d;"):format(what, id)
end

-- The layers of an entity: every third one is a spy.
function maps.layers(id)
  return id % 3 == 0 and 1 | maps.SPIES or 1
end

-- The extra of an entity, which always goes along with its place.
function maps.extra(x, y)
  return (("<f"):unpack(("<f"):pack(x - 3 * y)))
end

-- The visible radius with which an entity comes in: every tenth one is seen from far.
function maps.visible_radius(id)
  return id % 10 == 0 and 90 or 0
end

local function folder(map)
  return ("%s/churn_%s"):format(os.getenv "AOI_BUILD", map.name)
end

-- Empties the stores.
function maps.prepare()
  for _, map in ipairs(maps.list) do
    assert(os.execute(("rm -rf %s; mkdir -p %s"):format(folder(map), folder(map))))
  end
end

-- Starts the scene of a map; with a store it goes on from there. Returns its address.
function maps.start(map)
  local words = table.move(map.words, 1, #map.words, 6, { "probe=1000", "orphan=2000", "save_every=5000",
    "handlers=spec.skynet.churn.lives", "extras=1" })
  for name, value in pairs(map.space) do
    words[#words + 1] = name .. "=" .. tostring(value)
  end
  if map.has_store then
    words[#words + 1] = "store=" .. folder(map)
  end
  map.scene = skynet.newservice("scene", table.unpack(words))
  return map.scene
end

-- Kills it: nothing of it runs any more, and it has said nothing.
function maps.kill(map)
  skynet.kill(map.scene)
end

return maps
