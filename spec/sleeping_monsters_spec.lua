-- The recipe of the reference for monsters that sleep while nobody sees them: a count in on_enter and
-- on_leave is always what watchers_of says (in a crowd told_watchers_of), also after load.

local aoi = require "aoi"
local engines = require "spec.support.engine_features"
local Random = require "spec.support.random"

local PLAYERS, MONSTERS, STEPS, SIZE = 12, 30, 60, 100
local BOSS = PLAYERS + 1

local function options_of(engine, deferred, limit)
  local options = { engine = engine.engine, deferred = deferred, limit = limit }
  if engine.has_map then
    options.width, options.height = SIZE, SIZE
  end
  if engine.has_radius then
    options.radius = 12
  else
    options.cols, options.rows = 8, 8
  end
  return options
end

-- Handlers that count by monster, and the counts.
local function counting()
  local seen_by = {}
  local function count(monster, step)
    if monster > PLAYERS then
      local n = (seen_by[monster] or 0) + step
      assert(n >= 0)
      seen_by[monster] = n > 0 and n or nil
    end
  end
  return {
    on_enter = function(_, monster) count(monster, 1) end,
    on_leave = function(_, monster) count(monster, -1) end,
  }, seen_by
end

local function ask(space, question)
  local seen_by = {}
  for monster = BOSS, PLAYERS + MONSTERS do
    local n = space:has(monster) and select(2, space[question](space, monster)) or 0
    seen_by[monster] = n > 0 and n or nil
  end
  return seen_by
end

-- A step of the game for one of its entities.
local function act(space, random, id)
  local x, y = random:float(0, SIZE), random:float(0, SIZE)
  if not space:has(id) then
    space:enter(id, x, y, { mode = id > PLAYERS and "m" or "w" })
  elseif random:chance(0.1) then
    space:leave(id)
  elseif id <= PLAYERS and random:chance(0.1) then
    space:set_sight(id, random:integer(BOSS, PLAYERS + MONSTERS), random:pick { true, false })
  else
    space:move(id, x, y)
  end
end

local function play(engine, deferred, limit)
  local random = Random.new(34)
  local space = aoi.new(options_of(engine, deferred, limit))
  local handlers, seen_by = counting()
  local question, wakes = limit and "told_watchers_of" or "watchers_of", 0
  space:on(handlers)
  for step = 1, STEPS do
    for id = 1, PLAYERS + MONSTERS do
      if random:chance(0.3) then
        act(space, random, id)
      end
    end
    if engine.has_radius and space:has(BOSS) then
      space:set_visible_radius(BOSS, random:pick { 0, 30, math.huge })
    end
    if deferred then
      space:tick()
    end
    assert.same(ask(space, question), seen_by)
    wakes = wakes + (next(seen_by) and 1 or 0)
    if step % 20 == 0 then
      handlers, seen_by = counting()
      space = aoi.load(space:save(), handlers)
      for monster, n in pairs(ask(space, question)) do
        seen_by[monster] = n
      end
    end
  end
  assert.is_true(wakes > STEPS / 2)
end

describe("Who counts by enter and leave who sees a monster knows when nobody does,", function()
  for _, engine in ipairs(engines) do
    it("on the " .. engine.name, function() play(engine, false) end)
    it("on the " .. engine.name .. ", deferred", function() play(engine, true) end)
    it("on the " .. engine.name .. ", in a crowd of the notified ones", function() play(engine, true, 3) end)
  end
end)
