-- The two maps of the game: the options of their scenes, their doors, and who lives there.
local maps = {}

-- A wide meadow with monsters in it, and a fire.
maps.meadow = {
  width = 2000, height = 2000, radius = 100,
  options = { "tick=100", "places=float", "extras=1", "handlers=monsters" },
  start = { x = 1000, y = 900 },                       -- where the players of the game begin
  door = { x = 1000, y = 1000, to = "square" },
  fire = { x = 1100, y = 800, radius = 25 },
  monsters = {                                         -- their ids are below 0
    [-1] = { name = "wolf", x = 850, y = 950 },
    [-2] = { name = "bear", x = 1150, y = 900 },
    [-3] = { name = "orc", x = 1000, y = 1200 },
    [-4] = { name = "boar", x = 700, y = 700 },
  },
}

-- The square of a town, where everybody meets: each is told of the 30 nearest, of far ones less often.
maps.square = {
  width = 500, height = 500, radius = 100,
  options = { "tick=100", "places=float", "extras=1", "limit=30", "rates=30:1,60:2,huge:5" },
  door = { x = 250, y = 250, to = "meadow" },
}

-- A player who comes so near to a door goes through it.
maps.DOOR_RADIUS = 15

-- Layers: monsters look for players, and not for each other.
maps.PLAYERS, maps.MONSTERS = 1, 2

-- Keys of properties.
maps.MOOD = 1 -- of a monster: "calm" or "angry"
maps.LOOK = 2 -- of a player: a number, the colour
maps.LIFE = 3 -- of a player: how much of it is left, which the player alone is told
-- The extra of each entity: where its arrow points, in degrees.

maps.MOST_LIFE = 100

-- The words that the scene of a map is started with.
function maps.words(name)
  local map = maps[name]
  local words = { "engine=grid", "width=" .. map.width, "height=" .. map.height, "radius=" .. map.radius }
  return table.unpack(table.move(map.options, 1, #map.options, #words + 1, words))
end

return maps
