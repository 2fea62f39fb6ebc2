-- The events that a listener has still to hear, as the model foretells them; and the judge of
-- every event that it does hear: changes in order, in each leaves, then enters, then moves, then those of
-- areas, each pair once, nobody about oneself, and for each pair enter (move)* leave.
--
-- It raises nothing, since it is asked inside handlers whose errors would take their own ways: it
-- passes what is wrong to the function `complain`.

local Model = require "spec.support.model"

local Expected = {}
Expected.__index = Expected

local VIEW_KINDS = { "leave", "enter", "move" }

local function new(complain)
  return setmetatable({
    complain = complain,
    changes = {}, -- those with events still to be heard are first .. last
    first = 1,
    last = 0,
    seen = {}, -- pairs that were told enter and not yet leave
  }, Expected)
end

-- Takes a change of the model: { id, leave = set, enter = set, move = set }.
function Expected:add(change)
  local kept = { id = change.id, left = 0 }
  for _, op in ipairs(Model.kinds) do
    kept[op] = {}
    for key in pairs(change[op] or {}) do
      local watcher, marker = key:match "^(%-?%d+) sees (%-?%d+)$"
      kept[op][key] = { watcher = math.tointeger(tonumber(watcher)),
        marker = math.tointeger(tonumber(marker)) }
      kept.left = kept.left + 1
    end
  end
  if kept.left > 0 then
    self.last = self.last + 1
    self.changes[self.last] = kept
  end
end

-- How many events are still to be heard.
function Expected:waiting()
  local count = 0
  for i = self.first, self.last do
    count = count + self.changes[i].left
  end
  return count
end

-- After clear or close: nothing more comes, and no pair is left.
function Expected:forget()
  self.changes, self.first, self.last, self.seen = {}, 1, 0, {}
end

function Expected:follow_pair(key, op)
  if op:find "^area_" then -- an area and an entity may have the same id
    key, op = "area " .. key, op:sub(6)
  end
  if (op == "enter") == (self.seen[key] or false) then
    self.complain(("%s hears %s while it is %s"):format(key, op,
      self.seen[key] and "seen" or "not seen"))
  end
  self.seen[key] = op ~= "leave" or nil
end

function Expected:take(change, op, key)
  change[op][key] = nil
  change.left = change.left - 1
  if change.left == 0 then
    self.changes[self.first] = nil
    self.first = self.first + 1
  end
end

-- One event was heard. Returns the change that it belongs to; nil when it is out of place.
-- With `any_kind` the order of kinds is that of each watcher alone, as in the packets of on_view.
function Expected:hear(op, watcher, marker, any_kind)
  local key = Model.pair_key(watcher, marker)
  local change = self.changes[self.first]
  if watcher == marker and not op:find "^area_" then
    self.complain(("%s was told about itself"):format(watcher))
  end
  self:follow_pair(key, op)
  if not change or not change[op] or not change[op][key] then
    return self.complain(("%s: %s is not expected now"):format(op, key))
  end
  for _, earlier in ipairs(Model.kinds) do
    if earlier == op or any_kind then
      break
    elseif next(change[earlier]) then
      self.complain(("%s: %s comes before %s: %s"):format(op, key, earlier, next(change[earlier])))
    end
  end
  self:take(change, op, key)
  return change
end

-- That the change has no event of the kind left whose watcher or marker (the role) is the subject.
function Expected:check_none_left(change, op, role, subject, belongs)
  for key, pair in pairs(change[op]) do
    if pair[role] == subject and (not belongs or belongs(pair, change, op)) then
      self.complain(("%s: %s is missing in the group of %s %d"):format(op, key, role, subject))
    end
  end
end

function Expected:check_array(array, n)
  for i = 1, n do
    if math.type(rawget(array, i)) ~= "integer" then
      self.complain(("entry %d of a group of %d is %s"):format(i, n, tostring(array[i])))
      return false
    end
  end
  if rawget(array, n + 1) ~= nil then
    self.complain("a group has an entry after its last")
  end
  return true
end

-- A group was heard: on_watchers has the role "marker", on_markers the role "watcher". A group has
-- all that a change of one entity says about its subject; with two handlers, all that belongs to this
-- one: belongs(pair, change, op) is true, false, or nil where the contract does not say.
function Expected:hear_group(role, subject, op, others, n, belongs)
  local change
  if not self:check_array(others, n) then
    return
  elseif n == 0 then
    return self.complain "an empty group"
  end
  for i = 1, n do
    local watcher, marker = others[i], subject
    if role == "watcher" then
      watcher, marker = subject, others[i]
    end
    local own = self:hear(op, watcher, marker)
    if i > 1 and own ~= change then
      self.complain "a group spans two changes"
    elseif own and belongs
      and belongs({ watcher = watcher, marker = marker }, own, op) == false then
      self.complain(("%s: %d sees %d went to the wrong handler"):format(op, watcher, marker))
    end
    change = own
  end
  if change and (change.id or belongs) then
    self:check_none_left(change, op, role, subject, belongs)
  end
end

-- A view was heard: all that one change means for a watcher.
function Expected:hear_view(watcher, left, nl, entered, ne, moved, nm)
  local change
  for _, part in ipairs { { "leave", left, nl }, { "enter", entered, ne }, { "move", moved, nm } } do
    local op, markers, n = table.unpack(part)
    if not self:check_array(markers, n) then
      return
    end
    for i = 1, n do
      local own = self:hear(op, watcher, markers[i], true)
      if change and own ~= change then
        self.complain "a view spans two changes"
      end
      change = own or change
    end
  end
  if nl + ne + nm == 0 then
    self.complain "an empty view"
  end
  for _, op in ipairs(change and VIEW_KINDS or {}) do
    self:check_none_left(change, op, "watcher", watcher)
  end
end

return { new = new }
