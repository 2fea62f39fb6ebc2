-- Refusals of the client of the scene service, before it sends anything; the rest of it is tested on a real
-- skynet, by spec/skynet.
local blocks = require "aoi.skynet.blocks"
local view_writer = require "aoi.skynet.view_writer"
local fake_skynet = require "spec.support.fake_skynet"

local modules = { "aoi.skynet.client", "aoi.skynet.alive", "aoi.skynet.calls", "aoi.skynet.packet",
  "aoi.skynet.entering", "aoi.skynet.hearing", "aoi.skynet.calling_back", "aoi.skynet.ends",
  "aoi.skynet.players", "skynet" }

describe("view.on of the skynet client", function()
  local view, receive, skynet

  before_each(function()
    for _, name in ipairs(modules) do
      package.loaded[name] = nil
    end
    skynet = fake_skynet()
    package.loaded.skynet = skynet
    view = require "aoi.skynet.client"
    receive = skynet.protocol.dispatch
  end)

  after_each(function()
    for _, name in ipairs(modules) do
      package.loaded[name] = nil
    end
  end)

  local function refused(list, ...)
    local ok, message = pcall(function() view.on(list) end)
    assert.is_false(ok)
    for _, word in ipairs { "skynet_client_spec.lua:", "view.on: ", ... } do
      assert.is_truthy(message:find(word, 1, true), message)
    end
  end

  it("refuses what is no table", function()
    refused(nil, "nil", "expected a table")
    refused("entered", "a string", "expected a table")
    refused(print, "a function", "expected a table")
  end)

  it("refuses unknown names, and lists those that it knows", function()
    refused({ entred = print }, "entred",
      "entered, moved, changed, left, said, notified, me_moved, me_changed, refused, scene_is, lost, gone, "
        .. "view, said_to, packet")
    refused({ on_enter = print }, "on_enter", "entered")
    refused({ print }, "callback 1 is unknown")
  end)

  it("refuses what can't be called", function()
    refused({ entered = "print" }, "entered is a string", "expected a function")
    refused({ entered = print, left = true }, "left is a boolean")
  end)

  it("keeps the former callbacks when it refuses", function()
    local heard = {}
    view.on { said = function(id, text) heard[#heard + 1] = id .. text end }
    refused({ none = print }, "none")
    receive(0, 0, blocks.said(1, 1, 1, 7, "hello", true))
    assert.same({ "7hello" }, heard)
  end)

  it("is not needed to learn of a refusal, whose text names the command once", function()
    local packet = require "aoi.skynet.packet"
    skynet.packstring = function(...)
      return table.concat({ ... }, "\1")
    end
    skynet.unpack = function(text)
      return text:match "^(.-)\1(.-)\1(.*)$"
    end
    receive(0, 0, packet.refused("move", "move: id 7 is not in the space", 7))
    assert.same({ "a scene has refused a command: move: id 7 is not in the space" }, skynet.logged)
    local heard
    view.on { refused = function(...) heard = { ... } end }
    receive(0, 0, packet.refused("move", "move: id 7 is not in the space", 7))
    assert.same({ "move", "move: id 7 is not in the space", "7" }, heard)
  end)

  it("takes every callback, and none", function()
    view.on {}
    view.on { entered = print, moved = print, changed = print, left = print, said = print, notified = print,
      refused = print, me_moved = print, me_changed = print, scene_is = print, gone = print, view = print,
      said_to = print, packet = print }
  end)

  it("is described, with all functions, in the annotations and in the documents of both languages", function()
    local read = require("spec.support.files").read
    local annotations = read "lua/aoi/skynet/meta.lua"
    local documents = { read "docs/skynet.md", read "docs/zh/skynet.md" }
    local names = 0
    for name in pairs(view) do
      assert.is_truthy(annotations:find("function client." .. name .. "(", 1, true), name)
      for _, text in ipairs(documents) do
        assert.is_truthy(text:find("| `view." .. name .. "[({]"), name)
      end
      names = names + 1
    end
    assert.is_true(names > 10)
    local _, message = pcall(view.on, { none = print })
    for name in message:match("expected (.*)"):gmatch "[%w_]+" do
      assert.is_truthy(annotations:find("---@field " .. name .. "? fun(", 1, true), name)
      for _, text in ipairs(documents) do
        assert.is_truthy(text:find("| `" .. name .. "(", 1, true), name)
      end
    end
  end)

  it("has a brother for many players, described with all functions and callbacks, too", function()
    local read = require("spec.support.files").read
    local annotations = read "lua/aoi/skynet/meta.lua"
    local class = annotations:match "%-%-%-@class aoi.skynet.players.callbacks(.-)\n\n"
    local documents = { read("docs/skynet.md"):match "\n### Many players in one service\n(.-)\n### ",
      read("docs/zh/skynet.md"):match "\n### 一个服务里有许多玩家\n(.-)\n### " }
    local players = require "aoi.skynet.players"
    local names = 0
    for name in pairs(players) do
      assert.is_truthy(annotations:find("function players." .. name .. "(", 1, true), name)
      for _, text in ipairs(documents) do
        local is_named = text:find("`" .. name .. "`", 1, true)
        assert.is_truthy(is_named or text:find("`players." .. name .. "%f[^%w_]"), name)
      end
      names = names + 1
    end
    assert.is_true(names > 12)
    local _, message = pcall(players.on, { none = print })
    for name in message:match("expected (.*)"):gmatch "[%w_]+" do
      local first = name == "refused" and "aoi.id?" or "aoi.id"
      assert.is_truthy(class:find("---@field " .. name .. "? fun(id: " .. first, 1, true), name)
    end
  end)

  it("sends the next place at once when its entity was transferred while one waited", function()
    skynet.timeout = function() end
    view.join(5, 7, 0, 0)
    view.move(1, 0)
    view.move(2, 0) -- waits for the tick
    receive(0, 5, blocks.elsewhere(7, 0, 1, 6, 1))
    assert.equal(6, (view.scene()))
    local sent = #skynet.sent
    view.move(3, 0)
    assert.equal(sent + 1, #skynet.sent)
    assert.truthy(skynet.sent[sent + 1]:find("^6 lua move 7 3"))
  end)

  it("follows a scene that was loaded elsewhere, with the place that waits, unless it has gone", function()
    skynet.timeout = function() end
    local stream, heard = skynet.starttime() * 100 + skynet.now() & 0xFFFFFFFF, {}
    view.on { scene_is = function(scene) heard[#heard + 1] = scene end }
    view.join(5, 7, 0, 0)
    view.move(1, 0)
    view.move(2, 0) -- waits for the tick
    receive(0, 6, blocks.elsewhere(7, stream, 1, 6, stream + 9 & 0xFFFFFFFF, true))
    assert.truthy(skynet.sent[#skynet.sent]:find("^6 lua move 7 2"))
    assert.equal(stream + 9 & 0xFFFFFFFF, view.stream())
    -- As it was saved long ago.
    receive(0, 9, blocks.elsewhere(7, stream - 1 & 0xFFFFFFFF, 1, 9, stream + 20, true))
    assert.same({ 6, 6, stream + 9 & 0xFFFFFFFF }, { heard[#heard], (view.scene()), view.stream() })
  end)

  it("keeps a place of the scene that it follows, when the one before refuses an update late", function()
    skynet.timeout = function() end
    view.join(5, 7, 0, 0)
    local stream, call = view.stream(), skynet.call
    skynet.call = function(to, protocol, name, ...)
      if name ~= "update" then
        return call(to, protocol, name, ...)
      end
      receive(0, 5, blocks.elsewhere(7, stream, 1, 6, stream + 1 & 0xFFFFFFFF))
      view.move(9, 9)
      return nil, "update: entity 7 is not in the space"
    end
    assert.is_false((pcall(view.update, 1, 1)))
    assert.same({ 9, 9 }, { table.unpack((require("aoi.skynet.hearing").known:me(7):where())) })
  end)

  it("stays when its stay ends as it is given its view anew, but not when that is refused", function()
    local gone, refusal = 0, nil
    skynet.self = function() return 9 end
    view.on { gone = function() gone = gone + 1 end }
    skynet.timeout = function() end
    local call = skynet.call
    skynet.call = function(to, protocol, name, ...)
      if name == "update" then
        receive(0, 5, blocks.over(7, view.stream(), 2))
        return not refusal or nil, refusal
      end
      return call(to, protocol, name, ...)
    end
    view.join(5, 7, 0, 0)
    local stream = view.stream()
    view.update(1, 1, { address = skynet.self() })
    assert.same({ 0, 5 }, { gone, (view.scene()) })
    assert.is_true(blocks.is_later(view.stream(), stream))
    refusal = "update: no"
    assert.is_false((pcall(view.update, 1, 1, { address = skynet.self() })))
    require("aoi.skynet.calling_back").go_on() -- in skynet another coroutine does so
    assert.same({ 1 }, { gone, view.scene() })
  end)

  it("follows the latest stream, however scenes that pass it on overtake each other", function()
    skynet.timeout = function() end
    local there_and_back, on = { { 5, 6 }, { 6, 5 } }, { { 5, 6 }, { 6, 8 } }
    local around = { { 5, 6 }, { 6, 8 }, { 8, 6 } }
    local orders = { { 1, 2, 3 }, { 2, 1, 3 }, { 3, 2, 1 }, { 2, 3, 1 }, { 3, 1, 2 } }
    for _, ways in ipairs { there_and_back, on, around } do
      for _, order in ipairs(orders) do
        view.join(5, 7, 0, 0)
        local stream = view.stream()
        for _, i in ipairs(order) do
          local way = ways[i]
          if way then
            local from, to = stream + i - 1 & 0xFFFFFFFF, stream + i & 0xFFFFFFFF
            receive(0, way[1], blocks.elsewhere(7, from, 1, way[2], to))
          end
        end
        assert.same({ ways[#ways][2], stream + #ways & 0xFFFFFFFF }, { (view.scene()), view.stream() })
        view.leave()
      end
    end
  end)

  it("is in the scene of a name, and hears when it has ended; a name of nobody is refused", function()
    local wait, ended = require("aoi.skynet.ends"), nil
    wait.wait = function(_, _, f) ended = f end
    skynet.localname = function(name)
      return name == ".map" and 5 or nil
    end
    local gone = {}
    view.on { gone = function(scene) gone[#gone + 1] = scene end }
    local ok, message = pcall(view.join, ".nobody", 7, 0, 0)
    assert.is_false(ok)
    assert.truthy(message:find("view.join: scene is .nobody, expected the address of a scene", 1, true))
    view.join(".map", 7, 0, 0)
    assert.equal(5, (view.scene()))
    receive(0, 5, blocks.over(7, view.stream(), 1))
    require("aoi.skynet.calling_back").go_on()
    assert.same({ 5 }, gone)
    view.join(".map", 7, 0, 0)
    ended()
    require("aoi.skynet.calling_back").go_on()
    assert.same({ 5, 5 }, gone)
  end)

  it("leaves a scene in which it is not, and which tells it what it sees there", function()
    skynet.timeout = function() end
    require("aoi.skynet.alive").probe = function() end -- which would not end, as nobody sleeps here
    skynet.fork = function(f, ...)
      f(...)
    end
    require("aoi.skynet.ends").wait = function() end
    local writer = view_writer.new { dims = function() return 2 end, doubles = function() return false end }
    local function hear(from, stream, is_list)
      local sent = #skynet.sent
      receive(0, from, writer:view(7, stream, 1, is_list, {}, 0))
      return table.concat(skynet.sent, "; ", sent + 1)
    end
    view.join(5, 7, 0, 0)
    local stream = view.stream()
    local former = stream - 1 & 0xFFFFFFFF
    assert.equal("", hear(5, stream, true))
    assert.truthy(hear(6, former, true):find("^6 lua leave 7"))
    assert.equal("", hear(6, former, false)) -- it has been told
    assert.equal("", hear(5, former, true)) -- we are there, in a later stream
    receive(0, 5, blocks.elsewhere(7, stream, 2, 8, stream + 1 & 0xFFFFFFFF))
    assert.truthy(hear(5, stream, true):find("^5 lua leave 7"))
    view.leave()
    assert.truthy(hear(6, former, true):find("^6 lua leave 7"))
    receive(0, 6, writer:view(9, former, 1, true, {}, 0)) -- no entity of ours
    assert.equal("", hear(6, former, false))
  end)

  it("asks for all again a second later when more was missed meanwhile, and no list has come", function()
    local timers = {}
    skynet.timeout = function(_, f)
      timers[#timers + 1] = f
    end
    local number = 0
    local function hear(is_list, is_lost)
      number = number + 1
      local text = view_writer.new {
        dims = function() return 2 end, doubles = function() return false end,
      }:view(7, 1, number, is_list, {}, 0)
      if not is_lost then
        receive(0, 5, text)
      end
    end
    hear(true)
    hear(false, true)
    hear(false)
    assert.equal(1, #skynet.sent)
    hear(false) -- within the second
    assert.equal(1, #skynet.sent)
    table.remove(timers)()
    assert.equal(2, #skynet.sent)
    table.remove(timers)() -- nothing was heard since
    assert.equal(2, #skynet.sent)
    hear(false)
    hear(false)
    hear(true)
    table.remove(timers)() -- all is known
    assert.equal(3, #skynet.sent)
    assert.same({}, timers)
  end)

  it("does not ask a scene again from which it has gone meanwhile", function()
    local timers, number = {}, 0
    local function hear(is_list)
      number = number + (is_list and 1 or 2) -- one is missed
      receive(0, 5, view_writer.new {
        dims = function() return 2 end, doubles = function() return false end,
      }:view(7, view.stream(), number, is_list, {}, 0))
    end
    view.join(5, 7, 0, 0)
    hear(true)
    skynet.timeout = function(_, f)
      timers[#timers + 1] = f
    end
    hear(false)
    hear(false)
    assert.equal("5 lua resync 7", skynet.sent[#skynet.sent])
    view.go(6, 0, 0)
    local sent = #skynet.sent
    for _, timer in ipairs(timers) do
      timer()
    end
    assert.equal(sent, #skynet.sent)
  end)
end)
