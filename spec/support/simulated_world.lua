-- A world on simulated processes (simulation.lua), with wanderers on all nodes, that a test may stop, kill
-- and cut off; and what is wrong with it when all stand still (spec/world/rightness.lua).
local simulation = require "spec.support.simulation"

local World = {}
World.__index = World

local simulated_world = {}

-- The words of the world; those in `options` take the place of ours, or are new.
local function words_of(nodes, options)
  local words = {
    nodes = table.concat(nodes, ","), columns = 2, rows = 1, max_radius = 100, margin = 10, tick = 50,
    silence = 800, name = "simulated", engine = "grid", shape = "circle", width = 600, height = 300,
    radius = 50, orphan = 3200,
  }
  if options.is_rich then
    words.extras, words.handlers = 1, "spec.world.secrets"
  end
  for name, value in pairs(options.words or {}) do
    words[name] = value
  end
  local list = {}
  for name, value in pairs(words) do
    list[#list + 1] = name .. "=" .. tostring(value)
  end
  table.sort(list)
  return list, words
end

--[[ options:
  seed         of all that is drawn
  nodes        list of names; the last one has no regions and is the driver's
  regions      how many nodes may have regions, the first ones; nil: all but the last
  words        name -> value: of the world
  is_own_log   the name of a node is put behind the word log
  wanderers    how many
  is_rich      whether they have all that a world knows, of spec/world/traits.lua
  steps_in     one leaves for good after so many steps on average, see spec/world/wanderers.lua; nil: none
  piece        bytes of what a piece of a message between nodes may have; nil: as usual
  wrong        name of a node -> by how many seconds its clock is wrong ]]
function simulated_world.new(options)
  local self = setmetatable({
    nodes = options.nodes, options = options, worlds = {}, wanderers = {}, members = {},
  }, World)
  self.words, self.values = words_of(self.nodes, options)
  self.all = simulation.new(options.seed, function(name, module, service)
    if name == "aoi.skynet.world.member" then
      local new = module.new
      function module.new(...)
        self.members[service.process.name] = new(...)
        return self.members[service.process.name]
      end
    elseif name == "aoi.skynet.world.post" and options.piece then
      local new = module.new
      function module.new(key, send)
        return new(key, send, options.piece)
      end
    end
  end)
  self.all.wrong = options.wrong or {}
  for node = 1, #self.nodes do
    self:start_node(node)
  end
  self:start_driver()
  return self
end

-- ...: words that take the place of the world's of the same names.
function World:start_node(node, ...)
  local name, is_other = self.nodes[node], {}
  local process = self.all:start_process(name)
  local words = {
    "node=" .. name, "regions=" .. tostring(node <= (self.options.regions or #self.nodes - 1)), ...,
  }
  for _, word in ipairs { ... } do
    is_other[word:match "^[^=]*"] = true
  end
  for _, word in ipairs(self.words) do
    words[#words + 1] = not is_other[word:match "^[^=]*"] and word or nil
  end
  for i, word in ipairs(words) do
    words[i] = self.options.is_own_log and word:find "^log=" and word .. name or word
  end
  self.worlds[node] = process:start_service(simulation.path_of "world", table.unpack(words))
  self.wanderers[node] = process:start_service(simulation.path_of "wanderers")
end

-- Half of the wanderers are at the last node, whose process is left alone; the others everywhere.
function World:ids_of(node)
  local ids = {}
  for id = 1, self.options.wanderers do
    local of = id % 2 == 0 and #self.nodes or 1 + id // 2 % (#self.nodes - 1)
    ids[#ids + 1] = of == node and id or nil
  end
  return ids
end

function World:start_driver()
  local process = self.all:start_process "driver"
  local driver
  driver = process:start_service(function(load)
    self.load, self.skynet, self.rightness = load, load "skynet", load "spec.world.rightness"
  end)
  self.driver = driver
  self.control = { nodes = self.nodes }
  function self.control.tell(node, command, ...)
    if command == "wanderers" then
      return simulation.call(driver, self.wanderers[node], ...)
    end
    return simulation.call(driver, self.worlds[node], ...)
  end
end

-- Runs f in a coroutine of the driver, for at most so many milliseconds. Returns what f returns; or nil and a
-- message.
function World:drive(milliseconds, f, ...)
  local result
  local arguments = table.pack(...)
  self.skynet.fork(function()
    result = table.pack(pcall(f, table.unpack(arguments, 1, arguments.n)))
  end)
  self.skynet.timeout(0, function() end)
  if not self.all:run_until(milliseconds, function() return result end) then
    return nil, "nobody answers"
  elseif not result[1] then
    return nil, tostring(result[2])
  end
  return table.unpack(result, 2, result.n)
end

-- Asks a service for what it answers.
function World:ask(to, ...)
  return self:drive(3000, simulation.call, self.driver, to, ...)
end

-- Asks without waiting. The answer's two values are in the table that this returns, when they are here.
function World:send_off(to, ...)
  local arguments, answers = table.pack(...), {}
  self.skynet.fork(function()
    answers[1], answers[2] = simulation.call(self.driver, to, table.unpack(arguments, 1, arguments.n))
  end)
  self.skynet.timeout(0, function() end)
  return answers
end

-- From now on a region that begins takes so many hundredths of a second to read its store.
function World:read_slowly(hundredths)
  local loaded = self.all.loaded
  function self.all.loaded(name, module, service)
    loaded(name, module, service)
    if name == "aoi.skynet.region.store" then
      local new = module.new
      function module.new(...)
        local store = new(...)
        local recover = store.recover
        function store.recover(...)
          service.skynet.sleep(hundredths)
          return recover(...)
        end
        return store
      end
    end
  end
end

-- Starts one of the services of our specs, or of the library, on a node.
function World:start_service(node, name, ...)
  return self.all.processes[self.nodes[node]]:start_service(simulation.path_of(name), ...)
end

-- Starts an agent of the world on a node.
function World:start_agent(node)
  return self:start_service(node, "agent", self.worlds[node].handle)
end

function World:start_wanderers(node)
  return self:drive(1000, function()
    self.control.tell(node, "wanderers", "start", self.worlds[node].handle, self:ids_of(node),
      self.values.width, 5, self.options.seed * 100 + node, self.values.height, false, self.options.is_rich,
      self.options.steps_in)
    return true
  end)
end

-- Waits until all nodes are members.
function World:wait_for_members()
  local is_there = self.all:run_until(20000, function()
    for _, name in ipairs(self.nodes) do
      local member = self.members[name]
      if not member or #member.names < #self.nodes then
        return false
      end
    end
    return true
  end)
  assert(is_there, "not all nodes are members" .. (self.all.failed[1] and ": " .. self.all.failed[1] or ""))
  self:run(100)
end

-- Starts the wanderers of all nodes, and lets them go for so long.
function World:begin(milliseconds)
  self:wait_for_members()
  for node = 1, #self.nodes do
    assert(self:start_wanderers(node))
  end
  self:run(milliseconds)
  return self
end

-- ---- failures ---------------------------------------------------------------------------------

function World:run(milliseconds)
  self.all:run(milliseconds)
end

function World:stop(node)
  self.all.processes[self.nodes[node]]:stop()
end

function World:continue(node)
  self.all.processes[self.nodes[node]]:continue()
end

function World:kill(node)
  self.all.processes[self.nodes[node]]:kill()
end

-- A node that was killed is there again.
function World:restart(node)
  self:start_node(node)
  return self:start_wanderers(node)
end

-- ---- is all right? ----------------------------------------------------------------------------

-- A text about what differs in the directories of two members; nil: nothing.
local function difference(self)
  local names = self.nodes
  local first = self.members[names[1]].directory
  for i = 2, #names do
    local other = self.members[names[i]].directory
    for id = 1, self.options.wanderers do
      local a, b = first[id] or {}, other[id] or {}
      if a.stay ~= b.stay or a.region ~= b.region then
        return ("entity %d has stay %s, region %s at %s, but %s, %s at %s"):format(id, a.stay, a.region,
          names[1], b.stay, b.region, names[i])
      end
    end
  end
end

-- A fault in the messages told, or a message not of ours; nil: none.
local function what_was_told(self)
  for node = 1, #self.nodes do
    local news, message = self:drive(1000, self.control.tell, node, "wanderers", "news")
    if not news then
      return message
    elseif news.complaints[1] then
      return ("node %s: %s"):format(self.nodes[node], news.complaints[1])
    elseif news.counts.strangers > 0 then
      return ("node %s: messages of strangers"):format(self.nodes[node])
    end
    self.counts = self.counts or {}
    for name, count in pairs(news.counts) do
      self.counts[name] = (self.counts[name] or 0) + count
    end
  end
end

-- How many lines of the log of all nodes have this text in them.
function World:count_of_logged(text)
  local n = 0
  for _, line in ipairs(self.all.logged) do
    n = n + (line[3]:find(text, 1, true) and 1 or 0)
  end
  return n
end

-- A complaint of the handlers of rich wanderers; nil: there is none.
local function what_handlers_say(self)
  for _, line in ipairs(self.all.logged) do
    if line[3]:find("^secrets:") then
      return line[3]
    end
  end
end

-- Has all stand still and looks at the world. Returns nil when all is right, else what is not. disturb: nil,
-- or called when all stand still; it returns a list of the nodes that it has started anew, or nil.
-- self.disturbed is then how many stays of others were over, and have begun anew.
function World:what_is_wrong(disturb)
  local places, message = self:drive(16000, self.rightness.places, self.control)
  if not places then
    return "no rest: " .. message
  end
  if disturb then
    local anew = disturb()
    self.disturbed, message = self:drive(16000, self.rightness.rest_again, self.control, anew, places)
    if not self.disturbed then
      return "no rest again: " .. message
    end
  end
  local seen, wrong
  for _ = 1, 20 do
    seen, wrong = self:drive(3000, self.rightness.look, self.control, places)
    wrong = not seen and wrong or difference(self)
    if not wrong then
      break
    end
    self:run(300)
  end
  wrong = wrong or what_was_told(self) or what_handlers_say(self)
  if wrong then
    return wrong
  elseif self.all.failed[1] then
    return "an error: " .. self.all.failed[1]
  end
  for node = 1, #self.nodes do
    self:drive(1000, self.control.tell, node, "wanderers", "walk")
  end
end

return simulated_world
