-- The readers of packets in C and JavaScript (clients/): they agree on what packets say, on what is wrong
-- with damaged ones, and on what a watcher sees when packets get lost. The one in C is compiled here with
-- sanitizers.
local new_random = require("spec.support.random").new
local lines_of = require "spec.support.packet_lines"
local random_packet = require "spec.support.random_packets"
local writer = require "spec.support.packet_writer"
local any_view = require "spec.support.packed_views"
local known = require "aoi.skynet.known"
local random_stay = require "spec.support.random_stay"

local NODE = "node spec/packets/dump.mjs"

-- The output of a command; raises when it fails. LD_PRELOAD may name the sanitizer of another build.
local function run(command)
  local shell = assert(io.popen("env -u LD_PRELOAD " .. command))
  local output = shell:read "a"
  assert(shell:close(), command .. " failed: " .. output)
  return output
end

local has_node = os.execute "command -v node >/dev/null 2>&1"
local dump_c

-- The output of a program about packets.
local function ask(program, what, packets)
  local path = os.tmpname()
  local file = assert(io.open(path, "wb"))
  for _, packet in ipairs(packets) do
    file:write(("<s4"):pack(packet))
  end
  file:close()
  local output = run(("%s %s <%s"):format(program, what, path))
  os.remove(path)
  return output
end

local function each_reader(name, check)
  it(name .. ", in C", function()
    check(dump_c)
  end)
  it(name .. ", in JavaScript", function()
    if not has_node then
      return pending "there is no node"
    end
    check(NODE)
  end)
end

setup(function()
  local name = os.tmpname()
  os.remove(name)
  run "mkdir -p build/packets"
  dump_c = "build/packets/" .. name:match "[^/]*$"
  run(("%s -std=c11 -O1 -g -fsanitize=address,undefined -fno-sanitize-recover -Iclients/c -o %s " ..
    "spec/packets/dump.c clients/c/aoi_packet.c -lm"):format(os.getenv "CC" or "cc", dump_c))
end)

teardown(function()
  os.remove(dump_c)
end)

