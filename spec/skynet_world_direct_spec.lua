-- Moves of agents on their region's node: which go without a number, and that they never overtake what waits.
local calls = require "aoi.skynet.world.calls"
local direct = require "aoi.skynet.world.direct"
local gathered = require "spec.world_model.gathered"

-- A member that owns entity 1, in region 3.
local function new_member()
  local member = {
    key = "k", owned = {}, directory = {}, loading = {}, asked = {}, gathered = gathered(),
    calls = calls.new(function() end),
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
    local batches = direct.take(member)
    assert.equal(2, batches[3].n)
    assert.same({ 1, 2 }, { batches[3][1].text, batches[3][2].text })
    assert.same({}, direct.take(member))
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
    ["the entity was read from a store"] = function(member) member.directory[1].read = true end,
    ["it is not known any more"] = function(member) member.directory[1] = nil end,
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
