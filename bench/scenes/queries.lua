-- Questions and queries in worlds of three densities, their result written into a table that is used again.
local measure = require "bench.measure"
local output = require "bench.output"
local features = require "bench.features"
local Random = require "spec.support.random"
local spaces = require "bench.spaces"
local worlds = require "bench.worlds"

local queries = { name = "queries", text = "questions and queries by density" }

-- The corners of a regular polygon; made anew for each query, in the same table.
local rings = {}
local function around(x, y, corners)
  local ring = rings[corners] or {}
  rings[corners] = ring
  for i = 1, corners do
    local turn = 2 * math.pi * i / corners
    ring[2 * i - 1], ring[2 * i] = x + 50 * math.cos(turn), y + 50 * math.sin(turn)
  end
  return ring
end

local kinds = {
  { "sees", function(space, id) space:sees(id, id + 1) end },
  { "position", function(space, id) space:position(id) end },
  { "markers_of", function(space, id, _, _, t) space:markers_of(id, t) end },
  { "watchers_of", function(space, id, _, _, t) space:watchers_of(id, t) end },
  { "query_rect", function(space, _, x, y, t) space:query_rect(x - 50, y - 50, x + 50, y + 50, t) end,
    "100 x 100" },
  { "query_circle", function(space, _, x, y, t) space:query_circle(x, y, 50, t) end, "radius 50" },
  { "query_sector", function(space, _, x, y, t) space:query_sector(x, y, 50, 1, 1, t) end,
    "radius 50, 1 rad" },
  { "query_segment", function(space, _, x, y, t) space:query_segment(x, y, x + 100, y + 100, 10, t) end,
    "141 long, 10 wide" },
  { "query_polygon", function(space, _, x, y, t) space:query_polygon(around(x, y, 10), t) end,
    "10 corners, radius 50" },
  { "query_polygon", function(space, _, x, y, t) space:query_polygon(around(x, y, 1000), t) end,
    "1,000 corners, radius 50" },
  { "query_nearest", function(space, _, x, y, t) space:query_nearest(x, y, 10, nil, t) end, "10 nearest" },
}

local function run_in(name)
  local world = worlds.named(name, 0)
  local draw = Random.draws(5)
  local count = measure.settings.moves // 10
  local ids, xs, ys = {}, {}, {}
  for i = 1, count do
    ids[i] = 1 + math.floor(draw() * (world.entities - 1))
    xs[i], ys[i] = draw() * world.size, draw() * world.size
  end
  for _, engine in ipairs(features.engines) do
    if features.has(engine) then
      local space = spaces.filled(engine, world, spaces.enter_leave)
      local cases, missing = {}, {}
      for _, kind in ipairs(kinds) do
        if features.has_method(kind[1]) then
          local ask, found = kind[2], {}
          cases[#cases + 1] = {
            kind = kind, calls = count,
            play = function()
              for i = 1, count do
                ask(space, ids[i], xs[i], ys[i], found)
              end
            end,
          }
        else
          missing[#missing + 1] = kind[1]
        end
      end
      measure.run(cases)
      output.note(("%s, %s"):format(engine, worlds.definitions[name].text))
      output.header()
      for _, case in ipairs(cases) do
        local query, what = case.kind[1], case.kind[3]
        output.row(("queries/%s/%s/%s"):format(engine, query, name),
          what and query .. ", " .. what or query, case,
          { engine = engine, query = query, world = name })
      end
      for _, query in ipairs(missing) do
        output.missing(query)
      end
      space:close()
    else
      output.missing(engine)
    end
  end
end

function queries.run()
  for _, name in ipairs { "B", "C", "S" } do
    run_in(name)
  end
  output.note("each through one Lua function call more, which is part of the time.")
end

return queries
