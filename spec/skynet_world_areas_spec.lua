-- The areas of a world as each member keeps them: what is taken and refused, what regions are told of it,
-- and that members which judge the same commands have the same. That on_area is called for what one space
-- tells is in skynet_world_exact_spec.lua.
local new_random = require("spec.support.random").new
local applying = require "aoi.skynet.world.applying"
local lists = require "aoi.skynet.world.lists"
local services = require "spec.support.services"
local world_map = require "aoi.skynet.world.map"

local machine, new_areas

setup(function()
  machine = services.new(function() end)
  new_areas = require "aoi.skynet.world.areas"
end)

teardown(function()
  machine.close()
end)

local CIRCLE = { x = 10, y = 20, radius = 3 }
local OWNED = { owner = 5, radius = 3 }

-- A member of a world of 2 x 1 regions, with areas that reach 30 from their owner.
local function new_member()
  local map = world_map.new { "node=a", "nodes=a", "columns=2", "rows=1", "width=200", "height=100",
    "max_radius=26", "slack=2", "margin=2", "engine=grid", "radius=20" }
  local member = { key = "k", directory = {} }
  local world = { map = map, dims = 2, member = member, owner_of = setmetatable({}, {
    __index = function(_, id) return member.directory[id] and member.directory[id].region end,
  }) }
  local self = { member = member, areas = new_areas(world), tick = 0, uid = 0 }
  function self.enter(id, region)
    self.tick = self.tick + 1
    member.directory[id] = { id = id, stay = "stay " .. self.tick, region = region }
  end
  return self
end

