-- Spaces without a default radius: whoever comes first says what radius is usual, and may be an exception.
-- The events are the model's all the same, while the space changes its mind; and it does change it, so
-- that nobody pays for the exception (src/index/indexes.h).
--
-- SEED=n replays one sequence, SEQUENCES=n runs more of them.

local aoi = require "aoi"
local batch_calls = require "spec.support.batch_calls"
local compare = require "spec.support.compare"
local differential = require "spec.support.differential"
local engines = require "spec.support.engine_features"
local reloading = require "spec.support.reloading"
local sequences = require "spec.support.sequences"
local seeds = require "spec.support.seeds"
local tick_calls = require "spec.support.tick_calls"

local function needs_no_default(engine)
  return engine.has_radius and not engine.has_cells
end

-- ---- who sees whom ----------------------------------------------------------------------------

-- Instead of the generator's: an exception in an empty space, then mostly what is common just then.
local function some_radius(self)
  local random, width = self.random, self.region.width
  if not next(self.entities) then
    return random:pick { 0, width / 1000, width * 100, math.huge }
  elseif random:chance(0.03) then
    self.common_radius = width / random:pick { 5, 10, 50 }
  end
  return random:chance(0.9) and self.common_radius or width / random:integer(2, 40)
end

local function prepare(self)
  self.options.radius = nil
  self.common_radius = self.region.width / 10
  self.some_radius = some_radius
end

local function prepare_deferred(self)
  prepare(self)
  tick_calls.prepare(self)
end

local plans = {
  {
    name = "",
    sequences = 20,
    calls = 600,
    fits = needs_no_default,
    taste = { prepare = prepare, call_kinds = sequences.with_kinds(batch_calls) },
  },
  {
    name = "deferred, ",
    sequences = 20,
    calls = 300,
    fits = needs_no_default,
    taste = {
      prepare = prepare_deferred,
      call_kinds = sequences.with_kinds(tick_calls.kinds, batch_calls),
    },
    listeners = tick_calls.listeners,
  },
}

