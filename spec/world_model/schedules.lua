-- Schedules: what happens to a world of a seed, and running it. First a plan is drawn (nodes, regions, faults
-- of the transport, disasters with their times, calls), then it runs; a plan may lose parts, which is how
-- failing ones are made short.
local checks = require "spec.world_model.checks"
local coordinator = require "aoi.skynet.world.coordinator"
local disks = require "spec.world_model.disks"
local machines = require "spec.world_model.machines"
local new_random = require("spec.support.random").new
local times = require "spec.world_model.times"

local schedules = {}

local KINDS = {
  "kill", "kill", "stop", "stop", "stop", "cut", "cut", "wave", "coordinator", "all", "redis", "migrate",
  "migrate",
}

local function draw_disaster(random, plan, latest)
  local kind = KINDS[random:integer(1, #KINDS)]
  local names = plan.names
  return {
    kind = kind, at = random:integer(300, latest), name = names[random:integer(1, #names)],
    other = names[random:integer(1, #names)],
    -- Shorter and longer than the lease, the silence and an orphan's time.
    length = ({ 150, 500, 1000, 1700, 2500, 4000 })[random:integer(1, 6)] + random:integer(0, 150),
  }
end

local CALLS = { "enter", "enter", "move", "move", "move", "leave" }
local BUSY_CALLS = { "enter", "move", "move", "move", "move", "move", "move", "move", "move", "leave" }

local function draw_call(random, plan, uid, latest)
  local kinds = plan.busy and BUSY_CALLS or CALLS
  local kind = kinds[random:integer(1, #kinds)]
  return {
    at = random:integer(200, latest), name = plan.names[random:integer(1, #plan.names)],
    uid = uid, id = random:integer(1, plan.ids), kind = kind,
    x = random:integer(0, plan.regions * 10 - 1),
  }
end

-- Of some seeds enters become updates or take over, and so do some moves. Drawn last, and apart: all else is
-- as it is without.
local function draw_updates(plan)
  local random = new_random(plan.seed + 5555)
  for _, call in ipairs(plan.calls) do
    local which = random:integer(1, 6)
    if call.kind == "enter" and which <= 4 or call.kind == "move" and which <= 2 then
      call.takes_over = which % 2 == 0 or nil
      call.kind = call.takes_over and "enter" or "update"
    end
  end
end

-- Of some seeds regions refuse some enters and updates. As the one before.
local function draw_wrong(plan)
  local random = new_random(plan.seed + 3333)
  for _, call in ipairs(plan.calls) do
    call.is_wrong = (call.kind == "enter" or call.kind == "update") and random:integer(1, 4) == 1 or nil
  end
end

-- Of some seeds there are areas, too. As the one before.
local function draw_areas(plan, latest)
  local random = new_random(plan.seed + 4444)
  plan.has_areas = true
  for uid = #plan.calls + 1, #plan.calls + random:integer(10, 40) do
    plan.calls[uid] = {
      at = random:integer(200, latest), name = plan.names[random:integer(1, #plan.names)], uid = uid, x = 0,
      kind = "area", area = random:integer(1, 4), what = random:integer(1, 3) == 1 and "remove" or "add",
      owner = random:integer(1, 2) == 1 and random:integer(1, plan.ids) or nil,
    }
  end
end

-- Of some seeds there are disasters of one more kind. As the one before.
local function draw_more(plan, latest, kind)
  local random = new_random(plan.seed + 6666)
  for _ = 1, random:integer(1, 2) do
    local one = draw_disaster(random, plan, latest)
    one.kind = kind
    plan.disasters[#plan.disasters + 1] = one
  end
end

-- Of some seeds there are moves that nobody wants an answer for, of two senders, and some others among them;
-- many in a short time, of a node that has asked for the entity, often while something happens. As the one
-- before.
local function draw_bare_moves(plan, latest)
  local random = new_random(plan.seed + 2222)
  local asked, happens = #plan.calls, #plan.disasters
  for _ = 1, random:integer(3, 12) do
    local like = plan.calls[random:integer(1, asked)]
    local at = like.at + random:integer(-50, 400)
    if happens > 0 and random:integer(1, 2) == 1 then
      local one = plan.disasters[random:integer(1, happens)]
      at = one.at + random:integer(-300, one.length + 1500)
    end
    local apart = ({ 0, 5, 30, 120 })[random:integer(1, 4)]
    for _ = 1, like.id and random:integer(1, 8) or 0 do
      local call = {
        at = math.max(200, math.min(at, latest)), name = like.name, uid = #plan.calls + 1, id = like.id,
        kind = "move", x = random:integer(0, plan.regions * 10 - 1),
        sender = ({ 1, 1, 1, 1, 1, 1, 2 })[random:integer(1, 8)], -- nil: somebody wants an answer
      }
      plan.calls[call.uid] = call
      at = at + random:integer(0, apart)
    end
  end
end

-- Of some seeds a node has agents of several entities that are near each other and move ten times a second:
-- their moves go together, and borders cut the batches. As the one before.
local function draw_groups(plan, latest)
  local random = new_random(plan.seed + 1111)
  local name, first, n = plan.names[random:integer(1, #plan.names)], plan.ids, random:integer(3, 8)
  local x = random:integer(0, plan.regions * 10 - 1)
  local function ask(at, id, kind, at_x, sender)
    plan.calls[#plan.calls + 1] = {
      at = math.min(at, latest), name = name, uid = #plan.calls + 1, id = id, kind = kind,
      x = math.max(0, math.min(at_x, plan.regions * 10 - 1)), sender = sender,
    }
  end
  plan.ids = plan.ids + n
  local begins = random:integer(200, latest - 1500)
  for id = first + 1, first + n do
    ask(begins, id, "enter", x)
  end
  for at = begins + 300, math.min(latest, begins + random:integer(1000, 3000)), 100 do
    x = x + random:integer(-1, 1)
    for id = first + 1, first + n do
      if random:integer(1, 40) == 1 then
        ask(at, id, "leave", 0)
        ask(at + 1, id, "enter", x)
      elseif random:integer(1, 8) > 1 then
        ask(at + random:integer(0, 3), id, "move", x + random:integer(-2, 2), id)
      end
    end
  end
end

-- The plan of a seed.
function schedules.draw(seed)
  local random = new_random(seed)
  local nodes = random:integer(1, 10) == 1 and 1 or random:integer(2, 5)
  local plan = {
    seed = seed, names = {}, regions = random:integer(1, 6), ids = random:integer(1, 5),
    sight = random:integer(1, 14),
    stores = random:integer(1, 2) == 1, orphan_ticks = random:integer(5, 80), disasters = {}, calls = {},
    loss = ({ 0, 0, 0.02, 0.1 })[random:integer(1, 4)], doubled = ({ 0, 0, 0.05, 0.2 })[random:integer(1, 4)],
    late = ({ 0, 0, 0.05, 0.3 })[random:integer(1, 4)],
  }
  plan.redis = random:integer(1, 2) == 1
  plan.is_shared = seed % 3 ~= 0 -- all read all stores; else each its own
  for i = 1, nodes do
    plan.names[i] = "n" .. i
  end
  local latest = random:integer(2500, 7000)
  for i = 1, random:integer(0, 5) do
    plan.disasters[i] = draw_disaster(random, plan, latest)
  end
  -- Busy ones cross borders in most ticks.
  plan.busy = random:integer(1, 3) == 1
  for i = 1, plan.busy and random:integer(100, 300) or random:integer(5, 60) do
    plan.calls[i] = draw_call(random, plan, i, latest)
  end
  plan.ends = latest
  if plan.redis and seed % 7 == 0 then -- drawn last: all else is as it is without
    plan.forgets = true
    for _, kind in ipairs { "forget", "kill" } do
      local one = draw_disaster(random, plan, latest)
      one.kind = kind
      plan.disasters[#plan.disasters + 1] = one
    end
  end
  if plan.stores and seed % 5 == 0 then -- also drawn last
    local full, ends = draw_disaster(random, plan, latest - 500), draw_disaster(random, plan, latest)
    full.kind, ends.kind = "full", ({ "all", "all", "kill" })[random:integer(1, 3)]
    ends.at = math.min(full.at + random:integer(100, full.length), latest)
    table.move({ full, ends }, 1, 2, #plan.disasters + 1, plan.disasters)
    for _ = 1, 20 do -- while it is full
      local call = draw_call(random, plan, #plan.calls + 1, ends.at)
      call.at = random:integer(full.at, ends.at)
      plan.calls[#plan.calls + 1] = call
    end
  end
  if seed % 8 == 3 or seed % 8 == 5 or seed % 8 == 7 then
    draw_updates(plan)
  end
  if seed % 16 == 13 then
    draw_more(plan, latest, "hang")
  end
  if plan.stores and (seed % 16 == 5 or seed % 16 == 11) then
    draw_more(plan, latest, "damage")
  end
  if seed % 4 == 1 then
    draw_wrong(plan)
  end
  if seed % 8 == 7 or seed % 16 == 9 then
    draw_areas(plan, latest)
  end
  local rest = seed % 17
  if rest == 4 or rest == 6 or rest == 10 or rest == 12 then
    draw_bare_moves(plan, latest)
  elseif rest == 8 then
    draw_groups(plan, latest)
  end
  return plan
end

local disasters = {}

function disasters.kill(world, one)
  world:kill(one.name)
  world:at(world.now + one.length, function()
    if not world.processes[one.name].alive then
      world:start(one.name)
    end
  end)
end

-- A node dies, and its disk has lost the last chunks, or all.
function disasters.damage(world, one)
  local process = world.processes[one.name]
  for region = 1, world.plan.regions do
    process.behind[region] = true
  end
  disasters.kill(world, one)
  for region = 1, world.plan.regions do
    disks.damage(world, one.name, region, one.length % 4 == 0 and math.huge or one.length % 8)
  end
end

function disasters.coordinator(world, one)
  disasters.kill(world, { name = world.plan.names[1], length = one.length })
end

function disasters.all(world, one)
  for i, name in ipairs(world.plan.names) do
    disasters.kill(world, { name = name, length = one.length + 37 * i })
  end
end

function disasters.stop(world, one)
  if world.processes[one.name].alive then
    world:stop(one.name, one.length)
  end
end

function disasters.hang(world, one)
  local process = world.processes[one.name]
  if process.alive and process.stopped_until <= world.now then
    world:hang(one.name, one.length)
  end
end

function disasters.cut(world, one)
  if one.name ~= one.other then
    local pair = one.name < one.other and one.name .. one.other or one.other .. one.name
    world.cuts[pair] = world.now + one.length
  end
end

-- An operator asks each coordinator that there is for something.
local function tell_coordinators(world, what, ...)
  for _, name in ipairs(world.plan.names) do
    local process = world.processes[name]
    local seat = process.alive and world:seated(process)
    if seat then
      coordinator[what](seat, ...)
    end
  end
end

-- An operator moves a region; or drains a node, and adds it again.
function disasters.migrate(world, one)
  if one.length % 3 == 0 then
    tell_coordinators(world, "drain", one.name)
    world:at(world.now + one.length, function()
      tell_coordinators(world, "add", one.name)
    end)
  else
    tell_coordinators(world, "migrate", one.length % world.plan.regions + 1, one.name)
  end
end

-- A node does not reach Redis, or none does.
function disasters.redis(world, one)
  for _, name in ipairs(one.length % 4 == 0 and world.plan.names or { one.name }) do
    world.cuts[name .. "redis"] = world.now + one.length
  end
end

-- Redis loses all that it has, while a node is missing, or while all are.
function disasters.forget(world, one)
  world.file = {}
  disasters[one.length % 3 == 0 and "all" or "kill"](world, one)
end

-- An operator begins where a coordinator waits for members that nobody hears of, as Redis has lost the
-- configurations.
local function begin_where_it_waits(world)
  for _, name in ipairs(world.plan.names) do
    local process = world.processes[name]
    local seat = process.alive and world:seated(process)
    if seat and seat.phase == "starting" and not seat.offer and seat.rounds > times.rounds then
      coordinator.begin(seat)
      world.checks:begun()
    end
  end
end

-- A disk takes nothing for a while.
function disasters.full(world, one)
  world.full[one.name] = world.healed and 0 or world.now + one.length
end

-- Much is lost for a while.
function disasters.wave(world, one)
  world.loss = 0.5
  world:at(world.now + one.length // 2, function()
    world.loss = world.healed and 0 or world.plan.loss
  end)
end

-- Whether no other process has the latest configuration: without this one the world begins anew.
local function is_last_member(world, name)
  local function number_of(other)
    local process = world.processes[other]
    return process.alive and (process.member.configuration or {}).number or 0
  end
  local latest = number_of(name)
  for other in pairs(world.processes) do
    if other ~= name and number_of(other) > 0 and number_of(other) >= latest then
      return false
    end
  end
  return true
end

-- The most that the world may stand for a failure: the silence and a second; where it is the coordinator's,
-- that one's absence, or its lease.
local function standstill_of(world, plan, one)
  local most = times.silence + 1000
  local name = one.kind == "coordinator" and plan.names[1] or one.name
  if one.kind == "all" or one.kind == "forget" or is_last_member(world, name) then
    most = most + one.length + 2 * times.silence
  elseif one.kind == "redis" or one.kind == "wave" then
    most = most + one.length + times.seat
  elseif plan.redis then
    most = most + times.seat
  elseif one.name == plan.names[1] or one.kind == "coordinator" then
    most = most + one.length
  end
  return most
end

local function failures_of(plan)
  return #plan.disasters + 1
end

-- Runs a plan; returns the text of a breach, or nil and counts.
function schedules.run(plan)
  local watch = checks.new(plan.stores and plan.is_shared, plan.sight)
  local world = machines.new(plan, new_random(plan.seed + 7777), watch, times)
  local ok, problem = xpcall(function()
    for _, name in ipairs(plan.names) do
      world:start(name)
    end
    for _, one in ipairs(plan.disasters) do
      world:at(2 * times.silence + one.at, function()
        world:failed(one.length, standstill_of(world, plan, one))
        disasters[one.kind](world, one)
      end)
    end
    for _, one in ipairs(plan.calls) do
      world:at(2 * times.silence + one.at, function()
        world:ask(one.name, one)
      end)
    end
    local ends = 2 * times.silence + plan.ends
    world:at(ends, function()
      world.cuts, world.loss, world.late, world.doubled, world.healed = {}, 0, 0, 0, true
      world.full = {}
      for _, name in ipairs(plan.names) do
        world.processes[name].stop_next = nil
      end
    end)
    for _, delay in ipairs { 0, 2000, 4000, 6000 } do -- there may be no coordinator that hears it at first
      world:at(ends + delay, function()
        for _, name in ipairs(plan.names) do
          tell_coordinators(world, "add", name)
        end
        if plan.forgets and delay > 0 then
          begin_where_it_waits(world)
        end
      end)
    end
    -- A change takes as long as a call may wait at most, usually far less; and what was sent before goes on
    -- behind that: many calls may wait behind each other.
    local most = 2 * times.silence + 2000
    local longest = ends + 4500 + failures_of(plan) * most
    world:run_to(ends + times.silence)
    local settled = 0
    repeat
      local rests = not world:has_held() and pcall(watch.at_rest, watch, world.processes, plan)
      settled = rests and settled + 1 or 0
      world:run_to(world.now + times.silence)
    until settled == 2 or world.now > math.max(longest, watch.last_answer + most)
    watch:at_rest(world.processes, plan)
  end, function(message)
    return type(message) == "table" and message or { breach = debug.traceback(message) }
  end)
  return not ok and problem.breach or nil, watch.counts
end

-- Takes parts away from a failing plan as long as it fails.
function schedules.shrink(plan)
  local function fails(changed)
    return schedules.run(changed) ~= nil
  end
  for _, list in ipairs { "disasters", "calls" } do
    local i = 1
    while i <= #plan[list] do
      local shorter = {}
      for key, value in pairs(plan) do
        shorter[key] = value
      end
      shorter[list] = table.move(plan[list], 1, #plan[list], 1, {})
      table.remove(shorter[list], i)
      if fails(shorter) then
        plan = shorter
      else
        i = i + 1
      end
    end
  end
  return plan
end

-- A plan in words.
function schedules.describe(plan)
  local lines = {
    ("seed %d: %d nodes, %d regions, %s%s, loss %g, doubled %g, late %g, orphans after %d ticks"):format(
      plan.seed, #plan.names, plan.regions,
      plan.stores and (plan.is_shared and "stores" or "own stores") or "no stores",
      plan.redis and ", redis" or "", plan.loss, plan.doubled, plan.late, plan.orphan_ticks),
  }
  for _, one in ipairs(plan.disasters) do
    lines[#lines + 1] = ("  %5d %s %s %s %d"):format(one.at, one.kind, one.name, one.other, one.length)
  end
  for _, one in ipairs(plan.calls) do
    lines[#lines + 1] = ("  %5d %s: %s%s%s %d at %d (call %d)"):format(one.at, one.name, one.kind,
      one.is_wrong and ", refused," or one.sender and " of sender " .. one.sender .. " of" or "",
      one.takes_over and " and take over" or one.what and " " .. one.what .. " " .. one.area or "",
      one.id or one.owner or 0, one.x, one.uid)
  end
  return table.concat(lines, "\n")
end

return schedules
