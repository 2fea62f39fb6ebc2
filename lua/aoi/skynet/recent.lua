-- Notes under keys, of which the last thousand or two are kept. Pure Lua, without skynet.
local Recent = {}
Recent.__index = Recent

local recent = {}

local MOST = 1000 -- that are noted until the older ones go

-- gone(key): called for each key that has no note any more, as too many others were noted; nil: nothing is.
function recent.new(gone)
  return setmetatable({ gone = gone, now = {}, before = {}, count = 0 }, Recent)
end

-- The note under this key; nil: there is none, or none any more.
function Recent:get(key)
  return self.now[key] or self.before[key]
end

-- Notes a value, neither nil nor false, in place of the one before. O(1), but each thousandth time O(1000).
function Recent:note(key, value)
  if self.count == MOST then
    for old in pairs(self.gone and self.before or {}) do
      if not self.now[old] then
        self.gone(old)
      end
    end
    self.now, self.before, self.count = {}, self.now, 0
  end
  self.now[key], self.count = value, self.count + 1
end

function Recent:forget(key)
  self.now[key], self.before[key] = nil, nil
end

return recent
