-- Handlers of a world that note with which configuration each hook was called.
return function(scene)
  local noted = {}

  local function note(hook)
    return function()
      noted[hook] = scene.configuration
      return {}
    end
  end

  return {
    start = note "start",
    load = note "load",
    joined = note "joined",
    save = note "save",
    commands = {
      fence = function()
        return scene.configuration, noted
      end,
    },
  }
end
