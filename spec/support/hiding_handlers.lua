-- Handlers of a scene with properties that not everybody may know: 2 is for the own agent, 3 for layer 4.
-- `change` calls a method of the space itself, past the scene.
return function(scene)
  return {
    properties = { [2] = { to = "me" }, [3] = { layers = 4 } },
    commands = {
      change = function(_, method, ...)
        scene.space[method](scene.space, ...)
        return true
      end,
    },
  }
end
