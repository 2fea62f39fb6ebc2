-- The table of areas that every node of a world keeps: what it takes and refuses, whatever comes late, and
-- what two tables make of each other.
local area_rules = require "aoi.skynet.area_rules"
local new_random = require("spec.support.random").new
local new_table = require("aoi.skynet.world.area_table").new

local REACH = 30

local function new(is_there)
  return new_table(area_rules.new(2, REACH), is_there or function() return true end)
end

local function stamp(tick, place)
  return tick << 28 | 1 << 20 | place
end

-- Applies commands { tick, place, name, id, ... }; returns messages by place (true: taken), and what changed.
local function apply(all, commands, settled)
  local list, results = {}, {}
  for i, command in ipairs(commands) do
    list[i] = table.pack(stamp(command[1], command[2]), table.unpack(command, 3))
  end
  local verdicts, changed = all:apply(list, settled or commands[1][1], false)
  for _, verdict in ipairs(verdicts) do
    results[verdict.command[1] & 0xFFFFF] = verdict.message or true
  end
  return results, changed, verdicts
end

-- All without owner, as one text.
local function text_of(all)
  local parts = {}
  for id in pairs(all.fixed) do
    local area = all:get(id)
    parts[#parts + 1] = area and ("%d: %s %s %s %s %s"):format(id, area.x, area.y, area.radius,
      area.leave_radius, area.sees_layers)
  end
  table.sort(parts)
  return table.concat(parts, "\n")
end

local CIRCLE = { x = 1, y = 2, radius = 3 }

