-- Handlers of a scene with properties that not everybody may know: 2 is for the own agent, 3 for layer 4.
return function()
  return { properties = { [2] = { to = "me" }, [3] = { layers = 4 } } }
end
