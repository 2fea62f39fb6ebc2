-- The code of a scene that can be replaced while it runs: the views, and the user's module of handlers.
--
-- A module returns function(scene, views) that gives a table: handlers of the space (on_enter ...), hooks
-- (start, tick, stop, save, load, logged, joined, ended, taken_over; in the regions of a world also pack,
-- unpack and lost), and commands.
-- docs/skynet-handlers.md has the whole contract.
local skynet = require "skynet"
local aoi = require "aoi"
local audiences = require "aoi.skynet.audiences"
local names = require "aoi.skynet.names"

local HOOKS = { "start", "tick", "stop", "save", "load", "logged", "pack", "unpack", "joined", "ended",
  "lost", "taken_over" }
local MEANT = { handed = "pack", taken = "unpack" } -- former names of hooks
local is_hook = {}
for _, name in ipairs(HOOKS) do
  is_hook[name] = true
end

-- Commands of every scene that handlers call as functions of the table `scene`; there they raise.
local METHODS = {
  "enter", "update", "move", "leave", "set_property", "set_traits", "say", "notify", "query",
  "set_radius", "set_mode", "set_layers", "set_sees_layers", "set_limit", "set_importance", "pin", "unpin",
  "set_visible_radius", "set_sight",
  "add_area", "set_area", "update_area", "move_area", "remove_area", "transfer",
}

-- Loads a module's file as it is now, past the cache that all services of a skynet share.
local function load_fresh(name)
  local path, tried = package.searchpath(name, package.path)
  if not path then
    error(("handlers: there is no module %s on lua_path: %s"):format(name, tried), 0)
  end
  local mode = skynet.cache.mode()
  skynet.cache.mode "OFF"
  local chunk, message = loadfile(path)
  skynet.cache.mode(mode)
  return assert(chunk, message)(name, path)
end

-- The answer of a command, from the values of xpcall.
local function answer(ok, ...)
  if not ok then
    return nil, tostring((...))
  end
  return ...
end

local function check_type(name, what, value, expected)
  if type(value) ~= expected then
    error(("%s: %s is %s, expected a %s"):format(name, what,
      type(value) == "table" and "a table" or tostring(value), expected), 0)
  end
end

