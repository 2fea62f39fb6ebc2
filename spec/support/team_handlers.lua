-- Handlers that change what enters as it does: each joined gets a team, and who comes from 1000 on an area of
-- its own.
return function(scene)
  return {
    joined = function(id, how)
      if how ~= "handed" then
        scene.set_property(id, 7, how .. " " .. id % 2)
        if id >= 1000 then
          scene.add_area(id, { owner = id, radius = 10 })
        end
      end
    end,
  }
end
