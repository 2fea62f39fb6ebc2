-- A region that is saved between two ticks and loaded by another service: what the user's handlers have
-- changed since the tick goes along, and what can't be loaded is refused. That a loaded region tells what the
-- other one would have told is in skynet_region_spec.lua and skynet_region_rules_spec.lua.

local services = require "spec.support.services"

local WORDS = {
  "engine=grid", "width=100", "height=100", "radius=10", "columns=2", "rows=1", "max_radius=16",
  "margin=2", "nodes=a,b", "node=a", "owners=1,2", "tick=100", "patience=0", "start=7", "world=9",
  "log=yes", "handlers=spec.support.minding_handlers", "limit=8", "rates=0:2,huge:3",
}
local HERE, THERE = 1 << 48 | 7 << 32, 2 << 48 | 7 << 32 -- addresses of the region's node, and of another

local machine, told

setup(function()
  machine = services.new(function(address, text)
    table.insert(told, { address < 1 << 32 and HERE | address or address, text })
  end)
end)

teardown(function()
  machine.close()
end)

local function start(number, ...)
  local words = { "region=" .. number, ... }
  table.move(WORDS, 1, #WORDS, #words + 1, words)
  return machine.start("lua/aoi/skynet/region.lua", 100 + number, words)
end

local Region = {}
Region.__index = Region

local function new_region(number)
  told = {}
  return setmetatable({ call = start(number), tick = 0 }, Region)
end

function Region:begin(commands)
  local rows = {}
  self.tick = self.tick + 1
  for i, command in ipairs(commands or {}) do
    local text = machine.skynet.packstring(table.unpack(command))
    table.move({ self.tick << 28 | 1 << 20 | i, THERE | 500, 1, text }, 1, 4, #rows + 1, rows)
  end
  local result = self.call(9, "begin", self.tick, rows)
  for _, text in pairs(result.out) do
    told[#told + 1] = { "out", text }
  end
  for _, list in pairs(result.news) do
    told[#told + 1] = { "news", table.concat(list, " ") }
  end
end

function Region:finish()
  local result = self.call(9, "finish", self.tick, {})
  for node, text in pairs(result.packets) do
    told[#told + 1] = { node, text }
  end
  for stamp, text in pairs(result.answers) do
    told[#told + 1] = { stamp, table.concat({ tostring(machine.skynet.unpack(text)) }) }
  end
  told[#told + 1] = { "log", table.concat(result.log, "\n") }
end

function Region:replace()
  local text, kept = self.call(9, "save")
  assert(text, kept)
  self.call = start(1, "waits=1")
  assert(self.call(9, "load", text, kept))
end

-- The events when handlers act between ticks, a set of texts with their counts.
local function act_between(is_replaced)
  local region = new_region(1)
  region:begin {
    { "enter", 1, 45, 10 }, { "enter", 2, 46, 11, { address = HERE | 600 } }, { "enter", 3, 47, 10 },
    { "later", "enter", 4, 44, 10, { address = THERE | 700, data = "elf" } },
    { "later", "say", 1, "something" }, { "later", "set_property", 2, 3, "red" }, { "later", "leave", 3 },
    { "later", "move", 2, 48, 11 }, { "later", "set_importance", 2, 9 },
  }
  region:finish()
  for _, name in ipairs { "enter", "say", "set_property", "leave", "move", "set_importance" } do
    machine.skynet.wakeup("later " .. name)
  end
  region.call(9, "stats") -- runs them
  if is_replaced then
    region:replace()
  end
  for _ = 1, 3 do
    region:begin()
    region:finish()
  end
  local lines = {}
  for i, entry in ipairs(told) do
    lines[i] = ("%s %q"):format(entry[1], entry[2])
  end
  table.sort(lines)
  return table.concat(lines, "\n")
end

describe("A saved region", function()
  it("has what handlers have changed since the tick", function()
    assert.equal(act_between(false), act_between(true))
    assert.same({}, machine.errors)
  end)

  it("waits for the end of the next tick with what they change then", function()
    local region = new_region(1)
    region:begin { { "enter", 1, 45, 10 }, { "later", "move", 1, 46, 10 } }
    region:finish()
    assert.is_string((region.call(9, "save")))
    machine.skynet.wakeup "later move"
    assert.same({ 45, 10 }, { region.call(9, "query", false, "position", 1) })
    region:begin()
    region:finish()
    assert.same({ 46, 10 }, { region.call(9, "query", false, "position", 1) })
  end)

  it("refuses what is no saved region, or another one", function()
    local waiting = start(1, "waits=1")
    assert.same({ nil, "load: this is no string of a region's save" }, { waiting(9, "load", "something") })
    local saved = start(2)(9, "save")
    assert.same({ nil, "load: this is the string of region 2, expected one of region 1" },
      { start(1, "waits=1")(9, "load", saved) })
    local _, message = start(1)(9, "load", saved)
    assert.equal("load: this region has begun already", message)
  end)
end)
