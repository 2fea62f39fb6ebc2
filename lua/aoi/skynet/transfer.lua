-- Entities that go to another scene with what belongs to them: they are there first, and then no longer here.
-- Refused there, they stay.
local skynet = require "skynet"
local alive = require "aoi.skynet.alive"
local entering = require "aoi.skynet.entering"
local entities = require "aoi.skynet.entities"

-- Traits that only crowd spaces know.
local OF_CROWDS = { limit = true, importance = true }

local module = {}

-- The luggage of an entity: a table. of_entity: the parts, of parts.lua.
function module.luggage(of_entity, id)
  local luggage = { opts = {} }
  of_entity.pack("transfer", id, luggage)
  return luggage
end

-- The complaint about the arguments of the command `arrive`; nil: none.
function module.problem(opts, luggage)
  if type(luggage) ~= "table" or type(luggage.opts) ~= "table" then
    return ("arrive: the luggage is %s, expected what the command transfer sends"):format(tostring(luggage))
  elseif opts ~= nil and type(opts) ~= "table" then
    return ("arrive: opts is %s, expected a table"):format(tostring(opts))
  end
end

-- The opts with which it enters the other scene. opts: in place of what the luggage has.
function module.opts(scene, luggage, opts)
  local all = { anew = true }
  for name, value in pairs(luggage.opts) do
    if scene.is_crowd or not OF_CROWDS[name] then
      all[name] = value
    end
  end
  for name, value in pairs(opts or {}) do
    all[name] = value
  end
  return all
end

-- Whether the address of an entity follows it. opts: as above.
function module.follows(address, opts)
  return not opts or opts.address == nil or entities.to_address(opts.address) == address
end

-- The stream in which an entity is in the other scene. answer: that of `arrive` there; a world does not know.
function module.stream_there(answer, luggage)
  return math.type(answer) and answer or luggage.opts.stream
end

-- `scene` is the table of scene.lua; `parts` has entities and store, each of the file of its name, and
-- of_entity, of parts.lua.
function module.new(scene, parts)
  local transfer = {}

  local function refusal(message)
    return nil, "transfer: " .. message
  end

  -- Leaves here. there: the stream in which the stay goes on, as its address follows it; nil: it is over.
  local function depart(id, address, to, there)
    if address then
      scene.views.notify(scene.notices.hand_out(id) or {})
    end
    if address and there then
      scene.views.tell_elsewhere(address, id, to, there)
    end
    scene.streams:finish(id, not there and address or nil)
    if parts.store then
      scene.records.take()
    end
    scene.views.flush()
    local function leave()
      scene.addresses:set(id, nil)
      if not parts.entities.leave(id, "transferred") and scene.space:has(id) then
        skynet.timeout(100, leave) -- memory was short
      end
    end
    leave()
  end

  -- Asks the scene of that address to take the entity to this place. opts: in place of the traits, data and
  -- address that it has. Returns true, or nil and a message: then it is still here, or has left meanwhile.
  function transfer.go(id, to, x, y, z, opts)
    if type(z) == "table" then
      z, opts = nil, z
    end
    local key, where = math.type(id) and math.tointeger(id), entities.to_address(to)
    if not key or not scene.space:has(key) then
      return refusal(("entity %s is unknown"):format(tostring(id)))
    elseif not where or where == skynet.self() then
      return refusal(("the scene is %s, expected the address of another scene"):format(tostring(to)))
    elseif opts ~= nil and type(opts) ~= "table" then
      return refusal(("opts is %s, expected a table"):format(tostring(opts)))
    elseif scene.departing[key] then
      return refusal(("entity %d is on its way already"):format(key))
    end
    local address, luggage = scene.addresses.of[key], module.luggage(parts.of_entity, key)
    scene.departing[key] = true
    local called, ok, message = pcall(alive.call, where, "lua", "arrive", key, x, y, z, opts, luggage)
    scene.departing[key] = nil
    local may_have_been = not called or not ok and message == "unknown"
    if may_have_been and address and scene.addresses.of[key] == address then
      -- It may have been there for a while, and was told so in the next stream.
      local before, stream = scene.streams.of[key], luggage.opts.stream + 1 & 0xFFFFFFFF
      parts.entities.set_traits(scene.addresses.sender[key], key, { address = address, stream = stream })
      if scene.streams.of[key] == stream then -- else it has left, or come anew, in a handler
        scene.own.goes_on(key, before)
      end
    end
    if not called or not ok then
      return refusal(called and tostring(message) or ("the scene %s does not answer"):format(tostring(to)))
    end
    local there = module.stream_there(ok, luggage)
    if not scene.space:has(key) then
      if address then
        -- An agent that has heard that scene does not believe what is said in the stream of before.
        scene.views.tell_end(address, key, there)
        scene.views.flush()
      end
      entering.leave_there(where, key, math.type(ok) and ok)
      return refusal(("entity %d has left on the way"):format(key))
    end
    local present = scene.addresses.of[key] -- another one than before, if a save was loaded meanwhile
    depart(key, present, where, present == address and module.follows(address, opts) and there)
    return true
  end

  -- The other side of `go`. With a store it is stored here before it leaves there. Returns the stream that it
  -- has here, true: none; or nil and a message.
  function transfer.arrive(source, id, x, y, z, opts, luggage)
    local problem = module.problem(opts, luggage)
    if problem then
      return nil, problem
    end
    local all = module.opts(scene, luggage, opts)
    if luggage.opts.stream and all.stream == luggage.opts.stream then -- else somebody has named it
      all.stream = scene.streams:next(id, all.stream)
    end
    local ok, message
    if z == nil then
      ok, message = parts.entities.arrive(source, luggage, id, x, y, all)
    else
      ok, message = parts.entities.arrive(source, luggage, id, x, y, z, all)
    end
    if ok and parts.store then
      scene.records.take()
    end
    if not ok then
      return nil, message
    end
    return all.stream or true
  end

  return transfer
end

return module
