-- The code in the documents runs and prints what they show, in both languages.
local fake_skynet = require "spec.support.fake_skynet"
local markdown = require "spec.support.markdown"

-- Runs code; returns what it printed, and what it returned.
local function run(code, name, ...)
  local printed = {}
  local environment = setmetatable({
    print = function(...)
      local words = {}
      for i = 1, select("#", ...) do
        words[i] = tostring((select(i, ...)))
      end
      printed[#printed + 1] = table.concat(words, "\t") .. "\n"
    end,
  }, { __index = _G })
  local result = assert(load(code, "@" .. name, "t", environment))(...)
  return table.concat(printed), result, environment
end

-- Runs code in a new skynet; returns that and what the code returned.
local function run_in_skynet(code, name, ...)
  local skynet = fake_skynet()
  package.loaded.skynet = skynet
  for _, module in ipairs {
    "alive", "calling_back", "calls", "client", "ends", "entering", "given", "hearing", "packet", "players",
  } do
    package.loaded["aoi.skynet." .. module] = nil -- they keep the skynet that they were loaded in
  end
  local outcome = table.pack(pcall(run, code, name, ...))
  package.loaded.skynet = nil
  assert(outcome[1], outcome[2])
  return skynet, outcome[3]
end

local read = require("spec.support.files").read

-- Code of a file without the comment in its first line.
local function code_of(path)
  return (read(path):gsub("^[^\n]*\n", "", 1))
end

local function stripped(language, text)
  local lines = {}
  for line in text:gmatch("([^\n]*)\n") do
    lines[#lines + 1] = line
  end
  return markdown.without_comments { language = language, lines = lines }
end

-- Treatment of code that shows no output: a word in it, and a function(code, name).
local without_output = {
  { word = '"aoi.skynet.outbox"', used = 0, check = function(code, name)
    local written, resyncs = {}, 0
    package.loaded["http.websocket"] = {
      write = function(_, block, kind) written[#written + 1] = kind .. " " .. block end,
      close = function() end,
    }
    local on
    package.loaded["aoi.skynet.client"] = {
      on = function(list) on = list end,
      resync = function() resyncs = resyncs + 1 end,
    }
    local fake = fake_skynet()
    package.loaded.skynet = fake
    local _, gate = run(code, name)
    gate.pass_on_to(3)
    for _, module in ipairs { "http.websocket", "aoi.skynet.client", "skynet" } do
      package.loaded[module] = nil
    end
    local function view(flags, number)
      return ("<BBI2i4I4I4"):pack(1, flags, 0, 7, 1, number)
    end
    on.packet(view(8, 1))
    assert.same({ "binary " .. view(8, 1), "text echo 1" }, written)
    for number = 2, 40 do
      on.packet(view(0, number))
    end
    local asked
    for _, text in ipairs(written) do
      asked = text:match "^text (echo %d+)$" or asked
    end
    assert.is_true(#written < 40)
    gate.hear "nonsense"
    gate.hear(asked)
    gate.hear "resync"
    assert.equal(1, resyncs)
    local before = #written
    on.packet(view(0, 41))
    on.packet(view(8, 42))
    assert.equal("binary " .. view(8, 42), written[before + 1])
    gate.hear "resync"
    assert.equal(2, resyncs)
  end },
  { word = '"aoi.skynet.players"', used = 0, check = function(code, name)
    local skynet = run_in_skynet(code, name)
    package.loaded.skynet = skynet -- for the client that a player gets
    skynet.serve(0, 9, "login", 101, 7, 10, 10)
    package.loaded.skynet = nil
    assert.matches("^101 lua enter 7 10 10 ", skynet.sent[1])
    skynet.serve(0, 9, "walk", 7, 11, 10)
    assert.matches("^101 lua move 7 11 10", skynet.sent[2])
    skynet.protocol.dispatch(0, 101, ("<BBI2i4I4I4"):pack(6, 32, 5, 7, 1, 1) .. "hello")
    assert.matches("^9 lua write ", skynet.sent[3])
    assert.same({ "player 7 is notified of hello" }, skynet.logged)
  end },
  { word = 'newservice("viewer"', used = 0, check = function(code, name)
    local skynet = run_in_skynet(code, name)
    assert.equal("viewer 101 port=8001 page=game/viewer.html", skynet.started[2])
    assert.same({ "102 lua address" }, skynet.sent)
    local options = require "aoi.skynet.options"
    assert.equal(8001, options.of_viewer({ "port=8001", "page=game/viewer.html" }).port)
  end },
  { word = '"record_to=', used = 0, check = function(code, name)
    local skynet = run_in_skynet(code, name)
    local words = {}
    for word in skynet.started[1]:gmatch "%S+" do
      words[#words + 1] = word
    end
    assert.equal("scene", table.remove(words, 1))
    local own = require("aoi.skynet.options").of_scene(words)
    assert.same({ "scene.aoi", true }, { own.record_to, own.recover })
  end },
  { word = '"store=', used = 0, check = function(code, name)
    local skynet = run_in_skynet(code, name)
    assert.equal("scene engine=grid width=3200 height=3200 radius=50 store=game/store", skynet.started[1])
    assert.equal("gate 101", skynet.started[2])
    assert.equal("game/store", require("aoi.skynet.options").of_scene({ "store=game/store" }).store)
  end },
  { word = "scene.log(", used = 0, check = function(code, name)
    local _, of_scene = run(code, name)
    local logged = {}
    local scene = { log = function(...) logged[#logged + 1] = { ... } end }
    local module = of_scene(scene)
    module.commands.give(0, 7, 10)
    local saved = module.save()
    local again = of_scene(scene)
    again.load({ [7] = saved[7] })
    logged = {}
    module.commands.give(0, 7, 5)
    again.logged(table.unpack(logged[1]))
    assert.same({ 15, 0 }, { again.commands.gold(0, 7), again.commands.gold(0, 8) })
  end },
  { word = 'newservice("world"', used = 0, check = function(code, name)
    local opened
    package.loaded["skynet.cluster"] = { reload = function() end, open = function(node) opened = node end }
    local ok, skynet = pcall(run_in_skynet, code, name)
    package.loaded["skynet.cluster"] = nil
    assert(ok, skynet)
    local words = {}
    for word in skynet.started[1]:gmatch "%S+" do
      words[#words + 1] = word
    end
    assert.equal("world", table.remove(words, 1))
    local map = require("aoi.skynet.world.map").new(words)
    assert.same({ 4, opened, 110 }, { map.count, map.node, map.strip })
    assert.equal("gate 101", skynet.started[2])
  end },
  { word = '"stats", "world"', used = 0, check = function(code, name)
    assert(load("local skynet, world = ... " .. code, name))
    local of_world = read("lua/aoi/skynet/meta.lua"):match "@class aoi.skynet.world.stats(.-)\n\n"
    for field in code:gmatch "[^%w]stats%.([%l_]+)" do
      assert.is_truthy(of_world:find("@field " .. field .. "%??%s"), field)
    end
  end },
  { word = '"add_area"', used = 0, check = function(code, name)
    local skynet, put_areas = run_in_skynet(code, name)
    local space = require("aoi").new { engine = "crosslist", radius = 10 }
    space:enter(17, 1600, 1600)
    function skynet.call(world, _, command, ...)
      assert.equal(101, world)
      if command == "query" then
        return space[...](space, select(2, ...))
      end
      space[command](space, ...)
      return true
    end
    assert.same({ 17 }, (put_areas(101)))
    assert.is_true(space:in_area(1, 17))
    assert.same({ 2, 1 }, { select(2, space:areas()), select(2, space:members_of(1)) })
  end },
  { word = 'newservice("scene"', used = 0, check = function(code, name)
    local skynet = run_in_skynet(code, name)
    assert.equal("scene engine=grid width=3200 height=3200 radius=50", skynet.started[1])
    assert.is_true(#skynet.started > 1 or skynet.sent[1]:find "^101 lua enter 1 100 100 " ~= nil,
      skynet.sent[1])
    if #skynet.started == 1 then
      assert.matches("^101 lua enter 2 120 100 ", skynet.sent[2])
      local moves = { table.unpack(skynet.sent, 3) }
      assert.same({ "101 lua move 2 125 100", "101 lua move 1 110 100 []" }, moves)
    else
      assert.same({ "agent 101 1", "agent 101 2", "agent 101 3", "debug_console 127.0.0.1 8000" },
        { table.unpack(skynet.started, 2) })
    end
  end },
  { word = "take_over = true", used = 0, check = function(code, name)
    local skynet = run_in_skynet(code, name, "101", "2")
    assert.matches("^101 lua enter 2 100 100 ", skynet.sent[1])
    assert.same({}, skynet.logged) -- that scene says of no place
  end },
  { word = "me_moved = ", used = 0, check = function(code, name)
    local list
    package.loaded["aoi.skynet.client"] = { on = function(given) list = given end }
    local _, _, environment = run(code, name)
    package.loaded["aoi.skynet.client"] = nil
    local printed = {}
    function environment.print(...)
      printed[#printed + 1] = table.concat({ ... }, " ")
    end
    list.me_moved(5, 6)
    list.me_changed { properties = { [1] = 90 }, traits = {} }
    assert.same({ "pushed to 5 6", "property 1 is 90" }, printed)
  end },
  { word = "extras = {", used = 0, check = function(code, name)
    local skynet = run_in_skynet(code, name, "101", "2")
    assert.matches("^101 lua enter 2 100 100 ", skynet.sent[1])
    assert.same({ "101 lua move 2 101 100 0.5 []", "101 lua move 2 101 100 0.6 []" },
      { table.unpack(skynet.sent, 2) })
  end },
  { word = "view.on {", used = 0, check = function(code, name)
    local skynet = run_in_skynet(code, name, "101", "2")
    assert.matches("^101 lua enter 2 200 100 ", skynet.sent[1])
    assert.same({ "101 lua move 2 100 102 []", "101 lua say_in 2 0 hello" },
      { table.unpack(skynet.sent, 2) })
  end },
  { word = "view.set_property(", used = 0, check = function(code, name)
    local skynet = run_in_skynet(code, name, "101", "2")
    assert.matches("^101 lua enter 2 100 100 ", skynet.sent[1])
    assert.equal("101 lua set_property 2 1 95 []", skynet.sent[2])
    assert.matches("^101 lua update 2 100 100 ", skynet.sent[3])
  end },
  { word = "luaservice = ", used = 0, check = function(code, name)
    local _, _, config = run(code, name)
    assert.equal("main", config.start)
    assert.matches("aoi/skynet/?.lua", config.luaservice, 1, true)
  end },
  { word = "joined = function(id, how)", used = 0, check = function(code, name)
    local _, of_scene = run(code, name)
    local done = {}
    local module = of_scene {
      set_property = function(...) done[#done + 1] = table.concat({ ... }, " ") end,
      add_area = function(area, opts) done[#done + 1] = area .. " of " .. opts.owner end,
    }
    module.joined(2, "new")
    assert.is_true(module.commands.drink(0, 2))
    for _, how in ipairs { "restored", "back", "new" } do
      module.joined(2, how)
    end
    assert.same({ "2 7 red", "2 8", "1002 of 2", "2 8 3", "2 7 red", "2 8 3", "1002 of 2", "2 7 red", "2 8",
      "1002 of 2" }, done)
  end },
  { word = '{ to = "me" }', used = 0, check = function(code, name)
    local _, of_scene = run(code, name)
    assert.same({ 0, 4 }, require("aoi.skynet.audiences").compile(of_scene().properties))
  end },
  { word = "return function(scene)", used = 0, check = function(code, name)
    local _, of_scene = run(code, name)
    local space = require("aoi").new { engine = "crosslist", radius = 10, deferred = true }
    local scene = { space = space }
    for _, method in ipairs { "enter", "move" } do
      scene[method] = function(...) space[method](space, ...) end
    end
    function scene.query(question, id) return space[question](space, id) end
    local module = of_scene(scene)
    space:on { on_enter = module.on_enter, on_leave = module.on_leave }
    module.start()
    module.start() -- after a reload
    space:enter(1, 110, 100)
    space:tick()
    module.tick()
    assert.same({ 110.0, 100.0 }, { space:position(-1) })
    local again = of_scene(scene)
    again.load(module.save())
    space:move(1, 111, 100)
    again.tick()
    assert.same({ 111.0, 100.0 }, { space:position(-1) })
    space:leave(1)
    space:tick()
    assert.same({ 100.0, 100.0 }, { space:position(-1) })
    assert.is_true(module.commands.calm(0, -2))
    assert.same({ n = 2, "calm: 7 is no monster" }, { n = 2, select(2, module.commands.calm(0, 7)) })
  end },
  { word = "skynet.dispatch(", used = 0, check = function(code, name)
    local skynet = run_in_skynet(code, name)
    skynet.serve(1, 101, "enter", 1, 10, 10)
    skynet.serve(1, 102, "enter", 2, 20, 10)
    assert.same({ "102 lua aoi_list enter [1] [10.0 10.0]", "101 lua aoi enter 2 20.0 10.0" }, skynet.sent)
    skynet.sent[1], skynet.sent[2] = nil, nil
    skynet.serve(0, 102, "move", 2, 21, 10)
    assert.same({ "101 lua aoi move 2 21.0 10.0" }, skynet.sent)
    skynet.serve(1, 101, "fireball", 0, 0, 15)
    assert.same({ { 1 }, n = 1 }, skynet.returned)
    skynet.sent[1] = nil
    skynet.serve(1, 102, "leave", 2)
    assert.same({ "102 lua aoi_list leave [1] [10.0 10.0]", "101 lua aoi leave 2 nil" }, skynet.sent)
  end },
}

-- The services of the tutorial run in a real skynet: spec/skynet/cases/tutorial.lua.
local of_skynet = {}
for _, name in ipairs { "main", "player", "wolves" } do
  of_skynet[stripped("lua", code_of("examples/tutorial/skynet/" .. name .. ".lua"))] = true
end

local checks = {}

function checks.lua(block, output, name)
  if of_skynet[markdown.without_comments(block)] then
    return
  end
  if output then
    assert.equal(output.text, (run(block.text, name)))
    return
  end
  for _, kind in ipairs(without_output) do
    if block.text:find(kind.word, 1, true) then
      kind.used = kind.used + 1
      return kind.check(block.text, name)
    end
  end
  error(name .. ": code that shows no output, and that no check is known for")
end

-- `make test-c` compiles the file with every compiler and compares what it prints.
function checks.c(block, output)
  assert.equal(stripped("c", code_of "examples/c/first.c"), markdown.without_comments(block))
  assert.equal(read "examples/c/first_expected.txt", output.text)
end

-- The packet of an example in C; its output is checked by `make test-c`.
local function packet_in_c()
  local bytes = {}
  for byte in read "examples/c/packet.c":match "PACKET%[%] = (%b{})":gmatch "0x(%x%x)" do
    bytes[#bytes + 1] = byte
  end
  return table.concat(bytes, " ")
end

function checks.hex(block)
  local text = markdown.without_comments(block)
  assert.equal(packet_in_c(), (text:gsub("%s+", " ")))
end

-- In node, with a socket that brings the packet of the example in C. Without node it is only looked at.
function checks.js(block, output)
  assert(output, "code in JavaScript shows no output")
  local code = block.text:gsub('"%./aoi_packet%.js"', '"./clients/javascript/aoi_packet.js"')
  local path = os.tmpname()
  local file = assert(io.open(path, "w"))
  file:write(([[
    globalThis.WebSocket = class {
      set onmessage(hear) {
        hear({ data: new Uint8Array("%s".split(" ").map((byte) => parseInt(byte, 16))).buffer });
      }
    };
  ]]):format(packet_in_c()), code)
  file:close()
  if os.execute "command -v node >/dev/null 2>&1" then
    local shell = assert(io.popen("env -u LD_PRELOAD node --input-type=module <" .. path .. " 2>&1"))
    assert.equal(output.text, shell:read "a")
    shell:close()
  end
  os.remove(path)
end

-- Commands are for a shell, a network and other people's folders; what they name must exist.
local makefiles = "\n" .. read "Makefile"
for path in assert(io.popen "find . -name build -prune -o -name '*.mk' -print"):lines() do
  makefiles = makefiles .. read(path)
end

local function check_targets(text, name)
  for command in text:gmatch("%f[%w]make%f[^%w]([^\n`]*)") do
    for word in command:gsub('"[^"]*"', ""):gsub("[#;&|].*", ""):gmatch("%S+") do
      if word:find("^[a-z][a-z0-9-]*$") and not text:find("make linux", 1, true) then
        local pattern = "\n[^\n\t#=]*%f[%w-]" .. word:gsub("%-", "%%-") .. "%f[^%w-][^\n=]*:"
        assert.is_truthy(makefiles:find(pattern), ("%s: make %s"):format(name, word))
      end
    end
  end
end

function checks.sh(block, _, name)
  check_targets(block.text, name)
end

function checks.console(block, _, name)
  assert.is_true(#block.lines > 0, name) -- what another machine printed once
end

for _, paths in ipairs(markdown.documents()) do
  for _, path in ipairs(paths) do
    describe(path, function()
      local blocks, before = {}, nil
      for _, element in ipairs(markdown.read(path)) do
        if element.kind == "heading" then
          before = nil
        elseif element.kind == "code" and element.language == "text" then
          assert(before, ("%s:%d: an output without code before it"):format(path, element.line))
          before.output = element
          before = nil
        elseif element.kind == "code" then
          local block = { code = element }
          blocks[#blocks + 1] = block
          before = element.language ~= "sh" and block or before -- a command may stand between the two
        end
      end

      for _, block in ipairs(blocks) do
        local name = ("%s:%d"):format(path, block.code.line)
        local language = block.code.language
        it(("has code in line %d (%s) that does what it shows"):format(block.code.line, language), function()
          assert(checks[language], name .. ": a block of an unknown language")
          checks[language](block.code, block.output, name)
        end)
      end

      it("names targets of make that exist", function()
        for command in read(path):gmatch("`(make [^`\n]*)`") do
          check_targets(command, path)
        end
      end)
    end)
  end
end

describe("the checks of code without output", function()
  it("are all used", function()
    for _, kind in ipairs(without_output) do
      assert.is_true(kind.used >= 2, kind.word)
    end
  end)
end)

describe("the README", function()
  for _, path in ipairs { "README.md", "README.zh-CN.md" } do
    it("is read in a minute: 130 to 150 lines, " .. path, function()
      local lines = 0
      for _ in io.lines(path) do
        lines = lines + 1
      end
      assert.is_true(lines >= 130 and lines <= 150, lines .. " lines")
    end)
  end
end)

describe("the first script", function()
  for _, path in ipairs { "README.md", "README.zh-CN.md" } do
    local blocks = markdown.only(markdown.read(path), "code")
    local first, command, output

    setup(function()
      for i, block in ipairs(blocks) do
        if not first and block.language == "lua" then
          first, command, output = block, blocks[i + 1], blocks[i + 2]
        end
      end
    end)

    it("is examples/first.lua, and of 15 lines at most, in " .. path, function()
      assert.equal(stripped("lua", code_of "examples/first.lua"), markdown.without_comments(first))
      local lines = 0
      for _, line in ipairs(first.lines) do
        lines = lines + (line:find("%S") and 1 or 0)
      end
      assert.is_true(lines <= 15, lines .. " lines")
    end)

    it("prints what is shown when it is started as shown, in " .. path, function()
      local build = os.getenv "AOI_BUILD" or "build/lua" .. _VERSION:match "%d+%.%d+"
      local interpreter = 0
      while arg[interpreter - 1] do
        interpreter = interpreter - 1
      end
      -- Without its make: the module is there, and a make below make would say more than is shown.
      local text = command.text:gsub("^make\n", ""):gsub("build/lua5%.4", build)
      text = text:gsub(" lua5%.4 ", " " .. arg[interpreter] .. " ")
      local shell = assert(io.popen(text))
      local printed = shell:read("a")
      shell:close()
      assert.equal(output.text, printed)
    end)
  end
end)
