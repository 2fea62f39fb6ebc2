-- A world that stands still is asked from every node, and answers as one space does.
local skynet = require "skynet"
local worlds = require "spec.world.worlds"
local aoi = require "aoi"
local meeting = require "spec.world.meeting"
local new_random = require("spec.support.random").new

local SIDE, ENTITIES, RADII = 1200, 300, { 50, 100 }
local FIXED, OWNED = 24, 1000 -- areas without owner have ids up to FIXED, as many with one ids above OWNED
local OPTIONS = { engine = "grid", width = SIDE, height = SIDE, radius = 50 }

local function words_of(control, node)
  local words = {
    "node=" .. control.nodes[node], "nodes=" .. table.concat(control.nodes, ","), "columns=2", "rows=2",
    "max_radius=100", "margin=10", "tick=50", "name=asked", "regions=" .. tostring(node <= 4),
  }
  for name, value in pairs(OPTIONS) do
    words[#words + 1] = name .. "=" .. tostring(value)
  end
  return words
end

-- Lists of ids have no order, but for the nearest and for places.
local function text_of(shape, ...)
  local texts = {}
  for i = 1, select("#", ...) do
    local value = select(i, ...)
    if type(value) == "table" then
      if shape ~= "nearest" and shape ~= "positions" then
        value = table.move(value, 1, #value, 1, {})
        table.sort(value)
      end
      value = table.concat(value, " ")
    end
    texts[i] = tostring(value)
  end
  return table.concat(texts, "; ")
end

-- Questions of all kinds about places near borders and ids in all regions.
local function questions(draw)
  local list = { { "ids" }, { "areas" }, { "has", 1 }, { "has", -5 }, { "position", 9999 },
    { "explain", 1, 9999 } }
  for _ = 1, 12 do
    local x, y, r = draw:integer(0, SIDE), draw:integer(0, SIDE), draw:integer(1, 400)
    local a, b = draw:integer(1, ENTITIES), draw:integer(1, ENTITIES)
    for _, question in ipairs {
      { "rect", x - r, y - r, x + r, y + r / 2 }, { "circle", x, y, r }, { "circle", 600, 600, 1 },
      { "sector", x, y, r, 1, 2 }, { "segment", x, y, SIDE - y, x, 30 }, { "nearest", x, y, 7 },
      { "nearest", 600, 600, 3 }, { "nearest", x, y, 50, r }, { "watchers_of", a }, { "markers_of", a },
      { "told_markers_of", a }, { "told_watchers_of", a }, { "sees", a, b }, { "explain", a, b },
      { "position", a },
      { "radius", b }, { "has", b }, { "areas_of", a }, { "members_of", a % FIXED + 1 },
      { "members_of", OWNED + a % FIXED + 1 }, { "in_area", b % FIXED + 1, a },
      { "in_area", OWNED + a % FIXED + 1, b },
    } do
      list[#list + 1] = question
    end
  end
  list[#list + 1] = { "positions", { 1, 2, 3, 250, 77, 78, 79 }, 7 }
  return list
end

-- Errors are as those of one space, too.
local WRONG = {
  { "circle", 1, 2 }, { "circle", 1, 2, "3" }, { "watchers_of", 9999 }, { "told_watchers_of", 9999 },
  { "rect" },
  { "nearest", 1, 2 }, { "markers_of", "x" }, { "members_of", 9999 }, { "areas_of", 9999 },
  { "in_area", 9999, 1 }, { "in_area", 1, 9999 }, { "members_of", "x" }, { "in_area", 1, 2.5 },
}

local METHODS = {
  rect = "query_rect", circle = "query_circle", sector = "query_sector", segment = "query_segment",
  nearest = "query_nearest",
}

-- The counts of all nodes and regions in one call, from any node, and their sums.
local function expect_whole_stats(control)
  local function expect_equal(got, expected, what)
    if got ~= expected then
      error(("stats of the world: %s is %s, expected %s"):format(what, got, expected), 0)
    end
  end
  for asked = 1, #control.nodes do
    local stats = control.tell(asked, "world", "stats", "world")
    for _, of in ipairs { "by_node", "by_region" } do
      for _, name in ipairs { "owned", "ghosts", "hand_overs", "border_bytes", "bytes_sent" } do
        local sum = 0
        for _, counts in pairs(stats[of]) do
          sum = sum + (counts[name] or 0) -- a node without regions has none
        end
        expect_equal(sum, stats[name], ("%s of %s"):format(name, of))
      end
    end
    for node, name in ipairs(control.nodes) do
      local counts = stats.by_node[name]
      expect_equal(counts.regions, node <= 4 and 1 or 0, "regions of node " .. name)
      expect_equal(counts.members, #control.nodes, "members, by " .. name)
      expect_equal(counts.node_bytes > 0, true, "node_bytes > 0 of " .. name)
      expect_equal(node > 4 or stats.by_region[node].node == name, true, "the node of region " .. node)
    end
    expect_equal(stats.owned, ENTITIES, "owned")
    expect_equal(stats.entities_of_world, ENTITIES, "entities_of_world")
    expect_equal(stats.ghosts > ENTITIES / 3, true, "ghosts > a third of the entities")
    expect_equal(stats.regions, 4, "regions")
  end
end

-- Areas of all sizes, over borders, and some on entities; and some commands that are refused.
local function add_areas(control, space, draw)
  local function both(name, ...)
    local expected = table.pack(pcall(space[name], space, ...))
    local got = table.pack(control.tell(draw:integer(1, #control.nodes), "world", name, ...))
    if (got[1] == true) ~= expected[1] or not expected[1] and got[2] ~= expected[2] then
      error(("%s: the world says %s, one space %s"):format(name, tostring(got[2]), tostring(expected[2])), 0)
    end
  end
  meeting.for_each(FIXED, function(i)
    local x, y, r = draw:integer(0, SIDE), draw:integer(0, SIDE), draw:integer(1, 500)
    local polygon = { shape = "polygon", points = { x - r, y, x + r, y - r, x + r, y + r } }
    local owner = draw:integer(1, ENTITIES)
    both("add_area", i, i % 3 == 0 and polygon or { x = x, y = y, radius = r })
    both("add_area", OWNED + i, { owner = owner, radius = r % 100 })
    both("add_area", i % 2 == 0 and i or OWNED + i, { x = y, y = x, radius = r })
    both("set_area", i, { radius = -1 })
    if i % 3 ~= 0 then
      both("move_area", i, y, x)
    end
    both("set_area", OWNED + i, { shape = "rect", width = r % 50, height = r % 20 })
    both("add_area", 3 * OWNED + i, { owner = owner, radius = 1 })
    both("remove_area", 3 * OWNED + i)
    both("remove_area", 3 * OWNED + i)
  end)
end

return function(control)
  local draw = new_random(7)
  worlds.start(control, words_of)
  local options = { deferred = true }
  for name, value in pairs(OPTIONS) do
    options[name] = value
  end
  local space = aoi.new(options)
  for id = 1, ENTITIES do
    local x, y = draw:integer(0, SIDE), draw:integer(0, SIDE)
    if id % 3 == 0 then -- near the corner of all regions
      x, y = draw:integer(560, 640), draw:integer(560, 640)
    end
    local opts = { radius = RADII[id % 2 + 1], mode = id % 7 == 0 and "w" or id % 5 == 0 and "m" or "wm" }
    space:enter(id, x, y, opts)
    opts.address = false
    skynet.fork(control.tell, id % #control.nodes + 1, "world", "enter", id, x, y, opts)
  end
  space:tick()
  while control.tell(1, "world", "stats").entities_of_world < ENTITIES do
    skynet.sleep(10)
  end
  add_areas(control, space, draw)
  control.tell(1, "world", "tick")
  control.tell(1, "world", "tick")
  local asked = 0
  local function compare(node, question)
    local method = METHODS[question[1]] or question[1]
    local expected = table.pack(pcall(space[method], space, table.unpack(question, 2)))
    if expected[1] then
      expected = text_of(question[1], table.unpack(expected, 2, expected.n))
    else
      expected = text_of(nil, nil, expected[2])
    end
    local got = text_of(question[1], control.tell(node, "world", "query", table.unpack(question)))
    local is_far = question[1] == "explain" and got == "range" and (expected == "mode" or expected == "layer")
    if got ~= expected and not is_far then
      error(("node %d says of %s: %s, one space says %s"):format(node, text_of(nil, table.unpack(question)),
        got, expected), 0)
    end
    asked = asked + 1
  end
  local list = questions(draw)
  table.move(WRONG, 1, #WRONG, #list + 1, list)
  meeting.for_each(#list, function(i)
    for node = i % 2 + 1, #control.nodes, 2 do
      compare(node, list[i])
    end
  end)
  expect_whole_stats(control)
  print(("%d questions have the answer of one space"):format(asked))
  for node = 1, #control.nodes do
    control.tell(node, "end_world")
  end
end
