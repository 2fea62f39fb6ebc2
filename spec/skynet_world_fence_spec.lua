-- Handlers of a region know number and key of the configuration, on simulated processes: a database that
-- takes nothing with a lower number than it had takes nothing of a region that others have taken over.
local files = require "spec.support.files"
local simulated_world = require "spec.support.simulated_world"

local NODES = { "a", "b", "c" } -- a has the coordinator, c no regions
local SILENCE = 800             -- milliseconds

describe("handlers of a region", function()
  local world, folder

  local function ask(...)
    return world:ask(world.worlds[1], ...)
  end

  -- The region of the entity, and with which configuration its hooks were called: all of these with the one
  -- in effect.
  local function knows(id, ...)
    local present, noted = ask("fence", id)
    local in_effect = ask "configuration"
    assert.same({ number = in_effect.number, key = in_effect.key }, present)
    for _, hook in ipairs { ... } do
      assert.same(present, noted[hook], hook)
    end
    return present.number, noted
  end

  before_each(function()
    folder = files.new_folder()
    world = simulated_world.new { seed = 1, nodes = NODES, wanderers = 0,
      words = { store = folder, handlers = "spec.world.fences" } }
    world:wait_for_members()
    for id, x in ipairs { 100, 400 } do
      assert.is_true((ask("enter", id, x, 100, { address = false })))
    end
  end)

  after_each(function()
    files.remove(folder)
  end)

  it("know the configuration from the first hook on", function()
    knows(1, "joined")
    local _, noted = knows(2, "joined")
    assert.is_true(noted.start.number <= noted.joined.number)
  end)

  it("know the next one when their region moves", function()
    local before = knows(2)
    assert.is_true((ask("migrate", 2, "a")))
    assert.is_true(knows(2, "load", "start", "joined") > before)
  end)

  it("know the latest one when the configuration changes while their store is read", function()
    world:read_slowly(300)
    local before = knows(2)
    world:kill(2)
    world:run(SILENCE + 500)
    assert.is_true(world:restart(2))
    world:run(5 * SILENCE)
    assert.is_true(knows(2, "load", "start", "joined") >= before + 2)
  end)

  it("know it when their region comes back from its store, and where another one has", function()
    local before = knows(2)
    world:kill(2)
    world:run(2 * SILENCE)
    assert.is_true(knows(2, "load", "start", "joined") > before)
    assert.is_true(knows(1) > before)
  end)
end)