-- `scene` is the table of scene.lua: space, options, counters; makes its `views`. `commands` are those of
-- commands.lua, `lives` is of lives.lua.
return function(scene, commands, lives)
  local handlers = {}

  local current      -- the module in use: name, views, hooks, commands, and events, the handlers of the space
  local is_replacing -- true while a module takes the place of another

  local function on_error(err, watcher, marker, op)
    scene.counters.handler_errors = scene.counters.handler_errors + 1
    skynet.error(debug.traceback(("scene: a handler failed (watcher %s, marker %s, %s): %s"):format(
      watcher, marker, op or "view", err), 2))
  end

  -- ---- what a module gets ---------------------------------------------------------------------

  local function passed(result, ...)
    if result == nil and ... ~= nil then
      error(..., 2) -- the function that was called is none by now: this one has taken its place
    end
    return result, ...
  end

  for _, name in ipairs(METHODS) do
    -- Entities that enter so are nobody's, unless opts.address says whose they are.
    scene[name] = function(...)
      return passed(commands[name](false, ...))
    end
  end

  -- ---- making ---------------------------------------------------------------------------------

  local function check_commands(name, own)
    check_type(name, "commands", own, "table")
    for word, run in pairs(own) do
      check_type(name, "the name of a command", word, "string")
      check_type(name, "command " .. word, run, "function")
      if commands[word] then
        error(("%s: command %s is one of every scene or world, expected another name"):format(name, word), 0)
      end
    end
  end

  local function check_audiences(name, properties)
    local ok, result = pcall(audiences.compile, properties)
    if not ok then
      error(("%s: %s"):format(name, result), 0)
    end
    return result
  end

  -- Raises when the space would not take these handlers.
  local function check_events(events)
    local space = aoi.new { engine = "crosslist", radius = 0, deferred = scene.tick > 0 }
    local ok, message = pcall(space.on, space, events)
    space:close()
    if not ok then
      error(message, 0)
    end
  end

  -- Sorts the fields of the module's own table by kind. Raises when something in it is wrong.
  local function sort(name, given, module)
    check_type(name, "what its function returns", given, "table")
    for key, value in pairs(given) do
      if is_hook[key] then
        check_type(name, "hook " .. key, value, "function")
        module.hooks[key] = value
      elseif key == "commands" then
        check_commands(name, value)
        module.commands = value
      elseif key == "properties" then
        module.audiences = check_audiences(name, value)
      elseif type(key) == "string" and key:find "^on_" and not is_hook[key:sub(4)] then
        module.events[key] = value or nil
      else
        local known = table.move(HOOKS, 1, #HOOKS, 1, {})
        table.move({ "commands", "properties" }, 1, 2, #known + 1, known)
        error(("%s: %s is neither a handler (on_...) nor %s%s"):format(name, tostring(key),
          names.listed(known), names.hint(MEANT[key] or tostring(key):gsub("^on_", ""), known)), 0)
      end
    end
  end

  -- The views and this module (false: none) from files as they are now. Raises, and nothing has changed.
  local function make(name)
    local views = load_fresh "aoi.skynet.views" (scene)
    local module = { name = name, views = views, hooks = {}, commands = {}, audiences = {},
      events = { on_view = views.on_view, on_error = on_error } }
    if name then
      local new = load_fresh(name)
      check_type(name, "what the file returns", new, "function")
      sort(name, new(scene, views), module)
    end
    check_events(module.events)
    if module.events.on_area and scene.only_own then
      module.events.on_area = scene.only_own(module.events.on_area)
    end
    return module
  end

  local function use(module)
    current = module
    scene.details:forget_hidden()
    scene.audiences:use(module.audiences, scene.addresses.of)
    scene.views, scene.options.handlers = module.views, module.name
    scene.space:on(module.events)
  end

  local function run_hook(module, hook, ...)
    if module.hooks[hook] then
      return module.hooks[hook](...)
    end
  end

  -- As run_hook, where nobody could do anything about an error.
  local function try_with(run, module, hook, ...)
    local ok, message = xpcall(run, debug.traceback, module, hook, ...)
    if not ok then
      scene.counters.handler_errors = scene.counters.handler_errors + 1
      skynet.error(("scene: the hook %s failed: %s"):format(hook, message))
      return nil
    end
    return message
  end

  local function try(...)
    return try_with(run_hook, ...)
  end

  local function run_packed(...)
    local value = run_hook(...)
    return value ~= nil and skynet.packstring(value) or nil
  end

  -- As try; what the hook returns is packed, so that only its author has to do with what can't be packed.
  local function try_packed(...)
    return try_with(run_packed, ...)
  end

  local function try_hook(hook, ...)
    return try(current, hook, ...)
  end

  -- ---- running --------------------------------------------------------------------------------

  -- A module takes over, with its hooks; `run` runs each: run_hook or try.
  local function begin(module, run, saved, logged)
    if saved ~= nil then
      run(module, "load", saved)
    end
    for _, packed in ipairs(logged or {}) do
      run(module, "logged", skynet.unpack(packed))
    end
    use(module)
    lives.begin()
    run(module, "start")
  end

  -- The module that the options name takes over; scene.space is there already. saved: what its hook `save`
  -- once gave; nil: nothing. logged: a list of what it has logged since then, packed by skynet. Raises.
  function handlers.start(saved, logged)
    begin(make(scene.options.handlers), run_hook, saved, logged)
  end

  -- As `start`, of a region that goes on from another service or from a store: an error of the module is
  -- logged, as the entities would be lost with the region.
  function handlers.go_on(saved, logged)
    local ok, module = pcall(make, scene.options.handlers)
    if not ok then
      scene.counters.handler_errors = scene.counters.handler_errors + 1
      skynet.error("scene: it goes on without handlers, until `reload`: " .. tostring(module))
      module = make(false)
      module.name = scene.options.handlers -- that of `reload`
    end
    begin(module, try, saved, logged)
  end

  local at_once = {} -- coroutine -> the hook that it runs, for which a tick may stand still

  local function have_run(this, ok, ...)
    at_once[this] = nil
    if not ok then
      error((...), 0)
    end
    return ...
  end

  -- Runs such a hook; run: run_hook or try.
  local function run_at_once(run, hook, ...)
    local this = coroutine.running()
    at_once[this] = hook
    return have_run(this, pcall(run, current, hook, ...))
  end

  -- The hook of the running coroutine that must not wait for a tick; nil: it is in none.
  function handlers.hook_at_once()
    return at_once[coroutine.running()]
  end

  -- The data that the module wants to be saved with the scene; nil: none. Raises as its hook does.
  function handlers.save()
    return run_at_once(run_hook, "save")
  end

  -- In a region: the same data for the service in which it goes on, packed; nil also where the hook raises.
  function handlers.keep()
    return run_at_once(try_packed, "save")
  end

  -- True when something is to be done before a tick tells.
  function handlers.has_tick()
    return current.hooks.tick ~= nil
  end

  -- Does it, unless it still waits in the tick before.
  function handlers.tick()
    local module = current
    if not module.is_ticking then
      module.is_ticking = true
      try_hook "tick"
      module.is_ticking = false
    end
  end

  -- Whether the module has this hook.
  function handlers.has(hook)
    return current ~= nil and current.hooks[hook] ~= nil
  end

  -- Runs a hook; one that raises is logged.
  function handlers.run(...)
    try_hook(...)
  end

  -- In a region: what the module wants to go along with an entity that another region owns from now on,
  -- packed; nil: nothing.
  function handlers.pack(id)
    return run_at_once(try_packed, "pack", id)
  end

  -- The other side of it.
  function handlers.unpack(id, packed)
    run_at_once(try, "unpack", id, skynet.unpack(packed))
  end

  -- The command of the module of this name, nil when it has none. One that raises is logged, and answers
  -- nil and the message.
  function handlers.command(name)
    local run = current.commands[name]
    local function log(message)
      scene.counters.handler_errors = scene.counters.handler_errors + 1
      skynet.error(debug.traceback(("scene: the command %s failed: %s"):format(name, tostring(message)), 2))
      return message
    end
    return run and function(...)
      return answer(xpcall(run, log, ...))
    end
  end

  -- The service ends, perhaps before it has started.
  function handlers.stop()
    if current then
      try_hook "stop"
    end
  end

  -- The module `name` (nil: the one in use, made anew; false: none) takes the place of the one in use.
  -- saved: the value for its hook `load`, nil: none. swap(): called in between, when neither of them is in
  -- use, puts another space here; nil: the space stays. Returns true, or nil and a message; then all is as
  -- before, unless the message says otherwise.
  local function replace(name, saved, swap)
    if name == nil then
      name = scene.options.handlers
    end
    local made, module = pcall(make, name)
    if not made then
      return nil, tostring(module)
    end
    if saved ~= nil then
      local loaded, message = pcall(run_hook, module, "load", saved)
      if not loaded then
        return nil, "the hook load failed: " .. tostring(message)
      end
    end
    if swap then
      lives.finish()
    end
    try_hook "stop"
    scene.views.flush()
    if swap then
      swap()
    end
    use(module)
    if swap then
      lives.begin()
    end
    local started, message = pcall(run_hook, module, "start")
    if not started then
      return nil, "it is done, but the hook start failed: " .. tostring(message)
    end
    return true
  end

  function handlers.replace(...)
    if is_replacing then
      return nil, "the hooks of another reload or load still wait"
    end
    is_replacing = true
    local ok, result, message = pcall(replace, ...)
    is_replacing = false
    if not ok then
      error(result, 0)
    end
    return result, message
  end

  -- name: another module of handlers, false: none any more, nil: the one before. Returns true, or nil and a
  -- message.
  function handlers.reload(name)
    if name ~= nil and name ~= false and type(name) ~= "string" then
      return nil, ("reload: the module is %s, expected its name or false"):format(tostring(name))
    end
    local ok, saved = pcall(handlers.save)
    if not ok then
      return nil, "reload: the hook save failed: " .. tostring(saved)
    end
    local done, message = handlers.replace(name, saved)
    return done, message and "reload: " .. message
  end

  return handlers
end
