-- The regions of this process, as the protocol wants them (`land` of member.lua): services of skynet that are
-- called with each tick's commands, and with what the others show.
--
-- Rows for a region are a flat list, four values for each command in its order: stamp, address of the source,
-- whether an answer is wanted, and the command as skynet packs it, or { stream, command }: it begins a stay,
-- whose stream its node has numbered. Moves that nobody asks about are one row:
-- how many, the stamp of the first, -1, and id and place of each, packed. Behind the enters stand the changes
-- of areas, as one row: false, false, -2, and a flat list of area, "owned" or "fixed", and what it is or
-- false.
local skynet = require "skynet"
local addresses = require "aoi.skynet.region.addresses"
local blocks = require "aoi.skynet.blocks"
local calls = require "aoi.skynet.calls"
local numbers = require "aoi.skynet.world.numbers"
local new_stores = require "aoi.skynet.world.stores"
local packet = require "aoi.skynet.packet"
local side_by_side = require "aoi.skynet.side_by_side"

local MOVES, AREAS = -1, -2

-- `world` is the table of world.lua; `parts` has agents, areas and queries, of the
-- files of those names.
return function(world, parts)
  local land = { regions = {} } -- region -> its service
  local map = world.map
  local regions = land.regions
  local ghosts, luggage = {}, {} -- region -> list: they came, and the next call takes them there
  local started = {}             -- set of the addresses of all that were started here
  local starting = {}            -- set of addresses of those that are no region's service yet
  local log = nil                -- a file
  local readers = {}             -- region -> service that reads its store; it is the region's then
  local left = {}                -- region -> service of one that is elsewhere, until stored there
  local shows_anew = nil         -- true: with the next tick all is shown anew; a number: with that tick
  local stores = map.store ~= "" and new_stores(world, parts) or nil
  if stores then
    stores.check()
  end

  local self = skynet.self() -- asked for once: skynet makes it of a text each time
  local MOVE = "<i8" .. ("d"):rep(world.dims)

  local function stop(address)
    skynet.send(address, "debug", "EXIT")
  end

  -- Returns what f(...) does, which waits; the member is busy meanwhile. When the process was expelled since,
  -- and so is another one by now, what it was about ends with an error.
  local function wait(f, ...)
    local member = world.member
    member.is_busy = true
    local result = table.pack(pcall(f, ...))
    member.is_busy = false
    if world.member ~= member then
      error("the process is another one by now", 0)
    elseif not result[1] then
      error(result[2], 0)
    end
    return table.unpack(result, 2, result.n)
  end

  local function call(address, ...)
    return wait(calls.call, address, "lua", ...)
  end

  -- Calls f(region, address) for all of them at once. Returns region -> its answer. Raises the first error.
  local function call_all(f)
    local list, order = {}, {}
    for region, address in pairs(regions) do
      order[#order + 1] = region
      list[#list + 1] = function()
        return f(region, address)
      end
    end
    if not list[1] then
      return {}
    end
    local answers, results = wait(side_by_side, list), {}
    for i, answer in ipairs(answers) do
      if not answer[1] then
        error(("region %d: %s"):format(order[i], answer[2]), 0)
      end
      results[order[i]] = answer[2]
    end
    return results
  end

  -- ---- begin ----------------------------------------------------------------------------------

  local function add(rows, ...)
    local n = #rows
    rows[n + 1], rows[n + 2], rows[n + 3], rows[n + 4] = ...
  end

  local function text_of(command)
    return command.stream and { command.stream, command.text } or command.text
      or command.is_orphan and skynet.packstring("leave", command.id, nil, "orphan")
      or skynet.packstring(command.kind, command.id, table.unpack(command.place or {}))
  end

  local function rows_of(commands, areas)
    local rows, has_areas = {}, not areas[1]
    for _, command in ipairs(commands) do
      local place = command.place
      if not has_areas and (command.ids or not command.region) then
        has_areas = true
        add(rows, false, false, AREAS, areas)
      end
      if command.ids then
        add(rows, command.n, command.stamp, MOVES, command.rows)
      elseif place and not command.uid then
        add(rows, 1, command.stamp, MOVES, MOVE:pack(command.id, table.unpack(place)))
      else
        add(rows, command.stamp or 0,
          command.source and addresses.global(command.key, command.source) or false, command.uid ~= nil,
          text_of(command))
      end
    end
    if not has_areas then
      add(rows, false, false, AREAS, areas)
    end
    return rows
  end

  -- The regions to which nothing can be handed over now.
  local function closed_regions(member)
    local closed = {}
    for region = 1, map.count do
      closed[region] = (not member.configuration.owners[region] or member.loading[region]) and true or nil
    end
    return closed
  end

  function land.stream(_, id, asked)
    return parts.agents.streams:send(id, asked)
  end

  function land.begin(member, tick, work, moves)
    local closed, areas = closed_regions(member), parts.areas.take_changes()
    local anew = shows_anew == true
    shows_anew = anew and tick or nil
    local done = call_all(function(region, address)
      local rows, batch = rows_of(work[region] or {}, areas(region)), moves[region]
      return calls.call(address, "lua", "begin", tick, rows, closed, anew, batch and batch.rows,
        batch and batch.stamp)
    end)
    for region, of in pairs(done) do
      for i, message in pairs(of.refused) do
        of.moved = of.moved or {}
        table.insert(of.moved, { member.gathered.call(moves[region], i), "refused", message })
      end
      local list = {}
      for other, text in pairs(of.out) do
        list[#list + 1] = { region = other, text = text }
      end
      of.ghosts = list
      world.counters.hand_overs = world.counters.hand_overs + #of.crossed
    end
    if stores then
      stores.rows:applied(work, done)
    end
    return done
  end

  function land.write(member)
    return stores and stores.write(member, call_all)
  end

  -- ---- finish ---------------------------------------------------------------------------------

  local function put(lists, region, value)
    lists[region] = lists[region] or {}
    table.insert(lists[region], value)
  end

  function land.take(_, _, changes, taken)
    for _, change in ipairs(changes) do
      put(ghosts, change.region, change.text)
    end
    for _, entity in ipairs(taken) do
      put(luggage, entity.region, entity.luggage)
    end
    if stores then
      stores.rows:taken(taken)
    end
  end

  function land.tell(member, tick)
    local came, packed = ghosts, luggage
    ghosts, luggage = {}, {}
    local questions, answers = parts.queries.of_tick(tick), {}
    local results = call_all(function(region, address)
      return calls.call(address, "lua", "finish", tick, came[region] or {}, packed[region] or {},
        tick == member.first_tick or tick == shows_anew, questions[region])
    end)
    for region, result in pairs(results) do
      answers[region] = result.answers
    end
    parts.queries.answered(tick, answers)
    for _, region in ipairs(numbers.sorted(left)) do
      if not (stores and member:lacks_store(region)) then
        if stores then
          skynet.send(left[region], "lua", "unstore")
        end
        stop(left[region])
        left[region] = nil
      end
    end
    local packets = {}
    for _, region in ipairs(numbers.sorted(results)) do
      local result = results[region]
      for key, list in pairs(result.packets) do
        local name = member.keys[key]
        if name then -- else its process is lost
          local all = packets[name]
          packets[name] = all and table.move(list, 1, #list, #all + 1, all) or list
        end
      end
      for _, line in ipairs(log and result.log or {}) do
        log:write(line, "\n")
      end
    end
    for _, line in ipairs(log and parts.areas.take_log() or {}) do
      log:write(line, "\n")
    end
    if log then
      log:write(("{told=%d}\n"):format(tick))
      log:flush()
    end
    return packets
  end

  local function relay(handle, message)
    if skynet.redirect(handle, self, packet.protocol, 0, message) then
      world.counters.relayed = world.counters.relayed + 1
    else
      parts.agents.failed(handle)
    end
  end

  function land.give(_, _, list, whose)
    for i = 1, #list, 2 do
      local message = whose and blocks.with_views_of(list[i + 1], whose) or list[i + 1]
      if message ~= "" then
        relay(list[i], message)
      end
    end
  end

  -- ---- configurations -------------------------------------------------------------------------

  function land.copy(_, region)
    call(regions[region], "take", ghosts[region] or {}, luggage[region] or {})
    ghosts[region], luggage[region] = nil, nil
    local saved, kept = call(regions[region], "save")
    if not saved then
      error(("region %d can not be saved: %s"):format(region, kept), 0)
    end
    return { saved = saved, kept = kept }
  end

  -- Starts the service of a region: empty, as the copy has it, or one that reads a store.
  local function start(region, copy, reads)
    local words = table.move(world.words, 1, #world.words, 1, {})
    words[#words + 1] = "region=" .. region
    words[#words + 1] = "world=" .. self
    words[#words + 1] = "key=" .. world.key
    words[#words + 1] = "number=" .. world.member.configuration.number
    words[#words + 1] = "token=" .. world.member.configuration.key
    words[#words + 1] = (copy or reads) and "waits=1" or nil
    local member = world.member
    local address = wait(function()
      local address = skynet.newservice("region", table.unpack(words))
      if world.member ~= member then
        stop(address)
      end
      return address
    end)
    if copy then
      starting[address] = true
      local ok, message = call(address, "load", copy.state.saved, copy.state.kept)
      starting[address] = nil
      if not ok then
        error(("region %d can not be loaded: %s"):format(region, message), 0)
      end
    end
    started[address] = true
    return address
  end

  -- Entities of a region whose agents' processes are no members.
  local function orphans_of(member, region)
    local list = {}
    for id, entity in pairs(member.owned) do
      if entity.region == region and entity.home and not member.keys[entity.home] then
        list[#list + 1] = id
      end
    end
    return list
  end

  local function by_region(list, value_of)
    local lists = {}
    for _, entity in ipairs(list) do
      put(lists, entity.region, value_of(entity))
    end
    return lists
  end

  -- The services for the regions of this process.
  local function staff(member, copies)
    local owners = member.configuration.owners
    for region, address in pairs(left) do
      if owners[region] == member.name then
        stop(address)
        left[region] = nil
      end
    end
    for region, address in pairs(regions) do
      if owners[region] ~= member.name then
        left[region], regions[region] = address, nil
      end
    end
    for region, address in pairs(readers) do
      if owners[region] ~= member.name or not member.loading[region] then
        stop(address)
        readers[region] = nil
      end
    end
    for region = 1, map.count do
      local is_own = owners[region] == member.name
      if is_own and member.loading[region] then
        readers[region] = readers[region] or start(region, nil, true)
      elseif is_own and not regions[region] then
        regions[region] = start(region, copies[region])
      end
    end
    if stores then
      stores.configure(member, readers, copies)
    end
  end

  local function id_of(entity)
    return entity.id
  end

  -- A list of all that their agents' nodes were told later, of these entities.
  local function agents_of(list)
    local agents = {}
    for _, entity in ipairs(list) do
      agents[#agents + 1] = entity.said
    end
    return agents
  end

  local function configure(member, work)
    shows_anew = nil
    staff(member, work.copies)
    local drop, anew = by_region(work.drop, id_of), by_region(work.anew, id_of)
    local said = by_region(work.said, id_of)
    local back = by_region(work.take, function(entity) return entity.luggage end)
    local back_agents = by_region(work.take, function(entity) return entity.said end)
    local came, packed = ghosts, luggage
    ghosts, luggage = {}, {}
    call_all(function(region, address)
      local fixed, owned = parts.areas.of_region(region)
      return calls.call(address, "lua", "configure", {
        number = member.configuration.number, key = member.configuration.key, drop = drop[region] or {},
        shown = came[region] or {}, luggage = packed[region] or {},
        back = back[region] or {}, agents = back_agents[region] or {},
        fixed = fixed, owned = owned, orphans = orphans_of(member, region), anew = anew[region] or {},
        said = said[region] or {},
      })
    end)
    if stores then
      stores.rows:taken(work.take)
      stores.rows:taken(work.drop)
    end
  end

  -- A process whose regions can't begin takes none any more: it would get them again, and again.
  local function have_begin(member, begin, ...)
    local ok, message = pcall(begin, member, ...)
    if not ok then
      world.is_unfit = world.is_unfit or world.member == member
      error(message, 0)
    end
  end

  function land.agents()
    return parts.agents.whose:all()
  end

  function land.configure(member, work)
    have_begin(member, configure, work)
  end

  if stores then
    land.stores, land.kept_configuration = stores.stamps, stores.configuration
    function land.read(_, region)
      return readers[region] and stores.read(region, readers[region])
    end
  end

  local function have_read(member, loaded, kept)
    local region, address = loaded.region, readers[loaded.region]
    shows_anew = true
    parts.areas.back(member, loaded)
    if member.configuration.owners[region] == member.name then
      local ids = {}
      for i, entity in ipairs(kept) do
        ids[i] = entity.id
      end
      local fixed, owned = parts.areas.of_region(region)
      call(address, "own", {
        number = member.configuration.number, key = member.configuration.key, fixed = fixed, owned = owned,
        orphans = orphans_of(member, region), agents = agents_of(kept),
      }, ids)
      regions[region], readers[region] = address, nil
      stores.loaded(region, #ids)
    end
    parts.areas.given_back(member, loaded)
  end

  -- All regions show all anew, as the new one knows nothing.
  function land.loaded(member, loaded, kept)
    have_begin(member, have_read, loaded, kept)
  end

  function land.taken_back(member, region, list)
    local texts, ids = {}, {}
    for i, entity in ipairs(list) do
      texts[i], ids[i] = entity.luggage, entity.id
    end
    call(regions[region], "take_back", texts, orphans_of(member, region), ids, agents_of(list))
    stores.rows:taken(list)
  end

  -- Whether this is the address of a region that is, or was, here.
  function land.is_region(address)
    return started[address] == true
  end

  land.judge_areas = parts.areas.judge
  land.areas = parts.areas.all
  land.put_areas = parts.areas.replace

  function land.open_log(path)
    log = assert(io.open(path, "w"))
  end

  -- The process is expelled, or ends: so do its regions.
  function land.stop()
    for _, services in ipairs { regions, readers } do
      for region, address in pairs(services) do
        stop(address)
        services[region] = nil
      end
    end
    for _, address in pairs(left) do
      stop(address)
    end
    for address in pairs(starting) do
      stop(address)
    end
    left, starting, ghosts, luggage = {}, {}, {}, {}
    parts.areas.begin()
    if stores then
      stores.stop()
    end
  end

  return land
end
