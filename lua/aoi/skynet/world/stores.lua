-- The stores of a process's regions in a folder: the times at which they are written, the world's own text in
-- them, and the choice of the one that is read. The content of a region's files is the business of
-- region/store.lua.
local skynet = require "skynet"
local calls = require "aoi.skynet.calls"
local durable = require "aoi.skynet.durable"
local numbers = require "aoi.skynet.world.numbers"
local options = require "aoi.skynet.options"
local region_store = require "aoi.skynet.region.store"
local stored = require "aoi.skynet.world.stored"

local RETRY = 100 -- hundredths of a second after which a full save that has failed is tried again

-- The words without which a store is of another world.
local OF_MAP = { "name", "columns", "rows", "x", "y", "width", "height" }

-- `world` is the table of world.lua.
return function(world)
  local stores = { rows = stored.new() }
  local map = world.map
  local every = options.units(world.save_every)
  local full_at = {}   -- region -> when its next full save is due, in skynet's time; nil: at once
  local is_new = {}    -- set of regions that begin anew: what stands in their store is put aside
  local unsaved = {}   -- set of regions whose last chunk could not be written: the next one is a full save
  local names = {}     -- set of the nodes whose stores are looked for
  local results = {}   -- region -> { is_done, what `read` returns } while a store is read
  local said = {}      -- set of problems that were logged

  for _, name in ipairs(map.nodes) do
    names[name] = true
  end
  names[map.node] = true

  local function of_map()
    local list = {}
    for i, name in ipairs(OF_MAP) do
      list[i] = name .. "=" .. tostring(map[name])
    end
    return table.concat(list, " ")
  end

  -- Where a node keeps the configuration that it has taken in effect last, beside its stores: when all nodes
  -- have died, it says whose regions they are.
  local function path_of_configuration(name)
    return ("%s/%s-configuration.aoi"):format(map.store, name)
  end

  local function keep(configuration)
    local path = path_of_configuration(map.node)
    local text = skynet.packstring {
      map = of_map(), configuration = configuration, names = numbers.sorted(names),
    }
    if map.sync == 1 then
      return durable.replace(path, text)
    end
    local file, message = io.open(path .. ".new", "wb")
    if not file then
      return nil, message
    end
    local ok
    ok, message = file:write(text)
    local closed, complaint = file:close() -- the system may get the text only now, and its disk be full
    if ok and closed then
      return os.rename(path .. ".new", path)
    end
    return nil, message or complaint
  end

  local function complain(text)
    if not said[text] then
      said[text] = true
      skynet.error("world: the store: " .. text)
    end
  end

  -- The table that `keep` of a node has written; nil: there is none, or none of this world.
  local function kept_by(name)
    local file = io.open(path_of_configuration(name), "rb")
    if not file then
      return nil
    end
    local ok, kept = pcall(skynet.unpack, file:read "a")
    file:close()
    if ok and type(kept) == "table" and kept.map == of_map() then
      return kept
    end
    complain(path_of_configuration(name) .. " is damaged, or of another world")
  end

  -- From now on stores of these nodes are looked for, and of all others that they have known: the word
  -- `nodes` lacks those that joined later, and a configuration those that are gone, whose stores may still be
  -- the only ones of a region. seen: set of the nodes that need not be asked. Returns the configuration with
  -- the highest number that one of them has kept; nil: none.
  local function look_for(list, seen)
    local queue, best = table.move(list, 1, #list, 1, {}), nil
    for _, name in ipairs(queue) do -- it becomes longer meanwhile
      local kept = not seen[name] and kept_by(name)
      seen[name], names[name] = true, true
      if kept then
        local known = kept.names or {} -- nil: an older process has written it
        table.move(known, 1, #known, #queue + 1, queue)
        if not best or kept.configuration.number > best.number then
          best = kept.configuration
        end
      end
    end
    return best
  end

  -- ---- writing --------------------------------------------------------------------------------

  -- A configuration begins. readers: regions whose stores are read; copies: of those that have moved here.
  function stores.configure(member, readers, copies)
    look_for(member.names, names)
    local ok, message = keep(member.configuration)
    if not ok then
      skynet.error("world: the store: the configuration is not kept: " .. message)
    end
    for region = 1, map.count do
      if member.configuration.owners[region] ~= map.node then
        full_at[region], is_new[region], unsaved[region], results[region] = nil, nil, nil, nil
      elseif not full_at[region] and not readers[region] then
        is_new[region] = not copies[region] or nil
      end
    end
  end

  -- Writes the chunks of all own regions. Returns a list of those that can't be written, or nil.
  function stores.write(member, call_all)
    local now, failed = skynet.now(), nil
    local due, anew, behind = full_at, is_new, unsaved -- others, should the process be expelled meanwhile
    local done = call_all(function(region, address)
      local is_full = not due[region] or now >= due[region]
      if behind[region] and not is_full then
        return false -- a chunk can't go on from what is written
      end
      local rows = is_full and stores.rows:full(member, region) or stores.rows:chunk(member, region)
      rows.map, rows.words = is_full and of_map() or nil, is_full and map.of_stores or nil
      rows.region = region
      local ok = calls.call(address, "lua", "write", {
        path = region_store.path(map.store, map.node, region), is_full = is_full, is_new = anew[region],
        number = member.configuration.number, tick = member.tick, text = skynet.packstring(rows),
        is_synced = map.sync == 1,
      })
      anew[region] = nil
      due[region] = is_full and now + (ok and every or RETRY) or ok and due[region] or now
      return ok or false
    end)
    for region, ok in pairs(done) do
      if not ok and not behind[region] then
        skynet.error(("world: region %d is not saved any more"):format(region))
      end
      behind[region] = not ok or nil
      if not ok then
        failed = failed or {}
        failed[#failed + 1] = region
      end
    end
    return failed
  end

  -- ---- reading --------------------------------------------------------------------------------

  -- The complaint about a store of this world that was written with other words; nil: none.
  local function problem_with_words(path, head)
    local words = head.words or map.of_stores -- nil: an older process has written it
    for _, list in ipairs { map.of_stores, words } do
      for _, name in ipairs(numbers.sorted(list)) do
        if words[name] ~= map.of_stores[name] then
          return ("%s was written with %s = %s, and here it is %s: start all nodes with that, or empty the "
            .. "folder"):format(path, name, words[name], map.of_stores[name])
        end
      end
    end
  end

  -- The path and the stamp of the latest store of a region that can be read here; nil: none.
  local function latest(region)
    local best, stamp
    for _, name in ipairs(numbers.sorted(names)) do
      local path = region_store.path(map.store, name, region)
      local own, text, problem = region_store.last(path)
      local head = own and skynet.unpack(text)
      local wrong_words = own and problem_with_words(path, head)
      if problem then -- also where a file can be read: it may be of an earlier life of the region
        complain(problem)
      end
      if own and (head.region ~= region or head.map ~= of_map()) then
        complain(("%s is of region %s of the world %s, expected region %d of %s"):format(path, head.region,
          head.map, region, of_map()))
      elseif wrong_words then
        complain(wrong_words)
      elseif own and (not stamp or numbers.later(own, stamp)) then
        best, stamp = path, own
      end
    end
    return best, stamp
  end

  -- Raises when a store that is to be read was written with other words than this process has: its regions
  -- would begin empty.
  function stores.check()
    look_for(numbers.sorted(names), {})
    for region = 1, map.count do
      for _, name in ipairs(numbers.sorted(names)) do
        local path = region_store.path(map.store, name, region)
        local own, text = region_store.last(path)
        local head = own and skynet.unpack(text)
        local is_ours = own and head.region == region and head.map == of_map()
        local problem = is_ours and problem_with_words(path, head)
        if problem then
          error("world: the store " .. problem, 0)
        end
      end
    end
  end

  -- Region -> stamp, of those that are wanted and can be read.
  function stores.stamps(_, is_wanted)
    local stamps = {}
    for region = 1, map.count do
      local _, stamp = nil, nil
      if is_wanted(region) then
        _, stamp = latest(region)
      end
      stamps[region] = stamp
    end
    return stamps
  end

  -- The configuration with the highest number that a node of this world has kept; nil: none.
  function stores.configuration()
    return look_for(numbers.sorted(names), {})
  end

  local function read(region, address)
    local path = latest(region)
    local texts, areas, problem
    if path then
      texts, areas, problem = calls.call(address, "lua", "recover", path)
    end
    if problem then
      skynet.error(("world: the store of region %d: %s; %s"):format(region, problem,
        texts and "what came after that is lost" or "it begins empty"))
    end
    if not texts then
      return { entities = {}, ended = {}, is_empty = true }
    end
    local all = skynet.unpack(texts[1])
    for i = 2, #texts do
      stored.merge(all, skynet.unpack(texts[i]))
    end
    local entities, ended = stored.result(all)
    return { entities = entities, ended = ended, areas = areas }
  end

  -- The content of a region's store, as member.lua wants it; nil: it is being read. address: the service that
  -- is to be the region's.
  function stores.read(region, address)
    local result = results[region]
    if not result then
      result = {}
      results[region] = result
      skynet.fork(function()
        local ok, value = pcall(read, region, address)
        if not ok then
          skynet.error(("world: the store of region %d: %s; it begins empty"):format(region, value))
        end
        result.value = ok and value or { entities = {}, ended = {}, is_empty = true }
      end)
    end
    return result.value
  end

  -- A region is there, with so many entities.
  function stores.loaded(region, n)
    if not results[region].value.is_empty then
      skynet.error(("world: region %d is back from its store, with %d entities"):format(region, n))
    end
    is_new[region] = results[region].value.is_empty
    results[region] = nil
  end

  -- All regions end.
  function stores.stop()
    stores.rows = stored.new()
    full_at, is_new, unsaved, results = {}, {}, {}, {}
  end

  return stores
end
