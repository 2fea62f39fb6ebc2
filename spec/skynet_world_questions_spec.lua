-- Questions to a world about entities that cross borders just then, on simulated processes: an entity that is
-- in is in each answer, once, as its owner knows it.
local simulated_world = require "spec.support.simulated_world"

local D = 4 -- a node without regions

describe("a question to a world while an entity crosses a border", function()
  local world, answers

  -- Entity 1 stays in region 1, 3 stands at the border of regions 1 and 2; 2 sees it from both.
  before_each(function()
    world = simulated_world.new { seed = 1, nodes = { "a", "b", "c", "d" }, wanderers = 0, words = {
      columns = 3, width = 900,
    } }
    world:wait_for_members()
    for id, x in ipairs { 100, 330, 300 } do
      assert.is_true((world:ask(world.worlds[D], "enter", id, x, 100, { address = false })))
    end
    world:run(300)
    answers = {}
  end)

  local function ask(...)
    answers[#answers + 1] = world:send_off(world.worlds[D], "query", ...)
  end

  -- Asks at many moments of many crossings; x and other: two places of entity 2.
  local function cross(x, other, ...)
    for i = 1, 12 do
      world:send_off(world.worlds[D], "move", 2, i % 2 == 1 and other or x, 100)
      for _ = 1, 12 do
        ask(...)
        world:run(9)
      end
      world:run(300)
    end
    assert.is_nil(world.all.failed[1])
  end

  -- is_right(first value, second value) of each answer.
  local function all_are(is_right)
    assert.is_true(#answers > 0)
    for i, answer in ipairs(answers) do
      assert(is_right(answer[1], answer[2]), ("answer %d of %d: %s, %s"):format(i, #answers,
        tostring(answer[1]), tostring(answer[2])))
    end
  end

  local function has_both(places, n)
    return n == 2 and places[1] == 100 and places[3] and places[4] == 100
  end

  it("tells the places of all that are in", function()
    cross(330, 270, "positions", { 1, 2 })
    all_are(has_both)
  end)

  it("tells the places of all, though one goes where none of the others is", function()
    cross(330, 700, "positions", { 1, 2 })
    all_are(has_both)
  end)

  it("tells the place of one", function()
    cross(330, 700, "positions", { 2 })
    all_are(function(places)
      return places[1] and places[2] == 100
    end)
  end)

  it("tells traits as the owner knows them", function()
    cross(330, 270, "traits", 2)
    all_are(function(traits)
      return traits and traits.mode ~= "m"
    end)
  end)

  it("tells what it sees, as the owner knows that", function()
    cross(330, 270, "markers_of", 2)
    all_are(function(ids)
      return ids and ids[1] == 3
    end)
  end)

  it("tells of one moment what it sees beyond the border", function()
    for i = 1, 12 do
      for id, x in pairs { [2] = 270, [3] = 300 } do
        world:send_off(world.worlds[D], "move", id, x, i % 2 == 1 and 200 or 100)
      end
      for _ = 1, 25 do
        ask("markers_of", 2)
        world:run(9)
      end
    end
    all_are(function(ids)
      return ids and ids[1] == 3
    end)
  end)

  it("has as many values as the answer of one space where nobody has the entity", function()
    for _, shape in ipairs { "position", "traits" } do
      assert.equal(1, select("#", world:ask(world.worlds[D], "query", shape, 9999)), shape)
    end
  end)

  it("has the entity in its answer once, though nodes are late", function()
    for i = 1, 120 do
      world:send_off(world.worlds[D], "move", 2, i % 2 == 1 and 400 or 700, 100)
      for _ = 1, 4 do
        ask("rect", -1000, -1000, 2000, 2000)
        world:run(13)
      end
      local late = 1 + i % 3
      world:stop(late)
      world:run(90)
      world:continue(late)
    end
    world:run(300)
    all_are(function(ids)
      return ids and table.concat(ids, " ") == "1 2 3"
    end)
  end)
end)
