-- The regions of one process in the model: what the protocol leaves to a scene, on a map that is a line. A
-- region is `width` long, an entity sees as far as `sight`. Places and trails (the calls that were applied)
-- stand in the entities' records, and whose they are; the text of a command is a place, or land.WRONG. A move
-- that nobody wants an answer for has its place and the number of its call in `place`.
local agents = require "spec.world_model.agents"
local areas = require "spec.world_model.areas"
local batches = require "aoi.skynet.world.batches"
local checks = require "spec.world_model.checks"
local numbers = require "aoi.skynet.world.numbers"

local land = {}

-- No region takes this for a place.
land.WRONG = "wrong"

-- Regions but its own that need to know of something at x.
local function regions_near(of, x, own)
  local list = {}
  for region = math.max(1, (x - of.sight) // of.width + 1),
    math.min(of.regions, (x + of.sight) // of.width + 1) do
    if region ~= own then
      list[region] = true
    end
  end
  return list
end

-- ---- begin ------------------------------------------------------------------------------------

-- The number of the call that a command is of.
local function number_of(command)
  return command.uid or command.place and command.place[2]
end

local function note(of, tick, entity, command)
  of.applied[#of.applied + 1] = {
    uid = number_of(command), id = entity.id, stay = entity.stay, region = entity.region, tick = tick,
    enters = command.region ~= nil or nil,
    orphan = command.is_orphan,
  }
end

local function apply(of, member, tick, command, left)
  local entity = member.owned[command.id]
  local is_in = entity and entity.stay == command.stay and not left[command.id]
  if not is_in then
    return { "out" }
  elseif command.kind == "enter" and command.number and not command.takes_over then -- it is in already
    return { "refused" }
  elseif command.text == land.WRONG then
    left[command.id] = not entity.x or nil -- it was to enter
    return { "refused" }
  end
  if command.is_orphan and member.keys[entity.agent.address] then
    checks.breach("%s ends as an orphan, and its agent is there", entity.stay)
  end
  note(of, tick, entity, command)
  local agent = entity.agent
  if agent and (command.kind == "leave" or command.stream and command.key ~= agent.address) then
    table.insert(of.ends, {
      id = entity.id, stay = entity.stay, stream = agent.stream, home = agent.address,
      is_left = command.kind == "leave",
    })
  end
  if command.stream then
    if agents.begin(entity, command) then
      table.insert(of.raised, {
        id = entity.id, address = command.key, stream = entity.agent.stream, region = entity.region,
        is_past = true,
      })
    end
    entity.unsaid = entity.unsaid or "changed"
  end
  if command.kind == "leave" then
    left[command.id] = true
    return { "done" }
  end
  entity.x = command.place and command.place[1] or command.text
  entity.trail = table.move(entity.trail or {}, 1, #(entity.trail or {}), 1, {})
  table.insert(entity.trail, number_of(command))
  return { "done" }
end

-- Adds to `done` whose entities are from now on, for their nodes. unsaid of an entity: "changed" or "anew",
-- its nodes are to hear it, or all; it goes with the entity when its region moves.
local function say_agents(of, member, done)
  for _, one in ipairs(of.raised) do
    table.insert(done[one.region].agents, one)
  end
  of.raised = {}
  for _, id in ipairs(numbers.sorted(member.owned)) do
    local entity = member.owned[id]
    if entity.unsaid then
      table.insert(done[entity.region].agents, {
        id = id, address = entity.agent.address, stream = entity.agent.stream, order = entity.agent.order,
        is_for_all = entity.unsaid == "anew" or nil,
      })
      entity.unsaid = nil
    end
  end
end

local function say_anew(list)
  for _, entity in ipairs(list) do
    entity.unsaid = "anew"
  end
end

local function cross(of, member, left, done)
  local crossing = {}
  for _, id in ipairs(numbers.sorted(member.owned)) do
    local entity = member.owned[id]
    local region = not left[id] and of.region_of(entity.x) or entity.region
    if region ~= entity.region and member.configuration.owners[region]
      and not member.loading[region] then
      crossing[id] = region
      table.insert(done[entity.region].crossed, { id = id, to = region })
    end
  end
  return crossing
end

-- Adds to `done` what other regions must know since the tick before. What is handed over its giver shows once
-- more, and its taker goes on from there.
local function show(of, member, left, crossing, done)
  local function tell(from, change)
    table.insert(done[from].ghosts, change)
  end
  local shown, now = of.shown, {}
  for id, entity in pairs(member.owned) do
    now[id] = not left[id] and entity or nil
  end
  for _, id in ipairs(numbers.sorted(shown)) do
    local entity, old = now[id], shown[id]
    local stays = entity and entity.stay == old.stay
    local near = stays and regions_near(of, entity.x, crossing[id] or entity.region) or {}
    for _, region in ipairs(numbers.sorted(old.regions)) do
      if not near[region] then
        tell(old.from, { region = region, id = id, stay = old.stay })
      end
    end
  end
  of.shown = {}
  for _, id in ipairs(numbers.sorted(now)) do
    local entity, old = now[id], shown[id]
    local near = regions_near(of, entity.x, crossing[id] or entity.region)
    for _, region in ipairs(numbers.sorted(near)) do
      if not old or old.stay ~= entity.stay or old.x ~= entity.x or not old.regions[region] then
        tell(entity.region, { region = region, id = id, stay = entity.stay, x = entity.x })
      end
    end
    if not crossing[id] then
      of.shown[id] = { stay = entity.stay, x = entity.x, regions = near, from = entity.region }
    end
  end
end

-- The view of each own entity: id -> id of the other -> its stay.
local function views_of(of, member)
  local views = {}
  for id, entity in pairs(member.owned) do
    local view = {}
    for other, known in pairs(of.ghosts[entity.region] or {}) do
      if other ~= id and math.abs(known.x - entity.x) <= of.sight then
        view[other] = known.stay
      end
    end
    for other, known in pairs(member.owned) do
      if known.region == entity.region then
        view[other] = other ~= id and math.abs(known.x - entity.x) <= of.sight and known.stay or nil
      end
    end
    views[id] = view
  end
  return views
end

-- Makes the block that an agent is told of a tick: what left its view and what entered it. `whole`: all of it
-- anew, in a stream that begins, as in scenes, or where the entity is back from a former time.
local function block_of(entity, view, tick)
  local is_whole = not entity.told or entity.told_stream ~= entity.agent.stream
  local block = {
    id = entity.id, stay = entity.stay, stream = entity.agent.stream, tick = tick, whole = is_whole,
    view = view, left = {}, entered = {},
  }
  for other, stay in pairs(not is_whole and entity.told or {}) do
    block.left[stay] = view[other] ~= stay or nil
  end
  for other, stay in pairs(view) do
    block.entered[stay] = is_whole or entity.told[other] ~= stay or nil
  end
  entity.told, entity.told_stream = view, entity.agent.stream
  return block
end

-- The blocks for agents: name of their member -> list. Those of `ends` say that a stay is over.
local function blocks_of(member, views, ends, tick)
  local blocks = {}
  for _, one in ipairs(ends) do
    local name = member.keys[one.home]
    if name then
      blocks[name] = blocks[name] or {}
      table.insert(blocks[name], { id = one.id, stay = one.stay, stream = one.stream, is_end = true,
        is_left = one.is_left })
    end
  end
  for _, id in ipairs(numbers.sorted(views)) do
    local entity = member.owned[id]
    local block, name = block_of(entity, views[id], tick), entity.home and member.keys[entity.home]
    if name then
      blocks[name] = blocks[name] or {}
      table.insert(blocks[name], block)
    end
  end
  return blocks
end

-- An agent takes a block in. seen: stay of the other -> true, as it has been told until now, or nil.
local function seen_with(block, seen)
  local now = {}
  if not block.whole then
    if not seen then
      checks.breach("the agent of %s has missed its first block", block.stay)
    end
    for stay in pairs(seen) do
      now[stay] = true
    end
  end
  for stay in pairs(block.left) do
    if not now[stay] then
      checks.breach("the agent of %s is told that %s leaves, which had not entered", block.stay, stay)
    end
    now[stay] = nil
  end
  for stay in pairs(block.entered) do
    if now[stay] then
      checks.breach("the agent of %s is told twice that %s enters", block.stay, stay)
    end
    now[stay] = true
  end
  local there = {}
  for _, stay in pairs(block.view) do
    there[stay] = true
    if not now[stay] then
      checks.breach("the agent of %s has not been told of %s", block.stay, stay)
    end
  end
  for stay in pairs(now) do
    if not there[stay] then
      checks.breach("the agent of %s has not been told that %s leaves", block.stay, stay)
    end
  end
  return now
end

-- Entities are back from a former time, or their agents may have missed something: these are told all anew.
local function come_back(list)
  for _, entity in ipairs(list) do
    entity.told = nil
  end
end

-- The entities that this member tells at a tick: id -> { stay, x, astray }. An entity whose region is still
-- read from a store waits with its giver, astray, and does not see all that is near it.
local function stays_of(of, member)
  local stays = {}
  for id, entity in pairs(member.owned) do
    stays[id] = {
      stay = entity.stay, x = entity.x, astray = of.region_of(entity.x) ~= entity.region,
    }
  end
  return stays
end

-- options: width, sight, regions, has_areas; disk of disks.lua, or nil; agents of agents.lua.
function land.new(options)
  local of = {
    width = options.width, sight = options.sight, regions = options.regions, told = {}, applied = {},
    shown = {}, ghosts = {},
    ends = {}, -- list of { id, stay, stream, home }: agents whose stays have ended since the last tick
    raised = {}, -- list of streams that nodes have numbered otherwise
    seen = {}, -- stay -> what its agent, of this process, sees by the blocks that it was given
  }
  function of.region_of(x)
    return math.max(1, math.min(of.regions, x // of.width + 1))
  end

  function of.stream(_, id, asked)
    return options.agents.streams:send(id, asked)
  end

  function of.begin(member, tick, work, moves)
    local done, left = {}, {}
    for region, owner in pairs(member.configuration.owners) do
      done[region] = owner == member.name and {
        results = {}, agents = {}, left = {}, crossed = {}, ghosts = {},
      } or nil
    end
    for _, region in ipairs(numbers.sorted(work)) do
      for _, command in ipairs(work[region]) do
        for _, one in ipairs(command.ids and batches.of_stays(member, command) or { command }) do
          table.insert(done[region].results, apply(of, member, tick, one, left))
        end
      end
    end
    for _, region in ipairs(numbers.sorted(moves)) do
      done[region].moved = {}
      for _, call in ipairs(moves[region]) do
        local entity = member.owned[call.id]
        local command = {
          uid = call.uid, id = call.id, text = call.text, place = call.place, stay = entity and entity.stay,
        }
        local outcome = apply(of, member, tick, command, left)[1]
        if call.uid or outcome ~= "done" then
          table.insert(done[region].moved, { call, outcome == "out" and "refused" or outcome })
        end
      end
    end
    for _, id in ipairs(numbers.sorted(left)) do
      table.insert(done[member.owned[id].region].left, id)
    end
    say_agents(of, member, done)
    show(of, member, left, cross(of, member, left, done), done)
    if options.disk then
      options.disk.writer:applied(work, done)
      options.disk.writer:applied(moves, {}) -- in a scene, the space's record has them
    end
    return done
  end

  function of.write(member)
    return options.disk and options.disk.write(member)
  end

  function of.take(_, _, changes, taken)
    if options.disk then
      options.disk.writer:taken(taken)
    end
    for _, change in ipairs(changes) do
      local of_region = of.ghosts[change.region] or {}
      of.ghosts[change.region] = of_region
      local known = of_region[change.id]
      if change.x then
        of_region[change.id] = { stay = change.stay, x = change.x }
      elseif known and known.stay == change.stay then
        of_region[change.id] = nil
      end
    end
    for _, entity in ipairs(taken) do
      of.shown[entity.id] = {
        stay = entity.stay, x = entity.x, regions = regions_near(of, entity.x, entity.region),
        from = entity.region,
      }
      if of.ghosts[entity.region] then
        of.ghosts[entity.region][entity.id] = nil
      end
    end
  end

  function of.tell(member, tick)
    if options.disk then
      options.disk.told(member)
    end
    local views = views_of(of, member)
    of.told[#of.told + 1] = {
      kind = "tick", key = member.configuration.key, tick = tick, owned = stays_of(of, member),
      views = views, members = #member.names,
    }
    local ends = of.ends
    of.ends = {}
    return blocks_of(member, views, ends, tick)
  end

  function of.give(_, _, blocks, whose)
    for _, block in ipairs(blocks) do
      if block.is_end then
        options.agents:is_told(block.id, block.stay, block.stream, block.is_left)
      elseif not whose or whose[block.id] then
        of.seen[block.stay] = seen_with(block, of.seen[block.stay])
        options.agents:hears(block.id, block.stay, block.stream, block.tick)
      end
    end
  end

  function of.copy(_, region)
    return options.disk and options.disk.copy(region)
  end

  function of.agents()
    return options.agents.whose:all()
  end

  local function read(list)
    agents.agree(list)
    say_anew(list)
  end

  function of.configure(member, work)
    of.dropped = work.drop -- others have them, if they have begun this configuration, too
    of.shown, of.ghosts = {}, {}
    come_back(work.take)
    agents.agree(work.take)
    come_back(work.anew)
    say_anew(work.said)
    if options.disk then
      options.disk.configure(member, work.copies)
      options.disk.writer:taken(work.take)
      options.disk.writer:taken(work.drop)
    end
  end

  if options.has_areas then
    areas(of)
  end
  if options.disk then
    of.stores, of.read = options.disk.stores, options.disk.read
    of.kept_configuration = options.disk.kept_configuration
  end

  -- All is shown anew, as the new region knows nothing.
  function of.loaded(_, _, list)
    of.shown, of.ghosts = {}, {}
    read(list)
  end

  function of.taken_back(_, _, list)
    come_back(list)
    read(list)
    options.disk.writer:taken(list)
  end

  return of
end

return land
