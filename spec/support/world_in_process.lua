-- A world of several nodes and regions in one process, in the most obvious way: what the services world would
-- do with each other is a loop over the regions, one tick after the other. Areas are as world/areas.lua has
-- them, on each node.
local World = {}
World.__index = World

local function stamp_of(tick, node, place)
  return tick << 28 | node << 20 | place
end

local START = 7 -- of all processes

-- The address of an agent.
function World.address(node, handle)
  return node << 48 | START << 32 | handle
end

-- machine: of services.lua. map: of world/map.lua, from the same words; words: those of the world but `node`.
-- delivered(address, text) hears what goes to other nodes than the region's. dims: of the space, or 2.
function World.new(machine, map, words, deliver, dims)
  local self = setmetatable({
    dims = dims or 2, machine = machine, map = map, regions = {}, tick = 0, deliver = deliver,
    commands = {},  -- list of { stamp, source, session, text, name, id, x, y }, not applied yet
    places = {},    -- node -> place of the next command
    owner = {},     -- entity -> region, as all nodes know it
    refused = 0, hand_overs = 0, bytes = 0,
    asked = {},     -- node -> list of commands about areas, not sent yet
    answers = {},   -- stamp -> answer, of this tick
    areas = {},     -- node -> its areas
    services = {},  -- node -> region of it -> handle
  }, World)
  self.words = words
  for number = 1, map.count do
    self.regions[number] = self:start(number)
  end
  for node = 1, #map.nodes do
    self.areas[node] = self:new_areas(node)
  end
  return self
end

