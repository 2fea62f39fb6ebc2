-- Compares what agents were told with what one space tells, given the log of the world.
local Known = require "aoi.skynet.known"
local OneSpace = require "spec.world.one_space"
local news = require "spec.world.news"
local packet = require "aoi.skynet.packet"

local HANDLERS_NODE = 255 -- in stamps: not of agents

-- Commands of one tick: by the order of their kinds; those about areas by their stamps, which are one order
-- for all nodes, others as their region has applied them: a command that waits for an earlier one of its node
-- comes behind later ones of others.
local AREAS = 2

local function in_order(a, b)
  if a.order ~= b.order then
    return a.order < b.order
  elseif a.order == AREAS then
    return a.stamp < b.stamp
  elseif a.region ~= b.region then
    return a.region < b.region
  end
  return a.line < b.line
end

local compare = {}

-- ---- the log ----------------------------------------------------------------------------------

-- The lines of the logs of all nodes: those of commands that were taken, by tick, and how many of them were
-- agents'; which tick was the last;
-- owner(id, tick): the region that owned it, as far as the logs tell.
function compare.read_logs(paths)
  local ticks, first, last, count, refused, owners, told = {}, math.huge, 0, 0, 0, {}, {}
  local lines = 0
  for _, path in ipairs(paths) do
    for line in io.lines(path) do
      local entry = assert(load("return " .. line, "=" .. path, "t", {}))()
      lines = lines + 1
      entry.line = lines
      if entry.told then
        told[entry.told] = true
      else
        first, last = math.min(first, entry.tick), math.max(last, entry.tick)
      end
      if entry.told then
        goto continue
      elseif entry.handed then
        for _, handed in ipairs(entry.handed) do
          local id = handed[1]
          owners[id] = owners[id] or {}
          table.insert(owners[id], { entry.tick + 1, handed[2] })
        end
      elseif entry.ok then
        count = count + (entry.stamp >> 20 & 0xFF < HANDLERS_NODE and not entry.of_handlers and 1 or 0)
        ticks[entry.tick] = ticks[entry.tick] or {}
        table.insert(ticks[entry.tick], entry)
        owners[entry[2]] = owners[entry[2]] or {}
        table.insert(owners[entry[2]], { entry.tick, entry.region })
      else
        refused = refused + 1
      end
      ::continue::
    end
  end
  for _, entries in pairs(ticks) do
    table.sort(entries, in_order)
  end
  local function owner(id, tick)
    local latest, region = -1, "unknown"
    for _, note in ipairs(owners[id] or {}) do
      if note[1] <= tick and note[1] >= latest then
        latest, region = note[1], note[2]
      end
    end
    return region
  end
  return {
    ticks = ticks, told = told, first = first, last = last, commands = count, refused = refused,
    owner = owner,
  }
end

-- ---- what is expected -------------------------------------------------------------------------

-- The number of the node that a command came from; a stamp is its tick, this node and its place there.
local function node_of(stamp)
  return stamp >> 20 & 0xFF
end

