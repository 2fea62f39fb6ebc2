-- The viewer service: who gets in, and that a page knows of the scene what there is to know.
local skynet = require "skynet"
local socket = require "skynet.socket"
local harness = require "spec.skynet.harness"
local Page = require "spec.skynet.page"
local crowd = require "spec.skynet.crowd"
local Random = require "spec.support.random"

local TOKEN = "0123456789abcdef-_Z"

-- The request of a browser that opens a websocket.
local UPGRADE = table.concat({ "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==" }, "\r\n")

local function viewer_of(scene, ...)
  local viewer = skynet.newservice("viewer", scene, "token=" .. TOKEN, ...)
  return viewer, harness.command(viewer, "address")
end

-- The viewer's answer to these bytes.
local function answer_to(address, bytes)
  local id = assert(socket.open("127.0.0.1", tonumber(address:match ":(%d+)/")))
  socket.write(id, bytes)
  local text = socket.readall(id)
  socket.close(id)
  return text or ""
end

local function status_of(address, method, path, ...)
  local lines = table.concat({ method .. " " .. path .. " HTTP/1.1", "Host: 127.0.0.1", ... }, "\r\n")
  return tonumber(answer_to(address, lines .. "\r\n\r\n"):match "^HTTP/1.1 (%d+)")
end

-- Waits until the page knows as much as the scene, and compares all that both say.
local function expect_equal(scene, page, from)
  local calls = harness.stats(scene).calls
  harness.wait_until(5, ("the page knows %d calls"):format(calls), function()
    return page:calls() >= calls
  end)
  local space = page:space(from)
  local entities = crowd.expect_equal(scene, space)
  space:close()
  return entities
end

local stir = crowd.stir

local GRID = { "engine=grid", "width=300", "height=300", "radius=40" }

