-- A skynet for several services in one process, as far as scenes and regions need one. Messages to services
-- are calls; a call runs all coroutines that are ready before it returns. Time stands still unless it is set.

local services = {}

-- The string of skynet.packstring is a key for the packed values: a copy, as a message is.
local function copy(value)
  if type(value) ~= "table" then
    assert(type(value) ~= "function" and type(value) ~= "userdata", "skynet.pack: this can't be packed")
    return value
  end
  local result = {}
  for key, inner in pairs(value) do
    result[key] = copy(inner)
  end
  return result
end

-- Takes the place of the module skynet. deliver(address, text): what services send with the protocol aoi.
function services.new(deliver)
  local self = { time = 0, errors = {} }
  local ready, waiting, packed = {}, {}, {}
  local skynet = { PTYPE_LUA = 10, cache = { mode = function() end } }
  local starting -- the service whose file is being run

  -- ---- coroutines -----------------------------------------------------------------------------

  local function run_ready()
    while #ready > 0 do
      local routine = table.remove(ready, 1)
      local ok, message = coroutine.resume(routine)
      if not ok then
        error(debug.traceback(routine, tostring(message)), 0)
      end
    end
  end

  function skynet.fork(f, ...)
    local arguments = table.pack(...)
    ready[#ready + 1] = coroutine.create(function()
      f(table.unpack(arguments, 1, arguments.n))
    end)
  end

  function skynet.wait(token)
    waiting[token] = coroutine.running()
    coroutine.yield()
  end

  function skynet.wakeup(token)
    ready[#ready + 1] = waiting[token]
    waiting[token] = nil
  end

  function skynet.timeout() end

  -- ---- messages -------------------------------------------------------------------------------

  function skynet.packstring(...)
    packed[#packed + 1] = copy(table.pack(...))
    return ("<packed %d>"):format(#packed)
  end

  function skynet.unpack(text)
    local values = copy(packed[tonumber(text:match "^<packed (%d+)>$")])
    return table.unpack(values, 1, values.n)
  end

  function skynet.rawsend(address, _, text)
    deliver(address, text)
    return true
  end

  function skynet.redirect(address, _, _, _, text)
    deliver(address, text)
    return 0
  end

  local calls = {} -- handle -> what calls that service

  function skynet.call(handle, kind, what, ...)
    if what == "LINK" then
      coroutine.yield() -- for as long as both live
    elseif kind == "lua" then
      return calls[handle](1, what, ...)
    end
    return true
  end

  function skynet.send()
    return true
  end

  local results = {} -- coroutine -> what it has answered

  function skynet.retpack(...)
    results[coroutine.running()] = table.pack(...)
  end

  -- ---- services -------------------------------------------------------------------------------

  function skynet.start(f)
    f()
  end

  function skynet.dispatch(_, f)
    if f then
      starting.dispatch = f
    end
  end

  function skynet.self()
    return starting.handle
  end

  function skynet.error(...)
    self.errors[#self.errors + 1] = table.concat({ ... }, " ")
  end

  function skynet.getenv()
    return nil
  end

  function skynet.now()
    return self.time
  end

  for _, name in ipairs { "info_func", "register_protocol", "memlimit", "term", "exit" } do
    skynet[name] = function() end
  end
  for _, name in ipairs { "starttime", "hpc", "stat", "mqlen" } do
    skynet[name] = function() return 0 end
  end

  -- Starts the service of this file. Returns a function that calls it: (source, name, ...).
  function self.start(path, handle, words)
    local service = { handle = handle }
    starting = service
    assert(loadfile(path))(table.unpack(words))
    run_ready()
    calls[handle] = function(source, ...)
      local arguments, result = table.pack(...), nil
      skynet.fork(function()
        service.dispatch(1, source, table.unpack(arguments, 1, arguments.n))
        result = results[coroutine.running()]
      end)
      run_ready()
      assert(result, "the service does not answer")
      return table.unpack(result, 1, result.n)
    end
    return calls[handle]
  end

  -- Before: what was loaded with another skynet. After: what was loaded with this one.
  local function forget_modules()
    for name in pairs(package.loaded) do
      if name:find "^aoi%.skynet%." then
        package.loaded[name] = nil
      end
    end
  end

  local before = package.loaded.skynet
  forget_modules()
  package.loaded.skynet, package.loaded["skynet.manager"] = skynet, skynet
  self.skynet = skynet

  function self.close()
    forget_modules()
    package.loaded.skynet, package.loaded["skynet.manager"] = before, before
  end

  return self
end

return services
