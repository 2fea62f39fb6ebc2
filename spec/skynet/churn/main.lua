-- A churn as players make it, inside a real skynet: some hundred clients over sockets that come, walk, change
-- maps, speak, crash, hang and log in again; agents, scenes and other services that die. Every few seconds
-- all keep still, and everything must be as brute force says. See `make skynet-churn`.
--
-- It goes on until each kind of event has happened often enough. From the environment: SEED; EVENTS, names of
-- the kinds that are to happen, of events.lua and disasters.lua (none: all); ROUNDS, at least; CLIENTS; SHOW,
-- how many of the things that are wrong are printed.
-- The last line says whether all went well; tools/run_skynet.sh looks for it.
local skynet = require "skynet"
require "skynet.manager"
local side_by_side = require "aoi.skynet.side_by_side"
local Random = require "spec.support.random"
local disasters = require "spec.skynet.churn.disasters"
local events = require "spec.skynet.churn.events"
local maps = require "spec.skynet.churn.maps"
local harness = require "spec.skynet.harness"
local truth = require "spec.skynet.churn.truth"

local function number_from(name, default)
  return tonumber(os.getenv(name) or "") or default
end

local SEED, CLIENTS = number_from("SEED", 1), number_from("CLIENTS", 240)
local ROUNDS, MOST_ROUNDS = number_from("ROUNDS", 8), 60
local STEPS = 20     -- of each client in a round
local OFTEN = 20     -- each kind must happen
local A_HOST = 30    -- clients in one service
local SPEAKERS = 20  -- at a quiet moment
local PATIENCE = 60  -- seconds until what is dead is gone
local NAMES = os.getenv "EVENTS" or ""

local run = { random = Random.new(SEED), clients = CLIENTS, guide = nil, gate = nil, hosts = {}, counts = {},
  notices = 0, taken = {}, lives = {} }

-- Calls all hosts at once: a list of their answers.
function run:all(...)
  local calls, args = {}, table.pack(...)
  for i, host in ipairs(self.hosts) do
    calls[i] = function()
      return skynet.call(host, "lua", table.unpack(args, 1, args.n))
    end
  end
  local answers = side_by_side(calls)
  for i, answer in ipairs(answers) do
    assert(answer[1], answer[2])
    answers[i] = table.pack(table.unpack(answer, 2, answer.n))
  end
  return answers
end

