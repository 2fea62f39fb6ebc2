-- The options of the services: the words that a scene or a viewer is started with. Times are milliseconds.
local aoi = require "aoi"
local extras = require "aoi.skynet.extras"
local names = require "aoi.skynet.names"

local options = {}

-- Of a scene, with what each is when it is left out.
options.SCENE = {
  tick = 100,           -- a multiple of 10; 0: everything is told at once
  probe = 5000,         -- between two looks for agents that were killed
  handlers = false,     -- name of a module with more handlers, see scene.lua
  places = "double",    -- or float: how places are sent
  extras = 0,           -- numbers of each entity that go along with its steps
  memory_limit = false, -- bytes of the whole service, this scene's space included
  record_to = "",       -- path of a file that the scene is recorded to
  recover = false,      -- true: when that file is there, the scene comes back from it
  store = "",           -- path of a folder that the scene is stored in, and comes back from
  save_every = 60000,   -- between two full saves into the store
  orphan = 60000,       -- that an entity waits for an address after the scene has come back
}

-- Their names, sorted.
options.SCENE_NAMES = {}
for name in pairs(options.SCENE) do
  table.insert(options.SCENE_NAMES, name)
end
table.sort(options.SCENE_NAMES)

-- Options of aoi.new that are none of a scene, and what is in their place.
local NOT_FOR_SCENES = { deferred = ", expected tick", collect = "", record = ", expected record_to" }

local VIEWER = {
  host = "127.0.0.1",
  port = 0,             -- 0: any that is free
  token = "",           -- what the address must have; none given: drawn by chance
  page = "build/viewer/viewer.html",
  limit = 8000000,      -- most bytes on their way to one page
  silence = 60000,      -- after which a page that says nothing is closed
  pages = 16,           -- most connections at once
  stats = 0,            -- the address of the service whose counts are shown; 0: the scene
}

local VALUES = { ["true"] = true, ["false"] = false, huge = math.huge }

-- Splits words such as "radius=50" into those that `known` has, with its values for those that are missing,
-- and others. What is a string there stays one; of two of the same name the last one counts. Raises when a
-- word is wrong; `who` begins the message.
function options.split(who, words, known)
  local own, others = {}, {}
  for name, default in pairs(known) do
    own[name] = default
  end
  for _, word in ipairs(words) do
    local name, text = word:match "^([%w_]+)=(.+)$"
    if not name then
      error(("%s: option %q is not of the form name=value"):format(who, word), 0)
    end
    local value = tonumber(text) or VALUES[text]
    if value == nil or type(known[name]) == "string" then
      value = text
    end
    local target = known[name] ~= nil and own or others
    target[name] = value
  end
  return own, others
end

