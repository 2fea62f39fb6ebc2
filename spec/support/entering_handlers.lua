-- Handlers of a scene that know lives, and whose hook `tick` changes much at once when it is told to.
return function(scene)
  local is_due = false
  return {
    joined = function() end,
    tick = function()
      if is_due then
        is_due = false
        scene.enter(-1, 1, 0)
        scene.set_property(-1, 1, "a")
        scene.enter(-2, 2, 0)
        scene.move(-1, 1, 1)
      end
    end,
    commands = {
      change = function()
        is_due = true
        return true
      end,
    },
  }
end
