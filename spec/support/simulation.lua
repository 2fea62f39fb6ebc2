-- Several processes of skynet, joined by its cluster, in one Lua and in simulated time: services run as they
-- are, each with modules of its own. A message takes a moment, drawn from a seed; processes are stopped, go
-- on, are killed and start anew, and messages between them are lost, doubled, held up and cut off, when a
-- test wants that. One seed with the same services gives one course on one version of Lua.
--
-- Times are milliseconds, from the begin of the simulation.
local event_queue = require "spec.support.event_queue"
local fake_redis = require "spec.support.fake_redis"
local new_random = require("spec.support.random").new
local ordered_pairs = require "spec.support.ordered_pairs"
local packed_values = require "spec.support.packed_values"

local BEGIN = 1700000000    -- the time of day, in seconds, at which simulations begin
local MOMENT = 0.4          -- most that a message takes within a process
local WAY = 1.5             -- most that one takes to another process
local LATE = 300            -- most that one takes that is held up
local FIRST_HANDLE = 0x01000001
local LUA, DEBUG = 10, 9 -- types of messages, as skynet numbers them

local Simulation = {}
Simulation.__index = Simulation

local simulation = {}

-- seed: of all that is drawn. loaded(name, module), or nil: is called for each module of ours that a service
-- loads.
function simulation.new(seed, loaded)
  local self
  self = setmetatable({
    time = 0,
    random = new_random(seed),
    pairs = ordered_pairs(seed and seed % 2 == 0), -- for services
    loaded = loaded or function() end,
    transport = {},  -- faults of what goes between processes, see `pass`
    processes = {},  -- name -> the process that has this name now
    wrong = {},      -- name of a process -> by how many seconds its clock is wrong
    logged = {},     -- list of { time, name of the process, text }: skynet.error
    failed = {},     -- list of texts: coroutines that ended with an error
    events = 0,      -- how many there have been
    queue = event_queue.new(),
    ready_count = 0,
    ready = {},      -- list of { service, coroutine, arguments }: they go on when what runs now is done
    arrivals = {},   -- way -> when the last of those arrives that go there
    kept = {},       -- messages that the transport holds: list of { from, to, function }
    chunks = {},     -- path -> loaded file
    redis = fake_redis.new(function() return self.time end), -- one for all
  }, Simulation)
  return self
end

-- ---- events -----------------------------------------------------------------------------------

-- f is run at that time in the process, if it lives then; nil: in none.
local function at(self, time, process, f)
  self.queue:push { at = time, process = process, f = f }
end

-- Schedules an arrival in order behind all others that go the same way.
local function after(self, way, delay, process, f)
  local time = math.max(self.time + delay, self.arrivals[way] or 0)
  self.arrivals[way] = time
  at(self, time, process, f)
end

local function resume(self, service, routine, ...)
  local ok, message = coroutine.resume(routine, ...)
  if not ok then
    self.failed[#self.failed + 1] = ("%s: %s"):format(service.process.name,
      debug.traceback(routine, tostring(message)))
    local owed = service.owed[service.served[routine]]
    if owed then
      owed(nil)
    end
  end
end

local function run_ready(self)
  local first, ready = 1, self.ready
  while first <= self.ready_count do
    local entry = ready[first]
    ready[first] = nil
    first = first + 1
    if entry[1].is_alive then
      resume(self, table.unpack(entry, 1, entry.n))
    end
  end
  self.ready_count = 0
end

-- Has a coroutine of a service go on, when what runs now is done.
local function soon(self, service, routine, ...)
  self.ready_count = self.ready_count + 1
  self.ready[self.ready_count] = table.pack(service, routine, ...)
end

