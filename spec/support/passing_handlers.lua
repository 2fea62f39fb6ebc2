-- Handlers of a scene that passes on whoever is transferred to it: a hall that is full. The command pass_on
-- says where to.
return function(scene)
  local to
  return {
    joined = function(id, how)
      if how == "transferred" and to then
        scene.transfer(id, to, 50, 50)
      end
    end,
    commands = {
      pass_on = function(_, where)
        to = where
        return true
      end,
    },
  }
end