describe("Whoever came first with whatever radius, a space does what the model does,", function()
  for _, plan in ipairs(plans) do
    for _, test in ipairs(differential.tests(plan)) do
      it(plan.name .. test.name, test.run)
    end
  end

  for _, engine in ipairs(engines) do
    for _, group in ipairs(needs_no_default(engine) and seeds.groups(10, 8) or {}) do
      it(("saved and loaded, on the %s, seeds %d to %d"):format(engine.name, group.first, group.last),
        function()
          for seed = group.first, group.last do
            local sequence = sequences.generate(engine, seed, 300, plans[1].taste)
            sequence.listener = compare.listeners[seed % #compare.listeners + 1]
            local failure = compare.run(sequence, function(options)
              return reloading.new(options, seed, 0.1)
            end)
            assert(not failure, failure)
          end
        end)
    end
  end
end)

-- ---- what is usual ----------------------------------------------------------------------------

local COUNT = 400
local FIRST = 1000 -- the id of the exception

-- Calls act(id, x, y) for COUNT entities in rows, 10 apart.
local function for_each(act)
  for id = 1, COUNT do
    act(id, id % 20 * 10, id // 20 * 10)
  end
end

local function new_space(options)
  local space_options = { on_enter = function() end, on_leave = function() end }
  for name, value in pairs(options) do
    space_options[name] = value
  end
  return aoi.new(space_options)
end

-- Blocks of all indexes: everybody stands in the main one; in others only the watchers of an unusual
-- radius.
local function blocks(space)
  return space:stats().cells
end

-- How often a saved space names this radius: once for each entity that has it, once if it is usual.
local function count_saved(space, radius)
  local saved, found = space:save(), 0
  for at = 1, #saved - 7 do
    found = found + (string.unpack("<d", saved, at) == radius and 1 or 0)
  end
  return found
end

local function all_rows()
  local rows = {}
  for_each(function(id, x, y)
    table.move({ id, x, y }, 1, 3, #rows + 1, rows)
  end)
  return rows
end

-- How COUNT watchers of radius 15 come into a space.
local ways_to_come = {
  { name = "one by one", come = function(space)
    for_each(function(id, x, y)
      space:enter(id, x, y, { radius = 15 })
    end)
  end },
  { name = "by enter_all", come = function(space)
    space:enter_all(all_rows(), { radius = 15 })
  end },
  { name = "by update_all", come = function(space)
    space:update_all(all_rows(), { radius = 15 })
  end },
  { name = "with other radii, changed by update_all", come = function(space)
    for_each(function(id, x, y)
      space:enter(id, x, y, { radius = 200 })
    end)
    space:update_all(all_rows(), { radius = 15 })
  end },
  { name = "with other radii, changed by set_radius", come = function(space)
    for_each(function(id, x, y)
      space:enter(id, x, y, { radius = 20 + id % 100 })
    end)
    for_each(function(id)
      space:set_radius(id, 15)
    end)
  end },
  { name = "with other radii, changed by update", come = function(space)
    for_each(function(id, x, y)
      space:enter(id, x, y, { radius = 200 })
    end)
    for_each(function(id, x, y)
      space:update(id, x, y, { radius = 15 })
    end)
  end },
  { name = "as markers, made watchers by set_mode", come = function(space)
    for_each(function(id, x, y)
      space:enter(id, x, y, { radius = 15, mode = "m" })
    end)
    for_each(function(id)
      space:set_mode(id, "wm")
    end)
  end },
  { name = "beside many others, who leave", come = function(space)
    local others = {}
    for_each(function(id, x, y)
      space:enter(id, x, y, { radius = 15 })
      for _, other in ipairs { FIRST + 2 * id, FIRST + 2 * id + 1 } do
        space:enter(other, x, y, { radius = 300 })
        others[#others + 1] = other
      end
    end)
    space:leave_all(others)
  end },
}

local rows = {
  { engine = "crosslist" },
  { engine = "quadtree", width = 210, height = 210, capacity = 16 },
}

for _, options in ipairs(rows) do
  describe("The usual radius of a " .. options.engine .. " without a default", function()
    for _, way in ipairs(ways_to_come) do
      for _, first in ipairs { 0, 5000, math.huge } do
        it(("is that of most watchers, who came after one of %s: %s"):format(first, way.name), function()
          local space = new_space(options)
          space:enter(FIRST, 100, 100, { radius = first })
          way.come(space)
          space:enter(FIRST + 1, 100, 100, { radius = 5000 })

          local usual = new_space(options)
          ways_to_come[1].come(usual)
          usual:enter(FIRST, 100, 100, { radius = first })
          usual:enter(FIRST + 1, 100, 100, { radius = 5000 })
          assert(blocks(space) < 1.3 * blocks(usual),
            ("%d blocks, %d when the exception comes last"):format(blocks(space), blocks(usual)))
        end)
      end
    end

    it("is not much above that of most, where all have different ones", function()
      local space = new_space(options)
      space:enter(FIRST, 100, 100, { radius = 5000 })
      for_each(function(id, x, y)
        space:enter(id, x, y, { radius = 15 + id / COUNT })
      end)
      assert(count_saved(space, 5000) == 1, "the radius of the first one is still the usual one")
    end)

    it("is that of most watchers, whatever radius those have who only can be seen", function()
      local space = new_space(options)
      for_each(function(id, x, y)
        space:enter(FIRST + 2 * id, x, y, { radius = 300, mode = "m" })
        space:enter(id, x, y, { radius = 15 })
        space:enter(FIRST + 2 * id + 1, x, y, { radius = 300, mode = "m" })
      end)
      assert(count_saved(space, 300) == 2 * COUNT, "the radius of the markers is the usual one")
    end)

    it("is that of those who stay when others leave one by one", function()
      local space = new_space(options)
      for_each(function(id, x, y)
        space:enter(FIRST + 2 * id, x, y, { radius = 300 })
        space:enter(id, x, y, { radius = 15 })
        space:enter(FIRST + 2 * id + 1, x, y, { radius = 300 })
      end)
      for_each(function(id)
        space:leave(FIRST + 2 * id)
        space:leave(FIRST + 2 * id + 1)
      end)
      assert(count_saved(space, 300) == 0, "the radius of those who have left is still the usual one")
    end)
  end)
end
