-- The coordinator of a world on the node that has it: its rounds, its file, and who may join.
local skynet = require "skynet"
local coordinator = require "aoi.skynet.world.coordinator"
local durable = require "aoi.skynet.durable"

local EPOCH = require("aoi.skynet.world.times").EPOCH

-- The configuration that was written last; nil: none.
local function read(path)
  local file = path ~= "" and io.open(path, "rb")
  local text = file and file:read "a"
  if file then
    file:close()
  end
  return text and text ~= "" and skynet.unpack(text) or nil
end

-- Raises when it can't be written: then it must not be in effect.
local function write(path, configuration)
  if path ~= "" then
    assert(durable.replace(path, skynet.packstring(configuration)))
  end
end

-- `world` is the table of world.lua: map, words, new_key(), now(), times, send(messages).
return function(world)
  local seat = {}
  local map = world.map
  local refused = {} -- set of keys of processes that were refused

  local self = coordinator.new({
    name = map.node, regions = map.count, times = world.times, new_key = world.new_key, first = map.nodes,
    has_stores = map.store ~= "",
    new_tick = function()
      return (skynet.time() - EPOCH) * 1000 // map.tick | 0
    end,
    file = {
      configuration = read(map.configuration),
      commit = function(configuration, of)
        write(map.configuration, configuration)
        coordinator.committed(of, configuration)
      end,
    },
  }, world.now())

  local function flush()
    local out = self.out
    self.out = {}
    world.send(out)
  end

  -- The word in which a process that joins differs from this one; nil: none.
  local function other_word(words)
    local own = {}
    for name, value in pairs(map.shared) do
      own[name] = value
    end
    for name, value in pairs(words) do
      if own[name] ~= value then
        return name
      end
      own[name] = nil
    end
    return (next(own))
  end

  -- A member or a process that joins asks.
  function seat.receive(message)
    local word = message.words and other_word(message.words)
    if word then
      if not refused[message.from_key] then
        refused[message.from_key] = true
        skynet.error(("world: node %s may not join: its word %s is %s, expected %s"):format(message.from,
          word, tostring(message.words[word]), tostring(map.shared[word])))
      end
      world.send { { kind = "status", request = message.request, from = map.node, to = message.from,
        to_key = message.from_key, refused = word } }
      return
    end
    coordinator.receive(self, world.now(), message)
    flush()
  end

  function seat.round()
    coordinator.round(self, world.now())
    flush()
  end

  -- Does what an operator wants: a function of coordinator.lua and its arguments. The change begins at once.
  function seat.want(what, ...)
    coordinator[what](self, ...)
    coordinator.go(self)
    flush()
  end

  function seat.has_taker(name)
    return coordinator.has_taker(self, name)
  end

  -- The configuration in effect; nil: none was made by this process.
  function seat.configuration()
    return self.phase == "steady" and self.configuration or nil
  end

  return seat
end
