-- Commands of a world's agents on their way: to whom they go, in which order, and that each arrives once,
-- whoever hands over whom meanwhile. SEED=n replays one world, SEQUENCES=n runs more of them.
local directory = require "aoi.skynet.world.directory"
local new_commands = require "aoi.skynet.world.commands"
local new_map = require("aoi.skynet.world.map").new
local new_random = require("spec.support.random").new
local seeds = require "spec.support.seeds"

local NODES = { "a", "b", "c", "d" } -- d has no region
local MOVES = "<i8i8i8dd"
local MOST_IDS = 100

-- One node's part of a world of six regions.
local function new_node(number)
  local map = new_map {
    "node=" .. NODES[number], "nodes=" .. table.concat(NODES, ","), "columns=6", "width=600", "height=100",
    "owners=1,1,2,2,3,3", "max_radius=10", "engine=crosslist", "radius=10",
  }
  local node = { map = map, directory = directory.new(), dims = 2, base = number << 48 }
  node.commands = new_commands(node)
  return node
end

-- Several nodes, whose messages come in the tick in which they are sent, or `delay()` ticks later.
local World = {}
World.__index = World

local function new_world(delay)
  local world = setmetatable({ nodes = {}, t = 0, owned = {}, applied = {}, refused = 0, late = 0,
    delay = delay or function() return 0 end, ways = {} }, World)
  for number = 1, #NODES do
    world.nodes[number] = new_node(number)
    world.ways[number] = {} -- node -> list of messages to it, in order
    for other = 1, #NODES do
      world.ways[number][other] = {}
    end
  end
  for region = 1, 6 do
    world.owned[region] = {} -- entity -> epoch
  end
  return world
end

-- Where the entity is in a flat list of news, or nil.
local function position(list, id)
  for i = 1, #list, 2 do
    if list[i] == id then
      return i
    end
  end
end

