-- The differential tests can fail: spaces with a fault put in on purpose are found, and the
-- sequence that shows the fault is shrunk to a few calls.

local aoi = require "aoi"
local compare = require "spec.support.compare"
local crowd_space_calls = require "spec.support.crowd_space_calls"
local engines = require "spec.support.engine_features"
local sequences = require "spec.support.sequences"
local shrink = require "spec.support.shrink"

local on_event = compare.listeners[1]

-- The most calls that a shrunk sequence may have.
local FEW = 8

-- A stand-in for a space that passes every call on, except those in `replaced`.
local function stand_in(space, replaced)
  return setmetatable({}, {
    __len = function()
      return #space
    end,
    __index = function(_, name)
      return function(_, ...)
        if replaced[name] then
          return replaced[name](space, ...)
        end
        return space[name](space, ...)
      end
    end,
  })
end

-- A space whose events go through `filter(tell, watcher, marker, op)` first.
local function with_events(options, filter)
  local tell = options.on_event
  options.on_event = function(watcher, marker, op)
    filter(tell, watcher, marker, op)
  end
  return aoi.new(options)
end

-- The faults: each makes a space that is wrong in one way.
local faults = {
  {
    name = "loses a leave event",
    new = function(options)
      return with_events(options, function(tell, watcher, marker, op)
        if op ~= "leave" or (watcher + marker) % 3 ~= 0 then
          tell(watcher, marker, op)
        end
      end)
    end,
  },
  {
    name = "tells an enter event twice",
    new = function(options)
      return with_events(options, function(tell, watcher, marker, op)
        tell(watcher, marker, op)
        if op == "enter" then
          tell(watcher, marker, op)
        end
      end)
    end,
  },
  {
    name = "turns a pair round",
    new = function(options)
      return with_events(options, function(tell, watcher, marker, op)
        if op == "move" then
          watcher, marker = marker, watcher
        end
        tell(watcher, marker, op)
      end)
    end,
  },
  {
    name = "tells a leave event after an enter event of the same change",
    new = function(options)
      local held
      local space = with_events(options, function(tell, watcher, marker, op)
        if op == "leave" and not held then
          held = function()
            tell(watcher, marker, op)
          end
          return
        end
        tell(watcher, marker, op)
        if held then
          held()
          held = nil
        end
      end)
      local function release(name)
        return function(real, ...)
          real[name](real, ...)
          if held then
            held()
            held = nil
          end
        end
      end
      return stand_in(space, {
        move = release("move"), leave = release("leave"), set_mode = release("set_mode"),
      })
    end,
  },
  {
    name = "forgets a marker",
    new = function(options)
      return stand_in(aoi.new(options), {
        markers_of = function(space, ...)
          local markers, n = space:markers_of(...)
          markers[math.max(n, 1)] = nil
          return markers, math.max(n - 1, 0)
        end,
      })
    end,
  },
  {
    name = "leaves an entry after the last one",
    new = function(options)
      return stand_in(aoi.new(options), {
        watchers_of = function(space, ...)
          local watchers, n = space:watchers_of(...)
          watchers[n + 1] = 0
          return watchers, n
        end,
      })
    end,
  },
  {
    name = "accepts a second enter",
    new = function(options)
      return stand_in(aoi.new(options), {
        enter = function(space, id, ...)
          if math.type(id) and space:has(id) then
            return
          end
          space:enter(id, ...)
        end,
      })
    end,
  },
  {
    name = "loses a move that goes to the left",
    new = function(options)
      return stand_in(aoi.new(options), {
        move = function(space, id, x, ...)
          if x < (space:position(id) or x) then
            x = space:position(id)
          end
          space:move(id, x, ...)
        end,
      })
    end,
  },
  {
    name = "has a border that is open",
    needs_radius = true,
    new = function(options)
      local radius = options.radius
      if radius and radius < math.huge then
        options.radius = radius * (1 - 2.0 ^ -52)
      end
      return stand_in(aoi.new(options), {
        radius = function(space, id) -- the answer does not give the fault away
          local answer = space:radius(id)
          return answer == options.radius and radius or answer
        end,
      })
    end,
  },
}

-- A crowd space with other options than it was asked for.
local function with_options(change)
  return function(options)
    change(options)
    return aoi.new(options)
  end
end