-- Starts the service of a region on the node that owns it. Further words are its own.
function World:start(number, ...)
  local own = table.move(self.words, 1, #self.words, 1, {})
  own[#own + 1] = "node=" .. self.map.nodes[self.map:node_of(number)]
  own[#own + 1] = "region=" .. number
  own[#own + 1] = "world=9"
  own[#own + 1] = "start=" .. START
  table.move({ ... }, 1, select("#", ...), #own + 1, own)
  return self.machine.start("lua/aoi/skynet/region.lua", 100 + number, own)
end

-- Another service, of that node, takes the place of a region's between two ticks.
function World:replace(number, node)
  local text, own = self.regions[number](1, "save")
  assert(text, own)
  self.services[self.map:node_of(number)][number] = nil
  self.services[node][number] = 100 + number
  self.map.owners[number] = node
  local new = self:start(number, "waits=1")
  assert(new(1, "load", text, own))
  self.regions[number] = new
end

-- The interface of a node's world for world/areas.lua.
function World:new_areas(node)
  local regions = {}
  for _, region in ipairs(self.map:regions_of(node)) do
    regions[region] = 100 + region
  end
  local function last_tick()
    return self.tick - 1 -- of which nobody has heard more
  end
  local map = setmetatable({ node = node }, { __index = self.map })
  local world = {
    map = map, dims = self.dims, directory = { owner = self.owner }, regions = regions, start = START,
    barrier = { state = {} },
  }
  local commands = { applied = last_tick, heard_of = last_tick }
  function commands.answer(stamp, text)
    self.answers[stamp] = text
  end
  self.asked[node], self.services[node] = {}, regions
  return require "aoi.skynet.world.areas"(world, { commands = commands })
end

-- An agent of this node sends a command; session: not 0 when it wants an answer. Returns the stamp.
function World:send(node, source, session, name, id, ...)
  local place = (self.places[node] or -1) + 1
  self.places[node] = place
  local stamp = stamp_of(self.tick + 1, node, place)
  if self.areas[node].has(name) then
    table.insert(self.asked[node], { stamp, source, session, self.machine.skynet.packstring(name, id, ...) })
    return stamp
  end
  table.insert(self.commands, {
    stamp = stamp, node = node, source = source, session = session, id = id, x = (...), y = select(2, ...),
    text = self.machine.skynet.packstring(name, id, ...),
    move = name == "move" and ("<i8i8i8" .. ("d"):rep(select("#", ...))):pack(stamp, source, id, ...),
  })
  return stamp
end

-- Puts a command behind others; moves that were sent and follow each other are one row.
local function put(list, command)
  local n = #list
  local is_run = command.move and command.session == 0
  if is_run and list[n - 1] == -1 then
    list[n] = list[n] .. command.move
  elseif is_run then
    list[n + 1], list[n + 2], list[n + 3], list[n + 4] = command.stamp, 0, -1, command.move
  else
    list[n + 1], list[n + 2], list[n + 3], list[n + 4] =
      command.stamp, command.source, command.session, command.text
  end
end

-- Commands due in this tick, by region; they reach the regions of their own node a tick earlier than others.
function World:due()
  local rows, later = {}, {}
  local sent = {} -- node and entity without an owner -> region of its first command
  table.sort(self.commands, function(a, b) return a.stamp < b.stamp end)
  for _, command in ipairs(self.commands) do
    local key = command.node .. " " .. command.id
    local region = self.owner[command.id] or sent[key] or self.map:region_at(command.x, command.y)
    sent[key] = region
    local is_late = self.map:node_of(region) ~= command.node and command.stamp >> 28 == self.tick
    if is_late then
      later[#later + 1] = command
    else
      rows[region] = rows[region] or {}
      put(rows[region], command)
    end
  end
  self.commands = later
  return rows
end

-- Which of the enters of this tick do not count: a flat list of id, region; and one of those to whose region
-- the entity is handed over by the one that counts.
function World:judge(news)
  local first, refused = {}, {}
  local function lose(id, region)
    refused[#refused + 1], refused[#refused + 2] = id, region
    self.refused = self.refused + 1
  end
  for region, of_region in ipairs(news) do
    for i = 1, #of_region.entered, 2 do
      local id, stamp = of_region.entered[i], of_region.entered[i + 1]
      local other = first[id]
      if other and other.stamp < stamp then
        lose(id, region)
      else
        if other then
          lose(id, other.region)
        end
        first[id] = { stamp = stamp, region = region }
      end
    end
  end
  local handed_to = {}
  for region, of_region in ipairs(news) do
    for i = 1, #of_region.handed, 3 do
      local id = of_region.handed[i]
      if first[id] and first[id].region == region then
        handed_to[id] = of_region.handed[i + 1]
      end
    end
  end
  for id, winner in pairs(first) do
    self.owner[id] = winner.region
  end
  local rest, overruled = {}, {}
  for i = 1, #refused, 2 do
    local list = handed_to[refused[i]] ~= refused[i + 1] and rest or overruled
    table.move(refused, i, i + 1, #list + 1, list)
  end
  return rest, overruled
end

-- Tells all nodes of areas, at the end of a tick.
function World:tell_areas(news)
  local told = {}
  for region, of_region in ipairs(news) do
    told[region] = { region = region, tick = self.tick, areas = of_region.areas }
  end
  for node, areas in ipairs(self.areas) do
    local own = {}
    for _, region in ipairs(self.map:regions_of(node)) do
      own[#own + 1] = told[region]
    end
    areas.add_news(self.tick, own, self.asked[node])
    told[#told + 1] = own[#own] and own[#own].region == 0 and own[#own] or nil
    self.asked[node] = {}
  end
  for _, areas in ipairs(self.areas) do
    areas.hear(self.tick, table.move(told, 1, #told, 1, {}))
  end
end

-- Gives areas to regions to begin with: region -> list, and the set of regions for which that is all.
function World:begin_areas(rows)
  local lists, are_whole = {}, {}
  for _, areas in ipairs(self.areas) do
    local of_node, whole = areas.begin(self.tick, rows)
    for region, list in pairs(of_node) do
      lists[region], are_whole[region] = list, whole[region]
    end
  end
  return lists, are_whole
end

-- One tick of all regions. Returns answers, by stamp, and the lines of the log.
function World:run_tick()
  self.tick, self.places, self.answers = self.tick + 1, {}, {}
  local rows, news, incoming = self:due(), {}, {}
  local areas, are_whole = self:begin_areas(rows)
  for region in ipairs(self.regions) do
    incoming[region] = {}
  end
  for region, call in ipairs(self.regions) do
    local result = call(1, "begin", self.tick, rows[region] or {}, nil, nil, areas[region], are_whole[region])
    news[region] = result.news
    for to, text in pairs(result.out) do
      table.move({ region, text }, 1, 2, #incoming[to] + 1, incoming[to])
      self.bytes = self.bytes + #text
    end
  end
  local refused, overruled = self:judge(news)
  local is_refused = {}
  for i = 1, #refused, 2 do
    is_refused[refused[i] .. " " .. refused[i + 1]] = true
  end
  self:tell_areas(news)
  local answers, log = self.answers, {}
  for region, call in ipairs(self.regions) do
    local result = call(1, "finish", self.tick, incoming[region], refused[1] and refused,
      overruled[1] and overruled)
    for _, text in pairs(result.packets) do
      local at = 1
      while at <= #text do
        local address, message
        address, message, at = ("<i8s4"):unpack(text, at)
        self.deliver(address, message)
      end
    end
    for stamp, packed in pairs(result.answers) do
      answers[stamp] = packed
    end
    table.move(result.log, 1, #result.log, #log + 1, log)
  end
  for region, of_region in ipairs(news) do
    for i = 1, #of_region.handed, 3 do
      local id, to = of_region.handed[i], of_region.handed[i + 1]
      if not is_refused[id .. " " .. region] then
        self.owner[id] = to
        self.hand_overs = self.hand_overs + 1
      end
    end
    for i = 1, #of_region.left, 2 do
      self.owner[of_region.left[i]] = nil
    end
  end
  for _, of_node in ipairs(self.areas) do
    of_node.answer()
    local lines = of_node.take_log()
    table.move(lines, 1, #lines, #log + 1, log)
  end
  return answers, log
end

return World
