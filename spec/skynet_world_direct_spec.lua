-- Moves of agents on their region's node: which go without a number, and that they never overtake what waits.
local applying = require "aoi.skynet.world.applying"
local batches = require "aoi.skynet.world.batches"
local calls = require "aoi.skynet.world.calls"
local direct = require "aoi.skynet.world.direct"
local numbers = require "aoi.skynet.world.numbers"
local resuming = require "aoi.skynet.world.resuming"
local ticks = require "aoi.skynet.world.ticks"
local gathered = require "spec.world_model.gathered"
local gathered_in_rows = require "aoi.skynet.world.gathered"

-- A member that owns entity 1, in region 3.
local function new_member()
  local member = {
    name = "n", key = "k", place = 1, owned = {}, directory = {}, loading = {}, asked = {},
    gathered = gathered(),
    calls = calls.new(function() end), configuration = { owners = { "m", [3] = "n" } },
  }
  member.owned[1] = { id = 1, stay = "s", region = 3, expected = {}, held = {} }
  member.directory[1] = { id = 1, stay = "s", region = 3 }
  return member
end

local function ask(member, kind)
  calls.ask(member, { id = 1, kind = kind, text = #member.calls.queue }, 0)
end

-- Whether a move of entity 1 goes the direct way.
local function put(member, text)
  return member.gathered.put { id = 1, kind = "move", text = text }
end

-- The queue has been sent, as with a message.
local function send(member)
  member.calls.queue = {}
end

-- As after a call of an agent that has been applied.
local function opened()
  local member = new_member()
  ask(member, "move")
  assert.is_false(put(member))
  send(member)
  direct.look(member)
  return member
end

describe("a direct move", function()
  it("comes behind a call that has been applied", function()
    local member = opened()
    assert.is_true(put(member, 1))
    assert.is_true(put(member, 2))
    local taken = direct.take(member)
    assert.equal(2, taken[3].n)
    assert.same({ 1, 2 }, { taken[3][1].text, taken[3][2].text })
    assert.same({}, direct.take(member))
    assert.same({}, member.calls.queue)
  end)

  it("is one that comes while the region applies the call before it", function()
    local member, is_direct = new_member(), nil
    for name, value in pairs {
      names = {}, first_tick = 1, again = { enters = {}, commands = {} }, homeless = {}, holding = {},
      loaded = {}, written = {},
      land = {
        begin = function()
          is_direct = put(member)
          return {}
        end,
        write = function() end,
      },
    } do
      member[name] = value
    end
    ask(member, "move")
    ticks.begin(member, 2)
    assert.is_true(is_direct)
    assert.same({}, member.calls.queue)
  end)

  it("goes before a call that came behind it, and with it", function()
    local member = opened()
    put(member, 7)
    ask(member, "set_radius")
    assert.is_false(put(member))
    assert.same({}, direct.take(member))
    assert.same({ "move", "set_radius" }, { member.calls.queue[1].kind, member.calls.queue[2].kind })
    assert.equal(7, member.calls.queue[1].text)
  end)

  for name, change in pairs {
    ["the entity has another owner"] = function(member) member.owned[1] = nil end,
    ["a command of this node is under way"] = function(member) member.calls.next_number.s = 2 end,
    ["a command is held"] = function(member) member.owned[1].held.k = {} end,
    ["an enter or leave is under way"] = function(member) member.calls.under_way[1] = { kind = "leave" } end,
    ["another stay has begun"] = function(member) member.directory[1].stay = "t" end,
    ["its region is read from a store"] = function(member) member.loading[3] = true end,
    ["it is not known any more"] = function(member) member.directory[1] = nil end,
    ["its region has no owner"] = function(member) member.configuration.owners[3] = nil end,
  } do
    it("is none when " .. name, function()
      local member = new_member()
      ask(member, "move")
      send(member)
      change(member)
      direct.look(member)
      assert.is_false(put(member))
    end)
  end

  it("is one again when what was under way has been applied", function()
    local member = new_member()
    member.calls.next_number.s = 4
    ask(member, "move")
    send(member)
    direct.look(member)
    assert.is_false(put(member))
    member.owned[1].expected.k = 4
    direct.look(member)
    assert.is_true(put(member))
  end)

  it("is a call like others when a configuration begins, or the process ends", function()
    local member = opened()
    put(member, 7)
    direct.end_all(member)
    assert.equal(7, member.calls.queue[1].text)
    assert.is_false(put(member))
  end)

  it("is none of an entity that has left", function()
    local member = opened()
    put(member, 7)
    member.owned[1], member.directory[1] = nil, nil
    direct.close(member, 1)
    assert.same({}, direct.take(member))
    assert.equal(7, member.calls.queue[1].text)
  end)
end)

-- Two entities of region 1, which is another process's, with moves that wait here.
local function with_batch()
  local member = new_member()
  for id = 11, 12 do
    member.directory[id] = { id = id, stay = "s" .. id, region = 1 }
    member.gathered.open(id, 1)
  end
  for i, id in ipairs { 11, 12, 11 } do
    member.gathered.put { id = id, kind = "move", text = i, uid = i }
  end
  member.calls.next_number.s12 = 5
  local outgoing = { place = 3, commands = { m = {} } }
  calls.send_moves(member, direct.take(member)[1], 1, 70, outgoing)
  return member, outgoing.commands.m[1], outgoing
end

-- The process that owns them, and what it expects next.
local function new_owner(of_11, of_12)
  local owner = { gathered = gathered(), owned = {} }
  owner.owned[11] = { id = 11, stay = "s11", region = 1, expected = { k = of_11 }, held = {} }
  owner.owned[12] = { id = 12, stay = "s12", region = 1, expected = { k = of_12 }, held = {} }
  return owner
end

describe("a batch of moves", function()
  it("has stay, number and stamp of each", function()
    local member, batch, outgoing = with_batch()
    assert.equal(6, outgoing.place)
    local commands = batches.of_stays(member, batch)
    for i, wanted in ipairs { { 11, "s11", 1 }, { 12, "s12", 5 }, { 11, "s11", 2 } } do
      local one = commands[i]
      assert.same(wanted, { one.id, one.stay, one.number })
      assert.same({ "move", i, "n", "k", numbers.stamp(70, 1, 3 + i) },
        { one.kind, one.text, one.node, one.key, one.stamp })
    end
    assert.same({ s11 = 3, s12 = 6 }, member.calls.next_number)
    assert.equal(2, #batches.of_stays(member, batch, { s11 = true }))
  end)

  it("is taken whole, in the turn of each", function()
    local _, batch = with_batch()
    local owner = new_owner(nil, 5)
    local parts = batches.take(owner, batch)
    assert.equal(1, #parts)
    assert.equal(batch, parts[1])
    assert.same({ 3, 6 }, { owner.owned[11].expected.k, owner.owned[12].expected.k })
  end)

  it("is taken but for those that are not the region's, or not in their turn", function()
    for name, change in pairs {
      ["too early"] = function(of) of.owned[12].expected.k = 4 end,
      ["too late"] = function(of) of.owned[12].expected.k = 6 end,
      ["not here"] = function(of) of.owned[12] = nil end,
      ["another stay"] = function(of) of.owned[12].stay = "t" end,
      ["another region"] = function(of) of.owned[12].region = 2 end,
      ["one held"] = function(of) of.owned[12].held.k = {} end,
    } do
      local _, batch = with_batch()
      local owner = new_owner(1, 5)
      change(owner)
      local expected = owner.owned[12] and owner.owned[12].expected.k
      local first, second, third = table.unpack(batches.take(owner, batch))
      assert.equal(3, owner.owned[11].expected.k, name)
      assert.equal(expected, owner.owned[12] and owner.owned[12].expected.k, name)
      assert.same({ { 11 }, { "s11" }, { 1 }, 1, "k", "n", 1, numbers.stamp(70, 1, 4) }, {
        first.ids, first.stays, first.numbers, first.n, first.key, first.node, first.region, first.stamp,
      }, name)
      assert.same({ 12, "s12", 5, numbers.stamp(70, 1, 5) },
        { second.id, second.stay, second.number, second.stamp }, name)
      assert.same({ { 11 }, { "s11" }, { 2 }, 1, numbers.stamp(70, 1, 6) },
        { third.ids, third.stays, third.numbers, third.n, third.stamp }, name)
      assert.same({ 1, 3 }, { owner.gathered.call(first, 1).text, owner.gathered.call(third, 1).text }, name)
    end
  end)

  it("has no part behind the last move that is not taken, and none before the first one", function()
    local _, batch = with_batch()
    local owner = new_owner(2, 5)
    local parts = batches.take(owner, batch)
    assert.same({ 1, 2 }, { parts[1].number, parts[2].ids and #parts[2].ids })
    assert.is_nil(parts[3])
    _, batch = with_batch()
    owner = new_owner(1, 5)
    owner.owned[11].expected.k = nil
    batch.numbers[3] = 7
    parts = batches.take(owner, batch)
    assert.same({ { 11, 12 }, 7 }, { parts[1].ids, parts[2].number })
    assert.is_nil(parts[3])
  end)

  it("is taken in with what became of each move", function()
    local _, batch = with_batch()
    local owner = { results = {}, configuration = { owners = {} }, gathered = gathered() }
    local one = { id = 3, kind = "move", node = "n", uid = 9, number = 4 }
    applying.take_outcome(owner, 71, { { batch, one } }, { {
      results = { [2] = { "refused", "no" }, [4] = { "done", "yes" } },
      agents = {}, left = {}, crossed = {}, ghosts = {},
    } })
    local heard = {}
    for i, result in ipairs(owner.results) do
      heard[i] = { result.id, result.number, result.outcome, result.text }
    end
    assert.same({ { 12, 5, "refused", "no" }, { 3, 4, "done", "yes" } }, heard)
  end)

  it("is cut as it stands in rows", function()
    for dims, row in pairs { [2] = "<i8dd", [3] = "<i8ddd" } do
      local rows, sources = {}, {}
      for i = 1, 4 do
        rows[i] = row:pack(i, 10 * i, 10 * i + 1, dims == 3 and 10 * i + 2 or nil)
        sources[i] = ("<I4"):pack(100 + i)
      end
      local of_rows = gathered_in_rows(dims, function() end, function() end)
      local run = of_rows.run({ rows = table.concat(rows), sources = table.concat(sources), n = 4 }, 2, 3)
      assert.equal(2, run.n)
      assert.same({ 2, 3 }, of_rows.ids(run))
      assert.same({ id = 3, kind = "move", source = 103, place = { 30, 31, dims == 3 and 32 or nil } },
        of_rows.call(run, 2))
    end
  end)

  it("is kept until the owner's message after it, and what that names longer", function()
    local member = with_batch()
    calls.settle(member, "m", 70, {}, {})
    calls.settle(member, "n", 71, {}, {})
    assert.equal(1, #member.calls.kept)
    calls.settle(member, "m", 71, { ["s11#2"] = "o" }, { ["s12#5"] = true })
    local kept = member.calls.kept
    assert.same({ { 12, "m", 71 }, { 11, "o", 71 } },
      { { kept[1].id, kept[1].at, kept[1].sent }, { kept[2].id, kept[2].at, kept[2].sent } })
    calls.settle(member, "o", 72, {}, {})
    calls.settle(member, "m", 72, {}, {})
    assert.same({}, member.calls.kept)
  end)

  it("is single commands when a configuration begins", function()
    local member = with_batch()
    resuming.part(member)
    assert.equal(3, #member.calls.kept)
    assert.same({ 70, "m" }, { member.calls.kept[3].sent, member.calls.kept[3].at })
  end)
end)

-- Moves of entity 1 as calls, as the service asks for them: a place, and no answer is wanted.
local function bare(x, source)
  return { id = 1, kind = "move", source = source or 5, place = { x, 0 } }
end

local function places(list)
  local xs = {}
  for i, one in ipairs(list) do
    xs[i] = one.place and one.place[1] or one.kind
  end
  return xs
end

describe("moves that nobody wants an answer for", function()
  -- Asks for them in turn. Returns the places of those that wait then.
  local function waiting(member, ...)
    for _, call in ipairs { ... } do
      calls.ask(member, call, 0)
    end
    return places(member.calls.queue)
  end

  it("take the place of the one that waits", function()
    local member = new_member()
    assert.same({ 3 }, waiting(member, bare(1), bare(2), bare(3)))
    assert.is_true(calls.ask(member, bare(4), 0))
    assert.is_nil(calls.ask(member, { id = 2, kind = "move", source = 5, place = { 9, 0 } }, 0))
    assert.same({ 4, 9 }, places(member.calls.queue))
  end)

  it("take it not across another call, and not of another sender", function()
    local answered = bare(4)
    answered.uid = 7
    assert.same({ 2, "say", 3 }, waiting(new_member(), bare(1), bare(2), { id = 1, kind = "say" }, bare(3)))
    assert.same({ 2, 4, 5 }, waiting(new_member(), bare(1), bare(2), answered, bare(5)))
    assert.same({ 1, 2, 3 }, waiting(new_member(), bare(1), bare(2, 6), bare(3)))
    assert.same({ 3, "area" }, waiting(new_member(), bare(1), { id = 1, kind = "area", uid = 1 }, bare(3)))
  end)

  it("change nothing that was sent, or dropped", function()
    local member = new_member()
    waiting(member, bare(1))
    local outgoing = { place = 0, own = {}, commands = {}, enters = {} }
    calls.issue(member, 70, outgoing)
    assert.same({ 2 }, waiting(member, bare(2)))
    assert.same({ 1 }, places(outgoing.own))
    calls.drop(member)
    assert.same({ 3 }, waiting(member, bare(3)))
  end)

  -- The member begins a configuration with these commands, which it keeps; its owner expects `first`.
  -- Returns places and numbers of those that it will send.
  local function sent_again(first, ...)
    local member = new_member()
    member.key_of, member.again, member.ended = {}, { enters = {}, commands = {} }, {}
    local replaced
    function member.observe(_, what, n)
      replaced = what == "replaced" and n
    end
    member.directory[1].expected = { k = first }
    for number, command in ipairs { ... } do
      command.stay, command.number, command.node, command.key = "s", number, "n", "k"
      calls.keep(member, command, "m", 60)
    end
    resuming.calls(member, false)
    local numbers_of = {}
    for i, command in ipairs(member.again.commands) do
      numbers_of[i] = command.number
    end
    return places(member.again.commands), numbers_of, member.calls.next_number.s, replaced
  end

  it("are sent again once: the last of those that stand one behind the other", function()
    local function with_answer()
      return { id = 1, kind = "say", uid = 8 }
    end
    for _, row in ipairs {
      { { bare(1), bare(2), bare(3) }, 1, { 3 }, { 1 }, 2 },
      { { bare(1), bare(2), bare(3) }, 3, { 3 }, { 3 }, 0 }, -- the others have been applied
      { { bare(1), bare(2), bare(3) }, 4, {}, {}, 0 },
      { { bare(1), bare(2), with_answer(), bare(4) }, 2, { 2, "say", 4 }, { 2, 3, 4 }, 0 },
      { { bare(1), bare(2, 6), bare(3, 6) }, 1, { 1, 3 }, { 1, 2 }, 1 },
    } do
      local xs, in_turn, next_number, replaced = sent_again(row[2], table.unpack(row[1]))
      assert.same({ row[3], row[4], row[5] }, { xs, in_turn, replaced })
      assert.equal(row[2] + #row[4], next_number)
    end
  end)
end)

describe("calls that wait", function()
  it("are not more than a node can do; whoever asks for more may ask again, and leave", function()
    local member, told = new_member(), {}
    function member.calls.told(call, outcome)
      told[#told + 1] = { call.uid or call.kind, outcome }
    end
    for _ = 1, calls.MOST do
      ask(member, "move")
    end
    assert.same({}, told)
    ask(member, "set_radius")
    calls.ask(member, { id = 2, kind = "enter", uid = 7 }, 0)
    ask(member, "leave")
    assert.same({ { "set_radius", "again" }, { 7, "again" } }, told)
    assert.same({}, member.calls.open)
    assert.equal(calls.MOST + 1, #member.calls.queue)
    send(member)
    calls.ask(member, { id = 2, kind = "enter", uid = 8 }, 0)
    assert.equal(2, #told)
  end)

  it("are sent in their order, not more than may be sent again", function()
    local most = calls.MOST_SENT
    finally(function()
      calls.MOST_SENT = most
    end)
    calls.MOST_SENT = 2
    local member = new_member()
    member.directory[1].region = 1 -- of m
    for uid = 1, 5 do
      calls.ask(member, { id = 1, kind = "say", uid = uid, text = "" }, 0)
    end
    calls.ask(member, { kind = "area", uid = 6, text = "" }, 0)
    local sent = {}
    for tick = 1, 3 do
      local outgoing = { place = 0, enters = {}, areas = {}, own = {}, commands = { m = {}, n = {} } }
      calls.issue(member, tick, outgoing)
      sent[tick] = {}
      for i, command in ipairs(outgoing.commands.m) do
        sent[tick][i] = command.uid
      end
      assert.equal(tick == 3 and 1 or 0, #outgoing.areas)
      calls.settle(member, "m", tick + 1, {}, {})
    end
    assert.same({ { 1, 2 }, { 3, 4 }, { 5 } }, sent)
    member.calls.kept = { { id = 1, stay = "t", number = 1, waits = true } } -- for a store
    for uid = 7, 10 do
      calls.ask(member, { id = 1, kind = "say", uid = uid, text = "" }, 0)
    end
    calls.issue(member, 4, { place = 0, enters = {}, areas = {}, own = {}, commands = { m = {}, n = {} } })
    assert.equal(2, #member.calls.queue)
  end)
end)
