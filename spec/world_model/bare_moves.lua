-- Moves that nobody wants an answer for, as their senders see them: which of them are lost, at rest. In which
-- order they were applied, also among other calls, checks.lua judges as of all calls.
local bare_moves = {}

-- Whether what a node asks behind this enter or update, which was applied to the stay, may be about another
-- one: of before, as far as the node knew, or one that a directory has had since.
local function is_in_doubt(self, enter, stay)
  for other, seen in pairs(self.seen[enter.call.id] or {}) do
    if other ~= stay and (other == enter.stay or seen >= enter.at) then
      return true
    end
  end
  return false
end

-- Whether a move was about the stay: the one that its node knew as it was asked, unless enters and updates of
-- that node had no answer then, or go on being sent: what follows them goes where they go. enters: those
-- before it. trail: uid -> place, of the stay.
local function is_about(self, known, enters, stay, trail)
  local follows = false
  for _, enter in ipairs(enters) do
    if enter.outcome == "unknown" or (enter.answered or math.huge) >= known.at then
      follows = true
      if not trail[enter.call.uid] or is_in_doubt(self, enter, stay) then
        return false
      end
    end
  end
  return follows or known.stay == stay
end

-- The next call of a node about the entity, behind place i of its calls: another such move, or a call that
-- may have been sent, as one with the answer "again" was not. nil: none.
local function next_sent(line, i)
  for k = i + 1, #line do
    if line[k].call.sender or line[k].outcome ~= "again" then
      return line[k]
    end
  end
end

-- Whether a move may be lost that was about the stay. later: of next_sent: another such move may have taken
-- its place.
local function may_be_lost(self, known, later, stay)
  local is_undecided = known.outcome == "again" or known.outcome == "unknown"
  -- Without its region's store an entity comes back from its giver as it was then.
  local applier = not self.stores and self.applier[known.call.uid]
  return later and later.call.sender or is_undecided or self.unsaved[stay]
    or applier and not self.living[applier]
end

-- The calls of each process that lives about each entity that is in: a list of lists.
local function lines_of(self, alive)
  local lines, by_name = {}, {}
  for _, uid in ipairs(self:in_order()) do
    local known = self.calls[uid]
    local name = known.process.key .. " " .. tostring(known.call.id)
    if self.living[known.process] and alive[known.call.id] then
      if not by_name[name] then
        by_name[name] = {}
        lines[#lines + 1] = by_name[name]
      end
      table.insert(by_name[name], known)
    end
  end
  return lines
end

-- Returns the first such move that is lost and must not be, as its stay is in still; or nil. alive: id ->
-- entity, of those that are in; trails: as of check_answers.
function bare_moves.lost(self, trails, alive)
  for _, line in ipairs(lines_of(self, alive)) do
    local enters = {}
    for i, known in ipairs(line) do
      local call = known.call
      local stay = alive[call.id].stay
      if call.sender and not trails[stay][call.uid] and is_about(self, known, enters, stay, trails[stay])
        and not may_be_lost(self, known, next_sent(line, i), stay) then
        return call
      end
      enters[#enters + 1] = (call.kind == "enter" or call.kind == "update") and known or nil
    end
  end
end

return bare_moves
