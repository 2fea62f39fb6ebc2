-- Entities that go from a world to a scene, and come from one: dungeons and houses beside the map. A
-- transfer, which a scene makes at once (transfer.lua), takes commands to the region of the entity here, and
-- so a tick or two.
--
-- It is in the scene first, and its agent may hear of that at once, in the next stream. Then it departs here.
-- The region is asked for that until there is an answer: it has departed, or its stay was over before, and it
-- has to leave the scene, too. An agent that has heard the scene does not believe what is said in the stream
-- of before: this service tells it, in the scene's, what has become of its entity.
--
-- Scene and region may not answer for long. Who asked hears `unknown` then, and the transfer goes on. As long
-- as the scene has not answered the entity goes on here as ever, but for another transfer.
--
-- A service has an address on its own node only. So an entity goes by the world of the node where the scene
-- is, and its agent, if it has one, must be there too.
local skynet = require "skynet"
local addresses = require "aoi.skynet.region.addresses"
local calls = require "aoi.skynet.world.calls"
local blocks = require "aoi.skynet.blocks"
local call = require("aoi.skynet.alive").call
local packet = require "aoi.skynet.packet"
local entering = require "aoi.skynet.entering"
local entities = require "aoi.skynet.entities"
local of_scene = require "aoi.skynet.transfer"
local side_by_side = require "aoi.skynet.side_by_side"

