-- Draws shape queries, with unusual arguments.
local draw_areas = require "spec.everything.generator_areas"

local queries = {}

local make = {}

function make.query_rect(c)
  return { a = c.v:point(), b = c.v:point() }
end

function make.query_circle(c)
  return { a = c.v:point(), r = c.v:radius() }
end

function make.query_sector(c)
  local r = c.random
  return { a = c.v:point(), r = c.v:radius(), direction = r:float(-7.0, 7.0),
    angle = r:pick { r:float(0.0, 3.0), r:float(3.2, 6.2), 7.0 } }
end

function make.query_segment(c)
  return { a = c.v:point(), b = c.v:point(), width = c.v:radius() }
end

function make.query_polygon(c)
  return { points = draw_areas.draw_points(c) }
end

function make.query_nearest(c)
  local r = c.random
  return { a = c.v:point(), k = r:pick { 0, 1, 2, 5, 100 }, max_r = r:chance(0.4) and c.v:radius() or nil }
end

local EXACT = { "query_rect", "query_circle", "query_nearest" }
local ALL = {
  "query_rect", "query_circle", "query_nearest", "query_sector", "query_segment", "query_polygon",
}

function queries.draw(c)
  local r = c.random
  local name = r:pick(c.v:is_tame() and ALL or EXACT)
  local call = make[name](c)
  call.name = name
  call.packed = r:chance(0.2) or nil
  call.bits = r:chance(0.2) and c.v:layers() or nil
  return call
end

return queries
