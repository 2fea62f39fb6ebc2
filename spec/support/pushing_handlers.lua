-- Handlers of a scene that push whoever enters at x = 66 to x = 50.
return function(scene)
  return {
    joined = function(id)
      local x, y = scene.space:position(id)
      if x == 66 then
        scene.move(id, 50, y)
      end
    end,
  }
end
