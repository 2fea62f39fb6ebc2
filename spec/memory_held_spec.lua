-- Memory that a space holds, by purpose (stats().held); it gives back memory that it no longer needs.
local aoi = require "aoi"
local engines = require "spec.support.engines"
local Random = require "spec.support.random"

local PURPOSES = {
  "entities", "index", "areas", "sights", "changes", "crowd", "events", "tick", "record", "scratch",
}

-- The table `held` of the space's stats, when its numbers add up to `bytes`.
local function held(space)
  local stats = space:stats()
  local sum, purposes = 0, 0
  for _, purpose in ipairs(PURPOSES) do
    assert.equal("integer", math.type(stats.held[purpose]), purpose)
    sum = sum + stats.held[purpose]
  end
  for _ in pairs(stats.held) do
    purposes = purposes + 1
  end
  assert.equal(#PURPOSES, purposes)
  assert.equal(stats.bytes, sum)
  return stats.held
end

-- The purposes that a call has taken memory for, in the order of PURPOSES.
local function grown_by(space, method, ...)
  local before = held(space)
  space[method](space, ...)
  local after, grown = held(space), {}
  for _, purpose in ipairs(PURPOSES) do
    if after[purpose] > before[purpose] then
      grown[#grown + 1] = purpose
    end
  end
  return table.concat(grown, " ")
end

-- Rows of n entities for batches, with ids from `first` on.
local function rows_of(n, first, place)
  local rows = {}
  for i = 0, n - 1 do
    local x, y = place(i)
    table.move({ first + i, x, y }, 1, 3, #rows + 1, rows)
  end
  return rows
end

local function apart(i)
  return i * 37 % 101, i * 53 % 97
end

local function together()
  return 50, 50
end

for _, row in ipairs(engines.all) do
  describe("what is held, " .. row.name .. ":", function()
    for _, kind in ipairs { "", ", deferred", ", of a crowd" } do
      it("adds up to all bytes whatever is called" .. kind, function()
        local random, deferred, crowd = Random.new(19), kind ~= "", kind == ", of a crowd"
        local space = row.new {
          deferred = deferred, limit = crowd and 5 or nil, collect = true, on_view = function() end,
        }
        held(space)
        for call = 1, 300 do
          local id, x, y = random:integer(1, 40), random:integer(0, 100), random:integer(0, 100)
          local choice = random:integer(1, 10)
          if choice <= 5 then
            space:update(id, x, y)
          elseif choice == 6 and space:has(id) then
            space:leave(id)
          elseif choice == 7 then
            space:move_all({ id, x, y }, 1, "skip")
          elseif choice == 8 then
            space:query_nearest(x, y, 5)
          elseif choice == 9 and deferred then
            space:tick()
          elseif choice == 10 and crowd and space:has(id) then
            space[random:integer(1, 2) == 1 and "pin" or "unpin"](space, id, random:integer(1, 40))
            space:told_watchers_of(id)
          elseif choice == 10 and call % 3 == 0 then
            space:drain {}
          end
          held(space)
        end
        space:clear()
        held(space)
      end)
    end

    it("what a call takes is counted for what it is for #areas", function()
      local space = row.new()
      assert.equal("entities index", grown_by(space, "enter", 1, 50, 50))
      assert.equal("scratch", grown_by(space, "ids"))
      assert.equal("entities index scratch", grown_by(space, "enter_all", rows_of(1000, 2, apart)))
      assert.equal("scratch", grown_by(space, "query_nearest", 50, 50, 1000))
      space = row.new { collect = true }
      space:enter_all(rows_of(1, 1, together))
      space:markers_of(1)
      assert.equal("entities index events scratch", grown_by(space, "enter_all", rows_of(100, 2, together)))
      space = row.new { deferred = true }
      assert.is_truthy(grown_by(space, "enter_all", rows_of(1000, 1, apart)):find "changes")
      space:on { on_enter = function() end }
      assert.equal("events tick", (grown_by(space, "tick")))
      space = row.new { deferred = true, limit = 5, collect = true }
      space:enter_all(rows_of(1000, 1, together))
      assert.equal("crowd", grown_by(space, "pin", 1, 2))
      assert.equal("crowd events tick", (grown_by(space, "tick")))
      space = row.new()
      assert.equal("areas", (grown_by(space, "add_area", 1, { x = 50, y = 50, radius = 5 })))
      space:clear()
      assert.equal(0, held(space).areas)
    end)
  end)
end

describe("what ticks at work hold", function()
  -- With 10 others in view, an entity has 10 events in each tick.
  for _, told in ipairs { "on_event", "collect" } do
    it("is at most 400 bytes an entity beside what it is kept by: " .. told, function()
      local SIDE, ENTITIES, TICKS = 1753, 3000, 9
      local random, places = Random.new(35), {}
      local space = aoi.new {
        width = SIDE, height = SIDE, radius = 50, deferred = true,
        [told] = told == "collect" and { "enter", "leave", "move" } or function() end,
      }
      for id = 1, ENTITIES do
        places[id] = { random:integer(20, SIDE - 20), random:integer(20, SIDE - 20) }
        space:enter(id, table.unpack(places[id]))
      end
      for tick = 1, TICKS do
        space:tick()
        if told == "collect" then
          space:drain()
        end
        local step = tick % 2 * 6 - 3
        for id, place in ipairs(places) do
          space:move(id, place[1] + step, place[2] + id % 3 * step)
        end
      end
      local now = held(space)
      assert.is_true((now.tick + now.events) / ENTITIES <= 400, ("%d bytes of ticks, %d of events"):format(
        now.tick, now.events))
    end)
  end
end)

describe("what is no longer needed goes back:", function()
  local QUIET_TICKS, QUIET_CALLS = 6, 64 -- see src/base/high_water.h

  it("100,000 entities take 200 bytes each after ten ticks of nothing #crowd", function()
    local n, width = 100000, 10000
    for _, few in ipairs { 0, 10 } do
      local random, heard = Random.new(19), 0
      local space = require "aoi".new {
        engine = "grid", width = width, height = width, radius = 50, deferred = true,
        on_enter = function() heard = heard + 1 end,
      }
      space:enter_all(rows_of(n, 1, function()
        return random:float(0, width), random:float(0, width)
      end))
      space:tick()
      assert.is_true(heard > 5 * n)
      assert.is_true(held(space).tick > 150 * n)
      for _ = 1, 10 do
        for _ = 1, few do
          space:move(random:integer(1, n), random:float(0, width), random:float(0, width))
        end
        space:tick()
      end
      assert.is_true(space:stats().bytes <= 200 * n, space:stats().bytes / n .. " bytes each")
    end
  end)

  for _, row in ipairs(engines.all) do
    describe(row.name .. ",", function()
      -- Bytes after so many ticks of nothing.
      local function after_ticks(space, ticks)
        for _ = 1, ticks do
          space:tick()
        end
        return space:stats().bytes
      end

      it("of ticks: not before several of them have used far less, and then all", function()
        local space = row.new { deferred = true, on_event = function() end }
        space:enter_all(rows_of(300, 1, together))
        space:tick()
        local crowded = held(space)
        assert.equal(crowded.tick, (after_ticks(space, QUIET_TICKS - 1) and held(space)).tick)
        space:tick()
        local quiet = held(space)
        assert.is_true(quiet.tick < crowded.tick / 20)
        assert.is_true(quiet.changes < crowded.changes / 5)
        assert.is_true(quiet.scratch < crowded.scratch / 5)
        space:tick() -- queues are looked at when a tick begins
        assert.is_true(held(space).events < crowded.events / 100)
      end)

      it("not of ticks that come back within that many", function()
        local space = row.new { deferred = true, on_event = function() end }
        local rows = rows_of(300, 1, together)
        space:enter_all(rows)
        after_ticks(space, 2 * QUIET_TICKS)
        local bytes
        for round = 1, 8 do
          space:move_all(rows)
          local now = after_ticks(space, QUIET_TICKS)
          assert.is_true(round < 3 or bytes == now, ("%s, then %d"):format(bytes, now))
          bytes = now
        end
        assert.is_true(after_ticks(space, QUIET_TICKS + 1) < bytes)
      end)

      it("of ticks in which all moved and nobody saw anybody", function()
        local space = row.new { deferred = true, on_event = function() end }
        space:enter_all(rows_of(300, 1, apart), 300, { sees_layers = 2 })
        space:tick()
        for _ = 1, 3 do
          space:move_all(rows_of(300, 1, together))
          space:tick()
        end
        local crowded = held(space).tick
        after_ticks(space, QUIET_TICKS)
        -- A few hundred bytes stay; with sanitizers, nothing else is kept anyway.
        assert.is_true(held(space).tick < math.max(crowded / 20, 1000))
      end)

      it("rows of a batch, after so many small calls that are heard", function()
        local space = row.new { on_move = function() end }
        space:enter(1, 90, 90)
        space:enter(2, 90, 90)
        space:enter_all(rows_of(4900, 3, apart))
        assert.is_true(held(space).scratch >= 4900 * 32)
        for _ = 1, QUIET_CALLS - 2 do
          space:move(1, 90, 90)
        end
        assert.is_true(held(space).scratch >= 4900 * 32)
        for _ = 1, QUIET_CALLS do
          space:move(1, 90, 90)
        end
        assert.is_true(held(space).scratch < 4900 * 32)
      end)

      it("the id map, when most have left, one by one or together", function()
        local space = row.new()
        local function leave(from, to)
          for id = from, to do
            space:leave(id)
          end
        end
        space:enter_all(rows_of(1000, 1, apart))
        local full = held(space).entities
        leave(1, 980)
        assert.is_true(held(space).entities <= full - 1000 * 4)
        leave(981, 1000)
        space:enter_all(rows_of(1000, 1, apart))
        assert.equal(full, held(space).entities)
        local ids = {}
        for id = 1, 980 do
          ids[id] = id
        end
        space:leave_all(ids)
        assert.is_true(held(space).entities <= full - 1000 * 4)
        for id = 981, 1000 do
          assert.is_true(space:has(id))
        end
      end)
    end)
  end
end)