-- `world` is the table of world.lua; `parts` has agents, of the file of its name. patience: milliseconds
-- after which a transfer is answered. Returns commands that are called with who asks, and the words of
-- scenes' commands of these names; and a function over(stay, how) that is to hear of all stays that have
-- "left" or are "lost". It returns whether the agent of that one hears of it from here.
return function(world, parts, patience)
  local transfer = {}

  -- stay -> { id, agent, stream, how, is_late, is_departing }: it is on its way to a scene. agent: its
  -- service, in this stream; how: of `over`, once it is over here; is_late: who asked waits no more;
  -- is_departing: the scene has it.
  local ways = {}

  local function refusal(message)
    return nil, "transfer: " .. message
  end

  -- Has a command about an entity applied by its region, and returns its answer; it waits for that tick.
  -- text: the command as that gets it. goal: the region where it enters; nil: where it is, in this stay.
  local function apply(source, id, kind, text, goal, stay)
    local this, answer = coroutine.running(), nil
    calls.ask(world.member, {
      id = id, kind = kind, uid = parts.agents.new_uid(), source = source, region = goal, text = text,
      stay = stay,
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

  -- Has an entity that is in a scene depart. Returns true and the number of the block that says so; or false
  -- and how its stay has ended: "left", "lost", or "expelled", when this process is another one by now; nil:
  -- it goes on, with another agent.
  local function depart(source, id, stream, stay)
    local way, key, was_unknown = ways[stay], world.key, false
    while true do
      local ok, answer = apply(source, id, "depart", skynet.packstring("depart", id, stream), nil, stay)
      if ok then
        return true, answer
      elseif world.key ~= key then
        return false, "expelled"
      elseif not calls.is_undecided(answer) then
        local has_departed = was_unknown and way.how == "left"
        return has_departed, has_departed and 0 or way.how
      end
      was_unknown = was_unknown or answer == "unknown"
      skynet.sleep(parts.agents.AGAIN)
    end
  end

  -- The scene does not have the entity, or nobody knows: the agent is told how its stay has ended on the way.
  local function tell_end(way)
    if way.how == "left" and way.agent then
      parts.agents.tell_over(way.agent, way.id, way.stream, way.how)
    end
  end

  local ELSEWHERE = "the address of entity %d is on another node, expected one on the node of the scene"

  -- The opts for a scene: an address as a world gives it is a handle there. nil: it is on another node.
  local function for_scene(opts)
    local address = type(opts) == "table" and opts.address
    if type(address) ~= "string" or not addresses.split(address) then
      return opts
    end
    local copy = {}
    for name, value in pairs(opts) do
      copy[name] = value
    end
    copy.address = handle_of(address)
    return copy.address and copy
  end

  -- Takes an entity of this stay to a scene; arguments as those of `transfer` below.
  local function go(source, id, stay, where, x, y, z, given)
    local opts = for_scene(given)
    if given and not opts then
      return refusal(ELSEWHERE:format(id))
    end
    local luggage, problem = apply(source, id, "pack", skynet.packstring("pack", id), nil, stay)
    if not luggage then
      return refusal(problem)
    end
    local own = luggage.opts -- with which it enters there
    local next_stream = own.stream
    local stream = next_stream and next_stream - 1 & 0xFFFFFFFF
    own.address = handle_of(own.address)
    luggage.sender = handle_of(luggage.sender) or nil
    if own.address == nil then
      return refusal(ELSEWHERE:format(id))
    end
    if next_stream then
      parts.agents.streams:hear(id, next_stream)
    end
    local way = ways[stay]
    way.agent, way.stream = own.address, stream
    local called, ok, message = pcall(call, where, "lua", "arrive", id, x, y, z, opts, luggage)
    if not called or not ok then
      tell_end(way)
      return refusal(called and tostring(message) or ("the scene %s does not answer"):format(where))
    end
    local there = of_scene.stream_there(ok, luggage)
    if there then
      parts.agents.streams:hear(id, there)
    end
    local has_departed, answer = false, way.how
    if not answer then
      way.is_departing = true
      has_departed, answer = depart(source, id, stream, stay)
    end
    if own.address and has_departed and of_scene.follows(own.address, opts) then
      skynet.rawsend(own.address, packet.protocol, blocks.elsewhere(id, stream, answer, where, there))
    elseif own.address then
      parts.agents.tell_over(own.address, id, has_departed and stream or there, answer)
    end
    if has_departed then
      return true
    end
    entering.leave_there(where, id, math.type(ok) and ok)
    return refusal(answer == "expelled" and "unknown" or ("entity %d has left on the way"):format(id))
  end

  -- transfer(id, scene, x, y [, z] [, opts]) -> true: the entity is in that scene, or in the world of that
  -- service, from now on. opts: in place of the traits, data and address that it has. What is changed of it
  -- on the way stays behind. Or nil and a message: it is still here, or its stay was over meanwhile; with
  -- "unknown" it may get there still.
  function transfer.transfer(source, id, to, x, y, z, opts)
    if type(z) == "table" then
      z, opts = nil, z
    end
    local key, where = math.type(id) and math.tointeger(id), entities.to_address(to)
    local known = key and world.member.directory[key]
    if not where or where == skynet.self() then
      return refusal(("the scene is %s, expected the address of another scene"):format(tostring(to)))
    elseif opts ~= nil and type(opts) ~= "table" then
      return refusal(("opts is %s, expected a table"):format(tostring(opts)))
    elseif not known then
      return refusal(("entity %s is unknown"):format(tostring(id)))
    elseif ways[known.stay] then
      return refusal(("entity %d is on its way already"):format(key))
    end
    local stay = known.stay
    local way = { id = key }
    ways[stay] = way
    local result = side_by_side({ function()
      local result = table.pack(pcall(go, source, key, stay, where, x, y, z, opts))
      ways[stay] = nil
      if not result[1] then
        error(result[2], 0)
      end
      return table.unpack(result, 2, result.n)
    end }, patience // 10)[1]
    if not result then
      way.is_late = true -- from now on the agent hears of the end as ever, until the scene has the entity
      if not way.is_departing then
        tell_end(way)
      end
      return refusal "unknown"
    elseif not result[1] then
      error(result[2], 0)
    end
    return table.unpack(result, 2, result.n)
  end

  -- Has an entity leave that may be in, in this stream, nil: as nobody's, and stays in the scene from which
  -- it came.
  local function leave_again(id, stream)
    local text = stream and skynet.packstring("leave", id, { stream = stream })
      or skynet.packstring("leave", id, false, "replaced")
    while true do
      skynet.sleep(parts.agents.AGAIN)
      local ok, message = apply(nil, id, "leave", text)
      if ok or not calls.is_undecided(message) then
        return
      end
    end
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
    given.stream = given.stream or handle and parts.agents.streams:ask(id) or nil
    luggage.sender = luggage.sender and addresses.global(world.key, luggage.sender)
    local ok, problem = apply(source, id, "enter", skynet.packstring("arrive", id, x, y, z, given, luggage),
      world.map:region_at(x, y))
    if not ok and problem == "unknown" then
      skynet.fork(leave_again, id, given.stream)
    end
    return ok, problem
  end

  return transfer, function(stay, how)
    local way = ways[stay]
    if way then
      way.how = how
    end
    return way ~= nil and (way.is_departing or not way.is_late)
  end
end
