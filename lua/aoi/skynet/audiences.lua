-- Audiences of properties: the keys whose values not everybody may know, and which of them each watcher of a
-- scene is not told. The own agent of an entity is told all; see own_state.lua. Pure Lua, without skynet.
local names = require "aoi.skynet.names"

local MOST_LAYERS = 0xFFFFFFFF
local WORDS = { "to", "layers" }

local Audiences = {}
Audiences.__index = Audiences

local audiences = {}

-- The layers of watchers that may know a property; 0: no watcher may. Raises when it is no audience.
local function to_layers(key, audience)
  local function expect(good, what, expected)
    if not good then
      error(("properties: %s, expected %s"):format(what, expected), 0)
    end
  end
  expect(math.type(key) == "integer" and key >= 0 and key <= 255, ("a key is %s"):format(tostring(key)),
    "0 to 255")
  expect(type(audience) == "table", ("key %d is %s"):format(key, tostring(audience)),
    '{ to = "me" } or { layers = bits }')
  for word in pairs(audience) do
    expect(word == "to" or word == "layers", ("key %d has the word %s%s"):format(key, tostring(word),
      names.hint(word, WORDS)), "to or layers")
  end
  local to, layers = audience.to, audience.layers
  expect(to == nil or layers == nil, ("key %d has to and layers"):format(key), "one of them")
  expect(to == nil or to == "me", ("key %d is to %s"):format(key, tostring(to)), '"me"')
  expect(to or math.type(layers) == "integer" and layers >= 1 and layers <= MOST_LAYERS,
    ("key %d has layers %s"):format(key, tostring(layers)), "bits, 1 to 4294967295")
  return to and 0 or layers
end

-- The table of a module, `properties`, as `use` takes it: key -> layers. Raises when it is wrong.
function audiences.compile(properties)
  if type(properties) ~= "table" then
    error(("properties is %s, expected a table of key and audience"):format(tostring(properties)), 0)
  end
  local of = {}
  for key, audience in pairs(properties) do
    of[key] = to_layers(key, audience)
  end
  return of
end

-- layers(watcher): those that it has now. renew(watcher): it is to be told all that it knows anew.
-- is_at_once: a function; true: there are no ticks.
function audiences.new(layers, renew, is_at_once)
  return setmetatable({
    layers = layers, renew = renew, is_at_once = is_at_once,
    of = {},         -- key -> layers
    bits = 0,        -- all layers of audiences
    none = nil,      -- set of the keys that are hidden from all watchers; nil: there are no audiences
    classes = {},    -- names of sets of keys that are hidden -> the set
    of_layers = {},  -- layers, of those that count -> the set of the keys that are hidden from them
    of_watcher = {}, -- watcher -> the set by which it is told, since the last tick or later
    is_other = nil,  -- true: there were other audiences in the last tick
  }, Audiences)
end

-- Audiences of a scene or a region: a watcher with an address that is to be told anew is a newcomer again.
function audiences.of_scene(scene)
  return audiences.new(function(watcher)
    return scene.space:has(watcher) and scene.space:traits(watcher).layers or 0
  end, function(watcher)
    scene.newcomers[watcher] = scene.addresses.of[watcher] and true or nil
  end, function()
    return scene.tick == 0
  end)
end

local NOTHING = {}

-- The set of these keys, the same table for the same keys.
local function set_of(self, keys)
  local set, class = {}, table.concat(keys, " ")
  for _, key in ipairs(keys) do
    set[key] = true
  end
  if keys[1] then
    self.classes[class] = self.classes[class] or set
  end
  return self.classes[class] or NOTHING
end

-- The set of the keys that are hidden from a watcher with the layers that it has now.
local function hidden_now(self, watcher)
  local layers = self.layers(watcher) & self.bits
  local hidden = self.of_layers[layers]
  if not hidden then
    local keys = {}
    for key, of_key in pairs(self.of) do
      keys[#keys + 1] = of_key & layers == 0 and key or nil
    end
    table.sort(keys)
    hidden = set_of(self, keys)
    self.of_layers[layers] = hidden
  end
  return hidden
end

-- The set of the keys that are hidden from a watcher, the same table for all from whom these are hidden; nil:
-- none. It holds for a whole tick.
function Audiences:hidden(watcher)
  if not self.none then
    return nil
  end
  local hidden = self.of_watcher[watcher]
  if not hidden then
    hidden = hidden_now(self, watcher)
    self.of_watcher[watcher] = hidden
  elseif self.is_at_once() then
    hidden = hidden_now(self, watcher)
  end
  return hidden ~= NOTHING and hidden or nil
end

-- Whether a watcher may be told a property.
function Audiences:may_know(watcher, key)
  local hidden = self:hidden(watcher)
  return not (hidden and hidden[key])
end

-- A tick begins: it is told by the layers that watchers have now, whoever has changed them. O(watchers),
-- where there are audiences with layers, or were others.
function Audiences:begin_tick()
  if self.bits == 0 and not self.is_other then
    return
  end
  self.is_other = nil
  local of_watcher = self.of_watcher
  for watcher, before in pairs(of_watcher) do
    local hidden = hidden_now(self, watcher)
    if hidden ~= before then
      of_watcher[watcher] = hidden
      self.renew(watcher)
    end
  end
end

local function keys_of(set)
  local keys = {}
  for key in pairs(set) do
    keys[#keys + 1] = key
  end
  table.sort(keys)
  return keys
end

-- For another region: a list of the keys that are hidden from a watcher; nil when it was told nothing yet.
function Audiences:of_one(watcher)
  local hidden = self.of_watcher[watcher]
  return hidden and keys_of(hidden)
end

-- Takes it there.
function Audiences:put_one(watcher, hidden)
  self.of_watcher[watcher] = hidden and set_of(self, hidden)
end

-- For a region that moves: all that is between two ticks, and a table that takes it in, before `use`.
function Audiences:state()
  local changed = {}
  for watcher, before in pairs(self.of_watcher) do
    changed[watcher] = hidden_now(self, watcher) ~= before and keys_of(before) or nil
  end
  return { of = self.of, changed = changed }
end

function Audiences:restore(state)
  self:use(state.of, {})
  for watcher, before in pairs(state.changed) do
    self:put_one(watcher, before)
  end
end

function Audiences:forget(watcher)
  self.of_watcher[watcher] = nil
end

-- From now on these audiences, of `compile`, hold. watchers: table of all watchers with an address, by id;
-- those that may know other properties than before are to be told all anew, with the next tick.
function Audiences:use(of, watchers)
  local before = {}
  for watcher in pairs(watchers) do
    before[watcher] = self.of_watcher[watcher] or self:hidden(watcher) or NOTHING
  end
  self.of, self.bits, self.classes, self.of_layers, self.of_watcher = of, 0, {}, {}, {}
  self.is_other = true
  self.none = next(of) and {} or nil
  for key, layers in pairs(of) do
    self.none[key], self.bits = layers == 0 or nil, self.bits | layers
  end
  for watcher, hidden in pairs(before) do
    self.of_watcher[watcher] = (self.none or next(hidden)) and set_of(self, keys_of(hidden)) or nil
  end
end

-- The keys of this table that have an audience, ascending; nil: none.
function Audiences:named(entries)
  local keys = {}
  for key in pairs(self.of) do
    keys[#keys + 1] = entries[key] and key or nil
  end
  table.sort(keys)
  return keys[1] and keys
end

-- The first key of a list that everybody here may know; nil: there is none.
function Audiences:open_one(keys)
  for _, key in ipairs(keys) do
    if not self.of[key] then
      return key
    end
  end
end

return audiences
