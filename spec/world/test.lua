-- Worlds of many regions against one space: what every watcher is told must be the same, tick by tick.
-- From the environment: WALKERS (1000), TICKS (200), ONLY (words that the name of a case must have), STEP,
-- milliseconds of a tick (100).
local skynet = require "skynet"
local cases = require "spec.world.cases"
local compare = require "spec.world.compare"
local meeting = require "spec.world.meeting"
local new_random = require("spec.support.random").new
local paths = require "spec.world.paths"
local worlds = require "spec.world.worlds"

local TWINS = 10 -- ids that two nodes enter
local SILENCE = 10000 -- milliseconds: whatever else keeps this machine busy
local QUIET = 15 -- ticks: in crowds news wait so long at most
local PATIENCE = 20 -- seconds for which a world may stand still

local function setting(name, default)
  return tonumber(os.getenv(name)) or default
end

local function words_of(case, number, node, control, tick)
  local words = {
    "node=" .. control.nodes[node], "nodes=" .. table.concat(control.nodes, ","),
    "regions=" .. tostring(node < #control.nodes), "tick=" .. tick, "silence=" .. SILENCE,
    "name=world" .. number, ("log=%s/%s%d.commands"):format(control.folder, control.nodes[node], number),
  }
  for name, value in pairs(cases.words_of(case)) do
    words[#words + 1] = name .. "=" .. tostring(value)
  end
  return words
end

-- Waits until all nodes have told this tick.
local function wait_for_tick(control, tick)
  local before, since = -1, skynet.now()
  while true do
    local least = math.huge
    for node = 1, #control.nodes do
      least = math.min(least, control.tell(node, "stats").tick)
    end
    if least >= tick then
      return
    elseif least > before then
      before, since = least, skynet.now()
    elseif skynet.now() > since + PATIENCE * 100 then
      error(("the world has been in tick %d for %d seconds"):format(least, PATIENCE), 0)
    end
    skynet.sleep(10)
  end
end

-- Waits until no node has calls that wait to be sent: many do when this machine is busy. Returns the
-- latest tick.
local function wait_for_queues(control)
  while true do
    local latest, queued = 0, 0
    for node = 1, #control.nodes do
      local stats = control.tell(node, "stats")
      latest, queued = math.max(latest, stats.tick), queued + stats.queued
    end
    if queued == 0 then
      return latest
    end
    skynet.sleep(10)
  end
end

local function ids_of(node, nodes, walkers)
  local ids = paths.ids_of(node, nodes, walkers)
  if node == 1 or node == nodes then
    for i = 1, TWINS do
      ids[#ids + 1] = paths.TWINS + i
    end
  end
  return ids
end

local function sum_of(list, name)
  local sum = 0
  for _, one in ipairs(list) do
    sum = sum + (one[name] or 0)
  end
  return sum
end

-- Has regions move to other nodes, one after the other, a few ticks apart, until that tick. Returns for how
-- many milliseconds the world stood each time, a list. On a machine with too much to do a move may take
-- longer than the answer to it may.
local function move_regions(case, control, tick, seconds)
  local random, pauses = new_random(1), {}
  local owners = control.tell(1, "world", "configuration").owners
  while control.tell(1, "stats").tick < tick do
    local region, asked = random:integer(1, #owners), random:integer(1, #control.nodes)
    local to
    repeat
      to = control.nodes[random:integer(1, 4)]
    until to ~= owners[region]
    local ok, answer = control.tell(asked, "world", "migrate", region, to)
    if ok then
      pauses[#pauses + 1] = answer
    elseif not (answer:find "has not moved" or answer == "migrate: unknown") then
      error(case.name .. ": " .. tostring(answer), 0)
    end
    owners = control.tell(1, "world", "configuration").owners
    skynet.sleep(random:integer(2, 6) * seconds * 100 // 1 | 0)
  end
  return pauses
end

local function run_world(case, number, control)
  local ticks, tick = setting("TICKS", 200), setting("STEP", 100)
  local walkers = math.min(setting("WALKERS", 1000), case.walkers or math.huge)
  local heard, logs, stats, counts = {}, {}, {}, {}
  meeting.for_each(#control.nodes, function(node)
    control.tell(node, "start_world", words_of(case, number, node, control, tick))
    logs[node] = ("%s/%s%d.commands"):format(control.folder, control.nodes[node], number)
  end)
  worlds.wait_for(control, #control.nodes)
  local first, keys = control.tell(1, "stats").tick, {}
  for node, one in ipairs(control.tell(1, "world", "configuration").members) do
    keys[one.key] = node
  end
  meeting.for_each(#control.nodes, function(node)
    local name = ("%s%d.heard"):format(control.nodes[node], number)
    heard[node] = control.folder .. "/" .. name
    control.tell(node, "start_walkers", cases.plan_of(case, node, #control.nodes, walkers),
      ids_of(node, #control.nodes, walkers), tick / 1000, name)
  end)
  local pauses = case.moves and move_regions(case, control, first + ticks, tick / 1000)
  wait_for_tick(control, first + ticks)
  meeting.for_each(#control.nodes, function(node)
    counts[node] = control.tell(node, "stop_walkers")
  end)
  wait_for_tick(control, wait_for_queues(control) + 3 + QUIET) -- all is applied by then, and told
  meeting.for_each(#control.nodes, function(node)
    stats[node] = control.tell(node, "stats")
    counts[node] = control.tell(node, "end_walkers")
  end)
  meeting.for_each(#control.nodes, function(node)
    control.tell(node, "end_world")
  end)
  return heard, logs, stats, counts, pauses, keys
end

-- Checks that enough has happened for the comparison to say something.
local function check(case, result, counts, stats, pauses)
  local function expect(good, text, ...)
    if not good then
      error(case.name .. ": " .. text:format(...), 0)
    end
  end
  expect(sum_of(counts, "strangers") == 0, "%d messages came from others than the world of the agent's node",
    sum_of(counts, "strangers"))
  expect(sum_of(counts, "answers") == sum_of(counts, "calls"), "%d calls have %d answers",
    sum_of(counts, "calls"), sum_of(counts, "answers"))
  -- A command for an entity in the tick in which its enter was refused is gone with it. One whose answer is
  -- "unknown" counts as refused, and may have been taken.
  local refused = sum_of(counts, "refused")
  local replaced, unknown = sum_of(stats, "replaced"), sum_of(stats, "unknown")
  local gone = sum_of(counts, "commands") - result.commands - refused - result.refusals - replaced
  expect(gone >= -unknown and gone <= refused,
    "of %d commands %d were taken, %d refused, of these %d as unknown, and %d moves replaced",
    sum_of(counts, "commands"), result.commands, refused + result.refusals, unknown, replaced)
  expect(#counts == 1 or sum_of(counts, "refused") > 0, "no two nodes entered the same id")
  expect(not case.moves or pauses[1], "no region has moved")
  expect(result.refusals > 0, "no command that was sent was refused")
  expect(result.events > 20 * result.ticks, "only %d events", result.events)
  expect(not case.has_areas or result.area_events > 2 * result.ticks, "only %d events of areas",
    result.area_events)
end

local function run(case, number, control)
  local began = skynet.now()
  local heard, logs, stats, counts, pauses, keys = run_world(case, number, control)
  local walked = skynet.now()
  if sum_of(stats, "expelled") > 0 then -- then what it had is lost, and no space tells the same
    error(("%s: %d times a node was expelled, as it stood for %d ms"):format(case.name,
      sum_of(stats, "expelled"), SILENCE), 0)
  end
  local notes = {}
  for region = 1, case.has_areas and case.columns * case.rows or 0 do
    notes[region] = ("%s/world%d-%d.areas"):format(control.folder, number, region)
  end
  local result, difference = compare.run(cases.options_of(case), logs, heard, QUIET, notes, keys)
  print(("%s: %d watchers, %d ticks, %d commands, %d refused; %d hand-overs, %d ghosts; %.1f s, compared in "
    .. "%.1f s"):format(case.name, result.watchers, result.ticks, result.commands,
    sum_of(counts, "refused") + result.refusals, sum_of(stats, "hand_overs"), sum_of(stats, "ghosts"),
    (walked - began) / 100, (skynet.now() - walked) / 100))
  if pauses then
    print(("  %d calls were answered again, %d unknown"):format(sum_of(stats, "again"),
      sum_of(stats, "unknown")))
    table.sort(pauses)
    print(("  regions have moved %d times; the world stood for %.0f ms, %.0f at most"):format(#pauses,
      pauses[#pauses // 2 + 1] or 0, pauses[#pauses] or 0))
  end
  if difference then
    error(("%s: %s"):format(case.name, difference), 0)
  end
  print(("  %d events in %d news are those of one space, and %d events of areas"):format(result.events,
    result.views, result.area_events))
  io.stdout:flush()
  check(case, result, counts, stats, pauses)
end

return function(control)
  local count = 0
  for number, case in ipairs(cases) do
    if case.name:find(os.getenv "ONLY" or "", 1, true) then
      count = count + 1
      run(case, number, control)
    end
  end
  if count == 0 then
    error("ONLY is " .. os.getenv "ONLY" .. ", expected words of a case in spec/world/cases.lua", 0)
  end
end