-- The like of crowd spaces.
local crowd_faults = {
  {
    name = "tells of one more than the limit",
    new = with_options(function(options)
      options.limit = options.limit and options.limit < math.huge and options.limit + 1 or nil
      options.move_budget = options.move_budget or 1000 -- a crowd space still
    end),
  },
  {
    name = "swaps too soon",
    new = with_options(function(options)
      options.keep_factor = 1
    end),
  },
  {
    name = "lets in one more than the budget of newcomers",
    new = with_options(function(options)
      options.enter_budget = options.enter_budget and options.enter_budget + 1
    end),
  },
  {
    name = "tells of one more step than the budget",
    new = with_options(function(options)
      options.move_budget = options.move_budget and options.move_budget + 1
    end),
  },
  {
    name = "has rings whose border is open",
    new = with_options(function(options)
      local rates = options.rates
      options.rates = rates and {}
      for index, rate in ipairs(rates or {}) do
        options.rates[index] = { rate[1] * (1 - 2.0 ^ -52), rate[2] }
      end
    end),
  },
  {
    name = "forgets that an entity was touched",
    new = function(options)
      return stand_in(aoi.new(options), {
        touch = function(space, id)
          if not space:has(id) then
            space:touch(id)
          end
        end,
      })
    end,
  },
  {
    name = "never unpins",
    new = function(options)
      return stand_in(aoi.new(options), {
        unpin = function(space, watcher, marker)
          if not space:has(watcher) then
            space:unpin(watcher, marker)
          end
        end,
      })
    end,
  },
  {
    name = "counts ranks from 0",
    new = function(options)
      return stand_in(aoi.new(options), {
        explain = function(space, watcher, marker)
          local reason, rank = space:explain(watcher, marker)
          return reason, rank and rank - 1
        end,
      })
    end,
  },
  {
    name = "tells to one too few",
    new = function(options)
      return stand_in(aoi.new(options), {
        told_watchers_of = function(space, id, t)
          local watchers, n = space:told_watchers_of(id, t)
          if type(watchers) == "table" and n > 0 then
            watchers[n] = nil
          end
          return watchers, math.max(n - 1, 0)
        end,
      })
    end,
  },
}

local CROWD_TASTE = {
  call_kinds = sequences.with_kinds(crowd_space_calls.kinds), prepare = crowd_space_calls.prepare,
}
for _, fault in ipairs(crowd_faults) do
  fault.taste, fault.length, fault.few = CROWD_TASTE, 100, 20 -- rates and budgets take some ticks to show
  faults[#faults + 1] = fault
end

-- The first sequence that shows the fault.
local function find(engine, fault)
  for seed = 1, 100 do
    local sequence = sequences.generate(engine, seed, fault.length or 1000, fault.taste)
    sequence.listener = on_event
    local failure = compare.run(sequence, fault.new)
    if failure then
      return sequence, failure
    end
  end
  error("not found")
end

-- The engine of the n-th fault: all in turn, as a fault lies before the engines.
local function engine_of(n, fault)
  local fitting = {}
  for _, engine in ipairs(engines) do
    fitting[#fitting + 1] = (engine.has_radius or not fault.needs_radius) and engine or nil
  end
  return fitting[n % #fitting + 1]
end

describe("The comparison with the model", function()
  for n, fault in ipairs(faults) do
    local engine = engine_of(n, fault)
    it(("finds a space that %s, on the %s"):format(fault.name, engine.name), function()
      local function fails(sequence)
        return compare.run(sequence, fault.new, true)
      end
      local sequence, failure = find(engine, fault)
      local short, short_failure = shrink.sequence(sequence, fails, failure)
      assert.is_true(#short.calls <= (fault.few or FEW),
        "shrunk only to:\n" .. shrink.program(short) .. "\n" .. short_failure.text)
    end)
  end
end)

describe("The report of a difference", function()
  it("names the seed and is a program that shows it", function()
    local engine, fault = engines[1], faults[1]
    local function fails(sequence)
      return compare.run(sequence, fault.new, true)
    end
    local sequence, failure = find(engine, fault)
    local report = shrink.report(sequence, fails, failure)
    assert.is_truthy(report:find("SEED=" .. sequence.seed, 1, true), report)

    local program = report:sub((report:find("local aoi", 1, true)))
    local ops = {}
    local environment = setmetatable({
      print = function(_, _, op)
        ops[#ops + 1] = op
      end,
    }, { __index = _G })
    assert(load(program, "program", "t", environment))()
    assert.equal("leave", ops[#ops])
  end)

  for _, listener in ipairs(compare.listeners) do
    it("prints what is heard by " .. listener.name, function()
      local program = shrink.program {
        options = { engine = "crosslist", radius = 5 },
        listener = listener,
        calls = {
          sequences.call("enter", 1, 0, 0),
          sequences.call("enter", 2, 1, 1),
          sequences.call("move", 2, 2, 2),
          sequences.call("leave", 2),
        },
      }
      local heard = {}
      local environment = setmetatable({
        print = function(...)
          for _, value in ipairs { ... } do
            heard[value] = true
          end
        end,
      }, { __index = _G })
      assert(load(program, "program", "t", environment))()
      for _, kind in ipairs { "leave", "enter", "move" } do
        assert.equal(listener.kinds[kind], heard[kind], kind)
      end
    end)
  end
end)
