-- Entities of a scene that do as chance has it, and whether a space is the same as the scene's.
local harness = require "spec.skynet.harness"

local crowd = {}

-- Changes 60 entities in a square of 300, `count` times. do_it(command, ...) does one change; nil: by
-- commands of the scene.
function crowd.stir(scene, random, count, do_it)
  do_it = do_it or function(...)
    return harness.command(scene, ...)
  end
  for _ = 1, count do
    local id = random:integer(1, 60)
    local x, y = random:float(0, 300), random:float(0, 300)
    local radius = random:integer(10, 60)
    if random:chance(0.1) and do_it("query", "has", id) then
      do_it("leave", id)
    else
      do_it("update", id, x, y, { address = false, radius = radius })
    end
  end
end

local function sorted(value)
  if type(value) == "table" then
    table.sort(value)
  end
  return value
end

-- Compares all that both say. Returns how many entities there are.
function crowd.expect_equal(scene, space)
  local ids = sorted((harness.command(scene, "query", "ids")))
  harness.equal(ids, sorted((space:ids())), "ids")
  for _, id in ipairs(ids) do
    harness.equal({ harness.command(scene, "query", "position", id) }, { space:position(id) }, "position")
    for _, question in ipairs { "markers_of", "watchers_of", "radius" } do
      local theirs, own = harness.command(scene, "query", question, id), (space[question](space, id))
      harness.equal(sorted(theirs), sorted(own), question .. " of " .. id)
    end
  end
  return #ids
end

return crowd
