-- Promises of crowd spaces that hold whatever the calls are, over long random runs and without the model: the
-- limit holds, pairs come and go in order, ranks change over a ratio of keep only, and nobody who is due
-- waits for longer than the budget makes all wait.

local engines = require "spec.support.engines"
local Random = require "spec.support.random"

local MAP = 100
local LIMIT = 6 -- of all who have none of their own

-- ---- runs -------------------------------------------------------------------------------------

-- Views that hold a good part of the map; or all of it.
local function wide(row, sees_all)
  if not row.exact then
    return { cols = sees_all and 2 or 4, rows = sees_all and 2 or 4 }
  end
  return { radius = sees_all and 2 * MAP or 35 }
end

-- A deferred space, and in sets[watcher][marker] what was told, gathered from the events alone: a pair
-- that is told out of order is an error. `heard` has the events of the last tick.
local function new_run(row, options, sees_all)
  local run = { random = Random.new(20), ids = {}, sets = {}, heard = {} }
  for name, value in pairs(wide(row, sees_all)) do
    options[name] = value
  end
  options.deferred = true
  options.on_event = function(watcher, marker, op)
    local set = run.sets[watcher] or {}
    run.sets[watcher] = set
    if (op == "enter") ~= (set[marker] == nil) then
      error(("%d: %s %d"):format(watcher, op, marker), 0)
    end
    set[marker] = op ~= "leave" or nil
    run.heard[#run.heard + 1] = { watcher = watcher, marker = marker, op = op }
  end
  run.space = row.new(options)
  return run
end

local function tick(run)
  run.heard = {}
  run.space:tick()
end

local function enter(run, id, mode, layer)
  local x, y = run.random:float(0, MAP), run.random:float(0, MAP)
  run.space:enter(id, x, y, { mode = mode, layers = layer })
end

-- So many entities, of which the first only watch and the others only are seen.
local function populate(run, watchers, markers)
  for id = 1, watchers + markers do
    run.ids[id] = id
    enter(run, id, id <= watchers and "w" or "m")
  end
end

-- A share of all takes a step.
local function walk(run, share, step)
  local random, space = run.random, run.space
  for _, id in ipairs(run.ids) do
    local x, y = space:position(id)
    if x and random:chance(share) then
      x = math.max(0, math.min(MAP, x + random:float(-step, step)))
      y = math.max(0, math.min(MAP, y + random:float(-step, step)))
      space:move(id, x, y)
    end
  end
end

local function distance_squared(space, a, b)
  local ax, ay = space:position(a)
  local bx, by = space:position(b)
  return (bx - ax) * (bx - ax) + (by - ay) * (by - ay)
end

local function copy(set)
  local copied = {}
  for key, value in pairs(set or {}) do
    copied[key] = value
  end
  return copied
end

local function count(set)
  local n = 0
  for _ in pairs(set) do
    n = n + 1
  end
  return n
end

-- ---- runs in which everything changes ---------------------------------------------------------

-- Entities come and go, have other limits, importance, layers and pins. run.state[id] = { limit, layer,
-- pins } of those inside.
local incidents = {
  function(run, id) -- leaves or comes
    local layer = run.random:pick { 1, 1, 1, 2, 3 }
    if run.state[id] then
      run.space:leave(id)
      run.state[id] = nil
    else
      enter(run, id, "wm", layer)
      run.state[id] = { limit = LIMIT, layers = layer, pins = {} }
    end
  end,
  function(run, id)
    run.state[id].limit = run.random:pick { 0, 1, 3, 10, math.huge }
    run.space:set_limit(id, run.state[id].limit)
  end,
  function(run, id)
    run.space:set_importance(id, run.random:integer(0, 2))
  end,
  function(run, id)
    run.state[id].layers = run.random:pick { 1, 1, 1, 2, 3 }
    run.space:set_layers(id, run.state[id].layers)
  end,
  function(run, id)
    local marker = run.random:pick(run.ids)
    local is_pinned = run.state[id].pins[marker]
    run.space[is_pinned and "unpin" or "pin"](run.space, id, marker)
    run.state[id].pins[marker] = not is_pinned or nil
  end,
}

-- Calls look(run) after every tick.
local function run_through_incidents(row, options, look)
  options.limit, options.limit_layers = LIMIT, 1
  local run = new_run(row, options)
  run.state = {}
  for id = 1, 40 do
    run.ids[id] = id
    incidents[1](run, id)
  end
  for _ = 1, 300 do
    for _ = 1, run.random:integer(0, 6) do
      local id = run.random:pick(run.ids)
      local happens = run.state[id] and run.random:pick(incidents) or incidents[1]
      happens(run, id)
    end
    walk(run, 0.7, 6)
    tick(run)
    look(run)
  end
end

-- Whether the watcher is told of the marker whatever the limit.
local function is_free(run, watcher, marker)
  return run.state[watcher].pins[marker] or run.state[marker].layers == 2
end

-- ---- swaps ------------------------------------------------------------------------------------

-- Whether a told one (or a newcomer) may go before the other by their distances.
local function may_go_before(d2_a, a_was_told, d2_b, b_was_told, k2)
  if a_was_told == b_was_told then
    return d2_a <= d2_b
  elseif a_was_told then
    return d2_a <= d2_b * k2
  end
  return d2_a * k2 < d2_b
end

-- Among the markers that the watcher sees, none that is told may go behind one that is not. Returns how
-- many came instead of others.
local function check_ranks(run, watcher, before, k2, watchers)
  local space, now, newcomers = run.space, run.sets[watcher], 0
  for a in pairs(now) do
    newcomers = newcomers + (before[a] and 0 or 1)
    local d2_a = distance_squared(space, watcher, a)
    for b = watchers + 1, #run.ids do
      if not now[b] then
        local d2_b = distance_squared(space, watcher, b)
        assert(may_go_before(d2_a, before[a] or false, d2_b, before[b] or false, k2),
          ("%d is told of %d, not of %d"):format(watcher, a, b))
      end
    end
  end
  return newcomers
end

-- A walk of a crowd, the same for every keep; returns how many newcomers there were.
local function count_newcomers(row, keep)
  local WATCHERS = 5
  local run = new_run(row, { limit = 8, keep_factor = keep }, true)
  populate(run, WATCHERS, 60)
  tick(run)
  local newcomers = 0
  for _ = 1, 120 do
    local before = {}
    for watcher = 1, WATCHERS do
      before[watcher] = copy(run.sets[watcher])
    end
    walk(run, 1, 3)
    tick(run)
    for watcher = 1, WATCHERS do
      newcomers = newcomers + check_ranks(run, watcher, before[watcher], keep * keep, WATCHERS)
    end
  end
  return newcomers
end

-- ---- waiting ----------------------------------------------------------------------------------

-- Follows since when a pair has been waiting and due; asserts that it is told in time.
local function check_staleness(row, rates, budget)
  local WATCHERS = 4
  local run = new_run(row, { limit = 15, rates = rates, move_budget = budget }, true)
  populate(run, WATCHERS, 30)
  local kept, longest = {}, 0 -- of a told pair: { due, since, waits, first, most }
  local function period(watcher, marker)
    for _, ring in ipairs(rates or { { math.huge, 1 } }) do
      if distance_squared(run.space, watcher, marker) <= ring[1] * ring[1] then
        return ring[2]
      end
    end
  end
  for now = 1, 250 do
    local places = {}
    for _, id in ipairs(run.ids) do
      places[id] = { run.space:position(id) }
    end
    walk(run, run.random:pick { 0, 0.1, 0.5, 1 }, 5)
    tick(run)
    local told = {}
    for _, event in ipairs(run.heard) do
      told[event.watcher .. " " .. event.marker] = event.op
    end
    for watcher = 1, WATCHERS do
      local size = count(run.sets[watcher])
      for marker = WATCHERS + 1, #run.ids do
        local key = watcher .. " " .. marker
        local pair, op = kept[key], told[key]
        if pair and op ~= "leave" then
          local x, y = run.space:position(marker)
          pair.waits = pair.waits or x ~= places[marker][1] or y ~= places[marker][2]
          pair.due = math.min(pair.due, pair.since + period(watcher, marker))
          if pair.waits and pair.due <= now and not pair.first then
            pair.first, pair.most = now, math.ceil(size / budget)
          end
          assert(op ~= "move" or pair.first, "told before its time")
          local waited = pair.first and now - pair.first + 1 or 0
          assert(waited <= (pair.most or 0), ("%s waits for %d ticks"):format(key, waited))
          longest = math.max(longest, waited)
        end
        if op == "leave" then
          kept[key] = nil
        elseif op then
          kept[key] = { since = now, due = now + period(watcher, marker), waits = false }
        end
      end
    end
  end
  return longest
end

-- ---- what it costs ----------------------------------------------------------------------------

local ENTITIES = 3000

-- A crowd space of many, all in one view, where the first `movers` move; fastest: seconds of a tick.
-- place(random) gives the x and y of each.
local function crowd_at(row, place)
  local random = Random.new(7)
  local options = wide(row, true)
  options.deferred, options.limit, options.move_budget = true, 50, 20
  options.on_view = function() end
  local crowd = { space = row.new(options), xs = {}, ys = {}, movers = ENTITIES, fastest = math.huge }
  for index = 1, ENTITIES do
    crowd.xs[index], crowd.ys[index] = place(random)
    crowd.space:enter(index * 7919 % ENTITIES, crowd.xs[index], crowd.ys[index])
  end
  crowd.space:tick()
  return crowd
end

-- The movers take a step; seconds of the tick that follows.
local function time_of_tick(crowd, round)
  for index = 1, crowd.movers do
    crowd.space:move(index * 7919 % ENTITIES, crowd.xs[index] + round % 2, crowd.ys[index])
  end
  local start = os.clock()
  crowd.space:tick()
  return os.clock() - start
end

local function anywhere(random)
  return random:float(0, MAP - 1), random:float(0, MAP)
end

-- ---- specs ------------------------------------------------------------------------------------

for _, row in ipairs(engines.all) do
  describe("A crowd space of " .. row.name, function()
    it("tells each pair enter (move)* leave, and what it was told is what the two questions say", function()
      run_through_incidents(row, {
        enter_budget = 2, move_budget = 3, rates = { { 10, 1 }, { 20, 3 }, { math.huge, 5 } },
      }, function(run)
        local told_to = {}
        for watcher in pairs(run.state) do
          local set, told, n = copy(run.sets[watcher]), run.space:told_markers_of(watcher)
          for i = 1, n do
            assert(set[told[i]], "not told")
            set[told[i]] = nil
            told_to[told[i]] = (told_to[told[i]] or 0) + 1
          end
          assert.is_nil(next(set))
        end
        for marker in pairs(run.state) do
          local _, n = run.space:told_watchers_of(marker)
          assert.equal(told_to[marker] or 0, n)
        end
      end)
    end)

    it("keeps the limit of each watcher, and tells always of who is free", function()
      run_through_incidents(row, {}, function(run)
        for watcher, state in pairs(run.state) do
          local counted, seen_and_counted = 0, 0
          for marker in pairs(run.sets[watcher] or {}) do
            assert(run.space:sees(watcher, marker), "told of one it does not see")
            counted = counted + (is_free(run, watcher, marker) and 0 or 1)
          end
          local markers, n = run.space:markers_of(watcher)
          for i = 1, n do
            if is_free(run, watcher, markers[i]) then
              assert(run.sets[watcher][markers[i]], "not told of one that is free")
            else
              seen_and_counted = seen_and_counted + 1
            end
          end
          assert.equal(math.min(state.limit, seen_and_counted), counted)
        end
      end)
    end)

    it("keeps enter_budget and move_budget", function()
      run_through_incidents(row, { enter_budget = 2, move_budget = 3 }, function(run)
        local entered, moved = {}, {}
        for _, event in ipairs(run.heard) do
          local w = event.watcher
          if event.op == "enter" and not is_free(run, w, event.marker) then
            entered[w] = (entered[w] or 0) + 1
          elseif event.op == "move" then
            moved[w] = (moved[w] or 0) + 1
          end
          assert((entered[w] or 0) <= 2 and (moved[w] or 0) <= 3)
        end
      end)
    end)

    it("swaps two only over a ratio of keep, and back over the opposite one: fewer newcomers", function()
      local texts, last = {}, math.huge
      for _, keep in ipairs { 1, 1.1, 1.2, 1.5 } do
        local newcomers = count_newcomers(row, keep)
        texts[#texts + 1] = ("%d with keep %s"):format(newcomers, keep)
        assert(newcomers > 0 and newcomers < last, table.concat(texts, ", "))
        last = newcomers
      end
      print(row.name .. ", newcomers: " .. table.concat(texts, ", "))
    end)

    for _, budget in ipairs { 1, 2, 4 } do
      it("tells who is due within the ticks that a budget of " .. budget .. " needs for all", function()
        assert(check_staleness(row, nil, budget) > 1)
        assert(check_staleness(row, { { 20, 1 }, { 50, 3 }, { math.huge, 7 } }, budget) > 1)
      end)
    end

    -- A search through all pairs takes 13 times as long or longer. The crowds take turns, so that a busy
    -- machine slows all of them down.
    it("takes no longer where all stand at one point or a few, or where few of them move #crowd", function()
      local spread, one_point = crowd_at(row, anywhere), crowd_at(row, function() return 50, 50 end)
      local few_points = crowd_at(row, function(random) return random:integer(48, 50), 50 end)
      local few_move = crowd_at(row, anywhere)
      few_move.movers = 10
      for round = 1, 6 do
        for _, crowd in ipairs { spread, one_point, few_points, few_move } do
          crowd.fastest = math.min(crowd.fastest, time_of_tick(crowd, round))
        end
      end
      for _, crowd in ipairs { one_point, few_points, few_move } do
        assert(crowd.fastest < 6 * spread.fastest, ("%.1f ms, and %.1f where all are spread"):format(
          crowd.fastest * 1000, spread.fastest * 1000))
      end
    end)

    it("needs exactly so many ticks when all move all the time", function()
      for _, case in ipairs { { 10, 1, 10 }, { 10, 3, 4 }, { 9, 3, 3 }, { 10, 10, 1 } } do
        local markers, budget, ticks = table.unpack(case)
        local run = new_run(row, { move_budget = budget }, true)
        populate(run, 1, markers)
        tick(run) -- all enter, and are due from the next tick on
        local told, needed = {}, 0
        while count(told) < markers do
          walk(run, 1, 5)
          tick(run)
          needed = needed + 1
          for _, event in ipairs(run.heard) do
            assert.equal("move", event.op)
            told[event.marker] = true
          end
        end
        assert.equal(ticks, needed)
      end
    end)
  end)
end