local function scene_with(...)
  local words = table.move({ ... }, 1, select("#", ...), #GRID + 1, table.move(GRID, 1, #GRID, 1, {}))
  return harness.scene(table.unpack(words))
end

return {
  {
    name = "who lacks the token learns nothing",
    run = function()
      local scene = scene_with(harness.BY_HAND)
      local viewer, address = viewer_of(scene, "page=spec/skynet/config")
      harness.equal(("http://127.0.0.1:%s/?token=%s"):format(address:match ":(%d+)/", TOKEN), address)
      local good = "?token=" .. TOKEN
      harness.equal(200, status_of(address, "GET", "/" .. good))
      local wrong = { "", "?token=", "?token=" .. TOKEN .. "0", "?token=" .. TOKEN:sub(1, -2),
        "?Token=" .. TOKEN, "?token=" .. TOKEN:upper(), "?xtoken=" .. TOKEN,
        "?token=0&token=" .. TOKEN, "#token=" .. TOKEN }
      local nothing = "HTTP/1.1 403 Forbidden\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
      for _, path in ipairs { "/", "/stream", "/nothing", "//", "" } do
        for _, query in ipairs(wrong) do
          local request = ("GET %s%s HTTP/1.1\r\nHost: h\r\n\r\n"):format(path, query)
          harness.equal(nothing, answer_to(address, request), request)
        end
      end
      harness.equal(nothing, answer_to(address, "POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc"))
      -- A body is not waited for.
      harness.equal(nothing, answer_to(address, "POST / HTTP/1.1\r\nContent-Length: 1000000000\r\n\r\n"))
      harness.equal(nothing, answer_to(address, "what is this\r\n\r\n"))
      harness.equal(nothing, answer_to(address, ("GET / HTTP/1.1\r\nA: %s\r\n\r\n"):format(("a"):rep(20000))))
      harness.equal(405, status_of(address, "POST", "/" .. good))
      harness.equal(405, status_of(address, "HEAD", "/" .. good))
      harness.equal(404, status_of(address, "GET", "/../config" .. good))
      harness.equal(404, status_of(address, "GET", "/index.html" .. good))
      local function stream(...)
        return status_of(address, "GET", "/stream" .. good, UPGRADE, ...)
      end
      harness.equal(403, stream "Origin: http://elsewhere.example")
      harness.equal(403, stream "Origin: null")
      harness.equal(403, stream("Origin: http://127.0.0.1", "Host: elsewhere.example"))
      harness.equal(426, status_of(address, "GET", "/stream" .. good))
      harness.equal({ 0, 0 }, { harness.stats(scene).followers, harness.stats(scene).recorded })
      harness.stop(viewer, scene)
    end,
  },
  {
    name = "counts are served as Prometheus reads them",
    run = function()
      local scene = scene_with(harness.BY_HAND)
      harness.command(scene, "enter", 1, 10, 10, { address = false })
      local viewer, address = viewer_of(scene)
      local request = ("GET /metrics?token=%s HTTP/1.1\r\nHost: h\r\n\r\n"):format(TOKEN)
      local head, text = answer_to(address, request):match "^(.-)\r\n\r\n(.*)$"
      harness.equal("HTTP/1.1 200 OK", head:match "^[^\r]*")
      harness.equal("text/plain; version=0.0.4; charset=utf-8", head:match "content%-type: ([^\r]*)")
      harness.equal("aoi_entities 1", text:match "\n(aoi_entities [^\n]*)\n")
      harness.stop(viewer, scene)
    end,
  },
  {
    name = "the page is served; when it is not there, what to do is",
    run = function()
      local scene = scene_with(harness.BY_HAND)
      local viewer, address = viewer_of(scene, "page=spec/skynet/config")
      local path = "GET /?token=" .. TOKEN .. " HTTP/1.1\r\nHost: h\r\n\r\n"
      local file = assert(io.open("spec/skynet/config", "rb"))
      local head, body = answer_to(address, path):match "^(.-\r\n\r\n)(.*)$"
      harness.equal(file:read "a", body)
      file:close()
      for _, line in ipairs { "HTTP/1.1 200 OK", "content-type: text/html; charset=utf-8",
        "referrer-policy: no-referrer", "cache-control: no-store" } do
        harness.is_true(head:find(line .. "\r\n", 1, true), line .. " is not in " .. head)
      end
      harness.stop(viewer)
      viewer, address = viewer_of(scene, "page=<b>&c")
      local text = answer_to(address, path)
      harness.is_true(text:find("^HTTP/1.1 503") and text:find("make viewer", 1, true)
        and text:find("no file &lt;b&gt;&amp;c", 1, true), text)
      harness.stop(viewer, scene)
    end,
  },
  {
    name = "a token is drawn by chance when none is given; wrong options keep a viewer from starting",
    run = function()
      local scene = scene_with(harness.BY_HAND)
      local one, other = skynet.newservice("viewer", scene), skynet.newservice("viewer", scene)
      local tokens = {}
      for _, viewer in ipairs { one, other } do
        tokens[#tokens + 1] = harness.command(viewer, "address"):match "%?token=(%x+)$"
      end
      harness.equal({ 32, 32 }, { #tokens[1], #tokens[2] })
      harness.is_true(tokens[1] ~= tokens[2], "the same token twice")
      for _, word in ipairs { "port=-1", "port=66000", "port=http", "token=short", "token=0123456789abcdef/0",
        "limit=0", "silence=0", "silence=60", "pages=0", "colour=red", "word" } do
        harness.is_true(not pcall(skynet.newservice, "viewer", scene, word), "started with " .. word)
      end
      harness.is_true(not pcall(skynet.newservice, "viewer"), "started without a scene")
      harness.is_true(not pcall(skynet.newservice, "viewer", scene,
        "port=" .. harness.command(one, "address"):match ":(%d+)/"), "took a port that is taken")
      harness.stop(one, other, scene)
    end,
  },
  {
    name = "a page knows what the scene knows, at every moment; two share what the scene sends",
    run = function()
      for _, tick in ipairs { harness.BY_HAND, "tick=0" } do
        local random = Random.new(tonumber(os.getenv "SEED" or "") or 1)
        local scene = scene_with(tick)
        local viewer, address = viewer_of(scene)
        stir(scene, random, 100)
        harness.equal(0, harness.stats(scene).recorded)
        local one = Page.open(address)
        for moment = 1, 8 do
          stir(scene, random, 50)
          harness.command(scene, "tick")
          harness.is_true(expect_equal(scene, one) > 10, "too few entities")
          harness.equal(1, one:keyframes())
          if moment == 4 then
            skynet.sleep(100) -- keyframes are a second apart
          end
        end
        local two = Page.open(address)
        harness.wait_until(3, "the second page has a keyframe", function() return two:keyframes() == 1 end)
        for _ = 1, 4 do
          stir(scene, random, 50)
          harness.command(scene, "tick")
          expect_equal(scene, one)
          expect_equal(scene, two)
        end
        harness.equal({ 1, 1, 1 }, { one:keyframes(), two:keyframes(), harness.stats(scene).followers })
        one:close()
        stir(scene, random, 50)
        harness.command(scene, "tick")
        expect_equal(scene, two)
        harness.equal(1, harness.command(viewer, "stats").pages)
        two:close()
        harness.wait_until(2, "nobody follows", function() return harness.stats(scene).followers == 0 end)
        local before = harness.stats(scene)
        stir(scene, random, 500)
        harness.command(scene, "tick")
        local after = harness.stats(scene)
        harness.equal({ before.recorded, before.held.record }, { after.recorded, after.held.record },
          "recorded for nobody")
        local again = Page.open(address)
        harness.wait_until(3, "it has a keyframe", function() return again:keyframes() == 1 end)
        stir(scene, random, 50)
        harness.command(scene, "tick")
        expect_equal(scene, again)
        harness.stop(viewer, scene)
        harness.wait_until(2, "the page is closed", function() return again.closed end)
      end
    end,
  },
  {
    name = "a page that is opened while a handler of a tick waits knows what the scene knows",
    run = function()
      local file = assert(io.open(os.getenv "AOI_BUILD" .. "/handlers_of_test.lua", "w"))
      file:write [[
        local skynet = require "skynet"
        return function(scene)
          return {
            on_enter = function(watcher)
              skynet.sleep(5)
              scene.space:set_radius(watcher, 41 + watcher)
            end,
          }
        end
      ]]
      file:close()
      local random = Random.new(7)
      local scene = scene_with(harness.BY_HAND, "handlers=handlers_of_test")
      local viewer, address = viewer_of(scene)
      stir(scene, random, 60)
      skynet.send(scene, "lua", "tick")
      skynet.sleep(30)
      local page = Page.open(address)
      harness.wait_until(3, "it has a keyframe", function() return page:keyframes() == 1 end)
      local tasks = skynet.call(scene, "debug", "STAT").task
      stir(scene, random, 60)
      harness.command(scene, "reload", false)
      harness.wait_until(60, "all handlers have ended", function()
        return skynet.call(scene, "debug", "STAT").task < tasks
      end)
      for _ = 1, 3 do
        harness.command(scene, "tick")
        expect_equal(scene, page)
        stir(scene, random, 60)
      end
      harness.stop(viewer, scene)
    end,
  },
  {
    name = "a page that can't keep up does not hold up the scene, and goes on from a new keyframe",
    run = function()
      local random = Random.new(3)
      local scene = scene_with "tick=20"
      local viewer, address = viewer_of(scene, "limit=20000")
      stir(scene, random, 100)
      local slow, quick = Page.open(address, { silent = true }), Page.open(address)
      harness.wait_until(3, "both have a keyframe", function()
        return slow:keyframes() == 1 and quick:keyframes() == 1
      end)
      local before, began = harness.stats(scene), skynet.now()
      for _ = 1, 20 do
        stir(scene, random, 200)
        skynet.sleep(5)
      end
      local after = harness.stats(scene)
      expect_equal(scene, quick)
      harness.is_true(quick.had > 50000, ("the quick page has only %d bytes"):format(quick.had))
      harness.is_true(slow.had > 10000 and slow.had <= 20000,
        ("the slow page was sent %d bytes"):format(slow.had))
      local ticks, periods = after.ticks - before.ticks, (skynet.now() - began) / 2
      harness.is_true(ticks > 0.6 * periods, ("only %d ticks in %.1f periods"):format(ticks, periods))
      harness.equal(1, slow:keyframes())
      slow.silent = false
      slow:answer()
      harness.wait_until(3, "it has a new keyframe", function() return slow:keyframes() == 2 end)
      stir(scene, random, 100)
      skynet.sleep(5)
      expect_equal(scene, slow)
      expect_equal(scene, quick)
      harness.equal(1, quick:keyframes())
      harness.stop(viewer, scene)
    end,
  },
  {
    name = "a page that goes on for long is sent keyframes to look back from",
    run = function()
      local scene = scene_with "tick=20"
      local viewer, address = viewer_of(scene)
      local page = Page.open(address)
      harness.command(scene, "enter", 1, 0, 0, { address = false })
      harness.wait_until(3, "it has a keyframe", function() return page:keyframes() == 1 end)
      local agent = harness.agent()
      for _ = 1, 30 do
        skynet.send(agent, "lua", "flood", scene, 10000, 1, 10.1, 5.3)
        skynet.sleep(5)
      end
      harness.wait_until(10, "it has another one", function() return page:keyframes() == 2 end)
      for from = 1, 2 do
        expect_equal(scene, page, from)
      end
      harness.stop(viewer, scene, agent)
    end,
  },
  {
    name = "who says what can't be, and who is silent for long, is closed",
    run = function()
      local scene = scene_with(harness.BY_HAND)
      local viewer, address = viewer_of(scene, "silence=1000")
      for _, text in ipairs { "have 99999999", "have -1", "have", "hello", "have 1e3",
        "have 99999999999999999999999999" } do
        local page = Page.open(address)
        page:say(text)
        harness.wait_until(2, "closed after " .. text, function() return page.closed end)
        harness.equal(1008, page.code)
      end
      local page = Page.open(address)
      page:say("have 0", "binary")
      harness.wait_until(2, "closed after bytes", function() return page.closed end)
      -- A page answers pings without being told to.
      local lively = Page.open(address)
      local dead = socket.open("127.0.0.1", tonumber(address:match ":(%d+)/"))
      socket.write(dead, ("GET /stream?token=%s HTTP/1.1\r\nHost: h\r\n%s\r\n\r\n"):format(TOKEN, UPGRADE))
      harness.wait_until(1, "both are in", function() return harness.command(viewer, "stats").pages == 2 end)
      harness.wait_until(2, "one is out", function() return harness.command(viewer, "stats").pages == 1 end)
      skynet.sleep(150)
      harness.is_true(not lively.closed, "the other one was closed")
      socket.close(dead)
      harness.command(scene, "enter", 1, 5, 5)
      harness.command(scene, "tick")
      expect_equal(scene, lively)
      lively:close()
      harness.stop(viewer, scene)
    end,
  },
  {
    name = "there are no more connections than the options allow, and those that ask nothing end",
    run = function()
      local scene = scene_with(harness.BY_HAND)
      local viewer, address = viewer_of(scene, "pages=3", "silence=2000", "page=spec/skynet/config")
      local port = tonumber(address:match ":(%d+)/")
      local open = {}
      for i = 1, 3 do
        open[i] = socket.open("127.0.0.1", port)
      end
      harness.wait_until(2, "three are served", function()
        return harness.command(viewer, "stats").connections == 3
      end)
      local fourth = socket.open("127.0.0.1", port)
      harness.is_true(not socket.read(fourth, 1), "a fourth is served")
      socket.close(open[1])
      harness.wait_until(2, "one is free", function()
        return harness.command(viewer, "stats").connections == 2
      end)
      harness.equal(200, status_of(address, "GET", "/?token=" .. TOKEN))
      harness.wait_until(4, "all are closed", function()
        return harness.command(viewer, "stats").connections == 0
      end)
      harness.stop(viewer, scene)
    end,
  },
  {
    name = "a viewer that is killed or ends leaves the scene as it was",
    run = function()
      for i, how in ipairs { harness.kill, harness.stop, harness.kill } do
        local random = Random.new(4)
        local scene = scene_with(i == 3 and harness.BY_HAND or "tick=20", "probe=200")
        local viewer, address = viewer_of(scene)
        local page = Page.open(address)
        harness.wait_until(3, "it has a keyframe", function() return page:keyframes() == 1 end)
        how(viewer)
        harness.wait_until(3, "nobody follows", function() return harness.stats(scene).followers == 0 end)
        local before = harness.stats(scene)
        stir(scene, random, 300)
        if i ~= 3 then
          harness.await_ticks(scene, 3)
        end
        local after = harness.stats(scene)
        harness.equal({ before.recorded, before.held.record }, { after.recorded, after.held.record })
        viewer, address = viewer_of(scene)
        local again = Page.open(address)
        harness.wait_until(3, "it has a keyframe", function() return again:keyframes() == 1 end)
        expect_equal(scene, again)
        harness.stop(viewer, scene)
      end
    end,
  },
  {
    name = "when the scene ends, its pages and its viewer do",
    run = function()
      for _, how in ipairs { harness.kill, harness.stop } do
        local scene = scene_with "tick=20"
        local viewer, address = viewer_of(scene)
        local page = Page.open(address)
        harness.wait_until(3, "it has a keyframe", function() return page:keyframes() == 1 end)
        how(scene)
        harness.wait_until(8, "the page is closed", function() return page.closed end)
        harness.equal(1001, page.code)
        harness.wait_until(5, "the viewer has ended", function()
          return not skynet.send(viewer, "debug", "PING")
        end)
      end
    end,
  },
  {
    name = "a scene that is loaded ends the streams; a new one shows what was loaded",
    run = function()
      local random = Random.new(5)
      local scene, other = scene_with(harness.BY_HAND), scene_with(harness.BY_HAND)
      local viewer, address = viewer_of(scene)
      stir(scene, random, 100)
      stir(other, random, 30)
      local page = Page.open(address)
      harness.wait_until(3, "it has a keyframe", function() return page:keyframes() == 1 end)
      harness.command(scene, "load", harness.command(other, "save"))
      harness.wait_until(2, "the page is closed", function() return page.closed end)
      harness.equal(1012, page.code)
      page = Page.open(address)
      harness.wait_until(3, "it has a keyframe", function() return page:keyframes() == 1 end)
      stir(scene, random, 50)
      harness.command(scene, "tick")
      expect_equal(scene, page)
      harness.stop(viewer, scene, other)
    end,
  },
}
