-- Handlers whose hooks give what skynet can't pack.
return function()
  return {
    pack = function() return { print } end,
    save = function() return coroutine.create(print) end,
  }
end
