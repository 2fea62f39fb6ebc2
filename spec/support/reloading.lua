-- A space that is saved and loaded again and again, between any two calls; to the one who uses it it
-- looks like any other.

local aoi = require "aoi"
local Random = require "spec.support.random"

local EQUAL_STATS = {
  "entities", "areas", "pending", "collected", "changed", "delivered", "cols", "rows", "cell_width",
  "cell_height",
}

local function is_handler(name)
  return name:find("^on_") ~= nil
end

local function handlers_of(options)
  local handlers = {}
  for name, value in pairs(options) do
    if is_handler(name) then
      handlers[name] = value
    end
  end
  return handlers
end

-- Saves the space and loads it; returns one of the two, which must be equal, and closes the other.
local function reload(space, handlers, random)
  local saved = space:save()
  assert(saved == space:save(), "saved twice, but not the same")
  local loaded
  if random:chance(0.5) then
    loaded = aoi.load(saved, handlers)
  else
    loaded = aoi.load(saved)
    loaded:on(handlers)
  end
  assert(loaded:save() == saved, "the loaded space is saved as something else")
  for _, name in ipairs(EQUAL_STATS) do
    local before, after = space:stats()[name], loaded:stats()[name]
    assert(before == after, ("%s was %s and is %s"):format(name, before, after))
  end
  if random:chance(0.2) then
    space, loaded = loaded, space -- saving has not changed the original
  end
  space:close()
  return loaded
end

-- As aoi.new; before a call, the space is reloaded with this probability.
local function new(options, seed, share)
  local space, handlers = aoi.new(options), handlers_of(options)
  local random, depth = Random.new(seed), 0
  local methods = {}
  -- Handlers call too, while a call delivers; that one must go on in the same space.
  local function call(name, ...)
    if depth == 0 and random:chance(share) then
      space = reload(space, handlers, random)
    end
    depth = depth + 1
    local answer = table.pack(pcall(space[name], space, ...))
    depth = depth - 1
    if not answer[1] then
      error(answer[2], 0)
    end
    if name == "on" then
      handlers = handlers_of((...))
    end
    return table.unpack(answer, 2, answer.n)
  end
  return setmetatable({}, {
    __index = function(_, name)
      methods[name] = methods[name] or function(_, ...)
        return call(name, ...)
      end
      return methods[name]
    end,
    __len = function()
      return #space
    end,
  })
end

return { new = new }
