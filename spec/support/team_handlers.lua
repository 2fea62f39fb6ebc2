-- Handlers that change an entity as it enters: each gets a team, and one with an id from 1000 on an area of
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
