-- Damage to a world that does not come from its nodes: to the files of its stores, and by commands that no
-- agent should send.
local skynet = require "skynet"
local region_store = require "aoi.skynet.region.store"

local REGIONS = 4
local FILES = { "scene.aoi", "before.aoi" }

local damage = {}

-- ---- stores -----------------------------------------------------------------------------------

local function read(path)
  local file = io.open(path, "rb")
  local text = file and file:read "a"
  if file then
    file:close()
  end
  return text
end

local function write(path, text)
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
end

-- Calls change(path, text, region, name) for each file of the stores of a node. Returns how many stores it
-- has.
local function each(folder, node, change)
  local n = 0
  for region = 1, REGIONS do
    local is_there = false
    for _, name in ipairs(FILES) do
      local path = region_store.path(folder, node, region) .. name
      local text = read(path)
      if text then
        is_there = true
        change(path, text, region, name)
      end
    end
    n = n + (is_there and 1 or 0)
  end
  return n
end

-- The functions below take a folder, the name of a node, and random numbers. They return how many stores the
-- node has.

-- The files end somewhere in the middle.
function damage.cut(folder, node, draw)
  return each(folder, node, function(path, text)
    write(path, text:sub(1, draw:integer(#text // 4, #text - 1)))
  end)
end

-- Some bytes are others, anywhere behind the first half of the first kilobyte.
function damage.flip(folder, node, draw)
  return each(folder, node, function(path, text)
    local at = draw:integer(math.min(512, #text // 2), #text - 8)
    write(path, text:sub(1, at - 1) .. ("\xA5"):rep(8) .. text:sub(at + 8))
  end)
end

-- Something else stands in them.
function damage.overwrite(folder, node)
  return each(folder, node, function(path, text)
    write(path, ("no recording\n"):rep(#text // 13 + 1))
  end)
end

-- They are files of another region.
function damage.exchange(folder, node)
  local other = {}
  each(folder, node, function(_, text, region)
    other[region] = other[region] or text
  end)
  return each(folder, node, function(path, _, region)
    local text
    for name = 0, 5 do -- of another node first: own ones may have been exchanged before
      local of = string.char(("a"):byte() + name)
      text = text or of ~= node and read(region_store.path(folder, of, region % REGIONS + 1) .. "scene.aoi")
    end
    for number, one in pairs(other) do
      text = text or number ~= region and one
    end
    write(path, text or "")
  end)
end

-- ---- commands ---------------------------------------------------------------------------------

-- Entities and areas that these commands may make, and that are to leave then.
damage.IDS = { -1, 0, 1 << 53, math.mininteger, math.maxinteger }
for i = 1, 10 do
  damage.IDS[#damage.IDS + 1] = 1000000 + i
end

local NO_VALUE = {} -- stands for nil

local ABOUT_ENTITIES = { "enter", "update", "move", "leave", "set_property", "say", "say_in", "notify",
  "resync", "set_traits", "set_radius", "set_visible_radius", "set_mode", "set_layers", "set_sees_layers",
  "set_limit", "set_importance", "set_sight", "pin", "unpin", "transfer", "where", "add_area", "set_area",
  "update_area", "move_area", "remove_area" }
local OTHERS = { "query", "migrate", "drain_node", "viewer", "stats", "regions", "configuration", "tick",
  "picture_of", "no such command", "", "add_node" }

local function junk(draw)
  local values = { NO_VALUE, true, false, -1, 0, 1.5, 0 / 0, math.huge, 1e308, "", "x", "\0\255",
    ("x"):rep(70000), {}, { 1, 2 }, { radius = "x" }, { radius = -1 }, { x = {}, mode = 7 },
    { address = "x" },
    { address = -1 }, { data = {} }, { properties = { x = {} } }, { stream = "x", blocks = -1 },
    { shape = "polygon", points = { 1 } }, { owner = "x", radius = 1 / 0 } }
  return values[draw:integer(1, #values)]
end

local function command_of(draw, name, ...)
  local command = table.pack(name, ...)
  for _ = 1, draw:integer(0, 4) do
    local value = junk(draw)
    command.n = command.n + 1
    command[command.n] = value ~= NO_VALUE and value or nil
  end
  return command
end

-- Commands of agents, with values of all types. Lists of the arguments.
function damage.wrong_commands(run)
  local draw, list = run.draw, {}
  for _, name in ipairs(ABOUT_ENTITIES) do
    for _ = 1, 4 do
      list[#list + 1] = command_of(draw, name)
      list[#list + 1] = command_of(draw, name, damage.IDS[draw:integer(1, #damage.IDS)])
    end
    -- About an entity that is in; no value is right.
    name = name ~= "leave" and name or "move"
    list[#list + 1] = table.pack(name, draw:integer(1, 160), { "x" }, {}, {})
  end
  for _, name in ipairs(OTHERS) do
    for _ = 1, 4 do
      local command = command_of(draw, name)
      if name ~= "add_node" or type(command[2]) ~= "string" then -- it would wait for the node
        list[#list + 1] = command
      end
    end
  end
  list[#list + 1] = table.pack(false, 1)
  list[#list + 1] = table.pack({}, 1)
  list[#list + 1] = table.pack(nil, 1)
  return list
end

local function piece(message)
  return ("<s1 I4 I2 I2"):pack("0123456789abcdef", 1, 1, 1) .. skynet.packstring(message)
end

-- Commands that worlds and regions use among themselves. Lists of the arguments.
function damage.commands_of_worlds(run)
  local draw, list = run.draw, {}
  for _, name in ipairs { "depart", "hand_out", "hand_in", "write", "recover", "own", "begin", "take",
    "apply", "command", "lost", "load", "save", "store", "start", "stop", "ghosts", "call_region", "ask",
    "fellow", "of_coordinator", "world" } do
    for _ = 1, 4 do
      list[#list + 1] = command_of(draw, name)
      list[#list + 1] = command_of(draw, name, damage.IDS[draw:integer(1, #damage.IDS)])
    end
  end
  for _, message in ipairs { 7, {}, { kind = "x" }, { kind = "status", expelled = true },
    { kind = "status", refused = "name" }, { kind = "status", from = "a", lease = true, request = 1 },
    { kind = "item", from = "a", from_key = "x", number = 1 }, { kind = "need", from = "a" },
    { kind = "flush", from = "a", number = math.maxinteger }, { kind = "ask", from = "a", from_key = "x" },
    { kind = "ask" } } do
    for _ in ipairs(run.control.nodes) do
      list[#list + 1] = table.pack("world", piece(message))
    end
  end
  return list
end

return damage
