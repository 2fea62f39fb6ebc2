-- A world after failures: nodes are stopped, killed and cut off, messages lost, doubled and held up, disks
-- full, stores damaged: rows.lua. Wanderers on all nodes go on all the time, and sequences.lua checks all
-- that they are told. After each failure they stand still; then every node must know the same entities, at
-- the places that were confirmed, and each watcher those that it sees by brute force. bounds.lua says how
-- long the world may have stood, and how long calls and lost players may have waited. From the environment:
-- ONLY (words of rows, with commas between), WANDERERS (160), STORE (folder: with stores), REDIS (not empty:
-- the coordinator by a lease there), MINUTES (how long rows go on, in an order drawn from SEED; left out:
-- each once), WHY (shows why commands were refused).
local skynet = require "skynet"
local bounds = require "spec.world.bounds"
local killing = require "spec.world.killing"
local meeting = require "spec.world.meeting"
local new_random = require("spec.support.random").new
local new_rows = require "spec.world.rows"
local pulse = require "spec.world.pulse"
local rightness = require "spec.world.rightness"
local worlds = require "spec.world.worlds"

local FOLDER = os.getenv "AOI_FOLDER"
local SIDE, COUNT = 1200, tonumber(os.getenv "WANDERERS") or 160
local SILENCE, LEASE = 800, 1000 -- milliseconds
local ORPHAN = 4 * SILENCE + LEASE
local REDIS = meeting.read(FOLDER .. "/redis.port") -- its port; nil: without
local STORE = os.getenv "STORE" == "folder" -- with stores, in a folder that all share
local MINUTES = tonumber(os.getenv "MINUTES")
local SEED = math.tointeger(tonumber(os.getenv "SEED")) or MINUTES and os.time() % 1000000 or 1
local STEPS_IN = 600 -- of an entity, on average, until it leaves until the next row: 30 seconds
local REGIONS = 4 -- and so many nodes have some, the first ones
local RIGHT = 6   -- seconds in which all must know what they see then
local SECRETS = "secrets: region" -- of secrets.lua, as it complains
local RESTS = 5   -- times that a node may be expelled meanwhile, as it is on a machine with too much to do

local control
local longest = {} -- what bounds.judge has judged -> the row with the longest time
local began  -- when the row began, as pulse.now
local faults -- how many things were wrong after it
local of     -- what bounds.judge wants to know of it

local function say(text, ...)
  print(text:format(...))
  io.stdout:flush()
end

local function complain(text, ...)
  faults = faults + 1
  say("  WRONG: " .. text, ...)
end

local function of_all(f)
  return rightness.of_all(control, f)
end

-- The table that rows.lua gets.
local run = {
  say = say, of_all = of_all, redis = REDIS, lease = LEASE, orphan = ORPHAN / 1000, draw = new_random(SEED),
  longest_answer = (2 * SILENCE + 2000) / 1000 + 5,
  disturb = nil, -- what a row wants done when all stand still
}

function run.expect(good, text, ...)
  if not good then
    complain(text, ...)
  end
end

-- ---- what a row notes -------------------------------------------------------------------------

