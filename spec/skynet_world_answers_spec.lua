-- Questions to a world, of which other nodes have the answer, while these nodes stand still: on simulated
-- processes.
local simulated_world = require "spec.support.simulated_world"
local switch = require "spec.support.hanging_switch"

local NODES = { "a", "b", "c", "d" } -- d has no regions
local SILENCE = 800                  -- milliseconds
local BOUND = 2 * SILENCE + 2000 + 100

describe("a question to a world", function()
  local world

  -- Entity 7 is in region 2, of b. Node c, or another one, has the coordinator.
  local function begin(coordinator)
    world = simulated_world.new { seed = 3, nodes = NODES, wanderers = 0, words = {
      columns = 3, width = 750, handlers = "spec.support.hanging_handlers", coordinator = coordinator or "c",
    } }
    world:wait_for_members()
    assert.is_true(world:drive(2000, world.control.tell, 1, "world", "enter", 7, 300, 100,
      { address = false }))
  end

  -- Returns what node a answers, and after how long; nil, "nobody answers": not in 30 seconds.
  local function ask(...)
    local began = world.all.time
    local answer = table.pack(world:drive(30000, world.control.tell, 1, "world", ...))
    return answer, world.all.time - began
  end

  it("is answered by another node", function()
    begin()
    assert.equal("b", ask("where", 7)[1].node)
    assert.equal("an answer", ask("question", 7)[1])
    assert.is_true(ask("tick")[1])
  end)

  -- A question about what stands still has its answer in time, and it is none of the entity.
  local function has_no_news(question)
    local answer, took = ask(table.unpack(question))
    assert.is_nil(answer[1])
    assert.truthy(answer[2] == "again" or answer[2] == "unknown", answer[2])
    assert.is_true(took <= BOUND, took)
  end

  for _, question in ipairs { { "where", 7 }, { "question", 7 }, { "position", 7 } } do
    it(("has an answer while the owner's node stands still: %s"):format(question[1]), function()
      begin()
      world:stop(2)
      if question[1] == "position" then
        table.insert(question, 1, "query")
      end
      has_no_news(question)
    end)
  end

  for _, question in ipairs { { "where", 7 }, { "question", 7 }, { "tick" } } do
    it(("has an answer while the coordinator and all others stand still: %s"):format(question[1]), function()
      begin()
      for node = 2, 4 do
        world:stop(node)
      end
      has_no_news(question)
    end)
  end

  it("of an operator has one, too", function()
    begin()
    world:stop(3)
    local answer, took = ask("migrate", 1, "b")
    assert.same({ "migrate: unknown", n = 2, }, { answer[2], n = answer.n })
    assert.is_true(took <= 4 * SILENCE + 6000, took)
  end)

  it("to load handlers anew has an answer though those of a region hang", function()
    begin()
    assert.is_true(ask("reload")[1])
    finally(function() switch.is_hung = false end)
    switch.is_hung = true
    has_no_news { "reload" }
  end)
end)
