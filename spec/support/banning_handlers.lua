-- Handlers of a scene that removes entity 7 as it enters: a player who is banned.
return function(scene)
  return {
    joined = function(id)
      if id == 7 then
        scene.leave(id)
      end
    end,
  }
end
