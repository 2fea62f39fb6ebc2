-- The options of a scene: the words that its service is started with.
local options = {}

local OWN = {
  tick = 100,           -- milliseconds, a multiple of 10; 0: everything is told at once
  probe = 5,            -- seconds between two looks for agents that were killed
  handlers = false,     -- name of a module with more handlers, see scene.lua
  memory_limit = false, -- bytes of the whole service, this scene's space included
}

local VALUES = { ["true"] = true, ["false"] = false, huge = math.huge }

local function check(own)
  local function expect(good, name, expected)
    if not good then
      error(("scene: %s is %s, expected %s"):format(name, own[name], expected), 0)
    end
  end
  expect(math.type(own.tick) and own.tick >= 0 and own.tick % 10 == 0, "tick", "0 or a multiple of 10")
  expect(math.type(own.probe) and own.probe > 0, "probe", "a number above 0")
  expect(not own.handlers or type(own.handlers) == "string", "handlers", "the name of a module")
  expect(not own.memory_limit or math.type(own.memory_limit) == "integer" and own.memory_limit > 0,
    "memory_limit", "a number of bytes")
end

-- Splits words such as "radius=50" into the service's own options and those of the space. Raises when a word
-- or one of the service's own options is wrong; aoi.new checks the others.
function options.parse(words)
  local own, of_space = {}, {}
  for name, default in pairs(OWN) do
    own[name] = default
  end
  for _, word in ipairs(words) do
    local name, text = word:match "^([%w_]+)=(.+)$"
    if not name then
      error(("scene: option %q is not of the form name=value"):format(word), 0)
    end
    if name == "deferred" or name == "collect" or name:find "^on_" then
      error(("scene: option %s is not for a scene"):format(name), 0)
    end
    local value = tonumber(text) or VALUES[text]
    if value == nil then
      value = text
    end
    local target = OWN[name] ~= nil and own or of_space
    target[name] = value
  end
  check(own)
  return own, of_space
end

return options
