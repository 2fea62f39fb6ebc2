-- Handlers of the meadow: a wolf that notices players near it.
local WOLF, AGGRO = -1, 1
local PLAYERS, MONSTERS = 1, 2                   -- layers

return function(scene)
  return {
    start = function()
      if not scene.query("has", WOLF) then       -- else the scene has come back with it
        scene.enter(WOLF, 80, 0, { mode = "m", layers = MONSTERS })
        scene.add_area(AGGRO, { owner = WOLF, radius = 20, leave_radius = 30, sees_layers = PLAYERS })
      end
    end,

    on_area = function(_, marker, op)
      if op == "enter" then
        scene.notify(marker, "the wolf growls at you")
      end
    end,
  }
end
