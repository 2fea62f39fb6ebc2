-- Tools that the tests of the scene service share: scenes, agents, expectations, waiting.
local skynet = require "skynet"

local harness = {}

-- A clock that never ticks by itself: the test ticks through the command.
harness.BY_HAND = "tick=3600000"

function harness.scene(...)
  return skynet.newservice("scene", ...)
end

-- A small scene that ticks by hand.
function harness.small_scene(...)
  return harness.scene("engine=crosslist", "radius=10", harness.BY_HAND, ...)
end

-- A small scene, and an agent with events that is entity 1 in it.
function harness.watched(...)
  local scene, agent = harness.small_scene(...), harness.agent()
  harness.tell(agent, "listen", "events")
  harness.tell(agent, "view", "join", scene, 1, 0, 0)
  return scene, agent
end

function harness.agent()
  return skynet.newservice "agent"
end

function harness.tell(agent, ...)
  return skynet.call(agent, "lua", ...)
end

-- A command that must be taken.
function harness.command(scene, ...)
  local answer = table.pack(skynet.call(scene, "lua", ...))
  if answer[1] == nil and answer[2] ~= nil then
    error(("%s: %s"):format((...), answer[2]), 2)
  end
  return table.unpack(answer, 1, answer.n)
end

-- A command that must be refused, with a message that has the words in it.
function harness.refused(words, scene, ...)
  local ok, message = skynet.call(scene, "lua", ...)
  if ok ~= nil or type(message) ~= "string" or not message:find(words, 1, true) then
    error(("expected a refusal with %q, got %s, %s"):format(words, tostring(ok), tostring(message)), 2)
  end
end

-- A string of a value, the same for equal values.
local function show(value)
  if type(value) ~= "table" then
    return type(value) == "number" and ("%.17g"):format(value) or tostring(value)
  end
  local keys = {}
  for key in pairs(value) do
    keys[#keys + 1] = key
  end
  table.sort(keys, function(a, b)
    return tostring(a) < tostring(b)
  end)
  for i, key in ipairs(keys) do
    keys[i] = (math.type(key) and "" or key .. "=") .. show(value[key])
  end
  return "{" .. table.concat(keys, ", ") .. "}"
end
harness.show = show

function harness.equal(expected, value, what)
  expected, value = show(expected), show(value)
  if expected ~= value then
    error(("%s: expected %s, got %s"):format(what or "value", expected, value), 2)
  end
end

function harness.is_true(condition, what)
  if not condition then
    error(what or "it is not so", 2)
  end
end

-- Waits until the function gives a true value; no longer than the seconds given.
function harness.wait_until(seconds, what, check)
  for _ = 1, seconds * 50 do
    if check() then
      return
    end
    skynet.sleep(2)
  end
  error("waited in vain: " .. what, 2)
end

function harness.stats(scene)
  return skynet.call(scene, "lua", "stats")
end

-- Waits until a value is what it must be, and says what it is when it does not become so.
function harness.becomes(expected, what, ask)
  local value
  expected = show(expected)
  for _ = 1, 500 do
    value = show(ask())
    if value == expected then
      return
    end
    skynet.sleep(2)
  end
  error(("%s: expected %s, got %s"):format(what, expected, value), 2)
end

-- Waits for ticks of the scene's clock: the second one has told all that was sent to the scene before. Agents
-- have the messages of these ticks before they are asked anything.
function harness.await_ticks(scene, count)
  local goal = harness.stats(scene).ticks + count
  harness.wait_until(20, ("%d ticks"):format(count), function()
    return harness.stats(scene).ticks >= goal
  end)
end

function harness.stop(...)
  for _, service in ipairs { ... } do
    skynet.send(service, "debug", "EXIT")
  end
end

-- Stops a service and waits until it is gone.
function harness.stop_at_once(service)
  harness.stop(service)
  harness.wait_until(5, "it has ended", function()
    return not skynet.send(service, "debug", "PING")
  end)
end

function harness.kill(service)
  skynet.call(".launcher", "lua", "KILL", service)
end

-- Writes a module of handlers that scenes find as "handlers_of_test".
function harness.write_handlers(text)
  local file = assert(io.open(os.getenv "AOI_BUILD" .. "/handlers_of_test.lua", "w"))
  file:write(text)
  file:close()
end

-- Waits a moment for what is being logged, and raises when this service has logged a line with the text.
function harness.has_not_logged(service, text)
  skynet.sleep(10)
  local own = ("[:%08x]"):format(service)
  for line in io.lines(os.getenv "AOI_LOG") do
    if line:find(own, 1, true) and line:find(text, 1, true) then
      error(line, 2)
    end
  end
end

-- Whether some service has logged this text. What is being logged may take a moment.
function harness.log_has(text)
  for _ = 1, 100 do
    local file = assert(io.open(os.getenv "AOI_LOG"))
    local log = file:read "a"
    file:close()
    if log:find(text, 1, true) then
      return true
    end
    skynet.sleep(1)
  end
  return false
end

return harness
