-- The code of a scene that can be replaced while it runs: the views, and the user's module of handlers.
local skynet = require "skynet"

-- Loads a module's file as it is now, past the cache that all services of a skynet share.
local function load_fresh(name)
  local path = assert(package.searchpath(name, package.path))
  local mode = skynet.cache.mode()
  skynet.cache.mode "OFF"
  local chunk, message = loadfile(path)
  skynet.cache.mode(mode)
  return assert(chunk, message)(name, path)
end

-- `scene` is the table of scene.lua: space, options, counters; makes its `views` and `handlers`.
return function(scene)
  local handlers = {}

  local function on_error(err, watcher, marker, op)
    scene.counters.handler_errors = scene.counters.handler_errors + 1
    skynet.error(debug.traceback(("scene: a handler failed (watcher %s, marker %s, %s): %s"):format(
      watcher, marker, op or "view", err), 2))
  end

  -- Makes the views and the handlers of the space, from files as they are now. A module of handlers returns
  -- a function(scene) that gives a table for space:on{}; what is in it replaces what is here.
  local function make(name)
    local views = load_fresh "aoi.skynet.views" (scene)
    local result = { on_view = views.on_view, on_error = on_error }
    if name then
      for kind, handler in pairs(load_fresh(name)(scene, views)) do
        result[kind] = handler or nil
      end
    end
    return views, result
  end

  -- Those that the options name; scene.space is there already. Raises.
  function handlers.start()
    scene.views, scene.handlers = make(scene.options.handlers)
    scene.space:on(scene.handlers)
  end

  -- name: another module of handlers, false: none any more, nil: the one before. Returns true, or nil and a
  -- message; then all is as before.
  function handlers.reload(name)
    if name == nil then
      name = scene.options.handlers
    end
    local ok, views, new = pcall(make, name)
    if ok then
      ok, views = pcall(function()
        scene.space:on(new)
        return views
      end)
    end
    if not ok then
      return nil, "reload: " .. tostring(views)
    end
    scene.views.flush()
    scene.views, scene.handlers, scene.options.handlers = views, new, name
    return true
  end

  return handlers
end