-- The rings of a crowd from a text such as "20:1,50:2,huge:5": up to distance 20 each tick, up to 50 every
-- second, further away every fifth (huge: never). Raises when one is no ring, or the last one has an end;
-- aoi.new checks the numbers.
local function to_rates(text)
  local rings = {}
  for word in (tostring(text) .. ","):gmatch "([^,]*)," do
    local distance, period = word:match "^([^:]+):([^:]+)$"
    distance = tonumber(distance) or VALUES[distance]
    period = tonumber(period) or VALUES[period]
    if not math.type(distance) or not math.type(period) then
      error(("scene: rates is %s, and %q in it is no ring, expected distance:period, as in 20:1,50:2,huge:5")
        :format(text, word), 0)
    end
    rings[#rings + 1] = { distance, period }
  end
  if rings[#rings][1] ~= math.huge then
    error(("scene: rates is %s, and its last ring ends at %s, expected huge, as in 20:1,50:2,huge:5"):format(
      text, rings[#rings][1]), 0)
  end
  return rings
end

-- Returns a function that raises unless the option is good.
function options.expectation(who, own)
  return function(good, name, expected)
    if not good then
      error(("%s: %s is %s, expected %s"):format(who, name, own[name], expected), 0)
    end
  end
end

local function is_integer(value, least, most)
  return math.type(value) == "integer" and value >= least and value <= most
end

-- Expects a time in milliseconds, `least` or more; with `or_none` 0 is one, too. A smaller one was probably
-- meant in seconds. expect: of options.expectation.
function options.expect_time(expect, name, value, least, or_none)
  local expected = ("milliseconds, %s%d or more"):format(or_none and "0 or " or "", least)
  if math.type(value) and value > 0 and value < least then
    expected = ("milliseconds; did you mean %d?"):format(math.max(least, math.ceil(value * 1000)))
  end
  expect(math.type(value) and value >= least or or_none and value == 0, name, expected)
end

local MOST_UNITS = 0x7FFFFFFF -- of skynet.timeout: for ever

-- Milliseconds in skynet's unit of 10, rounded up.
function options.units(milliseconds)
  return math.max(0, math.ceil(math.min(milliseconds / 10, MOST_UNITS)))
end

-- Bytes: a service takes a third of them before anybody is in it. One that can't be made answers nobody.
local LEAST_MEMORY = 1000000

-- Options of a scene's own and of its space. Raises when one of its own is wrong; aoi.new checks the
-- others.
function options.of_scene(words)
  local own, of_space = options.split("scene", words, options.SCENE)
  for name in pairs(of_space) do
    if NOT_FOR_SCENES[name] or name:find "^on_" then
      error(("scene: option %s is not for a scene%s"):format(name, NOT_FOR_SCENES[name] or ""), 0)
    end
  end
  of_space.rates = of_space.rates ~= nil and to_rates(of_space.rates) or nil
  local expect = options.expectation("scene", own)
  expect(math.type(own.tick) and own.tick >= 0 and own.tick % 10 == 0, "tick",
    "milliseconds, 0 or a multiple of 10")
  options.expect_time(expect, "probe", own.probe, 100)
  expect(not own.handlers or type(own.handlers) == "string", "handlers", "the name of a module")
  expect(own.places == "double" or own.places == "float", "places", "double or float")
  expect(not own.memory_limit or is_integer(own.memory_limit, LEAST_MEMORY, math.maxinteger), "memory_limit",
    ("a number of bytes, %d or more"):format(LEAST_MEMORY))
  expect(is_integer(own.extras, 0, extras.MOST), "extras", "a whole number from 0 to " .. extras.MOST)
  expect(type(own.recover) == "boolean" and (own.record_to ~= "" or not own.recover), "recover",
    "true or false, and true only with the option record_to")
  expect(own.store == "" or own.tick > 0, "store", "none, as tick is 0")
  options.expect_time(expect, "save_every", own.save_every, 1000)
  options.expect_time(expect, "orphan", own.orphan, 1000, true)
  return own, of_space
end

-- Makes a space, of a service that has ticks unless its option tick is 0. Raises when its options are wrong;
-- own_names: a sorted list of those that the service has beside them.
function options.new_space(of_space, own_names)
  local is_made, result = pcall(aoi.new, of_space)
  if not is_made then
    error(names.with_own(result:gsub("needs option deferred$", "needs ticks, and tick is 0"), own_names), 0)
  end
  return result
end

-- Options of a viewer. Raises when one is wrong.
function options.of_viewer(words)
  local own, unknown = options.split("viewer", words, VIEWER)
  for name in pairs(unknown) do
    error(("viewer: option %s is unknown"):format(name), 0)
  end
  local expect = options.expectation("viewer", own)
  expect(is_integer(own.port, 0, 65535), "port", "a whole number from 0 to 65535")
  expect(own.token == "" or #own.token >= 16 and own.token:find "^[%w_-]+$", "token",
    "16 or more letters, digits, - and _")
  expect(is_integer(own.limit, 1, math.maxinteger), "limit", "a number of bytes")
  options.expect_time(expect, "silence", own.silence, 1000)
  expect(is_integer(own.pages, 1, 1000), "pages", "a whole number from 1 to 1000")
  expect(is_integer(own.stats, 0, 0xFFFFFFFF), "stats", "the address of a scene or a world, a number")
  return own
end

return options