describe("The table of areas", function()
  it("follows areas through their changes", function()
    local all = new()
    apply(all, { { 1, 1, "add_area", 7, CIRCLE } })
    assert.same({ x = 1, y = 2, radius = 3, sees_layers = -1 }, all:get(7))
    apply(all, { { 2, 1, "set_area", 7, { sees_layers = 5 } }, { 2, 2, "move_area", 7, 8, 9 } })
    assert.same({ x = 8, y = 9, radius = 3, sees_layers = 5 }, all:get(7))
    local _, changed = apply(all, { { 3, 1, "set_area", 7, { shape = "rect", width = 4, height = 2 } } })
    assert.equal(3, changed[7].radius)
    assert.same({ x = 8, y = 9, shape = "rect", width = 4, height = 2, sees_layers = 5 }, all:get(7))
    local points = { 0, 0, 10, 0, 0, 10 }
    apply(all, { { 4, 1, "set_area", 7, { shape = "polygon", points = points } } })
    assert.same({ shape = "polygon", points = points, sees_layers = 5 }, all:get(7))
    apply(all, { { 5, 1, "remove_area", 7 } })
    assert.is_nil(all:get(7))
    assert.same({ {}, 0 }, { all:ids() })
  end)

  it("refuses in the words of a space, in the order of stamps", function()
    local results = apply(new(), {
      { 1, 5, "remove_area", 7 }, { 1, 1, "add_area", 7, CIRCLE }, { 1, 6, "remove_area", 7 },
      { 1, 2, "add_area", 7, CIRCLE }, { 1, 3, "add_area", "x", CIRCLE },
      { 1, 4, "set_area", 7, { radius = -1 } },
      { 1, 7, "add_area", 8, { x = 1, y = 2 } }, { 1, 8, "move_area", 9, 1, 2 }, { 1, 9, "add_area" },
    })
    assert.same({ true, "add_area: area 7 is already in the space",
      "add_area: area is the string \"x\", expected an integer",
      "set_area: option radius is -1, expected a number from 0 up", true,
      "remove_area: area 7 is not in the space",
      "add_area: option radius is nil, expected a number from 0 up",
      "move_area: area 9 is not in the space" }, table.move(results, 1, 8, 1, {}))
    assert.matches("^add_area: area is nil", results[9])
  end)

  it("refuses what one tick can't make one change of", function()
    local all = new()
    local owned = { owner = 5, radius = 3 }
    local results, _, verdicts = apply(all, {
      { 1, 1, "add_area", 7, CIRCLE }, { 1, 2, "add_area", 8, owned },
    })
    assert.same({ true, true }, results)
    assert.same({ false, true, false }, { verdicts[1].is_owned, verdicts[2].is_owned, verdicts[2].is_same })
    all:put_owned(8, 5, verdicts[2].area, 1)
    results, _, verdicts = apply(all, {
      { 2, 1, "remove_area", 7 }, { 2, 2, "add_area", 7, owned }, { 2, 3, "remove_area", 8 },
      { 2, 4, "add_area", 8, CIRCLE }, { 2, 5, "add_area", 8, owned }, { 2, 6, "set_area", 8, CIRCLE },
    })
    assert.equal("add_area: area 7 has just been another one, with no owner: expected a tick in between",
      results[2])
    assert.equal("add_area: area 8 has just been another one, with an owner: expected a tick in between",
      results[4])
    assert.equal("set_area: area 8 has an owner, expected a change that leaves it so: in a world only another"
      .. " area has none", results[6])
    assert.same({ true, true, true }, { results[1], results[3], results[5] })
    assert.is_true(verdicts[5].is_same)
    all:end_owned(8)
    results = apply(all, { { 3, 1, "add_area", 7, owned }, { 3, 2, "add_area", 8, CIRCLE } })
    assert.same({ true, true }, results)
  end)

  it("refuses areas with an owner that reach too far", function()
    local results = apply(new(), {
      { 1, 1, "add_area", 1, { owner = 5, radius = 30 } },
      { 1, 2, "add_area", 2, { owner = 5, radius = 20, leave_radius = 30.5 } },
      { 1, 3, "add_area", 3, { owner = 5, radius = 20, dy = -11 } },
      { 1, 4, "add_area", 4, { owner = 5, shape = "rect", width = 60, height = 40, dy = 10 } },
      { 1, 5, "add_area", 5, { owner = 5, shape = "rect", width = 10, height = 42, dy = 10 } },
      { 1, 6, "set_area", 4, { shape = "square", radius = 31 } },
    })
    local message = ": area %d reaches %s from its owner, expected at most max_radius + 2 * slack of the "
      .. "world, 30"
    assert.same({ true, "add_area" .. message:format(2, 30.5), "add_area" .. message:format(3, 31), true,
      "add_area" .. message:format(5, 31.0), "set_area" .. message:format(4, 41) }, results)
  end)

  it("forgets areas whose owner is gone", function()
    local is_there = true
    local all = new(function() return is_there end)
    all:put_owned(7, 5, { owner = 5, radius = 1 }, 1)
    assert.same({ 5, { 7 }, 1 }, { all:get_owned(7), (all:ids()), (select(2, all:ids())) })
    is_there = false
    assert.is_nil(all:get_owned(7))
    assert.is_true(apply(all, { { 1, 1, "add_area", 7, CIRCLE } })[1])
    all:sweep()
    is_there = true
    assert.is_nil(all:get_owned(7))
  end)

  -- Commands of ten ticks in random order: some are ticks late.
  it("is the same on all nodes in the end, whatever comes late", function()
    local draw = new_random(3)
    local differed = 0
    for _ = 1, 40 do
      local tables, waiting = {}, {}
      for node = 1, 3 do
        tables[node], waiting[node] = new(), {}
      end
      for t = 2, 40 do
        for place = 1, t < 38 and draw:integer(0, 3) or 0 do
          local id = draw:integer(1, 4)
          local command = draw:pick {
            { "add_area", id, { x = t, y = place, radius = 1 } },
            { "add_area", id, { x = -t, y = 0, radius = 2 } },
            { "set_area", id, { sees_layers = draw:integer(1, 3) } }, { "set_area", id, { radius = t } },
            { "move_area", id, t, t }, { "remove_area", id },
          }
          for node = 1, 3 do
            table.insert(waiting[node], { t - 1, place, table.unpack(command) })
          end
        end
        for node, all in ipairs(tables) do
          local now, later, settled = {}, {}, t - 1
          for _, command in ipairs(waiting[node]) do
            if t < 38 and draw:chance(0.3) and node > 1 then
              later[#later + 1] = command
              settled = math.min(settled, command[1] - 1)
            else
              now[#now + 1] = command
            end
          end
          waiting[node] = later
          if now[1] then
            apply(all, now, settled)
          else
            all:apply({}, settled, false)
          end
        end
        differed = differed + (text_of(tables[1]) ~= text_of(tables[2]) and 1 or 0)
      end
      assert.equal(text_of(tables[1]), text_of(tables[2]))
      assert.equal(text_of(tables[1]), text_of(tables[3]))
      assert.same({ {}, {} }, { tables[2].log, tables[2].undo })
    end
    assert.is_true(differed > 100)
  end)

  it("keeps no more than it needs of what is not settled", function()
    local all, whole = new(), new()
    for tick = 1, 300 do
      local command = { tick, 1, "add_area", tick, CIRCLE }
      apply(all, { command }, tick - 20)
      apply(whole, { command }, tick)
    end
    assert.is_true(#all.log <= 101)
    assert.equal(text_of(whole), text_of(all))
  end)

  it("remembers what is gone while others may have it still", function()
    local all = new()
    apply(all, { { 1, 1, "add_area", 7, CIRCLE } })
    local before = all:list()
    all:apply({ table.pack(stamp(2, 1), "remove_area", 7) }, 2, true)
    all:apply({}, 200, false)
    all:merge(before)
    assert.is_nil(all:get(7))
    all:apply({}, 2000, true)
    all:apply({}, 3000, true)
    all:merge(before)
    assert.is_nil(all:get(7))
    all:apply({}, 4000, false)
    all:apply({}, 4300, false)
    assert.same({}, all:list())
  end)

  it("becomes that of others, where theirs is later", function()
    local one, other, blank = new(), new(), new()
    for _, all in ipairs { one, other } do
      apply(all, {
        { 1, 1, "add_area", 1, CIRCLE }, { 1, 2, "add_area", 2, CIRCLE }, { 1, 3, "add_area", 3, CIRCLE },
      })
    end
    local function away(all, commands) -- while the other is
      local list = {}
      for i, command in ipairs(commands) do
        list[i] = table.pack(stamp(command[1], command[2]), table.unpack(command, 3))
      end
      all:apply(list, commands[1][1], true)
    end
    away(one, {
      { 5, 1, "set_area", 1, { sees_layers = 2 } }, { 5, 2, "remove_area", 2 }, { 5, 3, "add_area", 4,
      CIRCLE },
    })
    away(other, { { 6, 1, "set_area", 1, { sees_layers = 3 } }, { 4, 2, "move_area", 2, 9, 9 } })
    local list = one:list()
    one:merge(other:list())
    local changed = other:merge(list)
    assert.equal(text_of(one), text_of(other))
    assert.equal(3, one:get(1).sees_layers)
    assert.is_nil(other:get(2))
    assert.same({ false, 9 }, { changed[4], changed[2].x })
    blank:merge(one:list())
    assert.equal(text_of(one), text_of(blank))
  end)
end)
