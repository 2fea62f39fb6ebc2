-- Which node has which region of a world, when that changes while the world runs.
--
-- A claim says that a node has a region; it has a version, one more with each move, and the higher one holds.
-- Greetings carry all claims, and who learns of a new one tells all others. A former owner keeps its region,
-- which stands still, until the new one says that it has it; should that have lost it, the former one goes on
-- from there.
local skynet = require "skynet"
local calls = require "aoi.skynet.calls"
local ghosts = require "aoi.skynet.region.ghosts"

local WAIT = 300 -- hundredths of a second that a former owner has to take its region back

-- `world` is the table of world.lua; `parts` has ticks, commands, messages and migration, of the files of
-- those names.
return function(world, parts)
  local claims = {}
  local map = world.map
  local own = map.node

  local parted = {}  -- region -> { service, version, to }: has moved, and stands still here
  local missing = {} -- region -> { version }: is ours, but nobody has brought it, and it has no service yet
  local waiting = {} -- list of functions, to be called between two ticks

  local function tell(node, ...)
    if node ~= own then
      world.nodes.send(node, skynet.packstring("claims", ...))
    end
  end

  local function tell_all(...)
    for node = 1, #map.nodes do
      tell(node, ...)
    end
  end

  local function between_ticks(f, ...)
    local arguments = table.pack(...)
    waiting[#waiting + 1] = function()
      f(table.unpack(arguments, 1, arguments.n))
    end
    parts.ticks.go()
  end

  -- To be called when no tick is open.
  function claims.settle()
    while waiting[1] do
      local list = waiting
      waiting = {}
      for _, f in ipairs(list) do
        f()
      end
    end
  end

  -- Whether a region of ours has no service yet: no tick may begin.
  function claims.is_any_missing()
    return next(missing) ~= nil
  end

  -- Nobody knows what regions have shown each other since then: all is told anew.
  local function show_anew(region)
    local service = world.regions[region]
    for other, address in pairs(world.regions) do
      if other ~= region then
        skynet.send(address, "lua", "show_all", region)
      end
    end
    for other = 1, service and map.count or 0 do
      if other ~= region then
        skynet.send(service, "lua", "show_all", other)
      end
    end
    if service then
      parts.messages.tell_all_anew()
    end
  end

  -- ---- with a store ---------------------------------------------------------------------------

  -- Beside its store, so that a node that is started again knows of regions that are not its own by its
  -- words.
  local function path_of(region)
    return ("%s/%s-region-%d-version"):format(world.store, map.nodes[own], region)
  end

  -- A region has come to us for good; nil: has gone.
  local function remember(region, version)
    if not world.has_store then
      return
    elseif not version then
      os.remove(path_of(region))
      return
    end
    local file, message = io.open(path_of(region), "w")
    if not file or not (file:write(version) and file:close()) then
      skynet.error(("world: the store of region %d: %s"):format(region, tostring(message)))
    end
  end

  -- Claims the regions that have come before this process was started; before regions are started.
  function claims.recall()
    for region = 1, world.has_store and map.count or 0 do
      local file = io.open(path_of(region))
      local version = file and file:read "n"
      if file then
        file:close()
      end
      if version then
        map:claim(region, own, math.tointeger(version))
      end
    end
  end

  -- ---- regions that come and go --------------------------------------------------------------

  -- A region of another node: its service here ends, and what it owes is answered.
  local function end_region(service)
    local answers = calls.call(service, "lua", "moved")
    for i = 1, #answers, 2 do
      local stamp, text = answers[i], answers[i + 1]
      local node = stamp >> 20 & 0xFF
      if node == own then
        parts.commands.answer(stamp, text)
      elseif map.nodes[node] then
        world.nodes.send(node, skynet.packstring("packets", 0, {}, { stamp, text }))
      end
    end
    skynet.send(service, "debug", "EXIT")
  end

  -- heard: see commands.moved.
  local function change_owner(region, node, version, heard)
    local from = map.owners[region]
    map:claim(region, node, version)
    world.directory:moved(region, node == own and world.start or world.nodes.start_of(node))
    parts.commands.moved(region, from, heard)
  end

  -- ---- regions that have not come -------------------------------------------------------------

  -- A region of ours that nobody has is begun anew.
  local function begin_anew(region)
    local this = missing[region]
    if not this or this.begins then
      return
    end
    this.begins = true
    local service = world.start_region(region)
    between_ticks(function()
      if missing[region] ~= this then
        skynet.send(service, "debug", "EXIT")
        return
      end
      skynet.error(("world: region %d is ours and has not come: it begins anew"):format(region))
      missing[region], world.regions[region] = nil, service
      show_anew(region)
    end)
  end

  local function miss(region, version, from)
    missing[region] = { version = version }
    tell(from, "lost", region, version)
    skynet.timeout(WAIT, function()
      begin_anew(region)
    end)
  end

  -- Makes the directory and a region that goes on from an earlier tick agree on what it has. list: flat, of
  -- entity and epoch.
  local function agree(region, service, list)
    local directory, lost = world.directory, {}
    directory:add(region, list, world.start, world.told + 1, own)
    for i = 1, #list, 2 do
      if directory.owner[list[i]] ~= region or directory.epoch[list[i]] ~= list[i + 1] then
        lost[#lost + 1] = list[i]
      end
    end
    skynet.send(service, "lua", "lose", lost)
  end

  -- The new owner of a region of ours has lost it: it goes on here, from where it was.
  local function take_back(region)
    local this = parted[region]
    local list = calls.call(this.service, "lua", "owned")
    between_ticks(function()
      if parted[region] ~= this then
        return
      end
      parted[region] = nil
      skynet.error(("world: node %s has lost region %d: it goes on here"):format(map.nodes[this.to], region))
      change_owner(region, own, this.version + 1)
      remember(region, this.version + 1)
      agree(region, this.service, list)
      world.regions[region] = this.service
      show_anew(region)
      tell_all("new", { region, own, this.version + 1 })
    end)
  end

  -- ---- claims ---------------------------------------------------------------------------------

  local function take_in(region, node, version)
    local from, service = map.owners[region], world.regions[region]
    local was_held, heard = parts.migration.waits_for(region)
    change_owner(region, node, version, heard)
    missing[region] = nil
    tell_all("new", { region, node, version })
    if service and node ~= own then
      world.regions[region] = nil
      remember(region, nil)
      skynet.error(("world: region %d is node %s's: it ends here"):format(region, map.nodes[node]))
      skynet.fork(end_region, service)
    end
    if parted[region] and parted[region].version < version then
      skynet.fork(end_region, parted[region].service)
      parted[region] = nil
    end
    if node == own then
      world.regions[region] = parts.migration.take(region, version)
      if world.regions[region] then
        remember(region, version)
        tell(from, "taken", region, version)
      else
        miss(region, version, from)
      end
    end
    if not was_held then
      show_anew(region)
    end
  end

  local function take_in_all(list)
    for i = 1, #list, 3 do
      local region, node, version = list[i], list[i + 1], list[i + 2]
      if map:is_newer(region, node, version) then
        take_in(region, node, version)
      end
      parts.migration.is_over(region, version)
    end
  end

  -- Another node says who has which regions: a flat list of region, node, version.
  function claims.hear_all(list)
    if list[1] then
      between_ticks(take_in_all, list)
    end
  end

  -- All regions that have moved, as such a list.
  function claims.list()
    local list = {}
    for region, version in pairs(map.versions) do
      table.move({ region, map.owners[region], version }, 1, 3, #list + 1, list)
    end
    return list
  end

  -- A region of ours, which stands still, is another node's from now on: that has loaded it. No tick is open.
  function claims.part(region, to, version)
    parted[region] = { service = world.regions[region], version = version, to = to }
    world.regions[region] = nil
    change_owner(region, to, version)
    tell_all("new", { region, to, version })
  end

  -- ---- strings on their way -------------------------------------------------------------------

  -- A string for a region that is not ours any more, which was on its way for long: the hand-overs in it
  -- count still. What it shows is shown anew.
  function claims.pass_on(tick, from, to, text)
    text = ghosts.only_luggage(text, function(letter)
      local all, directory = skynet.unpack(letter), world.directory
      return directory.owner[all.id] == to and directory.epoch[all.id] == all.epoch -- else it has come back
    end)
    if text and map.owners[to] ~= own then
      tell(map.owners[to], "late", tick, from, to, text)
    elseif text then
      parts.messages.keep(tick, from, to, text)
    end
  end

  -- ---- what other nodes say -------------------------------------------------------------------

  local on = {}

  function on.new(_, list)
    claims.hear_all(list)
  end

  function on.taken(_, region, version)
    local this = parted[region]
    if this and this.version == version then
      parted[region] = nil
      remember(region, nil)
      end_region(this.service)
    end
  end

  function on.lost(node, region, version)
    if parted[region] and parted[region].version == version then
      skynet.fork(take_back, region)
    else
      tell(node, "nobody", region, version)
    end
  end

  -- The former owner does not have it either.
  function on.nobody(_, region, version)
    if missing[region] and missing[region].version == version then
      begin_anew(region)
    end
  end

  function on.late(_, ...)
    claims.pass_on(...)
  end

  function claims.hear(node, kind, ...)
    skynet.fork(on[kind], node, ...)
  end

  -- A node is silent, or another process than before (is_new).
  function claims.lost(node, is_new)
    for region, this in pairs(parted) do
      if this.to == node and is_new then
        skynet.fork(take_back, region)
      elseif this.to == node then
        skynet.timeout(world.orphan, function()
          if parted[region] == this and world.barrier.state[node] == "silent" then
            skynet.fork(take_back, region)
          end
        end)
      end
    end
  end

  return claims
end
