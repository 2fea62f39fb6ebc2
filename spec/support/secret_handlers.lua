-- Handlers of a region for its spec: properties that not everybody may know.
return function()
  return { properties = { [1] = { layers = 2 }, [2] = { to = "me" } } }
end
