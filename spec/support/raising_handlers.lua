-- Handlers of a region whose hooks raise: `load` and `start` everywhere, `save` in region 1.
return function(scene)
  return {
    save = function()
      assert(scene.region ~= 1, "this save is wrong")
      return { 1 }
    end,
    load = function()
      error "this load is wrong"
    end,
    start = function()
      if scene.number > 0 then
        error "this start is wrong"
      end
    end,
  }
end
