-- Tries a register in Redis (lua/aoi/skynet/world/register.lua), step by step, with two processes that want
-- the lease. Raises when it does something else than it must.
local skynet = require "skynet"

local LEASE = 300 -- milliseconds

local function text_of(answer)
  local known = answer.configuration
  local words = {
    answer.is_granted and "granted" or answer.had_other_words and "had other words",
    answer.holder and "held by " .. answer.holder,
    known and ("with %d %s %s"):format(known.number, known.key, known.members[1].name),
    answer.is_written ~= nil and (answer.is_written and "written" or "not written"),
  }
  local list = {}
  for i = 1, 4 do
    list[#list + 1] = words[i] or nil
  end
  return table.concat(list, " ")
end

local function configuration(number, key)
  return { number = number, key = key, members = { { name = "a \0\r\n" .. key, key = "k" } } }
end

return function(register)
  -- Asks for a thing as one of the processes; `expected` is its answer as a text.
  local sent, words, with_any_words = 1000.5, "radius=50 tick=100", nil
  local function step(name, kind, expected, known)
    local answer, message
    sent = sent + 1
    register.ask({ kind = kind, name = name, key = "key-of-" .. name:sub(1, 1), length = LEASE, sent = sent,
      words = words, with_any_words = with_any_words, configuration = known }, function(_, ...)
      answer, message = ...
      answer = answer or {}
    end)
    while not answer do
      skynet.sleep(1)
    end
    local text = text_of(answer)
    assert(text == expected, ("%s %s: %s, expected %s"):format(name, kind, message or text, expected))
    return answer
  end

  step("a", "write", "not written", configuration(1, "x"))
  local since = step("a", "take", "granted").since
  local left = step("b c", "take", "held by a").left
  assert(left > 0 and left <= LEASE)
  step("b c", "write", "not written", configuration(2, "y"))
  assert(since and step("a", "take", "granted").since == since)
  step("a", "write", "written", configuration(2, "x"))
  step("a", "write", "written", configuration(2, "x")) -- once more
  step("a", "write", "not written", configuration(2, "y"))
  step("a", "write", "not written", configuration(1, "x2"))
  step("b c", "give", "")
  step("b c", "take", "held by a")
  step("a", "give", "")
  step("a", "write", "not written", configuration(3, "z"))
  step("b c", "take", "granted with 2 x a \0\r\nx")
  step("b c", "write", "written", configuration(10, "z"))
  step("a", "take", "held by b c")
  skynet.sleep(LEASE // 10 + 5)
  step("b c", "write", "not written", configuration(11, "z2"))
  since = step("a", "take", "granted with 10 z a \0\r\nz").since
  register.drop()
  skynet.sleep(LEASE // 10 + 5)
  assert(step("a", "take", "granted with 10 z a \0\r\nz").since == since, "nobody else had it")
  skynet.sleep(LEASE // 10 + 5)
  step("b c", "take", "granted with 10 z a \0\r\nz")
  step("b c", "give", "")
  assert(step("a", "take", "granted with 10 z a \0\r\nz").since ~= since, "another one had it")
  words = "radius=40 tick=100"
  step("b c", "take", "held by a")
  step("a", "give", "")
  step("b c", "take", "had other words")
  step("b c", "write", "not written", configuration(12, "z3"))
  with_any_words = true
  step("b c", "take", "granted with 10 z a \0\r\nz")
  with_any_words = nil
  step("b c", "take", "granted with 10 z a \0\r\nz")
  step("b c", "give", "")
  step("a", "take", "granted with 10 z a \0\r\nz")
  step("a", "give", "")
end
