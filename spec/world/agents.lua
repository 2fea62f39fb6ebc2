-- Agents with aoi.skynet.client in a world of four nodes: all that they may ask for, whatever region has
-- their entity; what is refused; agents that die, and addresses that are none.
local skynet = require "skynet"
local worlds = require "spec.world.worlds"
local aoi = require "aoi"
local look_at_viewers = require "spec.world.viewers"

local SIDE, RADIUS, LAPS = 1200, 100, 3
local PATIENCE = 5 -- seconds for anything to come about

-- One lamp in each region, near the corner that all of them have.
local LAMPS = { [11] = { 550, 550 }, [12] = { 660, 550 }, [13] = { 660, 650 }, [14] = { 550, 650 } }

local function words_of(control, node)
  return {
    "node=" .. control.nodes[node], "nodes=" .. table.concat(control.nodes, ","), "columns=2", "rows=2",
    "max_radius=" .. RADIUS, "margin=10", "tick=50", "name=agents", "regions=" .. tostring(node <= 4),
    "engine=grid", "radius=" .. RADIUS, "width=" .. SIDE, "height=" .. SIDE, "probe=500",
  }
end

-- A value as text, tables by their sorted keys.
local function show(value)
  if type(value) ~= "table" then
    return type(value) == "string" and ("%q"):format(value) or tostring(math.tointeger(value) or value)
  end
  local keys, texts = {}, {}
  for key in pairs(value) do
    keys[#keys + 1] = key
  end
  table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
  for i, key in ipairs(keys) do
    texts[i] = show(key) .. "=" .. show(value[key])
  end
  return "{" .. table.concat(texts, " ") .. "}"
end

local checks = 0

local function expect(good, text, ...)
  checks = checks + 1
  if not good then
    error(text:format(...), 2)
  end
end

local function expect_same(got, expected, what)
  expect(show(got) == show(expected), "%s is %s, expected %s", what, show(got), show(expected))
end

-- Waits until read() gives what is expected.
local function wait_for(expected, what, read)
  local text, got = show(expected), nil
  for _ = 1, PATIENCE * 50 do
    got = show(read())
    if got == text then
      checks = checks + 1
      return
    end
    skynet.sleep(2)
  end
  error(("%s is %s after %d seconds, expected %s"):format(what, got, PATIENCE, text), 2)
end

-- A table of functions that speak with a new agent on a node.
-- scene: with whom it speaks; nil: the world.
local function new_agent(control, node, scene)
  local agent = { node = node, address = control.tell(node, "start_service", "agent", scene) }
  local function ask(...)
    return control.tell(node, "service", agent.address, ...)
  end
  -- A function of the client; raises what it raises.
  function agent.view(...)
    local answer = table.pack(ask("view", ...))
    if not answer[1] then
      error(answer[2], 2)
    end
    return table.unpack(answer, 2, answer.n)
  end
  function agent.fails(text, ...)
    local ok, message = ask("view", ...)
    local is_so = not ok and tostring(message):find(text, 1, true)
    expect(is_so, "%s: %s, expected %s", (...), show(message), text)
  end
  function agent.call(...)
    return ask("call", ...)
  end
  function agent.send(...)
    return ask("send", ...)
  end
  function agent.streams(id)
    return ask("streams", id)
  end
  -- Waits until this is among what the agent was told since the last time.
  local told = {}
  function agent.hears(expected)
    wait_for(true, ("%s, %s"):format(show(expected), "told"), function()
      for _, event in ipairs(ask "heard") do
        told[#told + 1] = event
      end
      for i, event in ipairs(told) do
        if show(event) == show(expected) then
          told = table.move(told, i + 1, #told, 1, {})
          return true
        end
      end
      return told
    end)
  end
  -- Waits until it was told of a refusal with this text in it.
  function agent.is_refused(command, text)
    wait_for(true, ("a refusal of %s with %q"):format(command, text), function()
      for _, event in ipairs(ask "heard") do
        told[#told + 1] = event
      end
      for i, event in ipairs(told) do
        if event[1] == "refused" and event[2] == command and event[3]:find(text, 1, true) then
          told = table.move(told, i + 1, #told, 1, {})
          return true
        end
      end
      return told
    end)
  end
  return agent
end

-- ---- the parts ----------------------------------------------------------------------------------

-- Two agents on other nodes than the regions of their entities, which see each other over a border.
local function talk(a, b, world)
  a.view("join", 1, 590, 590, { data = "blue" })
  b.view("join", 2, 610, 590)
  a.hears { "entered", 2, 610, 590, nil, {} }
  b.hears { "entered", 1, 590, 590, "blue", {} }
  expect_same({ a.view "scene" }, { world, 1 }, "where")
  a.fails("already in a scene", "join", 1, 2, 3)
  a.view("move", 591, 590)
  b.hears { "moved", 1, 591, 590 }
  a.view("update", 592, 590, { data = "red" })
  b.hears { "changed", 1, "red", {} }
  a.view("set_property", 3, "torch")
  b.hears { "changed", 1, nil, { [3] = "torch" } }
  a.view("set_property", 3, nil)
  b.hears { "changed", 1, nil, { [3] = false } }
  a.view("say", "hello", 5)
  b.hears { "said", 1, "hello", 5 }
  a.view("say", "again")
  b.hears { "said", 1, "again" }
  expect_same(b.view("known")[1], { 592, 590, data = "red", properties = {} }, "what is known of 1")
  local ids, n = b.view("query", "circle", 600, 590, 15)
  table.sort(ids)
  expect_same({ ids, n }, { { 1, 2 }, 2 }, "a query over a border")
  b.fails("shape is star", "query", "star", 1, 2)
  -- All is told again, and nothing of it is new.
  local before = a.streams(1)[1]
  a.view "resync"
  wait_for(true, "an answer to resync", function()
    local after = a.streams(1)[1]
    return after[4] > before[4] and after[1] == before[1] or after
  end)
  expect_same(a.view "known", { [2] = { 610, 590 } }, "what is known after a resync")
end

local function refuse(a)
  expect_same({ a.call("enter", 1, 5, 5) }, { [2] = "enter: id 1 is already in the space" },
    "an enter of an entity that is there")
  local ok, message = a.call("move", 999, 1, 2)
  expect(ok == nil and message:find("id 999 is not in the space", 1, true), "a move of nobody: %s", message)
  a.fails("max_radius", "update", 592, 590, { radius = RADIUS + 1 })
  ok, message = a.call("fly", 1)
  expect(ok == nil and message:find "fly", "a command that is none: %s", message)
  a.send("move", 999, 1, 2)
  a.is_refused("move", "id 999 is not in the space")
  a.send("move", 1, "x", 2)
  a.is_refused("move", "x is the string")
  a.send("leave", 999)
  a.is_refused("leave", "id 999 is not in the space")
  a.send("set_property", 1, 256, 1)
  a.is_refused("set_property", "256")
  a.send("enter", 1, 700, 700)
  a.is_refused("enter", "id 1 is already")
  a.send("fly", 1)
  a.is_refused("fly", "fly")
end

-- A watcher goes around the corner of all regions, with steps and leaps, and hears in one stream what one
-- space would tell it.
local function go_around(control, a)
  local space = aoi.new { engine = "grid", width = SIDE, height = SIDE, radius = RADIUS, deferred = true }
  local owners = { 1, 2, 4, 3 } -- of the lamps
  for id, place in pairs(LAMPS) do
    space:enter(id, place[1], place[2])
    control.tell(owners[id - 10], "world", "enter", id, place[1], place[2], { address = false })
  end
  space:enter(1, 592, 590)
  space:enter(2, 610, 590)
  local function hand_overs()
    return control.tell(1, "world", "stats", "world").hand_overs
  end
  local before = hand_overs()
  for lap = 1, LAPS do
    local far = 20 + 30 * lap
    for _, place in ipairs { { 600 - far, 600 - far }, { 600 + far, 600 - far }, { 600 + far, 600 + far },
      { 600 - far, 600 + far } } do
      a.view("update", place[1], place[2])
      space:move(1, place[1], place[2])
      space:tick()
      local seen = {}
      for _, id in ipairs(space:markers_of(1)) do
        seen[id] = { space:position(id) }
      end
      wait_for(seen, ("what is known at %d, %d"):format(place[1], place[2]), function()
        return a.view "known"
      end)
    end
  end
  local n = hand_overs() - before
  expect(n == 4 * LAPS - 1, "%d hand-overs, expected %d", n, 4 * LAPS - 1) -- it begins where it stands
  local streams = a.streams(1)
  expect(#streams == 1, "%d streams of one stay: %s", #streams, show(streams))
  expect(streams[1][3] - streams[1][2] + 1 == streams[1][4], "blocks are missing, or doubled: %s",
    show(streams))
end

-- Leaves and joins in another region, twice, the second time without waiting.
local function come_again(a, b)
  a.view("update", 592, 590)
  b.hears { "entered", 1, 592, 590, "red", {} }
  a.view "leave"
  b.hears { "left", 1 }
  expect_same({ a.view "scene" }, {}, "where, after a leave")
  a.fails("not in a scene", "move", 1, 2)
  a.view("join", 1, 610, 610, { data = "green" })
  b.hears { "entered", 1, 610, 610, "green", {} }
  wait_for({ 610, 590 }, "what is known of 2 after a second join", function()
    return a.view("known")[2]
  end)
  a.view "leave"
  a.view("join", 1, 590, 610)
  wait_for({ 590, 610 }, "what is known of one who left and came in one tick", function()
    local known = b.view("known")[1] or {}
    return { known[1], known[2], known.data }
  end)
  a.view("move", 590, 600)
  b.hears { "moved", 1, 590, 600 }
  wait_for({ 610, 590 }, "what is known of 2 after a third join", function()
    return a.view("known")[2]
  end)
  expect(#a.streams(1) == 3, "three stays have the streams %s", show(a.streams(1)))
end

-- Agents that are killed, or end: their entities leave, whatever node has them.
local function die(control, b)
  for i, how in ipairs { "killed", "ended" } do
    local id = 20 + i
    local agent = new_agent(control, 3)
    agent.view("join", id, 605, 595) -- a region of node 2
    b.hears { "entered", id, 605, 595, nil, {} }
    if how == "killed" then
      control.tell(3, "kill_service", agent.address)
    else
      control.tell(3, "service", agent.address, "exit")
    end
    b.hears { "left", id }
    wait_for({ false }, ("the entity of an agent that was %s"):format(how), function()
      return { b.view("query", "has", id) }
    end)
  end
  local stats = control.tell(3, "world", "stats")
  expect(stats.dead_addresses == 2, "%d dead addresses, expected 2", stats.dead_addresses)
end

-- Views for other services than the one that speaks.
local function give_addresses(control, a)
  local listener = new_agent(control, a.node)
  control.tell(a.node, "name_service", listener.address, ".listener")
  for i, address in ipairs { ".listener", listener.address, (":%08x"):format(listener.address) } do
    local id, x = 30 + i, 580 + 10 * i -- on both sides of a border
    expect(a.call("enter", id, x, 300, { address = address }), "an address is refused: %s", address)
    a.call("enter", id + 10, x, 310, { address = false })
    wait_for({ x, 310 }, ("what %s hears of %d"):format(address, id + 10), function()
      return listener.view("known", id)[id + 10]
    end)
  end
  -- To another one, by an update.
  local other = new_agent(control, a.node)
  a.call("update", 31, 590, 301, { address = other.address })
  wait_for({ 590, 310 }, "what another address hears", function()
    return other.view("known", 31)[41]
  end)
  a.call("move", 41, 590, 311)
  wait_for({ 590, 311 }, "what another address hears of a move", function()
    return other.view("known", 31)[41]
  end)
  expect(listener.view("known", 31)[41] == nil, "an address that was taken away knows %s",
    show(listener.view("known", 31)[41]))
  local ok, message = a.call("enter", 50, 5, 5, { address = ".nobody" })
  expect(ok == nil and message:find("address is .nobody", 1, true), "an address that is none: %s", message)
  -- An agent that is deaf.
  local deaf = control.tell(a.node, "handle")
  a.call("enter", 51, 700, 300, { address = deaf })
  a.is_refused("enter", "takes no messages of the protocol aoi")
  wait_for({ false }, "an entity with a deaf address", function()
    return { a.view("query", "has", 51) }
  end)
end

-- From the world to a scene beside it and back, as through the door of a dungeon.
local function go_through_doors(control, node, world)
  local scene = control.tell(node, "start_scene_beside",
    { "engine=grid", "width=100", "height=100", "radius=20", "tick=50" })
  local here, goer = new_agent(control, node), new_agent(control, node)
  local there = new_agent(control, node, scene)
  here.view("join", 61, 596, 200)
  there.view("join", 62, 50, 50)
  goer.view("join", 60, 610, 200, { data = "traveller", radius = 90, layers = 3 })
  goer.view("set_property", 7, "key")
  wait_for({ 610, 200, data = "traveller", properties = { [7] = "key" } }, "what is known of the goer",
    function()
      return here.view("known")[60]
    end)
  local function refused(text, of, ...)
    local ok, message = of.call(...)
    local is_so = ok == nil and message:find(text, 1, true)
    expect(is_so, "%s: %s, expected %s", show { ... }, show(message), text)
  end
  refused("expected the address of another scene", here, "transfer", 61, world, 55, 50)
  refused("the scene is nowhere", here, "transfer", 61, "nowhere", 55, 50)
  refused("opts is 5", here, "transfer", 61, scene, 55, 50, nil, 5)
  refused("transfer: enter: ", here, "transfer", 61, scene, 1000, 50)
  refused("entity 69 is unknown", here, "transfer", 69, scene, 55, 50)
  expect_same({ goer.call("transfer", 60, scene, 55, 50) }, { true }, "a transfer to a scene")
  here.hears { "left", 60 }
  there.hears { "entered", 60, 55, 50, "traveller", { [7] = "key" } }
  wait_for({ scene, 60 }, "where one is that went to a scene", function()
    return { goer.view "scene" }
  end)
  wait_for({ [62] = { 50, 50 } }, "what it knows there", function()
    return goer.view "known"
  end)
  expect_same({ there.call("query", "radius", 60) }, { 90 }, "the radius of one who came")
  goer.view("move", 54, 50)
  there.hears { "moved", 60, 54, 50 }
  refused("entity 60 is unknown", here, "transfer", 60, scene, 55, 50)
  -- And back, into another region than it came from.
  refused("max_radius", there, "transfer", 60, world, 590, 190, { radius = RADIUS + 1 })
  expect_same({ there.call("transfer", 60, world, 590, 190, { data = "rich" }) }, { true },
    "a transfer to a world")
  here.hears { "entered", 60, 590, 190, "rich", { [7] = "key" } }
  there.hears { "left", 60 }
  wait_for({ { [61] = { 596, 200 } }, world, 60 }, "what one knows who came back, and where it is", function()
    return { goer.view "known", goer.view "scene" }
  end)
  goer.view("move", 591, 190)
  here.hears { "moved", 60, 591, 190 }
  -- An agent that came back is looked after as all are.
  control.tell(node, "kill_service", goer.address)
  here.hears { "left", 60 }
  -- One whose agent is on another node than the scene.
  local far = new_agent(control, node % #control.nodes + 1)
  far.view("join", 63, 600, 205)
  here.hears { "entered", 63, 600, 205, nil, {} }
  refused("is on another node", here, "transfer", 63, scene, 55, 50)
end

return function(control)
  local began = skynet.now()
  worlds.start(control, words_of)
  look_at_viewers(control, expect)
  local a, b = new_agent(control, #control.nodes), new_agent(control, 4)
  talk(a, b, (control.tell(a.node, "world_handle")))
  refuse(a)
  go_around(control, a)
  come_again(a, b)
  die(control, b)
  give_addresses(control, a)
  go_through_doors(control, a.node, (control.tell(a.node, "world_handle")))
  print(("%d things that agents do have come about, in %.1f s"):format(checks, (skynet.now() - began) / 100))
  for node = 1, #control.nodes do
    control.tell(node, "end_world")
  end
end
