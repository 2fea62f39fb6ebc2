-- Greetings: a process that joins is taken in only when messages go both ways between it and all members.
-- Else members would wait for it, expel it, and it would join anew: where the connection between two nodes is
-- cut for long, the world would stand nearly all that time.
local numbers = require "aoi.skynet.world.numbers"

local greetings = {}

-- The process that joins greets its fellows: name -> key, as the coordinator has named them.
function greetings.greet(member, now)
  for _, name in ipairs(numbers.sorted(member.fellows)) do
    if name ~= member.name then
      member.post(member, name, member.fellows[name], { kind = "greeting", sent = now })
    end
  end
end

-- A member answers a greeting.
function greetings.answer(member, message)
  member.post(member, message.from, message.from_key, { kind = "greeted", sent = message.sent })
end

-- A member has answered. How old that is counts from when the greeting was sent: the process may have stood.
function greetings.answered(member, message)
  member.greeted[message.from_key] = math.max(member.greeted[message.from_key] or message.sent, message.sent)
end

-- A set of the keys of members that have answered not long ago.
function greetings.heard(member, now)
  local heard = {}
  for key, sent in pairs(member.greeted) do
    heard[key] = now - sent <= member.times.greeted or nil
  end
  return heard
end

-- Fellows without an answer, a sorted list of names.
function greetings.unheard(member, now)
  local heard, names = greetings.heard(member, now), {}
  for _, name in ipairs(numbers.sorted(member.fellows)) do
    names[#names + 1] = name ~= member.name and not heard[member.fellows[name]] and name or nil
  end
  return names
end

-- Whether a process that asks the coordinator has heard all of these: name -> key.
function greetings.has_heard(asker, members)
  for _, key in pairs(members) do
    if not asker.hears[key] then
      return false
    end
  end
  return true
end

return greetings