-- Judges the commands of a tick; returns answers, each a list.
local function judge(self, ...)
  local list = {}
  self.tick = self.tick + 1
  for i, words in ipairs { ... } do
    self.uid = self.uid + 1
    list[i] = { key = "k", uid = self.uid, stamp = i,
      text = machine.skynet.packstring(table.unpack(words, 1, words.n or #words)) }
  end
  local answers = {}
  for i, judged in ipairs(self.areas.judge(self.member, self.tick, list)) do
    answers[i] = { machine.skynet.unpack(judged[2]) }
    assert.equal(answers[i][1] and "done" or "refused", judged[1])
  end
  return answers
end

-- The changes for a region, as texts.
local function changes(self, region)
  local rows, lines = self.areas.take_changes()(region), {}
  for i = 1, #rows, 3 do
    lines[#lines + 1] = ("%d %s %s"):format(rows[i], rows[i + 1], rows[i + 2] and "is" or "is not")
  end
  return lines
end

describe("The areas of a world", function()
  it("follow their changes", function()
    local self = new_member()
    assert.same({ { true } }, judge(self, { "add_area", 7, CIRCLE }))
    assert.same({ [7] = { x = 10, y = 20, radius = 3, sees_layers = -1 } }, self.areas.as_they_are())
    judge(self, { "set_area", 7, { sees_layers = 5 } }, { "move_area", 7, 8, 9 })
    assert.same({ [7] = { x = 8, y = 9, radius = 3, sees_layers = 5 } }, self.areas.as_they_are())
    assert.same({ { true, false }, { true, true } },
      judge(self, { "update_area", 7, { shape = "rect", width = 4, height = 2 } },
        { "update_area", 8, CIRCLE }))
    assert.same({ x = 8, y = 9, shape = "rect", width = 4, height = 2, sees_layers = 5 },
      self.areas.as_they_are()[7])
    assert.same({ { 7, 8 }, 2 }, { self.areas.ids() })
    judge(self, { "remove_area", 7 }, { "remove_area", 8 })
    assert.same({}, self.areas.as_they_are())
  end)

  it("are refused in the words of a space", function()
    local answers = judge(new_member(), { "add_area", 7, CIRCLE }, { "add_area", 7, CIRCLE },
      { "add_area", "x", CIRCLE }, { "set_area", 7, { radius = -1 } }, { "remove_area", 7 },
      { "remove_area", 7 }, { "add_area", 8, { x = 1, y = 2 } }, { "move_area", 9, 1, 2 })
    local messages = {}
    for i, answer in ipairs(answers) do
      messages[i] = answer[2] or answer[1]
    end
    assert.same({ true, "add_area: area 7 is already in the space",
      "add_area: area is the string \"x\", expected an integer",
      "set_area: option radius is -1, expected a number from 0 up", true,
      "remove_area: area 7 is not in the space",
      "add_area: option radius is nil, expected a number from 0 up",
      "move_area: area 9 is not in the space" }, messages)
  end)

  it("do not become within a tick what one change can not make of them", function()
    local self = new_member()
    self.enter(5, 1)
    self.enter(6, 2)
    judge(self, { "add_area", 7, CIRCLE }, { "add_area", 8, OWNED })
    local answers = judge(self, { "remove_area", 7 }, { "add_area", 7, OWNED }, { "remove_area", 8 },
      { "add_area", 8, CIRCLE }, { "add_area", 8, { owner = 6, radius = 3 } }, { "add_area", 8, OWNED },
      { "set_area", 8, CIRCLE }, { "set_area", 8, { owner = 6 } },
      { "add_area", 9, { owner = 4, radius = 1 } })
    assert.equal("add_area: area 7 has just been another one, with no owner: expected a tick in between",
      answers[2][2])
    assert.equal("add_area: area 8 has just been another one, with an owner: expected a tick in between",
      answers[4][2])
    assert.equal("add_area: area 8 was in another region of the world until now, expected a tick in between",
      answers[5][2])
    assert.is_true(answers[6][1])
    assert.equal("set_area: area 8 has an owner, expected a change that leaves it so: in a world only another"
      .. " area has none", answers[7][2])
    assert.equal("set_area: owner is 6, expected an entity of the same region of the world as the one before",
      answers[8][2])
    assert.equal("add_area: the owner of area 9 is in no region of the world", answers[9][2])
    answers = judge(self, { "add_area", 7, OWNED }, { "remove_area", 8 })
    assert.same({ { true }, { true } }, answers)
    assert.same({ { true } }, judge(self, { "add_area", 8, { owner = 6, radius = 3 } }))
  end)

  it("do not reach farther from an owner than regions know", function()
    local self = new_member()
    self.enter(5, 1)
    local answers = judge(self, { "add_area", 1, { owner = 5, radius = 30 } },
      { "add_area", 2, { owner = 5, radius = 20, leave_radius = 30.5 } },
      { "add_area", 3, { owner = 5, radius = 20, dy = -11 } },
      { "add_area", 4, { owner = 5, shape = "rect", width = 60, height = 40, dy = 10 } },
      { "set_area", 4, { shape = "square", radius = 31 } })
    assert.same({ true, true }, { answers[1][1], answers[4][1] })
    for i, reach in pairs { [2] = "30.5", [3] = "31", [5] = "41" } do
      local words = ("reaches %s from its owner, expected at most"):format(reach)
      assert.truthy(answers[i][2]:find(words, 1, true))
    end
  end)

  it("end with the stay of their owners", function()
    local self = new_member()
    self.enter(5, 1)
    judge(self, { "add_area", 8, OWNED })
    assert.same({ {}, {} }, { (self.areas.of_region(2)) or {}, select(2, self.areas.of_region(2)) })
    assert.equal(5, select(2, self.areas.of_region(1))[8].owner)
    self.enter(5, 1) -- it has left, and another stay has begun
    judge(self)
    assert.same({}, self.areas.as_they_are())
    assert.same({ { true } }, judge(self, { "add_area", 8, CIRCLE }))
  end)

  it("are in the regions that they touch, and no more where they do not", function()
    local self = new_member()
    self.enter(5, 2)
    judge(self, { "add_area", 1, { x = 90, y = 50, radius = 5 } },
      { "add_area", 2, { x = 99, y = 50, radius = 5 } }, { "add_area", 3, OWNED })
    local rows = self.areas.take_changes()
    assert.same({ 1, 2 }, { rows(1)[1], rows(1)[4] })
    assert.same({ 2, "fixed", 3, "owned" }, { rows(2)[1], rows(2)[2], rows(2)[4], rows(2)[5] })
    judge(self, { "move_area", 1, 150, 50 }, { "move_area", 2, 50, 50 }, { "remove_area", 3 })
    rows = self.areas.take_changes
    local of = rows()
    local function lines(region)
      local list = of(region)
      local texts = {}
      for i = 1, #list, 3 do
        texts[#texts + 1] = ("%d %s"):format(list[i], list[i + 2] and "is" or "is not")
      end
      return texts
    end
    assert.same({ "1 is not", "2 is" }, lines(1))
    assert.same({ "1 is", "2 is not", "3 is not" }, lines(2))
    assert.same({}, changes(self, 1))
  end)

  -- Two members get the same commands; a third one gets the table of the first in the end.
  it("are the same for all that judge the same", function()
    local random = new_random(5)
    local first, second, third = new_member(), new_member(), new_member()
    for id = 1, 6 do
      for _, self in ipairs { first, second, third } do
        self.enter(id, 1 + id % 2)
      end
    end
    local function opts()
      if random:integer(1, 2) == 1 then
        return { owner = random:integer(1, 7), radius = random:integer(1, 35) }
      end
      return { x = random:integer(-20, 220), y = random:integer(0, 100), radius = random:integer(0, 40) }
    end
    local names, taken = { "add_area", "set_area", "update_area", "move_area", "remove_area" }, 0
    for _ = 1, 200 do
      local commands = {}
      for i = 1, random:integer(0, 4) do
        local name = names[random:integer(1, 5)]
        commands[i] = { name, random:integer(1, 8), name == "move_area" and 5 or opts(),
          name == "move_area" and 7 or nil }
        commands[i] = name == "remove_area" and { name, commands[i][2] } or commands[i]
      end
      local answers = judge(first, table.unpack(commands))
      assert.same(answers, judge(second, table.unpack(commands)))
      for _, answer in ipairs(answers) do
        taken = taken + (answer[1] and 1 or 0)
      end
      if random:integer(1, 20) == 1 then -- an owner leaves and is back
        local id = random:integer(1, 6)
        first.enter(id, 1)
        second.tick = first.tick - 1
        second.enter(id, 1)
      end
    end
    assert.is_true(taken > 50)
    assert.same(first.areas.as_they_are(), second.areas.as_they_are())
    third.member.directory = first.member.directory
    third.areas.replace(third.member, first.areas.all())
    for region = 1, 2 do
      assert.same({ first.areas.of_region(region) }, { third.areas.of_region(region) })
    end
  end)

  it("are not judged while a store may have more of them", function()
    local message = { areas = { { node = "a", uid = 1 }, { node = "b", uid = 2 } } }
    for name, value in pairs { loading = { true }, has_unread = true } do
      local member = { name = "a", loading = {}, results = {}, land = { judge_areas = error } }
      member[name] = value
      applying.judge_areas(member, 7, { message })
      assert.equal(1, #member.results)
      assert.same({ 1, "again" }, { member.results[1].uid, member.results[1].outcome })
    end
  end)

  it("are as before a tick that nobody has finished", function()
    local self = new_member()
    self.enter(5, 1)
    judge(self, { "add_area", 1, CIRCLE }, { "add_area", 2, OWNED }, { "add_area", 3, CIRCLE })
    local before, tick = self.areas.as_they_are(), self.tick
    self.member.directory[6] = { id = 6, stay = "stay that is undone", region = 2 }
    judge(self, { "remove_area", 1 }, { "set_area", 2, { radius = 5 } }, { "remove_area", 2 },
      { "add_area", 4, { owner = 6, radius = 3 } }, { "move_area", 3, 50, 50 }, { "move_area", 3, 60, 60 })
    local other = new_member()
    other.member.directory = { [5] = self.member.directory[5] }
    local told = machine.skynet.packstring(self.areas.all())
    other.areas.replace(other.member, machine.skynet.unpack(told), true)
    assert.same(before, other.areas.as_they_are())
    assert.equal(tick, other.areas.all().tick)
    assert.same({}, other.areas.all().results)
    self.areas.replace(self.member, self.areas.all(), false)
    assert.same({ 3, 4 }, (self.areas.ids()))
  end)

  it("are as in a tick that nobody has finished, unless an owner that entered in it is not in", function()
    local self = new_member()
    self.enter(5, 1)
    judge(self, { "add_area", 2, OWNED })
    local finished = self.tick
    judge(self, { "add_area", 1, CIRCLE })
    local function list(stay, ended)
      return { areas = self.areas.all(), finished = finished, ended = ended or {},
        owned = { [5] = { stay = stay } } }
    end
    local stay = self.member.directory[5].stay
    assert.equal(self.tick, (select(2, lists.areas { a = list "none", b = list(stay) })))
    assert.equal(self.tick, (select(2, lists.areas { a = list("none", { [stay] = 3 }) })))
    assert.equal(finished, (select(2, lists.areas { a = list "none" })))
    self.member.directory[6] = { id = 6, stay = "stay of this tick", region = 2 }
    finished = self.tick
    judge(self, { "add_area", 4, { owner = 6, radius = 3 } }, { "remove_area", 4 })
    local of_both = list(stay)
    assert.equal(finished, (select(2, lists.areas { a = of_both })))
    of_both.owned[6] = { stay = "stay of this tick" }
    assert.equal(self.tick, (select(2, lists.areas { a = of_both })))
  end)

  -- While stores are read nothing is judged: nobody notices the end of an owner before they are here.
  it("are none of an earlier life of their owner that comes back from a store", function()
    local member = new_member()
    member.enter(5, 1)
    judge(member, { "add_area", 7, OWNED })
    local later = member.member.directory[5].stay
    member.member.directory[5] = nil
    member.enter(5, 2)
    member.member.configuration = {}
    assert.not_equal(later, member.member.directory[5].stay)
    member.areas.back(member.member, { region = 2, entities = {}, areas = { owned = {}, fixed = {} } })
    assert.same({ {}, {} }, { member.areas.of_region(2) })
    local stored = { owned = { [7] = OWNED }, fixed = {} }
    member.areas.back(member.member, { region = 2, entities = {}, areas = stored })
    assert.same({ {}, { [7] = OWNED } }, { member.areas.of_region(2) })
  end)
end)
