-- A process that joins a world with other words than the others, on simulated processes: it is refused, and
-- the logs name the word.
local simulated_world = require "spec.support.simulated_world"

local NODES = { "a", "b", "c", "d" } -- a has the coordinator, d no regions

describe("a process with another word", function()
  local world

  -- How many lines of the log of a node have this text.
  local function lines(node, text)
    local n = 0
    for _, line in ipairs(world.all.logged) do
      n = n + (line[2] == node and line[3]:find(text, 1, true) and 1 or 0)
    end
    return n
  end

  -- Node c comes back with this word in the place of its own.
  local function restart(word)
    local words = table.move(world.words, 1, #world.words, 1, {})
    local name = word:match "^[^=]+="
    for i = #words, 1, -1 do
      if words[i]:sub(1, #name) == name then
        table.remove(words, i)
      end
    end
    words[#words + 1] = word
    local before = world.words
    world.words = words
    world:start_node(3)
    world.words = before
  end

  before_each(function()
    world = simulated_world.new { seed = 5, nodes = NODES, wanderers = 20,
      words = { columns = 3, width = 750 } }
    world:begin(500)
    world:kill(3)
    world:run(2000)
  end)

  local function is_kept_out(node, name)
    world:run(3000)
    assert.equal(1, lines("c", ("node c is refused: its word %s is"):format(name)))
    assert.equal(1, lines(node, ("node c may not join: its word %s is"):format(name)))
    assert.equal("a b d", table.concat(world.members.a.names, " "))
  end

  it("is refused by the coordinator", function()
    restart "radius=60"
    is_kept_out("a", "radius")
  end)

  it("is refused by the member that it takes for the coordinator", function()
    restart "coordinator=b"
    is_kept_out("b", "coordinator")
    world:kill(3)
    world:restart(3)
    world:wait_for_members()
    assert.is_nil(world:what_is_wrong())
  end)
end)
