-- Handlers of a scene that note the lives of entities. One whose id is 66 raises, one whose id is 77 is
-- waited for; the entity 9 leaves as soon as 2 sees it.
local skynet = require "skynet"

return function(scene)
  local function note(...)
    skynet.notes = skynet.notes or {} -- of the service, whichever module it has
    table.insert(skynet.notes, { ... })
  end
  return {
    start = function() note "start" end,
    joined = function(id, how)
      note("joined", id, how)
      assert(id ~= 66, "it is 66")
      if id == 77 then
        skynet.sleep(100)
        note("waited", id)
      end
    end,
    ended = function(id, why, last) note("ended", id, why, last) end,
    taken_over = function(id) note("taken_over", id, scene.address(id)) end,
    on_enter = function(watcher, marker)
      if watcher == 2 and marker == 9 and scene.query("has", 9) then
        scene.leave(9)
      end
    end,
    commands = {
      notes = function()
        local list = skynet.notes
        skynet.notes = {}
        return list
      end,
      act = function(_, name, ...) return scene[name](...) end,
    },
  }
end
