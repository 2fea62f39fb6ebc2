-- Entities that go from a world to a scene, and come from one: dungeons and houses beside the map. A
-- transfer, which a scene makes at once (transfer.lua), takes commands to the region of the entity here, and
-- so a tick or two.
--
-- A service has an address on its own node only. So an entity goes by the world of the node where the scene
-- is, and its agent, if it has one, must be there too.
local skynet = require "skynet"
local addresses = require "aoi.skynet.region.addresses"
local calls = require "aoi.skynet.world.calls"
local call = require("aoi.skynet.calls").call
local entities = require "aoi.skynet.entities"
local of_scene = require "aoi.skynet.transfer"

-- `world` is the table of world.lua; `parts` has agents, of the file of its name. Returns
-- commands that are called with who asks, and the words of scenes' commands of these names.
return function(world, parts)
  local transfer = {}

  local function refusal(message)
    return nil, "transfer: " .. message
  end

  -- Has a command about an entity applied by its region, and returns its answer; it waits for that tick.
  -- text: the command as that gets it. goal: the region where it enters, nil: where it is.
  local function apply(source, id, kind, text, goal)
    local this, answer = coroutine.running(), nil
    calls.ask(world.member, {
      id = id, kind = kind, uid = parts.agents.new_uid(), source = source, region = goal, text = text,
      respond = function(_, packed)
        answer = packed
        skynet.wakeup(this)
      end,
    }, world.now())
    while not answer do
      skynet.wait(this)
    end
    return skynet.unpack(answer)
  end

  -- The handle of an address on this node, false for none; nil: it is of another node, or process.
  local function handle_of(address)
    if not address then
      return false
    end
    return addresses.handle_in(world.key, address)
  end

  -- transfer(id, scene, x, y [, z] [, opts]) -> true: the entity is in that scene, or in the world of that
  -- service, from now on. opts: in place of the traits, data and address that it has. What is changed of it
  -- on the way stays behind. Or nil and a message: it is still here, or has left meanwhile.
  function transfer.transfer(source, id, to, x, y, z, opts)
    if type(z) == "table" then
      z, opts = nil, z
    end
    local key, where = math.type(id) and math.tointeger(id), entities.to_address(to)
    if not where or where == skynet.self() then
      return refusal(("the scene is %s, expected the address of another scene"):format(tostring(to)))
    elseif opts ~= nil and type(opts) ~= "table" then
      return refusal(("opts is %s, expected a table"):format(tostring(opts)))
    elseif not key or not world.owner_of[key] then
      return refusal(("entity %s is unknown"):format(tostring(id)))
    end
    local luggage, problem = apply(source, key, "pack", skynet.packstring("pack", key))
    if not luggage then
      return refusal(problem)
    end
    local own = luggage.opts -- with which it enters there
    own.address = handle_of(own.address)
    luggage.sender = handle_of(luggage.sender) or nil
    if own.address == nil then
      return refusal(("the address of entity %d is on another node, expected one on the node of the scene")
        :format(key))
    end
    local called, ok, message = pcall(call, where, "lua", "arrive", key, x, y, z, opts, luggage)
    if not called or not ok then
      return refusal(called and tostring(message) or ("the scene %s does not answer"):format(tostring(to)))
    end
    if not apply(source, key, "depart", skynet.packstring("depart", key, where)) then
      of_scene.take_back(where, key)
      return refusal(("entity %d has left on the way"):format(key))
    end
    return true
  end

  -- The other side: what a scene's transfer calls.
  function transfer.arrive(source, id, x, y, z, opts, luggage)
    local wrong = of_scene.problem(opts, luggage)
    if wrong then
      return nil, wrong
    end
    local given = { address = luggage.opts.address, stream = luggage.opts.stream }
    for name, value in pairs(opts or {}) do
      given[name] = value
    end
    local handle, message = entities.to_address(given.address)
    if message then
      return nil, "enter: " .. message
    end
    given.address = handle and addresses.global(world.key, handle)
    given.stream = given.stream or handle and parts.agents.new_stream(id) or nil
    luggage.sender = luggage.sender and addresses.global(world.key, luggage.sender)
    return apply(source, id, "enter", skynet.packstring("arrive", id, x, y, z, given, luggage),
      world.map:region_at(x, y))
  end

  return transfer
end