describe("readers of packets", function()
  it("are C++, too", function()
    if not os.execute "command -v c++ >/dev/null 2>&1" then
      return pending "there is no C++ compiler"
    end
    run "c++ -std=c++11 -x c++ -Wall -Wextra -Wconversion -Werror -fsyntax-only clients/c/aoi_packet.c"
  end)

  local packets, lines = {}, {}
  for seed = 1, 300 do
    local packet, shown = random_packet(new_random(seed))
    packets[seed] = packet
    table.move(shown, 1, #shown, #lines + 1, lines)
  end
  local expected = table.concat(lines, "\n") .. "\n"

  each_reader("read random packets, and pass over what they do not know", function(program)
    assert.equal(expected, ask(program, "packets", packets))
  end)

  -- The first block of a packet with a part of its body.
  local function with_part(packet, size)
    local flags = packet:byte(2)
    local head = flags & 1 == 1 and 20 or 16
    return packet:sub(1, 2) .. ("<I2"):pack(size) .. packet:sub(5, head + size)
  end

  -- Adds packets whose extras fit the records that come next, and such whose extras do not.
  local function add_extras(list)
    for n = 0, 5 do
      for count = 0, 3 do
        for records = 0, 3 do
          for _, kind in ipairs { writer.LEFT, writer.ENTERED, writer.ENTERED_WITH, writer.MOVED } do
            local record = kind == writer.LEFT and writer.id(0, 1) or writer.place(0, 1, 2, 3) ..
              (kind == writer.ENTERED_WITH and ("<s2"):pack "\1\5" or "")
            list[#list + 1] = writer.block(writer.VIEW, 0, 7, 1, 1,
              ("<BI2B"):pack(writer.STEP_EXTRAS, 1 + 4 * count, n) .. ("<f"):pack(1.5):rep(count) ..
              writer.section(kind, record:rep(records)))
          end
        end
      end
    end
  end

  -- Packets cut off at every byte, also so that the first block fits, and with random bytes in them.
  local function damaged()
    local list, random = {}, new_random(1)
    for seed = 1, 40 do
      for size = 0, #packets[seed] - 1 do
        list[#list + 1] = packets[seed]:sub(1, size)
      end
      for size = 0, #packets[seed] > 0 and ("<I2"):unpack(packets[seed], 3) or -1 do
        list[#list + 1] = with_part(packets[seed], size)
      end
    end
    for seed = 1, #packets do
      for _ = 1, #packets[seed] > 0 and 10 or 0 do
        local at = random:integer(1, #packets[seed])
        local byte = random:chance(0.5) and random:integer(0, 6) or random:integer(0, 255)
        list[#list + 1] = packets[seed]:sub(1, at - 1) .. string.char(byte) .. packets[seed]:sub(at + 1)
      end
    end
    for _ = 1, 500 do
      local bytes = {}
      for i = 1, random:integer(1, 80) do
        bytes[i] = string.char(random:chance(0.5) and random:integer(0, 5) or random:integer(0, 255))
      end
      list[#list + 1] = table.concat(bytes)
    end
    local property = writer.property(1, 5)
    for size = 0, #property do
      list[#list + 1] = writer.block(writer.VIEW, 0, 7, 1, 1, writer.section(writer.CHANGED,
        writer.id(0, 1) .. ("<s2"):pack(property:sub(1, size))))
    end
    add_extras(list)
    return list
  end

  it("find the same wrong with damaged packets", function()
    local list = damaged()
    local in_c = ask(dump_c, "packets", list)
    local kinds, count = {}, 0
    for message in in_c:gmatch "\nerror ([^\n]*)" do
      count = count + 1
      kinds[message] = true
    end
    assert.is_true(count > #list / 3, count)
    local messages = 0
    for _ in pairs(kinds) do
      messages = messages + 1
    end
    assert.equal(11, messages) -- all that there are
    if not has_node then
      return pending "there is no node to compare with"
    end
    -- A property that is named twice is shown twice, or once.
    local function shown(text)
      return (text:gsub(" extras=[^\n]*", ""):gsub(" data=[^\n]*", ""):gsub(" %d+=[^\n]*", ""))
    end
    assert.equal(shown(in_c), shown(ask(NODE, "packets", list)))
  end)

  -- Without the lines of packets and blocks.
  local function records_of(output)
    return (("\n" .. output):gsub("\npacket [^\n]*", ""):gsub("\nblock [^\n]*", ""):gsub("^\n", ""))
  end

  do
    local views, shown, most = {}, {}, 0
    for seed = 1, 100 do
      local text, its_lines, pieces = any_view(new_random(seed), seed % 25 == 0 and 6000 or 12)
      views[seed], most = text, math.max(most, pieces)
      shown[#shown + 1] = its_lines ~= "" and its_lines or nil
    end
    each_reader("read what a scene packs, long lists in pieces, too", function(program)
      assert.is_true(most > 2)
      assert.equal(table.concat(shown, "\n") .. "\n", records_of(ask(program, "packets", views)))
    end)
    it("read what a scene packs, long lists in pieces, too, in Lua", function()
      local read = {}
      for _, view in ipairs(views) do
        local of_view = lines_of.of_records(view)
        table.move(of_view, 1, #of_view, #read + 1, read)
      end
      assert.equal(table.concat(shown, "\n"), table.concat(read, "\n"))
    end)
  end

  each_reader("remove nothing by a list of which a piece is missing", function(program)
    local function piece(flags, number, id)
      return writer.block(writer.VIEW, flags, 7, 1, number,
        writer.section(writer.ENTERED, writer.place(0, id, id, 0)))
    end
    local packets_of_a_list = {
      piece(writer.REPLACES | writer.MORE, 1, 1), piece(writer.MORE, 2, 2), piece(0, 3, 3),
      piece(writer.REPLACES | writer.MORE, 4, 1), piece(0, 6, 3), -- 5 is lost
      piece(0, 7, 4),
    }
    assert.equal("1:1 \n1:1 2:2 \n1:1 2:2 3:3 \n1:1 2:2 3:3 \n" ..
      "asks 1:1 2:2 3:3 \nasks 1:1 2:2 3:3 4:4 \n", ask(program, "views", packets_of_a_list))
  end)

  each_reader("keep what is seen until the list comes that another stay begins with", function(program)
    local function view(flags, stream, number, id)
      return writer.block(writer.VIEW, flags, 7, stream, number,
        id and writer.section(writer.ENTERED, writer.place(0, id, id, 0)) or "")
    end
    assert.equal("1:1 \nasks 1:1 \nasks 1:1 \n3:3 \n\n\nasks \n", ask(program, "views", {
      view(writer.REPLACES, 1, 1, 1), view(0, 2, 2, 2),
      writer.block(writer.SAID, writer.TEXT, 7, 2, 3, writer.id(0, 1) .. "hello"),
      view(writer.REPLACES, 2, 4, 3), writer.block(writer.OVER, 0, 7, 3, 1, ""), view(0, 3, 2, 4),
      view(0, 4, 1, 4),
    }))
  end)

  each_reader("ask for all anew when a list comes that a later one has overtaken", function(program)
    local function view(flags, number, id)
      return writer.block(writer.VIEW, flags, 7, 1, number,
        writer.section(writer.ENTERED, writer.place(0, id, id, 0)))
    end
    assert.equal("1:1 \n4:4 \nasks 2:2 4:4 \nasks 3:3 \n5:5 \n", ask(program, "views", {
      view(writer.REPLACES, 1, 1), view(writer.REPLACES, 4, 4), view(0, 2, 2), view(writer.REPLACES, 3, 3),
      view(writer.REPLACES, 5, 5),
    }))
  end)

  each_reader("hear each message to the watcher itself, late ones, too", function(program)
    local function view(stream, number)
      return writer.block(writer.VIEW, writer.REPLACES, 7, stream, number, "")
    end
    local function notified(stream, number, text)
      return writer.block(writer.NOTIFIED, writer.TEXT, 7, stream, number, text)
    end
    assert.equal("\nnotified:61 \nnotified:62 asks \n\nnotified:63 \nnotified:64 \n\nnotified:65 \n" ..
      "notified:66 asks \n\n", ask(program, "views", {
        view(1, 1), notified(1, 2, "a"), notified(1, 4, "b"), -- 3 is lost
        view(2, 1), notified(1, 5, "c"), notified(2, 2, "d"),
        writer.block(writer.OVER, 0, 7, 2, 3, ""), notified(2, 1, "e"),
        notified(3, 1, "f"), view(3, 2), -- before its list
      }))
  end)

  -- The reader of agents as a program: what it knows after each packet, as the others print it.
  local function views_in_lua(sent)
    local output, nothing = {}, function() end
    local asks
    local notified
    local client = known.new { view = nothing, said = nothing, refused = nothing, elsewhere = nothing,
      notified = function(_, body) notified = ("notified:%s "):format(lines_of.hex(body)) end,
      gap = function() asks = "asks " end }
    for i, packet in ipairs(sent) do
      asks, notified = nil, nil
      client:read(packet)
      local text, markers = { notified or "" }, client:markers(7) or {}
      text[#text + 1] = asks
      for id = 1, 12 do
        text[#text + 1] = markers[id] and ("%d:%d "):format(id, markers[id][1] // 1 | 0) or nil
      end
      output[i] = table.concat(text) .. "\n"
    end
    return table.concat(output)
  end

  it("hear each message to the watcher itself, late ones, too, in Lua", function()
    local function view(stream, number)
      return writer.block(writer.VIEW, writer.REPLACES, 7, stream, number, "")
    end
    local function notified(stream, number, text)
      return writer.block(writer.NOTIFIED, writer.TEXT, 7, stream, number, text)
    end
    assert.equal("\nnotified:62 asks \n\nnotified:63 \n\nnotified:65 \nnotified:66 \n", views_in_lua {
      view(1, 1), notified(1, 4, "b"), view(2, 1), notified(1, 5, "c"),
      writer.block(writer.OVER, 0, 7, 2, 2, ""), notified(2, 1, "e"), notified(3, 1, "f"),
    })
  end)

  for seed = 1, 6 do
    local sent, seen = random_stay(new_random(seed))
    -- is_agent: the reader of agents asks at a view, and not at what is said before the first
    local function check(output, is_agent)
      local number = 0
      for line in output:gmatch "([^\n]*)\n" do
        number = number + 1
        local is_missing = line:find("asks", 1, true) ~= nil
        local note = seen[number]
        if note.missing ~= nil and not (is_agent and note.missing and not is_missing) then
          assert.equal(note.missing, is_missing, ("packet %d asks for a resync"):format(number))
        end
        if note.missing == false and note.text then
          assert.equal(note.text, (line:gsub("asks ", ""):gsub("notified:%x* ", "")),
            ("packet %d"):format(number))
          assert.equal(note.notified and 1 or 0, select(2, line:gsub("notified:", "")))
        end
      end
      assert.equal(#sent, number)
    end
    local name = ("know what is seen when packets get lost, seed %d"):format(seed)
    each_reader(name, function(program)
      check(ask(program, "views", sent))
    end)
    it(name .. ", in Lua", function()
      check(views_in_lua(sent), true)
    end)
  end
end)