-- Runs all that happens in so many milliseconds.
function Simulation:run(milliseconds)
  local deadline = self.time + milliseconds
  run_ready(self) -- services that a test has started since
  while (self.queue:next_time() or math.huge) <= deadline do
    local event = self.queue:pop()
    local process = event.process
    self.time = math.max(self.time, event.at)
    if process and process.is_stopped then
      process.held[#process.held + 1] = event
    elseif not process or process.is_alive then
      self.events = self.events + 1
      event.f()
      run_ready(self)
    end
  end
  self.time = deadline
end

-- Runs until done() says so, or for so many milliseconds; returns whether it did.
function Simulation:run_until(milliseconds, done)
  local deadline = self.time + milliseconds
  while not done() and self.time < deadline do
    self:run(1)
  end
  return done()
end

-- ---- messages ---------------------------------------------------------------------------------

-- Sends a message to a service of any process, without faults.
local function deliver(self, to, way, delay, kind, text, session, from)
  after(self, way, delay, to.process, function()
    if to.is_alive then
      to.asked_by = from
      to.skynet.dispatch_message(kind, text, #text, session, from.handle)
    elseif session ~= 0 then
      from.answer(session, nil)
    end
  end)
end

-- A coroutine of `service` that waits for the answer to a call goes on with it; ok nil: an error.
local function go_on(self, service, session, ok, text)
  local routine = service.asking[session]
  service.asking[session], service.watching[session] = nil, nil
  if routine then
    soon(self, service, routine, ok, text)
  end
end

-- Skynet's way with an error: it goes by the number of a call alone, whoever has sent it.
local function new_dispatch_of_errors(self, service)
  local watching_session = service.watching
  return function(session)
    if watching_session[session] then
      go_on(self, service, session, nil)
    end
  end
end

-- An answer to a call of a coroutine of `service`: how it comes back; ok nil: an error. sender: the service
-- of this process that answers, if one does. It gets an error when `service` is dead by then, as skynet sends
-- one for whatever is left in a mailbox: by the number of the call in `service`, which may be that of a call
-- of the sender's own.
local function new_answer(self, service)
  return function(session, ok, text, delay, sender)
    after(self, service, delay or self.random:fraction() * MOMENT, service.process, function()
      if service.is_alive and (ok or not sender) then
        go_on(self, service, session, ok, text)
      elseif service.is_alive then
        service.errors(session, sender.handle)
      elseif sender and sender.is_alive then
        sender.answer(session, nil, nil, nil, service)
      end
    end)
  end
end

-- Waits in the running coroutine for the answer to a call that send(session) sends. Returns values or raises.
-- address: of the service that is called; nil: it is of another process.
local function ask(service, send, address)
  service.sessions = service.sessions + 1
  local session = service.sessions
  service.asking[session], service.watching[session] = coroutine.running(), address
  send(session)
  local ok, text = coroutine.yield()
  if not ok then
    error("call failed", 0)
  end
  return packed_values.unpack(text)
end

local function is_cut(self, from, to)
  local faults = self.transport
  return faults.sides and faults.sides[from] ~= faults.sides[to]
    or faults.apart and (faults.apart[from .. " " .. to] or faults.apart[to .. " " .. from])
end

--[[ Sends from one process to another as skynet's cluster does, with the faults of self.transport:
  loss, double, late   which share of the messages; late ones come up to LATE later, behind others
  sides                name -> side: nothing goes from one to another; or apart: a set of "a b"
  is_held              what may not go over is delivered in the end, in order, else it is lost
f(process) is run there. ]]
local function pass(self, from, to, f)
  local faults, random = self.transport, self.random
  if is_cut(self, from, to) then
    if faults.is_held then
      self.kept[#self.kept + 1] = { from, to, f }
    end
    return
  elseif faults.loss and random:chance(faults.loss) then
    return
  end
  for _ = 1, faults.double and random:chance(faults.double) and 2 or 1 do
    if faults.late and random:chance(faults.late) then
      at(self, self.time + random:fraction() * LATE, nil, function()
        local process = self.processes[to]
        if process then
          at(self, self.time, process, function() f(process) end)
        end
      end)
    else
      local process = self.processes[to]
      if process then -- else it is lost
        after(self, from .. " " .. to, random:fraction() * WAY, process, function() f(process) end)
      end
    end
  end
end

-- Sets the faults of what goes between processes; nil: none. Sends what was held.
function Simulation:set_transport(faults)
  self.transport = faults or {}
  local kept = self.kept
  self.kept = {}
  for _, message in ipairs(kept) do
    pass(self, table.unpack(message))
  end
end

-- ---- what a service sees of skynet --------------------------------------------------------------

local function new_cluster(self, service)
  local cluster, process = {}, service.process

  function cluster.register(name)
    process.names["@" .. name] = service
  end

  function cluster.unregister(name)
    process.names["@" .. name] = nil
  end

  function cluster.send(node, name, ...)
    local text = packed_values.pack(...)
    pass(self, process.name, node, function(there)
      local to = there.names[name]
      if to and to.is_alive then
        to.asked_by = there.agent
        to.skynet.dispatch_message(LUA, text, #text, 0, there.agent.handle)
      end
    end)
  end

  -- Like a connection: whole, or an error. Where nothing goes over there is no answer.
  function cluster.call(node, name, ...)
    local there = self.processes[node]
    local to = there and there.names[name]
    if is_cut(self, process.name, node) then
      coroutine.yield()
    elseif not to then
      error(("node %s can't be reached"):format(node), 0)
    end
    local text = packed_values.pack(...)
    return ask(service, function(session)
      local way = process.name .. " " .. node
      deliver(self, to, way, self.random:fraction() * WAY, LUA, text, session, service)
    end)
  end

  return cluster
end

local function add_coroutines(self, skynet, service)
  function skynet.fork(f, ...)
    soon(self, service, coroutine.create(f), ...)
  end

  function skynet.wait(token)
    service.waiting[token or coroutine.running()] = coroutine.running()
    return coroutine.yield()
  end

  function skynet.wakeup(token)
    local routine = service.waiting[token]
    if routine then
      service.waiting[token] = nil
      soon(self, service, routine)
      return true
    end
  end

  function skynet.timeout(hundredths, f)
    local time = self.time + math.max(0, hundredths) * 10 + self.random:fraction() * 2.5
    at(self, time, service.process, function()
      if service.is_alive then
        resume(self, service, coroutine.create(f))
      end
    end)
  end

  function skynet.sleep(hundredths)
    local token = {}
    skynet.timeout(hundredths, function() skynet.wakeup(token) end)
    skynet.wait(token)
  end
end

local function add_messages(self, skynet, service)
  local process = service.process
  local function moment()
    return self.random:fraction() * MOMENT
  end

  skynet.packstring, skynet.unpack = packed_values.pack, function(text)
    return packed_values.unpack(text)
  end

  function skynet.tostring(text)
    return text
  end

  local function send(address, kind, text, session)
    local to = process.services[address]
    if to then
      deliver(self, to, to, moment(), kind, text, session, service)
      return session
    end
  end

  function skynet.send(address, protocol, ...)
    return send(address, protocol == "debug" and DEBUG or LUA, packed_values.pack(...), 0)
  end

  function skynet.rawsend(address, protocol, text)
    return send(address, protocol, text, 0)
  end

  function skynet.redirect(address, source, protocol, session, text)
    local to = process.services[address]
    if to then
      deliver(self, to, to, moment(), protocol, text, session, process.services[source])
      return 0
    end
  end

  function skynet.call(address, protocol, ...)
    local text = packed_values.pack(...)
    return ask(service, function(session)
      if not send(address, protocol == "debug" and DEBUG or LUA, text, session) then
        service.answer(session, nil)
      end
    end, address)
  end

  function skynet.retpack(...)
    service.owed[service.served[coroutine.running()]](true, packed_values.pack(...))
  end

  function skynet.response(pack)
    local number = service.served[coroutine.running()]
    local owed = service.owed[number]
    service.owed[number] = nil
    return function(ok, ...)
      owed(ok, pack(...))
    end
  end

  -- One message is served in a coroutine of its own.
  function skynet.dispatch_message(kind, text, _, session)
    local from = service.asked_by
    if kind == DEBUG then
      local what = packed_values.unpack(text)
      if what == "EXIT" then
        skynet.exit()
      elseif session ~= 0 and what ~= "LINK" then
        from.answer(session, true, packed_values.pack(true), nil, service)
      elseif session ~= 0 then
        service.links[#service.links + 1] = function() from.answer(session, nil, nil, nil, service) end
      end
      return
    end
    local routine
    if kind == LUA then
      routine = coroutine.create(function()
        service.dispatch(session, from.handle, packed_values.unpack(text))
      end)
      if session ~= 0 then
        local number = service.calls + 1
        service.calls, service.served[routine] = number, number
        service.owed[number] = function(ok, answer)
          service.owed[number] = nil
          local is_far = from.process ~= process
          from.answer(session, ok, answer, self.random:fraction() * (is_far and WAY or MOMENT),
            not is_far and service or nil)
        end
      end
    else
      routine = coroutine.create(service.protocols[kind].dispatch)
      soon(self, service, routine, session, from.handle, text)
      return
    end
    soon(self, service, routine)
  end
end

local function new_skynet(self, service)
  local process = service.process
  local skynet = { PTYPE_LUA = LUA, cache = { mode = function() end } }
  add_coroutines(self, skynet, service)
  add_messages(self, skynet, service)

  function skynet.start(f)
    service.start = f
  end

  function skynet.dispatch(name, f)
    local field = name == "error" and "errors" or "dispatch"
    local before = service[field]
    service[field] = f or before
    return before
  end

  function skynet.ignoreret()
  end

  function skynet.register_protocol(protocol)
    service.protocols[protocol.name] = protocol
  end

  function skynet.address(handle)
    return (":%08x"):format(handle)
  end

  function skynet.self()
    return service.handle
  end

  function skynet.newservice(name, ...)
    return process:start_service(self.path_of(name), ...).handle
  end

  function skynet.error(...)
    self.logged[#self.logged + 1] = { self.time, process.name, table.concat({ ... }, " ") }
  end

  -- It begins with the hundredths of the second of starttime.
  function skynet.now()
    return (self.time // 10 - process.began // 1000 * 100) | 0
  end

  function skynet.time()
    return BEGIN + self.time / 1000 + (self.wrong[process.name] or 0)
  end

  function skynet.starttime()
    return (BEGIN + process.began // 1000 | 0) + (self.wrong[process.name] or 0)
  end

  function skynet.hpc()
    return self.time * 1e6 // 1 | 0
  end

  function skynet.exit()
    service:end_it()
  end

  function skynet.register(name)
    process.names[name] = service
  end

  function skynet.localname(name)
    local named = process.names[name]
    return named and named.is_alive and named.handle or nil
  end

  -- That service is dead: all calls that wait for it have failed.
  function skynet.term(address)
    for session, watched in pairs(service.watching) do
      if watched == address then
        go_on(self, service, session, nil)
      end
    end
  end

  for _, name in ipairs { "info_func", "memlimit", "getenv" } do
    skynet[name] = function() return nil end
  end
  for _, name in ipairs { "stat", "mqlen" } do
    skynet[name] = function() return 0 end
  end
  return skynet
end

-- Where the file of a service is.
function simulation.path_of(name)
  for _, folder in ipairs { "lua/aoi/skynet/", "spec/world/" } do
    local file = io.open(folder .. name .. ".lua")
    if file then
      file:close()
      return folder .. name .. ".lua"
    end
  end
  error("there is no service " .. name)
end
Simulation.path_of = simulation.path_of

-- ---- services and processes -------------------------------------------------------------------

local Service = {}
Service.__index = Service

-- The service is killed: what it has begun is never answered.
function Service:kill()
  self.is_alive = false
  self.process.services[self.handle] = nil
end

-- The service ends by itself, as skynet.exit does.
function Service:end_it()
  self:kill()
  for _, tell in ipairs(self.links) do
    tell()
  end
  for _, owed in pairs(self.owed) do
    owed(nil)
  end
end

local function is_ours(name)
  return name:find "^aoi%.skynet%." or name:find "^skynet" or name:find "^spec%.world%."
end

-- The file as a function for a service, with the service's globals; each file is compiled once.
local function chunk_of(self, service, path)
  if not self.chunks[path] then
    self.chunks[path] = string.dump(assert(loadfile(path)))
  end
  return assert(load(self.chunks[path], "@" .. path, "b", service.globals))
end

-- The globals of a service: those of the test, with an ordered `pairs` and a `require` that gives it modules
-- of its own.
local function new_globals(self, service)
  local modules = service.modules
  return setmetatable({
    pairs = self.pairs,
    loadfile = function(path)
      return chunk_of(self, service, path)
    end,
    require = function(name)
      if not is_ours(name) then
        return require(name)
      elseif modules[name] == nil then
        local path = assert(package.searchpath(name, package.path))
        modules[name] = chunk_of(self, service, path)(name, path)
        self.loaded(name, modules[name], service)
      end
      return modules[name]
    end,
  }, { __index = _G })
end

local Process = {}
Process.__index = Process

-- Starts a service: the path of its file and its words, or a function that gets the service's `require`.
-- Returns the service, a table with its handle.
function Process:start_service(file, ...)
  local service = setmetatable({
    process = self, handle = self.next_handle, is_alive = true, modules = {}, sessions = 0,
    asking = {},    -- session -> coroutine that waits for its answer
    watching = {},  -- session -> address of the service that it is from
    calls = 0,      -- how many it has served
    served = setmetatable({}, { __mode = "k" }), -- coroutine -> number of the call that it serves
    owed = {},      -- number of a call -> function that answers it
    waiting = {},   -- token -> coroutine
    links = {},     -- list of functions to call at the end
    protocols = {},
  }, Service)
  self.next_handle = self.next_handle + 1
  self.services[service.handle] = service
  local all = self.all
  service.answer = new_answer(all, service)
  service.errors = new_dispatch_of_errors(all, service)
  service.skynet = new_skynet(all, service)
  service.modules.skynet = service.skynet
  service.modules["skynet.manager"] = service.skynet
  service.modules["skynet.cluster"] = new_cluster(all, service)
  service.modules["skynet.db.redis"] = all.redis:client(self.name, service.skynet, function(is_back, f)
    at(all, all.time + all.random:fraction() * WAY, is_back and self or nil, f)
  end)
  service.globals = new_globals(all, service)
  if type(file) == "function" then
    file(service.globals.require)
  else
    chunk_of(all, service, file)(...)
  end
  if service.start then
    soon(all, service, coroutine.create(service.start))
  end
  return service
end

-- The process stands still, and what is sent to it waits.
function Process:stop()
  self.is_stopped = true
end

function Process:continue()
  self.is_stopped = false
  local held = self.held
  self.held = {}
  for _, event in ipairs(held) do
    at(self.all, self.all.time, self, event.f)
  end
end

-- All that is in it is gone, and what is on its way to it.
function Process:kill()
  self.is_alive, self.is_stopped, self.held = false, false, {}
  self.all.processes[self.name] = nil
  for _, service in pairs(self.services) do
    service.is_alive = false
  end
  for _, service in pairs(self.services) do
    for _, owed in pairs(service.owed) do
      owed(nil) -- for those who ask from other processes
    end
  end
end

-- Starts a process with the name of a node.
function Simulation:start_process(name)
  local process = setmetatable({
    all = self, name = name, began = self.time, is_alive = true, is_stopped = false,
    services = {}, names = {}, held = {}, next_handle = FIRST_HANDLE,
  }, Process)
  process.agent = { handle = 0xFF, process = process, answer = function() end }
  self.processes[name] = process
  return process
end

-- Calls a service from a coroutine of another one, of any process, without faults.
function simulation.call(from, to, ...)
  local self, text = from.process.all, packed_values.pack(...)
  return ask(from, function(session)
    if to.is_alive then
      deliver(self, to, to, 0, LUA, text, session, from)
    else
      from.answer(session, nil)
    end
  end)
end

return simulation