-- Lets a region apply a command; text: as the spec sent it.
function World:apply(region, stamp, id, text, news)
  local owned = self.owned[region]
  local left = position(news.left, id)
  if text:find "^enter" and left then -- it was away for no tick, and goes on in its epoch
    owned[id] = news.left[left + 1]
    table.remove(news.left, left)
    table.remove(news.left, left)
  elseif text:find "^enter" and not owned[id] then
    owned[id] = self.t
    table.move({ id, stamp }, 1, 2, #news.entered + 1, news.entered)
  elseif not owned[id] then
    self.refused = self.refused + 1
  elseif text:find "^leave" then
    table.move({ id, owned[id] }, 1, 2, #news.left + 1, news.left)
    owned[id] = nil
  end
  table.insert(self.applied, { t = self.t, region = region, stamp = stamp, id = id, text = text,
    is_refused = not owned[id] and not text:find "^leave" })
end

-- Lets a node's regions apply their commands of this tick. Returns the node's message to all others.
function World:begin(number, hand)
  local node = self.nodes[number]
  local regions, rows, refused = node.commands.take(self.t)
  for _, entry in ipairs(refused) do
    self.refused = self.refused + 1
    local id = math.tointeger(entry[4]:match "%d+")
    table.insert(self.applied, { stamp = entry[1], id = id, text = entry[4] })
  end
  local message = { tick = self.t, ready = self.t, rows = rows, news = {} }
  for _, region in ipairs(node.map:regions_of(number)) do
    local news = { region = region, node = number, tick = self.t, start = 1, starts = {}, entered = {},
      handed = {}, left = {} }
    local before = -1
    local list = regions[region] or {}
    for i = 1, #list, 4 do
      local stamp, _, session, text = table.unpack(list, i, i + 3)
      if session == -1 then
        for at = 1, #text, 40 do
          local of_move, _, id, x = MOVES:unpack(text, at)
          assert.is_true(of_move > before)
          before = of_move
          self:apply(region, of_move, id, "move " .. x, news)
        end
      else
        assert.is_true(stamp > before)
        before = stamp
        self:apply(region, stamp, math.tointeger(text:match "%d+"), text, news)
      end
    end
    for id = 1, MOST_IDS do -- not pairs: its order differs
      local epoch = self.owned[region][id]
      local to = epoch and hand and hand(region, id)
      if to and to ~= region then
        self.owned[region][id] = nil
        table.move({ id, to, epoch + 1 }, 1, 3, #news.handed + 1, news.handed)
      end
    end
    message.news[#message.news + 1] = news
  end
  return message
end

-- A node takes in the messages that have come, and what was handed to it.
function World:finish(number, own_message)
  local node, all_news = self.nodes[number], table.move(own_message.news, 1, #own_message.news, 1, {})
  for other = 1, #NODES do
    local way = self.ways[other][number]
    while way[1] and way[1].ready <= self.t do
      local message = table.remove(way, 1)
      node.commands.hear(other, message.tick, message.heard[number], message.rows[number] or {},
        message.back[number], message.news)
      table.move(message.news, 1, #message.news, #all_news + 1, all_news)
    end
  end
  local losers = node.directory:tell(self.t, all_news)
  for i = 1, #losers, 2 do
    if node.map.owners[losers[i + 1]] == number then
      self.owned[losers[i + 1]][losers[i]] = nil
    end
  end
  node.commands.settle(self.t, all_news)
  for _, news in ipairs(all_news) do
    for i = 1, #news.handed, 3 do
      local id, to, epoch = table.unpack(news.handed, i, i + 2)
      if node.map.owners[to] == number then
        self.owned[to][id] = epoch
      end
    end
  end
end

-- A tick. hand(region, id) -> region to hand the entity to, or nil.
function World:tick(hand)
  self.t = self.t + 1
  local messages = {}
  for number, node in ipairs(self.nodes) do
    local message = self:begin(number, hand)
    message.heard, message.back, messages[number] = {}, {}, message
    for other = 1, #NODES do
      if other ~= number then
        message.heard[other] = node.commands.applied(other)
        message.back[other] = node.commands.take_back(other)
        local way = self.ways[number][other]
        local ready = math.max(self.t + self.delay(), way[#way] and way[#way].ready or 0)
        self.late = self.late + (ready > self.t and 1 or 0)
        way[#way + 1] = setmetatable({ ready = ready }, { __index = message })
      end
    end
  end
  for number in ipairs(self.nodes) do
    self:finish(number, messages[number])
  end
end

-- An agent of this node sends a command; it has its number among all of that agent's.
function World:send(number, name, id, n)
  local node = self.nodes[number]
  if name == "move" then
    assert.is_true(node.commands.add_move(1, id, n, 0))
  else
    node.commands.add(1, id, ("%s %d %d"):format(name, id, n), nil,
      name == "enter" and node.map:region_at(n % 600, 1) or nil)
  end
end

describe("the commands of a world", function()
  it("reach regions of the own node in this tick, others in the next", function()
    local world = new_world()
    world:send(1, "enter", 5, 50)
    world:send(1, "move", 5, 51)
    world:send(1, "enter", 6, 350)
    world:send(1, "set_property", 6, 1)
    world:send(4, "enter", 7, 550)
    world:tick()
    assert.same({ 1, 1 }, { world.applied[1].region, world.applied[2].region })
    assert.equal(2, #world.applied)
    world:send(1, "move", 6, 2) -- the enter is on its way still
    world:tick()
    assert.same({ "enter 6 350", "set_property 6 1", "enter 7 550" },
      { world.applied[3].text, world.applied[4].text, world.applied[5].text })
    world:tick()
    assert.same({ 4, 6 }, { world.applied[6].region, world.applied[6].id })
    assert.equal(0, world.refused)
  end)

  it("that are moves ride together, in their place among the others", function()
    local node = new_node(1)
    for id = 1, 3 do
      node.commands.add(1, id, "enter", nil, 1)
    end
    node.commands.add_move(9, 1, 1, 2)
    node.commands.add_move(9, 2.0, 3, 4)
    node.commands.add(9, 1, "set_property")
    node.commands.add_move(9, 3, 5, 6)
    local rows = node.commands.take(1)[1]
    assert.equal(6 * 4, #rows)
    assert.same({ -1, 80, 0, "set_property", -1, 40 },
      { rows[15], #rows[16], rows[19], rows[20], rows[23], #rows[24] })
    assert.equal(rows[13], (MOVES:unpack(rows[16])))
    assert.same({ 1 << 48 | 9, 2, 3, 4, 81 }, { select(2, MOVES:unpack(rows[16], 41)) })
  end)

  it("that are moves do not overtake what is under way to another node", function()
    local node = new_node(1)
    local owner = node.directory.owner
    owner[1], owner[2] = 1, 6
    node.commands.add_move(9, 2, 1, 1)
    node.commands.take(1)
    owner[2] = 1
    node.commands.add_move(9, 1, 2, 2)
    node.commands.add_move(9, 2, 2, 2)
    local rows = node.commands.take(2)[1]
    assert.same({ 4, 40, 1 }, { #rows, #rows[4], (select(3, MOVES:unpack(rows[4]))) })
  end)

  it("are refused when a node that was silent gives them back behind later ones", function()
    local node = new_node(1)
    local commands, owner = node.commands, node.directory.owner
    owner[2] = 6
    commands.add_move(9, 2, 1, 1)
    local _, rows = commands.take(1)
    local stamp = rows[3][1]
    owner[2] = 1
    local function take_moves(t, closed)
      commands.add_move(9, 2, t, t)
      local regions, _, refused = commands.take(t, closed)
      return regions[1] and #regions[1][4] // 40, refused[1] and refused[1][1]
    end
    assert.same({}, { take_moves(2) }) -- waits for what is under way
    assert.same({ 2 }, { take_moves(3, { [3] = true }) }) -- for no longer than that node is heard
    commands.hear(3, 3, 0, {}, { 1, stamp }, {})
    assert.same({ 1, stamp }, { take_moves(4) })
    assert.same({ 1 }, { take_moves(5) })
  end)

  it("that are no good moves go the ordinary way", function()
    local commands = new_node(1).commands
    for _, bad in ipairs { { "1", 2, 3 }, { 1.5, 2, 3 }, { 1, "2", 3 }, { 1, 2 }, { 1, 2, 3, 4 } } do
      assert.is_false(commands.add_move(9, table.unpack(bad, 1, 4)))
    end
    assert.is_nil(commands.take(1)[1])
  end)

  it("are answered once", function()
    local node, texts = new_node(1), {}
    node.commands.add(9, 1, "enter", function(text) texts[#texts + 1] = text end, 1)
    local rows = node.commands.take(1)[1]
    node.commands.answer(rows[1], "yes")
    node.commands.answer(rows[1], "again")
    node.commands.answer(12345, "of nobody")
    assert.same({ "yes" }, texts)
  end)

  it("about what nobody has go to any region, which refuses them", function()
    local world = new_world()
    world:send(1, "set_property", 77, 1)
    world:send(4, "set_property", 78, 1)
    world:tick()
    world:tick()
    assert.same({ 2, 2, { 1, 1 } },
      { #world.applied, world.refused, { world.applied[1].region, world.applied[2].region } })
  end)

  -- Agents on all nodes send moves and others to entities that are handed to and fro in nearly every tick.
  it("of each agent arrive once and in order, however often its entity is handed over", function()
    local world, draw = new_world(), new_random(11)
    local ids, sent = 24, {}
    for id = 1, ids do
      sent[id] = 1
      world:send(id % 4 + 1, "enter", id, id * 25 - 1)
    end
    local hand_overs = 0
    local function hand()
      if draw:integer(1, 3) > 1 then
        hand_overs = hand_overs + 1
        return draw:integer(1, 6)
      end
    end
    world:tick()
    for _ = 1, 80 do
      for id = 1, ids do
        for _ = 1, draw:integer(0, 3) do
          sent[id] = sent[id] + 1
          world:send(id % 4 + 1, draw:integer(1, 3) == 1 and "set_property" or "move", id, sent[id])
        end
      end
      world:tick(hand)
    end
    for _ = 1, 80 do
      world:tick(draw:integer(1, 2) == 1 and hand or nil)
    end
    assert.is_true(hand_overs > 1000)
    assert.equal(0, world.refused)
    local last = {}
    for _, command in ipairs(world.applied) do
      local number = math.tointeger(tonumber(command.text:match "[%d.]+$"))
      if command.text:find "^enter" then
        number = 1
      end
      assert.equal((last[command.id] or 0) + 1, number, command.text)
      last[command.id] = number
    end
    assert.same(sent, last)
  end)

  -- Each command of each node about each entity is applied once and in order, while entities leave, come back
  -- and are handed over, and messages come late. several: more than one node speaks of an entity.
  local function play(seed, most_late, several)
    local draw = new_random(seed)
    local world = new_world(most_late and function()
      return math.max(0, draw:integer(-3 * most_late, most_late))
    end)
    local inside, sent, applied = {}, {}, {}
    for key = 0, 6 * 4 - 1 do
      sent[key], applied[key] = {}, {}
    end
    for round = 1, 60 do
      for id = 1, 6 do
        for _ = 1, draw:integer(0, 2) do
          local name = inside[id] and (draw:integer(1, 3) == 1 and "leave" or "set_property") or "enter"
          inside[id] = name ~= "leave"
          local number, n = (several and draw:integer(1, several) or 0) + id, draw:integer(0, 599)
          number = number % 4 + 1
          table.insert(sent[id * 4 - number], ("%s %d %d"):format(name, id, n))
          world:send(number, name, id, n)
        end
      end
      world:tick(function() return draw:integer(1, 4) == 1 and draw:integer(1, 6) or nil end)
      if round % 9 == 0 then
        world:tick()
        world:tick()
      end
    end
    for _ = 1, 70 do
      world:tick()
    end
    for _, command in ipairs(world.applied) do
      local list = applied[command.id * 4 - (command.stamp >> 20 & 0xFF)]
      list[#list + 1] = command.text
    end
    for key = 0, 6 * 4 - 1 do
      for i = 1, math.max(#sent[key], #applied[key]) do
        assert.equal(sent[key][i], applied[key][i], ("world %d, command %d"):format(seed, i))
      end
    end
    for id = 1, several and 0 or 6 do
      local owners = 0
      for region = 1, 6 do
        owners = owners + (world.owned[region][id] and 1 or 0)
      end
      assert.equal(inside[id] and 1 or 0, owners)
    end
    assert.equal(most_late ~= nil, world.late > 0)
    return world
  end

  for _, case in ipairs { { "" }, { ", messages late", 3 }, { ", of several nodes", nil, 2 },
    { ", of several nodes, messages late", 3, 2 } } do
    local name, most_late, several = table.unpack(case, 1, 3)

    it("about entities that leave and come back are in order" .. name, function()
      for _, group in ipairs(seeds.groups(6)) do
        for seed = group.first, group.last do
          local world = play(seed, most_late, several)
          assert.is_true(several ~= nil or world.refused == 0)
        end
      end
    end)
  end
end)