-- The lists of all hosts as one.
function run:gather(...)
  local list = {}
  for _, answer in ipairs(self:all(...)) do
    table.move(answer[1], 1, #answer[1], #list + 1, list)
  end
  return list
end

function run:start()
  maps.prepare()
  self.guide = skynet.newservice "churn/guide"
  for _, map in ipairs(maps.list) do
    skynet.call(self.guide, "lua", "set", map.name, maps.start(map))
  end
  self.gate = skynet.newservice("churn/gate", self.guide)
  local port = skynet.call(self.gate, "lua", "open")
  local me, left = coroutine.running(), 0
  for first = 1, CLIENTS, A_HOST do
    local host = skynet.newservice "churn/players"
    self.hosts[#self.hosts + 1], left = host, left + 1
    skynet.fork(function()
      skynet.call(host, "lua", "start", first, math.min(CLIENTS, first + A_HOST - 1), port, SEED, NAMES)
      left = left - 1
      skynet.wakeup(me)
    end)
  end
  while left > 0 do
    skynet.wait(me)
  end
end

local function chosen(list)
  local kinds = {}
  for _, kind in ipairs(list) do
    if NAMES == "" or (" " .. NAMES .. " "):find(" " .. kind.name .. " ", 1, true) then
      kinds[#kinds + 1] = kind
    end
  end
  return kinds
end

-- All clients take their steps while services die.
function run:act()
  local is_done, has_stopped, me = false, false, coroutine.running()
  local kinds = chosen(disasters)
  skynet.fork(function()
    while not is_done and #kinds > 0 do
      local kind = self.random:pick_weighted(kinds)
      kind.run(self)
      self.counts[kind.name] = (self.counts[kind.name] or 0) + 1
      skynet.sleep(self.random:integer(8, 20))
    end
    has_stopped = true
    if is_done then -- else we wait for the clients
      skynet.wakeup(me)
    end
  end)
  local counts, backs = {}, 0
  for _, answer in ipairs(self:all("act", STEPS)) do
    for name, count in pairs(answer[1]) do
      counts[name] = (counts[name] or 0) + count
    end
    backs = backs + answer[2]
  end
  for name, count in pairs(counts) do
    self.counts[name] = count
  end
  self.backs = backs
  is_done = true
  while not has_stopped do
    skynet.wait(me)
  end
end

-- The faults found when nothing moves: a list of texts; and how many pairs were compared.
function run:look()
  local scenes = {}
  for _, map in ipairs(maps.list) do
    scenes[map.name] = map.scene
  end
  self:all("settle", scenes)
  local ghosts
  local last = skynet.now() + PATIENCE * 100
  repeat
    ghosts = truth.ghosts(self:gather "beliefs")
  until #ghosts == 0 or skynet.now() > last or skynet.sleep(10)
  truth.wait_for_ticks()
  self:all "echo"
  local beliefs = self:gather "beliefs"
  local problems, pairs_seen = truth.compare(beliefs)
  table.move(ghosts, 1, #ghosts, #problems + 1, problems)
  self:look_at_lives(problems)
  self:look_for_notices(problems)
  if #problems == 0 then
    problems = self:speak(beliefs)
    self:notify(beliefs, problems)
  end
  return problems, pairs_seen, #beliefs
end

-- Some speak, and exactly those who see them hear it.
function run:speak(beliefs)
  local said = {}
  for _ = 1, math.min(SPEAKERS, #beliefs) do
    local id = self.random:pick(beliefs).id
    local host = self.hosts[(id - 1) // A_HOST + 1]
    said[id] = said[id] or skynet.call(host, "lua", "say", id)
  end
  self:all "echo"
  truth.wait_for_ticks()
  self:all "echo"
  return truth.compare_said(self:gather "beliefs", said)
end

-- Each is told something alone, and hears it.
function run:notify(beliefs, problems)
  local told = {}
  for _, belief in ipairs(beliefs) do
    self.notices = self.notices + 1
    told[belief.id] = { map = belief.map, number = self.notices }
    harness.command(maps.of[belief.map].scene, "notify", belief.id, belief.map, self.notices)
  end
  truth.wait_for_ticks()
  self:all "echo"
  for _, belief in ipairs(self:gather "beliefs") do
    local notice = told[belief.id]
    if notice and belief.notices[notice.map] ~= notice.number then
      problems[#problems + 1] = ("%s: %d is notified of %s, expected %d"):format(notice.map, belief.id,
        belief.notices[notice.map], notice.number)
    end
  end
end

-- Notices that scenes have taken while all acted must have come, where neither the scene nor the agent has
-- died meanwhile.
function run:look_for_notices(problems)
  local due = {}
  for _, notice in ipairs(self.taken) do
    due[#due + 1] = notice.scene == maps.of[notice.map].scene and notice or nil
  end
  self.taken = {}
  for _, answer in ipairs(self:all("lost", due)) do
    local lost, count = table.unpack(answer)
    table.move(lost, 1, #lost, #problems + 1, problems)
    self.counts["notices due"] = (self.counts["notices due"] or 0) + count
  end
end

-- The lives of entities, as handlers have heard of them.
function run:look_at_lives(problems)
  for _, map in ipairs(maps.list) do
    local wrong, happened = skynet.call(map.scene, "lua", "lives")
    for _, text in ipairs(wrong) do
      problems[#problems + 1] = map.name .. ": " .. text
    end
    for what, count in pairs(happened) do
      self.lives[what] = (self.lives[what] or 0) + count
    end
  end
end

-- The kinds that have not happened often enough, as a text; nil: none.
function run:rare()
  local list = {}
  for _, kinds in ipairs { chosen(events), chosen(disasters) } do
    for _, kind in ipairs(kinds) do
      if (self.counts[kind.name] or 0) < OFTEN then
        list[#list + 1] = ("%s (%d)"):format(kind.name, self.counts[kind.name] or 0)
      end
    end
  end
  return list[1] and table.concat(list, ", ")
end

-- Lines of the log that none of our services may write.
local BAD = {
  "traceback", "Unknown session", "Unknown request", "Maybe forgot response", "init service failed",
}

local function bad_lines()
  local lines = {}
  for line in io.lines((os.getenv "AOI_LOG")) do
    for _, words in ipairs(BAD) do
      if line:find(words, 1, true) then
        lines[#lines + 1] = "the log has: " .. line
        break
      end
    end
  end
  return lines
end

local function show(problems, what)
  for i = 1, math.min(#problems, number_from("SHOW", 20)) do
    print("       " .. problems[i])
  end
  print(("FAILED churn: %s: %d things are wrong"):format(what, #problems))
end

function run:rounds()
  for round = 1, MOST_ROUNDS do
    local began = skynet.now()
    self:act()
    local acted = skynet.now()
    local problems, pairs_seen, clients = self:look()
    for _, list in ipairs { self:gather "problems", bad_lines() } do
      table.move(list, 1, #list, #problems + 1, problems)
    end
    print(("%s churn: round %d: %d clients in, %d pairs (%.1f s, quiet %.1f s)"):format(
      #problems == 0 and "ok    " or "FAILED", round, clients, pairs_seen, (acted - began) / 100,
      (skynet.now() - acted) / 100))
    io.stdout:flush()
    if #problems > 0 then
      show(problems, "round " .. round)
      return false
    elseif round >= ROUNDS and not self:rare() then
      return true
    end
  end
  show({ self:rare() }, "these events are too rare")
  return false
end

skynet.start(function()
  local began = skynet.now()
  run:start()
  local ok = run:rounds()
  local list = {}
  for name, count in pairs(run.counts) do
    list[#list + 1] = ("%s %d"):format(name, count)
  end
  for what, count in pairs(run.lives) do
    list[#list + 1] = ("life %s %d"):format(what, count)
  end
  table.sort(list)
  print(("       %.1f s; %d times a scene had a client already; %s"):format((skynet.now() - began) / 100,
    run.backs, table.concat(list, ", ")))
  print(ok and "skynet: all well" or "skynet: the churn failed")
  io.stdout:flush()
  skynet.abort()
end)
