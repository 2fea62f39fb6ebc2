-- Handlers of a world of rich wanderers: who may know which properties (traits.lua).
return function()
  return { properties = { [1] = { layers = 2 }, [2] = { to = "me" } } }
end
