-- The file of the coordinator of a world with its last configuration, on simulated processes.
local files = require "spec.support.files"
local simulated_world = require "spec.support.simulated_world"

local NODES = { "a", "b", "c" } -- a has the coordinator, c no regions
local SILENCE = 800             -- milliseconds

describe("the file with the configuration of a world", function()
  local folder, world

  -- Node b is started again; after so many milliseconds all is right.
  local function b_is_back(milliseconds)
    assert.is_true(world:restart(2))
    world:run(milliseconds)
    assert.is_nil(world:what_is_wrong())
  end

  before_each(function()
    folder = files.new_folder()
    world = simulated_world.new { seed = 1, nodes = NODES, wanderers = 20,
      words = { configuration = folder .. "/world.configuration" } }
    world:begin(500)
  end)

  after_each(function()
    os.execute("rm -rf " .. folder .. " " .. folder .. ".away")
  end)

  it("is needed for a change: the world stands while it can't be written, and goes on then", function()
    local before = world.members.a.configuration.number
    assert(os.rename(folder, folder .. ".away"))
    world:kill(2)
    world:run(SILENCE + 2000)
    assert.equal(before, world.members.a.configuration.number)
    assert.equal("prepared", world.members.c.phase)
    assert.equal(1, world:count_of_logged "the world stands until then")
    assert(os.rename(folder .. ".away", folder))
    world:run(500)
    assert.equal(before + 1, world.members.a.configuration.number)
    assert.equal("ticking", world.members.c.phase)
    assert.equal(0, world:count_of_logged "was expelled")
    b_is_back(1000)
  end)

  -- From now on the disk of the coordinator's node hangs, until the function that is returned is called. The
  -- list has the numbers of the configurations that were to be written.
  local function hang_disk()
    local list, hangs = {}, true
    for _, service in pairs(world.all.processes.a.services) do
      local durable = service.modules["aoi.skynet.durable"]
      if durable and not service.modules["aoi.skynet.world.seat"] then
        local replace = durable.replace
        function durable.replace(path, text)
          list[#list + 1] = service.skynet.unpack(text).number
          while hangs do
            service.skynet.sleep(1)
          end
          return replace(path, text)
        end
      end
    end
    return list, function()
      hangs = false
    end
  end

  it("is written by another service: the coordinator's goes on while its disk hangs", function()
    local before = world.members.a.configuration.number
    local list, go_on = hang_disk()
    world:kill(2)
    world:run(SILENCE + 2000)
    assert.equal(before, world.members.a.configuration.number)
    assert.same({ before + 1 }, list)
    go_on()
    world:run(100)
    assert.equal(before + 1, world.members.a.configuration.number)
    assert.equal(0, world:count_of_logged "was expelled")
    b_is_back(1000)
  end)

  it("is written once more when others are lost while the disk hangs", function()
    local before = world.members.a.configuration.number
    local list, go_on = hang_disk()
    world:kill(2)
    world:run(SILENCE + 500)
    world:stop(3)
    world:run(2 * SILENCE + 500)
    assert.same({ before + 1 }, list)
    go_on()
    world:run(100)
    assert.same({ before + 1, before + 2 }, list)
    assert.equal(before + 2, world.members.a.configuration.number)
    assert.equal(1, #world.members.a.configuration.members)
    world:continue(3)
    b_is_back(1500)
  end)

  it("has the number of the last one for a coordinator that begins anew", function()
    local before = world.members.a.configuration.number
    for node in ipairs(NODES) do
      world:kill(node)
    end
    world:run(100)
    for node in ipairs(NODES) do
      assert.is_true(world:restart(node))
    end
    world:run(1000)
    assert.is_true(world.members.a.configuration.number > before)
    assert.is_nil(world:what_is_wrong())
  end)

  it("may be gone for longer than the world takes for a change, and others are lost meanwhile", function()
    assert(os.rename(folder, folder .. ".away"))
    world:kill(2)
    world:run(SILENCE + 500)
    world:stop(3)
    world:run(2 * SILENCE + 500)
    assert(os.rename(folder .. ".away", folder))
    world:run(1000)
    assert.equal(1, #world.members.a.configuration.members)
    world:continue(3)
    b_is_back(1500)
  end)
end)