-- By node and watcher, the list of what it is to be told: lists of events, with the fields tick and
-- kind; what is said in ticks between two views is one of them. quiet: how many ticks to go on after the last
-- command. Raises when the space refuses what the world took. Second, tick -> list of what is told of areas.
-- Third, how many ticks no node has finished.
local function expect(log, options, quiet, keys)
  local expected, of_areas, unfinished = {}, {}, 0
  local space = OneSpace.new(options, function(...)
    return (packet.speech(...))
  end)
  for tick = log.first, log.last + quiet do
    for _, entry in ipairs(log.ticks[tick] or {}) do
      local opts = entry[6] or type(entry[5]) == "table" and entry[5]
      if type(opts) == "table" and keys[opts.address] then
        opts.address = keys[opts.address]
      end
      local ok, message = xpcall(space.apply, debug.traceback, space, node_of(entry.stamp),
        table.unpack(entry))
      if not ok then
        error(("tick %d: region %s took %s of %s, one space refuses it: %s"):format(tick,
          tostring(entry.region), tostring(entry[1]), tostring(entry[2]), message), 0)
      end
    end
    local function each(node, watcher, kind, list)
      expected[node] = expected[node] or {}
      local items = expected[node][watcher] or {}
      expected[node][watcher] = items
      local before = items[#items]
      if kind == "said" and before and before.kind == kind then
        table.move(list, 1, #list, #before + 1, before)
        table.sort(before)
      else
        list.tick, list.kind = tick, kind
        items[#items + 1] = list
      end
    end
    of_areas[tick] = {}
    if log.told[tick] then
      of_areas[tick] = space:tick(tick, each)
    else -- nobody has finished it, as the configuration ended: the next one tells it
      space:tell_ends(each)
      unfinished = unfinished + 1
    end
  end
  return expected, of_areas, unfinished
end

-- ---- what was heard ---------------------------------------------------------------------------

-- Reads a file of walkers.lua; calls each(watcher, kind, list) for each view, and for all that was said
-- between two views. Returns how many refusals there were, and how many gaps.
local function read_heard(path, each)
  local said = {} -- watcher -> list
  local refused, gaps = 0, 0
  local function flush(watcher)
    local list = said[watcher]
    if list then
      said[watcher] = nil
      table.sort(list)
      each(watcher, "said", list)
    end
  end
  local views = {} -- watcher -> list: of one message, in which a watcher may have two blocks
  local function flush_view(watcher)
    local list = views[watcher]
    views[watcher] = nil
    if list and #list > 0 then -- else it was told again what it knows
      table.sort(list)
      flush(watcher)
      each(watcher, "view", list)
    end
  end
  local known = Known.new {
    view = function(watcher, given)
      local list = news.of_known(given)
      local before = views[watcher]
      views[watcher] = before and table.move(list, 1, #list, #before + 1, before) or list
    end,
    said = function(watchers, id, body)
      for _, watcher in ipairs(watchers) do
        flush_view(watcher)
        said[watcher] = said[watcher] or {}
        table.insert(said[watcher], news.said(id, body))
      end
    end,
    notified = function(watcher, body)
      flush_view(watcher)
      said[watcher] = said[watcher] or {}
      table.insert(said[watcher], news.notified(body))
    end,
    refused = function()
      refused = refused + 1
    end,
    elsewhere = function(watcher)
      error(("watcher %d was sent to another scene"):format(watcher))
    end,
    gap = function()
      gaps = gaps + 1
    end,
  }
  local file = assert(io.open(path, "rb"))
  while true do
    local head = file:read(4)
    if not head then
      break
    end
    known:read(file:read((("<I4"):unpack(head))))
    for watcher in pairs(views) do
      flush_view(watcher)
    end
  end
  file:close()
  for watcher in pairs(said) do
    flush(watcher)
  end
  return refused, gaps
end

-- The events of areas that handlers wrote: tick -> list.
local function read_areas(paths)
  local of_areas = {}
  for _, path in ipairs(paths) do
    for line in io.lines(path) do
      local tick, text = line:match "^(%d+) (.*)$"
      tick = math.tointeger(tick)
      of_areas[tick] = of_areas[tick] or {}
      table.insert(of_areas[tick], text)
    end
  end
  return of_areas
end

-- ---- comparing --------------------------------------------------------------------------------

local function is_same(a, b)
  if #a ~= #b then
    return false
  end
  for i = 1, #a do
    if a[i] ~= b[i] then
      return false
    end
  end
  return true
end

local function only_in(a, b)
  local there, result = {}, {}
  for _, event in ipairs(b) do
    there[event] = (there[event] or 0) + 1
  end
  for _, event in ipairs(a) do
    if (there[event] or 0) > 0 then
      there[event] = there[event] - 1
    else
      -- Events of areas are texts already.
      result[#result + 1] = "    " .. (event:find "^%d" and event or news.show(event))
    end
  end
  return #result > 0 and table.concat(result, "\n", 1, math.min(#result, 10)) or "    nothing"
end

-- How many events of areas there are; and a text about the first difference, or nil.
local function compare_areas(expected, got, first, last)
  local count = 0
  for tick = first, last do
    local wanted, told = expected[tick] or {}, got[tick] or {}
    table.sort(wanted)
    table.sort(told)
    if not is_same(wanted, told) then
      return count, ("handlers were told otherwise than by one space of areas, in tick %d\n  expected and "
        .. "not told:\n%s\n  told and not expected:\n%s"):format(tick, only_in(wanted, told),
        only_in(told, wanted))
    end
    count = count + #wanted
  end
  return count, nil
end

-- keys: key of a process -> number of its node. options: of one space. logs: the paths of all nodes' logs.
-- heard: number of a node -> path of what its walkers heard. quiet: after so many ticks without a command
-- nobody has anything to be told any more. notes: a list of the paths of what area_notes.lua wrote. Returns
-- counts: events, area_events, views, watchers, ticks, commands, refused, gaps, and how many ticks are
-- unfinished; and a text about the first difference (the one of the least tick), nil when there is none.
function compare.run(options, logs, heard, quiet, notes, keys)
  local log = compare.read_logs(logs)
  local expected, of_areas, unfinished = expect(log, options, quiet, keys)
  local counts = { events = 0, views = 0, watchers = 0, differences = 0, ticks = log.last - log.first + 1,
    commands = log.commands, refused = log.refused, refusals = 0, gaps = 0, unfinished = unfinished }
  local first
  local function differ(node, watcher, index, wanted, got)
    counts.differences = counts.differences + 1
    local tick = wanted and wanted.tick or log.last + 1
    if not first or tick < first.tick then
      first = { node = node, watcher = watcher, index = index, wanted = wanted or {}, got = got or {},
        tick = tick, kind = wanted and wanted.kind or "nothing more" }
    end
  end
  for node, path in pairs(heard) do
    local of_node = expected[node] or {}
    local at = {} -- watcher -> how many of the expected it has heard; false: it has differed already
    local function each(watcher, kind, list)
      local index = at[watcher]
      if index == nil then
        index = 0
        counts.watchers = counts.watchers + 1
      end
      if not index then
        return
      end
      index = index + 1
      local items = of_node[watcher] or {}
      local wanted = items[index]
      if wanted and wanted.kind == kind and is_same(wanted, list) then
        counts.events, counts.views = counts.events + #list, counts.views + 1
        items[index] = true -- of no use any more
        at[watcher] = index
      else
        differ(node, watcher, index, wanted, list)
        at[watcher] = false
      end
    end
    local refusals, gaps = read_heard(path, each)
    counts.refusals, counts.gaps = counts.refusals + refusals, counts.gaps + gaps
    for watcher, items in pairs(of_node) do
      if at[watcher] ~= false and (at[watcher] or 0) < #items then
        local index = (at[watcher] or 0) + 1
        differ(node, watcher, index, items[index], nil)
      end
    end
  end
  local difference
  counts.area_events, difference = compare_areas(of_areas, read_areas(notes), log.first, log.last + quiet)
  if difference and not first then
    return counts, difference
  elseif counts.gaps > 0 and not first then
    return counts, ("%d blocks came out of order, expected none"):format(counts.gaps)
  elseif first then
    return counts, (("%d watchers were told otherwise than by one space; the first is watcher %d of node %d,"
      .. " in tick %d (its %d. news, %s), owned by region %s\n  expected and not told:\n%s\n"
      .. "  told and not expected:\n%s"):format(counts.differences, first.watcher, first.node, first.tick,
      first.index, first.kind, log.owner(first.watcher, first.tick), only_in(first.wanted, first.got),
      only_in(first.got, first.wanted)))
  end
  return counts
end

return compare