-- Processes with these names fail from now on until the function that is returned is called. Without a name:
-- something else does.
function run.fail(...)
  local names, from = { ... }, pulse.now()
  local is_coordinator = false
  for _, name in ipairs(names) do
    of.failing[name] = true
    is_coordinator = is_coordinator or not REDIS and name == "a" or name == "redis"
    if REDIS and name == of.coordinator then
      run.lease_runs_out()
    end
  end
  is_coordinator = is_coordinator or #names == #control.nodes
  local away = { from, math.huge }
  if is_coordinator then
    of.away[#of.away + 1] = away
  end
  local fit = 0
  for node = 1, REGIONS do
    fit = fit + (of.failing[control.nodes[node]] and 0 or 1)
  end
  if fit == 0 then
    of.unowned[#of.unowned + 1] = away
  end
  return function()
    away[2] = pulse.now()
  end
end

-- The coordinator is lost with its lease, so that another node waits for the end of that.
function run.lease_runs_out()
  of.lease = LEASE / 1000
end

-- How often the logs of all processes have this text.
function run.count_in_logs(text)
  local file = assert(io.popen(("cat '%s'/*.log"):format(FOLDER)))
  local n, at = 0, 1
  local all = file:read "a"
  file:close()
  while at do
    local _, last = all:find(text, at, true)
    n, at = last and n + 1 or n, last and last + 1
  end
  return n
end

-- The sum of a count of all nodes.
function run.sum(name)
  local sum = 0
  for _, stats in pairs(of_all(function(node)
    return control.tell(node, "stats")
  end)) do
    sum = sum + stats[name]
  end
  return sum
end

-- ---- starting ---------------------------------------------------------------------------------

-- other: a word that is not the others' word of its name; or nil.
function run.start_world(node, other)
  local words = { "node=" .. control.nodes[node],
    "nodes=" .. table.concat(control.nodes, ","), "columns=2", "rows=2", "max_radius=100",
    "regions=" .. tostring(node <= REGIONS),
    "margin=10", "tick=50", "silence=" .. SILENCE, "name=failures", "engine=grid", "shape=circle",
    "width=" .. SIDE, "height=" .. SIDE, "radius=50", "orphan=" .. ORPHAN, "extras=1",
    "handlers=spec.world.secrets" }
  local name = other and other:match "^[^=]+="
  if REDIS and name ~= "coordinator=" then
    words[#words + 1] = "coordinator=redis:127.0.0.1:" .. math.tointeger(tonumber(REDIS))
    words[#words + 1] = "lease=" .. LEASE
  elseif not REDIS then
    words[#words + 1] = "configuration=" .. FOLDER .. "/configuration"
  end
  if STORE then
    words[#words + 1] = "store=" .. FOLDER
    words[#words + 1] = "save_every=5000"
    words[#words + 1] = "sync=1" -- other nodes read the folder
  end
  for i = #words, 1, -1 do
    if name and words[i]:sub(1, #name) == name then
      table.remove(words, i)
    end
  end
  words[#words + 1] = other
  control.tell(node, "start_world", words)
end

-- Half of the wanderers are at the last node, whose process is left alone; the others everywhere. They are
-- rich ones, of traits.lua.
function run.start_wanderers(node)
  local ids = {}
  for id = 1, COUNT do
    local at = id % 2 == 0 and #control.nodes or 1 + id // 2 % (#control.nodes - 1)
    ids[#ids + 1] = at == node and id or nil
  end
  control.tell(node, "start_wanderers", ids, SIDE, 5, SEED * 100 + node, nil, true, true, STEPS_IN)
end

local function start_all()
  for node = 1, #control.nodes do
    run.start_world(node)
  end
  worlds.wait_for(control, #control.nodes)
  for node = 1, #control.nodes do
    run.start_wanderers(node)
  end
end

-- Ends all worlds, and all processes but the driver's, and starts all again.
function run.begin_anew()
  local others = table.move(control.nodes, 1, #control.nodes - 1, 1, {})
  local back = run.fail(table.unpack(control.nodes))
  for _, name in ipairs(others) do
    killing.kill(name)
  end
  control.tell(#control.nodes, "end_world")
  skynet.sleep(100)
  killing.start_again(table.unpack(others))
  start_all()
  back()
end

function run.wait_for_members()
  worlds.wait_for(control, #control.nodes)
end

-- Each of the first nodes has one region, wherever these were after the last row.
local function give_regions()
  run.wait_for_members()
  for region = 1, REGIONS do
    local ok, message = control.tell(#control.nodes, "world", "migrate", region, control.nodes[region])
    if not ok then
      error(message, 0)
    end
  end
end

-- ---- checking ---------------------------------------------------------------------------------

local function show_reasons(reasons)
  for reason, n in pairs(reasons) do
    say("    %d times: %s", n, reason)
  end
end

-- How the nodes are, one line for each.
local function show_nodes()
  for node, stats in ipairs(of_all(function(node)
    return control.tell(node, "stats")
  end)) do
    local words = {}
    for _, name in ipairs { "tick", "owned", "ghosts", "entities_of_world", "configuration", "members",
      "expelled", "lost", "again", "unknown" } do
      words[#words + 1] = ("%s %s"):format(name, stats[name])
    end
    say("    node %s: %s", control.nodes[node], table.concat(words, ", "))
  end
end

-- Looks until all is right, for RIGHT seconds from when all stand still. Entities whose stay was ended
-- meanwhile, with their node or region, enter again first. Returns what rightness.look returns, and how many
-- these were. With WHY it says what was wrong in each look.
local function look(places)
  local rested, disturbed, rests, before = skynet.now(), 0, 0, nil
  while true do
    local seen, first, wrong = rightness.look(control, places)
    if os.getenv "WHY" and first and first ~= before then
      say("    after %.1f s: %d things, %s", (skynet.now() - rested) / 100, wrong, first)
    end
    before = first
    local ok, ended = true, 0
    if rests < RESTS then
      ok, ended = pcall(rightness.rest_again, control)
    end
    if not ok then
      return nil, ended, 1, disturbed
    elseif ended > 0 then
      rested, disturbed, rests = skynet.now(), disturbed + ended, rests + 1
    elseif seen or skynet.now() - rested > RIGHT * 100 then
      return seen, first, wrong, disturbed
    else
      skynet.sleep(20)
    end
  end
end

-- Says which nodes were expelled that had not failed. Where nodes are cut off that may be right.
local function show_expelled(row)
  for node, stats in ipairs(of_all(function(node)
    return control.tell(node, "stats")
  end)) do
    if stats.expelled > of.expelled[node] and not of.failing[control.nodes[node]] then
      local text = ("node %s was expelled, and its process had not failed"):format(control.nodes[node])
      if row.keeps then
        complain("%s", text)
      else
        say("  %s", text)
      end
    end
  end
end

local function one_of(judged)
  return ("%.1f s, at most %.1f%s"):format(judged[1], judged[2], judged[3] >= 0.05
    and (", of that %.1f as timers were late"):format(judged[3]) or "")
end

-- Says what took longest in all rows.
local function show_longest()
  for _, what in ipairs { { "stood", "the world stood for" }, { "wait", "an answer came after" },
    { "back", "the lost were in again after" } } do
    local most = longest[what[1]]
    if most then
      say("longest: %s %s (%s)", what[2], one_of(most.judged), most.row)
    end
  end
end

-- Checks the bounds of how long all has taken.
local function check_times(row, news)
  -- A coordinator that begins does not know who is dead: it waits for those that have not asked it yet.
  of.stands, of.once = of.lease == 0 and row.stands or nil, row.once
  local judged = bounds.judge(of, control.nodes, news)
  say("  the world stood for %s; an answer came after %s", one_of(judged.stood), one_of(judged.wait))
  if judged.back.span then
    say("  the lost were in again after %s", one_of(judged.back))
  end
  for name, text in pairs { stood = "the world stood too long", wait = "an answer came too late",
    back = "the lost were in again too late" } do
    local one, most = judged[name], judged[name].longest
    if most.span and not (longest[name] and longest[name].judged[1] >= most[1]) then
      longest[name] = { judged = most, row = row[1] }
    end
    run.expect(one[1] <= one[2], "%s: %s, %.1f s after the row began", text, one.what,
      one.span and one.span[1] - began)
  end
end

-- Sums up what wanderers have heard. Returns their news, by node, and the sums.
local function hear_news()
  local sum, reasons, told_wrongly = {}, {}, {}
  local all = of_all(function(node)
    return control.tell(node, "wanderers", "news")
  end)
  for _, news in pairs(all) do
    for key, count in pairs(news.counts) do
      sum[key] = (sum[key] or 0) + count
    end
    for reason, n in pairs(news.reasons) do
      reasons[reason] = (reasons[reason] or 0) + n
    end
    table.move(news.complaints, 1, #news.complaints, #told_wrongly + 1, told_wrongly)
  end
  return all, sum, reasons, told_wrongly
end

local function verify(row)
  local name, rests_at = row[1], pulse.now()
  local places = rightness.places(control, row.undoes)
  local rested, disturb = pulse.now(), run.disturb
  run.disturb = nil
  if disturb then
    disturb()
    skynet.sleep(150) -- its agents are told
  end
  local seen, first, many, disturbed = look(places)
  local all, sum, reasons, told_wrongly = hear_news()
  local inside = 0
  for _ in pairs(places) do
    inside = inside + 1
  end
  say("%s: %d commands, %d refused, %d times in, %d outside from then on; %d events in %d blocks, %d gaps, "
    .. "%d lists, %d stale", name, sum.commands, sum.refused, sum.entered, sum.left, sum.events, sum.blocks,
    sum.gaps, sum.lists, sum.stale)
  if os.getenv "WHY" then
    show_reasons(reasons)
  end
  if seen then
    say("  at rest after %.1f s, right after %.1f s: %d entities, %d pairs", rested - rests_at,
      pulse.now() - rested, inside, seen)
  else
    complain("%d things, the first is: %s", many, first)
  end
  if disturbed > 0 then
    say("  at rest %d stays were ended, with their node or region, and these are in again", disturbed)
  end
  run.expect(not disturb or disturbed > 0, "nobody was told that its stay has ended")
  show_expelled(row)
  check_times(row, all)
  for i = 1, math.min(5, #told_wrongly) do
    complain("%s", told_wrongly[i])
  end
  local of_handlers = run.count_in_logs(SECRETS) - of.of_handlers
  run.expect(of_handlers == 0, "%d complaints of handlers, in the logs as %s", of_handlers, SECRETS)
  run.expect(sum.strangers == 0, "%d messages came from others than the world of the agent's node",
    sum.strangers)
  run.expect(sum.events >= 100, "only %d events", sum.events)
  of_all(function(node)
    return control.tell(node, "wanderers", "walk")
  end)
end

-- ---- rows -------------------------------------------------------------------------------------

-- Whether ONLY names it.
local function is_wanted(name)
  local only = os.getenv "ONLY" or ""
  for words in only:gmatch "[^,]+" do
    if name:find(words, 1, true) then
      return true
    end
  end
  return only == ""
end

local function is_possible(row)
  return not row.of or row.of == "store" and STORE or row.of == (REDIS and "redis" or "node")
end

-- Begins the notes of a row. Wanderers' news of before are no news of it.
local function begin_row()
  hear_news()
  began = pulse.now()
  of = { silence = SILENCE / 1000, lease = 0, failing = {}, away = {}, unowned = {}, began = began,
    of_handlers = run.count_in_logs(SECRETS) }
  of.expelled = {}
  for node, stats in ipairs(of_all(function(node)
    return control.tell(node, "stats")
  end)) do
    of.coordinator = REDIS and stats.coordinates == 1 and control.nodes[node] or of.coordinator
    of.expelled[node] = stats.expelled
  end
end

-- Returns whether all was right.
local function play(row)
  faults = 0
  local ok, message = pcall(function()
    give_regions()
    if row.before then
      row.before()
    end
    skynet.sleep(50) -- all are in again
    begin_row()
    row[2](table.unpack(row, 3))
    skynet.sleep(50)
    verify(row)
  end)
  if not ok then
    say("%s", row[1])
    complain("%s", message)
    pcall(show_nodes)
  end
  return faults == 0
end

-- All is started anew behind a row that was wrong, so that the next one is about its own failure.
local function recover(row)
  local ok, message = pcall(run.begin_anew)
  if not ok then
    error(("%s; and then the world could not be started anew: %s"):format(row[1], message), 0)
  end
  skynet.sleep(200)
end

local function shuffle(list)
  for i = #list, 2, -1 do
    local j = run.draw:integer(1, i)
    list[i], list[j] = list[j], list[i]
  end
end

return function(given)
  control = given
  run.control = given
  of = { failing = {}, away = {}, unowned = {} }
  local rows = {}
  for _, row in ipairs(new_rows(run)) do
    rows[#rows + 1] = is_possible(row) and is_wanted(row[1]) and row or nil
  end
  if #rows == 0 then
    error("ONLY is " .. os.getenv "ONLY" .. ", expected words of a row in spec/world/rows.lua", 0)
  end
  say("SEED=%d", SEED)
  start_all()
  skynet.sleep(200)
  local ends, played, failed = pulse.now() + (MINUTES or 0) * 60, 0, {}
  repeat
    if MINUTES then
      shuffle(rows)
    end
    for _, row in ipairs(rows) do
      played = played + 1
      if not play(row) then
        failed[#failed + 1] = row[1]
        recover(row)
      end
      if MINUTES and pulse.now() > ends then
        break
      end
    end
  until pulse.now() > ends
  show_longest()
  say("%d rows, %d of them wrong%s", played, #failed, failed[1] and ": " .. table.concat(failed, "; ") or "")
  if failed[1] then
    error("not all is right after failures", 0)
  end
end
