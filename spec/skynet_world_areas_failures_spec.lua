-- Areas in a world whose nodes fail: while nodes stand still and are killed, areas are put, moved and removed
-- by agents of the others; and all are killed, and come back from their stores. When all is quiet every node
-- knows the same areas, and who is in them.
local new_random = require("spec.support.random").new
local simulated_world = require "spec.support.simulated_world"

local NODES = { "a", "b", "c", "d" } -- d has no region
local OWNED = 1000 -- ids above are of areas with an owner

local World = {} -- beside a simulated world: which areas there should be
World.__index = World

local function new_world(seed, words)
  words = words or {}
  words.columns, words.width, words.owners = 3, 750, "1,2,3"
  local self = setmetatable({ draw = new_random(seed), areas = {} }, World)
  self.all = simulated_world.new { seed = seed, nodes = NODES, wanderers = 30, words = words }:begin(1500)
  return self
end

-- Has an agent of this node ask the world. Returns the answer.
function World:ask(node, ...)
  local result = table.pack(self.all:drive(8000, self.all.control.tell, node, "world", ...))
  return table.unpack(result, 1, result.n)
end

-- Some commands about areas, each after the answer to the one before.
function World:change(nodes, count)
  local draw = self.draw
  for _ = 1, count do
    local node, id = draw:pick(nodes), draw:integer(1, 9)
    local x, y = draw:integer(0, 750), draw:integer(0, 300)
    if draw:chance(0.3) then
      local owner = draw:integer(1, 30)
      self:ask(node, "add_area", OWNED + owner, { owner = owner, radius = 80 }) -- it may be refused
    elseif not self.areas[id] then
      assert(self:ask(node, "add_area", id, { x = x, y = y, radius = 100 }))
      self.areas[id] = { x, y, 100 }
    elseif draw:chance(0.6) then
      assert(self:ask(node, "move_area", id, x, y))
      self.areas[id] = { x, y, 100 }
    else
      assert(self:ask(node, "remove_area", id))
      self.areas[id] = nil
    end
  end
  for owner = 2, 30, 2 do -- one at least, of those that are inside
    if self:ask(4, "add_area", OWNED + owner, { owner = owner, radius = 80 }) then
      break
    end
  end
end

local function text_of(list, n)
  list = table.move(list, 1, n, 1, {})
  table.sort(list)
  return table.concat(list, " ")
end

-- Markers in a circle, by their places: id -> { x, y }.
local function markers_in(places, x, y, radius, but)
  local found = {}
  for id, at in pairs(places) do
    if id % 10 ~= 7 and id ~= but and (at[1] - x) ^ 2 + (at[2] - y) ^ 2 <= radius ^ 2 then
      found[#found + 1] = id
    end
  end
  return text_of(found, #found)
end

function World:expect_right()
  local places = assert(self.all:drive(16000, self.all.rightness.places, self.all.control))
  self.all:run(1000)
  local owned = 0
  for node = 1, #NODES do
    local ids, n = assert(self:ask(node, "query", "areas"))
    local fixed = {}
    for i = 1, n do
      local area, owner = self.areas[ids[i]], ids[i] - OWNED
      local found = text_of(assert(self:ask(node, "query", "members_of", ids[i])))
      if owner > 0 then
        owned = owned + 1
        assert.equal(markers_in(places, places[owner][1], places[owner][2], 80, owner), found)
      else
        fixed[#fixed + 1] = ids[i]
        assert.equal(markers_in(places, table.unpack(area)), found)
      end
    end
    local expected = {}
    for id in pairs(self.areas) do
      expected[#expected + 1] = id
    end
    assert.equal(text_of(expected, #expected), text_of(fixed, #fixed))
    self.ids = node > 1 and self.ids or text_of(ids, n)
    assert.equal(self.ids, text_of(ids, n)) -- what they say of areas with an owner, too
  end
  assert.is_true(owned > 0)
  for node = 1, #NODES do
    self.all:drive(1000, self.all.control.tell, node, "wanderers", "walk")
  end
end

describe("Areas in a world on simulated processes", function()
  it("are right when nothing fails", function()
    local world = new_world(1)
    world:change({ 1, 2, 3, 4 }, 20)
    world:expect_right()
  end)

  it("are right after a node stood still", function()
    local world = new_world(2)
    world:change({ 1, 2, 3, 4 }, 15)
    for node, milliseconds in ipairs { 70, 1700 } do
      local others = { 4, node % 3 + 1 }
      world.all:stop(node)
      world.all:run(milliseconds)
      world:change(others, 6)
      world.all:continue(node)
      world.all:run(1000)
      world:change({ 1, 2, 3, 4 }, 6)
      world:expect_right()
    end
  end)

  it("are right after a node was killed", function()
    local world = new_world(3)
    world:change({ 1, 2, 3, 4 }, 15)
    world.all:kill(2)
    world.all:run(1300)
    world:change({ 1, 3, 4 }, 6)
    world.all:restart(2)
    world.all:run(4000)
    world:change({ 2, 3 }, 6)
    world:expect_right()
  end)

  it("are there again after all nodes were killed, from their stores", function()
    local folder = os.tmpname()
    assert(os.remove(folder) and os.execute("mkdir " .. folder))
    local world = new_world(4, { store = folder, save_every = 1000000 })
    world:change({ 1, 2, 3, 4 }, 15)
    world.all:run(400)
    for node = 1, #NODES do
      world.all:kill(node)
    end
    world.all:run(1300)
    for node = 1, #NODES do
      world.all:restart(node)
    end
    world.all:run(2000)
    world:change({ 2, 3 }, 6)
    world:expect_right()
    os.execute("rm -r " .. folder)
  end)
end)
