-- Areas from the polygons of a map editor: a table as JSON readers make it of GeoJSON.
local refusals = require "aoi.refusals"

local zones = {}

local GEOMETRIES = '"Polygon" or "MultiPolygon"'
local ROOTS = '"FeatureCollection", "Feature", ' .. GEOMETRIES

local function complain(where, what, value, expected)
  error(("%s%s is %s, expected %s"):format(where, what, refusals.show(value), expected), 0)
end

-- One ring: x and y of each corner. The last position of a ring is its first one again, and is left out.
local function ring_of(positions, where, name)
  if type(positions) ~= "table" then
    complain(where, name, positions, "a list of positions")
  end
  local ring, n = {}, #positions
  for i, position in ipairs(positions) do
    if type(position) ~= "table" then
      complain(where, ("%s[%d]"):format(name, i), position, "a position { x, y }")
    end
    for axis = 1, 2 do
      if type(position[axis]) ~= "number" then
        complain(where, ("%s[%d][%d]"):format(name, i, axis), position[axis], "a number")
      end
      ring[#ring + 1] = position[axis]
    end
  end
  if n > 1 and ring[1] == ring[2 * n - 1] and ring[2] == ring[2 * n] then
    ring[2 * n - 1], ring[2 * n] = nil, nil
  end
  return ring
end

-- Adds the rings of a polygon, the outline first, then its holes.
local function add_rings(rings, coordinates, where, name)
  if type(coordinates) ~= "table" or #coordinates == 0 then
    complain(where, name, coordinates, "a list of rings")
  end
  for i, positions in ipairs(coordinates) do
    rings[#rings + 1] = ring_of(positions, where, ("%s[%d]"):format(name, i))
  end
end

local function rings_of(geometry, where)
  local rings, coordinates = {}, geometry.coordinates
  if geometry.type == "Polygon" then
    add_rings(rings, coordinates, where, "coordinates")
  elseif geometry.type ~= "MultiPolygon" then
    complain(where, "the type of its geometry", geometry.type, GEOMETRIES)
  elseif type(coordinates) ~= "table" or #coordinates == 0 then
    complain(where, "coordinates", coordinates, "a list of polygons")
  else
    for i, polygon in ipairs(coordinates) do
      add_rings(rings, polygon, where, ("coordinates[%d]"):format(i))
    end
  end
  return rings
end

-- The features of the table, as a list.
local function features_of(root)
  if type(root) ~= "table" then
    complain("", "the table", root, "a table with the type " .. ROOTS)
  elseif root.type == "Feature" then
    return { root }
  elseif root.type == "Polygon" or root.type == "MultiPolygon" then
    return { { type = "Feature", geometry = root } }
  elseif root.type ~= "FeatureCollection" then
    complain("", "the type of the table", root.type, ROOTS)
  elseif type(root.features) ~= "table" then
    complain("", "features", root.features, "a list of features")
  end
  return root.features
end

-- A feature as error messages name it.
local function name_of(feature, number)
  local name = type(feature.properties) == "table" and feature.properties.name
  local id = feature.id ~= nil and feature.id or name
  local kind = type(id)
  local shown = (kind == "number" or kind == "string") and (" (%s)"):format(refusals.show(id)) or ""
  return ("feature %d%s: "):format(number, shown)
end

-- The id of the area that the feature becomes.
local function id_of(feature, number, where, option)
  local id, what = feature.id, "id"
  if type(option) == "function" then
    id, what = option(feature, number), "what option id returns"
  elseif option then
    id, what = math.tointeger(option) + number - 1, "id"
  end
  local whole = math.type(id) and math.tointeger(id)
  if not whole then
    complain(where, what, id, "an integer (option id of aoi.zones can give one)")
  end
  return whole
end

local function is_id(value)
  return type(value) == "function" or math.type(value) ~= nil and math.tointeger(value) ~= nil
end

local OPTIONS = {
  id = function(value)
    return not is_id(value) and "a function(feature, number), or the id of the first area" or nil
  end,
  sees_layers = function(value)
    local bits = math.type(value) and math.tointeger(value)
    local fits = bits and -1 <= bits and bits <= 0xFFFFFFFF
    return not fits and "an integer from 0 to 4294967295, or -1 for all bits" or nil
  end,
}

-- With an id that counts up: so far that each feature gets one.
local function check_first_id(first, features)
  if math.type(first) and math.tointeger(first) > math.maxinteger - #features + 1 then
    complain("", "option id", first, ("an id from which %d areas can count up"):format(#features))
  end
end

-- The areas to add, as a list of { id, opts }: all is checked, so that a wrong feature leaves no half.
local function read(space, root, opts)
  local taken, found = {}, {}
  for _, area in ipairs((space:areas())) do
    taken[area] = "is that of an area in the space"
  end
  local features = features_of(root)
  check_first_id(opts.id, features)
  for number, feature in ipairs(features) do
    if type(feature) ~= "table" then
      complain("", ("features[%d]"):format(number), feature, "a feature")
    end
    local where = name_of(feature, number)
    if type(feature.geometry) ~= "table" then
      complain(where, "geometry", feature.geometry, "a table with the type " .. GEOMETRIES)
    end
    local id = id_of(feature, number, where, opts.id)
    if taken[id] then
      error(("%sid %d %s, expected another one"):format(where, id, taken[id]), 0)
    end
    taken[id] = ("is that of feature %d, too"):format(number)
    local points = rings_of(feature.geometry, where)
    local ok, message = pcall(space.query_polygon, space, points, nil, 0)
    if not ok then
      error(where .. refusals.bare(message):gsub("^query_polygon: ", ""), 0)
    end
    found[number] = { id, { shape = "polygon", points = points, sees_layers = opts.sees_layers } }
  end
  return found
end

-- aoi.zones(space, table [, opts]): each feature of the table becomes an area of the space. Returns their
-- ids in the order of the features, and how many. The first error of a handler is raised when all are there.
function zones.zones(space, root, opts)
  if not refusals.has_methods(space, "areas", "add_area") then
    refusals.refuse("zones", "space", space, "a space")
  end
  local what, value, expected = refusals.fault_of_options(opts, OPTIONS)
  if what then
    refusals.refuse("zones", what, value, expected)
  end
  local ok, found = pcall(read, space, root, opts or {})
  if not ok then
    error("zones: " .. tostring(found), 2)
  end
  local ids, failed = {}, nil -- failed: { the first error }
  for i, area in ipairs(found) do
    local is_told, message = pcall(space.add_area, space, area[1], area[2])
    failed = failed or not is_told and { message }
    ids[i] = area[1]
  end
  if failed then
    error(failed[1], 0)
  end
  return ids, #ids
end

return zones
