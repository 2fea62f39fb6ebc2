-- Members without which the coordinator of a world begins a change.
local late = require "aoi.skynet.world.late"

local MEMBERS = { a = "ka", b = "kb", c = "kc", d = "kd" }
local ROUNDS = 8

describe("members that are late", function()
  -- A coordinator on node d, in its round 20. waits: name -> name -> for how many rounds by now; missed:
  -- name -> how many rounds it has not asked. Returns name -> why.
  local function reasons(waits, missed)
    local self = { name = "d", rounds = 20, times = { rounds = ROUNDS, doubt = 2 }, askers = {} }
    for name, key in pairs(MEMBERS) do
      local asker = { name = name, key = key, tick = 7, missed = missed and missed[name] or 0,
        waits_since = {} }
      for other, rounds in pairs(waits[name] or {}) do
        asker.waits_since[other] = 20 - rounds
      end
      self.askers[name] = asker
    end
    return late.of(self, MEMBERS), self
  end

  local function left_out(...)
    local names = {}
    for name in pairs((reasons(...))) do
      names[#names + 1] = name
    end
    table.sort(names)
    return table.concat(names, " ")
  end

  it("are those of which nothing is heard, and one of two that wait for each other", function()
    assert.equal("", left_out {})
    assert.equal("b", left_out({}, { b = ROUNDS }))
    assert.equal("", left_out { a = { b = ROUNDS - 1 }, b = { a = ROUNDS - 1 } })
    assert.equal("b", left_out { a = { b = ROUNDS }, b = { a = ROUNDS } })
    assert.equal("a", left_out { a = { b = ROUNDS, c = ROUNDS }, b = { a = ROUNDS }, c = { a = ROUNDS } })
    assert.equal("c", left_out { c = { d = ROUNDS }, d = { c = ROUNDS } })
  end)

  it("are not those that wait for one that is late itself", function()
    assert.equal("a", left_out { a = { a = ROUNDS }, b = { a = ROUNDS } })
    assert.equal("a", left_out({ b = { a = ROUNDS } }, { a = ROUNDS }))
    -- A node that waits for its own regions is no pair with others before that has taken long.
    assert.equal("", left_out { a = { a = ROUNDS - 1 }, b = { a = ROUNDS } })
    assert.equal("c", left_out { a = { a = 1 }, b = { a = ROUNDS, c = ROUNDS }, c = { b = ROUNDS } })
  end)

  it("are of two the one that does not ask either, and when both ask, the later one", function()
    assert.equal("a", left_out({ b = { a = ROUNDS } }, { a = ROUNDS - 1 }))
    assert.equal("b", left_out({ b = { a = ROUNDS } }, { a = 1 }))
    assert.equal("b", left_out({ b = { a = ROUNDS } }, { a = ROUNDS - 1, b = ROUNDS - 1 }))
    -- Others do not hear b, whether a asks or not.
    assert.equal("b", left_out({ b = { a = ROUNDS, c = ROUNDS }, c = { b = ROUNDS } }, { a = ROUNDS - 1 }))
  end)

  it("are those that have waited since the other one went on", function()
    -- a waits for b, in the same tick; b was held up by c until now, in the tick before.
    local _, self = reasons { a = { b = ROUNDS }, b = { c = ROUNDS - 1 } }
    self.askers.b.tick = 6
    assert.same({}, late.of(self, MEMBERS))
    self.askers.b.tick, self.askers.b.waits_since = 7, {}
    self.rounds = self.rounds + ROUNDS - 1
    assert.same({}, late.of(self, MEMBERS))
    self.rounds = self.rounds + 1
    assert.same({ b = "no messages go between it and a" }, late.of(self, MEMBERS))
  end)

  it("are also the coordinator's node when its regions hang, but not when nobody else is left", function()
    assert.equal("d", left_out { a = { d = ROUNDS }, d = { d = ROUNDS } })
    assert.equal("a b c", left_out({ d = { d = ROUNDS } }, { a = ROUNDS, b = ROUNDS, c = ROUNDS }))
    assert.equal("a b c d", left_out({}, { a = ROUNDS, b = ROUNDS, c = ROUNDS, d = ROUNDS }))
  end)

  it("are named with the reason", function()
    assert.same({ a = "it waits for its own regions", b = "it is silent" },
      (reasons({ a = { a = ROUNDS } }, { b = ROUNDS })))
    assert.same({ a = "no messages go between it and b, c" },
      (reasons { a = { b = ROUNDS, c = ROUNDS }, b = { a = ROUNDS }, c = { a = ROUNDS } }))
    local _, self = reasons({}, { a = ROUNDS })
    self.askers.a.is_refused, self.askers.b.key = true, "later"
    assert.same({ a = "its port refuses connections", b = "another process has its name" },
      late.of(self, MEMBERS))
  end)
end)
