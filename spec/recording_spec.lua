-- The file format of recordings, read here byte by byte as the top of lua/aoi/recording.lua says; and heads
-- that are whole but say what can't be.

local aoi = require "aoi"
local string_file = require "spec.support.string_file"

local KEYFRAME, RECORD, INDEX, NOTES = 1, 2, 3, 4
local HEAD, HEAD_SIZE = "<BBI2I4I8I8I8I8I8", 48

-- As RFC 1950 has it.
local function adler32(text)
  local low, high = 1, 0
  for _, byte in ipairs { text:byte(1, -1) } do
    low = (low + byte) % 65521
    high = (high + low) % 65521
  end
  return high * 65536 + low
end

local function head(kind, packing, size, span, reserved, sum)
  local rest = ("<I8I8I8I8I8"):pack(size, table.unpack(span))
  return ("<BBI2I4"):pack(kind, packing, reserved or 0, sum or adler32(rest)) .. rest
end

-- The pieces of a recording: { offset, kind, packing, reserved, sum, size, from_calls, from_tick, to_calls,
-- to_tick } and where they end.
local function pieces_of(text)
  local pieces, at = {}, 8
  repeat
    local piece = { at, HEAD:unpack(text, at + 1) }
    pieces[#pieces + 1] = piece
    at = at + HEAD_SIZE + piece[6]
  until piece[2] == INDEX
  return pieces, at
end

-- Ticks of a deferred space, four when nil; a keyframe after every second. zlib: nil, or the module.
local function recorded(zlib, ticks)
  local file = string_file.new()
  local space = aoi.new { engine = "crosslist", radius = 10, deferred = true }
  local recorder = aoi.recorder(space, file, { keyframe_ticks = 2, zlib = zlib })
  ticks = ticks or 4
  for tick = 1, ticks do
    for id = 1, 30 do
      space:update(id, tick + id, id)
    end
    space:tick()
    if tick ~= ticks then
      recorder:write()
    end
  end
  recorder:close()
  return file.text
end

local function play(text)
  return aoi.player(string_file.new(text))
end

-- How far a recording goes, and the problem with the rest.
local function extent(text)
  local player = play(text)
  local last, problem = player:last(), player.problem
  player:close()
  return last, problem
end

describe("a recording", function()
  local text = recorded()
  local pieces, behind = pieces_of(text)

  it("is pieces behind each other: heads with their checksums, then payloads", function()
    assert.equal("AOIFILE\1", text:sub(1, 8))
    local kinds, moments = {}, {}
    for i, piece in ipairs(pieces) do
      local offset, kind, packing, reserved, sum = table.unpack(piece)
      kinds[i] = kind
      moments[i] = table.concat(piece, " ", 7, 10)
      assert.same({ 0, 0 }, { packing, reserved })
      assert.equal(adler32(text:sub(offset + 9, offset + HEAD_SIZE)), sum)
    end
    assert.same({ KEYFRAME, RECORD, RECORD, KEYFRAME, RECORD, RECORD, KEYFRAME, INDEX }, kinds)
    assert.same({ "0 0 0 0", "0 0 31 1", "31 1 62 2", "62 2 62 2", "62 2 93 3", "93 3 124 4", "124 4 124 4",
      "0 0 124 4" }, moments)
  end)

  it("has what save and recorded gave as payloads", function()
    local again
    for _, piece in ipairs(pieces) do
      local payload = text:sub(piece[1] + HEAD_SIZE + 1, piece[1] + HEAD_SIZE + piece[6])
      if piece[2] == KEYFRAME then
        again = aoi.load(payload)
        assert.equal(piece[7], again:stats().calls)
      elseif piece[2] == RECORD then
        local span, problem = aoi.record_span(payload)
        assert.is_nil(problem)
        assert.same({ piece[7], piece[8], piece[9], piece[10] },
          { span.from_calls, span.from_tick, span.to_calls, span.to_tick })
      end
    end
    assert.equal(4, again:stats().tick)
  end)

  it("ends with an index of all heads, however many, and the place of the index", function()
    for _, ticks in ipairs { 4, 600 } do
      local long = recorded(nil, ticks)
      local all, finish = pieces_of(long)
      assert.equal(ticks + ticks // 2 + 2, #all)
      local index, entries = all[#all], {}
      for i = 1, #all - 1 do
        local offset = all[i][1]
        entries[i] = ("<I8"):pack(offset) .. long:sub(offset + 1, offset + HEAD_SIZE)
      end
      assert.is_true(table.concat(entries) == long:sub(index[1] + HEAD_SIZE + 1, finish))
      assert.equal(("<I8"):pack(index[1]) .. "AOIINDEX", long:sub(finish + 1))
    end
  end)

  -- The recording with other bytes from this offset on.
  local function with(offset, bytes)
    return text:sub(1, offset) .. bytes .. text:sub(offset + #bytes + 1)
  end

  -- That without an index the recording ends before this head, in place of the second record's.
  local function ends_before(bytes, expected)
    local offset = pieces[3][1]
    local changed = with(offset, bytes):sub(1, pieces[#pieces][1])
    local last, problem = extent(changed)
    assert.equal(1, last)
    local says = "the piece at byte %d %s; %d of %d bytes are whole"
    assert.equal(says:format(offset, expected, offset, #changed), problem)
  end

  local size = pieces[3][6]

  it("is read to the first head that is damaged", function()
    ends_before(head(RECORD, 0, size, { 31, 1, 62, 2 }, 0, 1), "has a damaged head")
    ends_before(head(RECORD, 0, size, { 31, 1, 62, 2 }, 256), "has a damaged head")
    ends_before(head(RECORD, 0, size, { 31, 1, 62, 3 }, 0, pieces[3][5]), "has a damaged head")
  end)

  it("is read to the first head that says what can't be", function()
    local unknown = "is of kind %d, packing %d, which this version does not know"
    ends_before(head(0, 0, size, { 31, 1, 62, 2 }), unknown:format(0, 0))
    ends_before(head(5, 0, size, { 31, 1, 62, 2 }), unknown:format(5, 0))
    ends_before(head(RECORD, 2, size, { 31, 1, 62, 2 }), unknown:format(RECORD, 2))
    ends_before(head(NOTES, 1, size, { 31, 1, 31, 1 }), unknown:format(NOTES, 1))
    ends_before(head(RECORD, 0, -1, { 31, 1, 62, 2 }), "has a number that is too large")
    ends_before(head(RECORD, 0, size, { -1, 1, 62, 2 }), "has a number that is too large")
    ends_before(head(RECORD, 0, size, { 31, -1, 62, 2 }), "has a number that is too large")
    ends_before(head(RECORD, 0, size, { 31, 1, 30, 2 }), "has moments that can't be")
    ends_before(head(RECORD, 0, size, { 31, 1, 62, 0 }), "has moments that can't be")
    ends_before(head(RECORD, 0, size, { 31, 1, 31, 1 }), "has moments that can't be")
    ends_before(head(KEYFRAME, 0, size, { 31, 1, 62, 2 }), "has moments that can't be")
    ends_before(head(NOTES, 0, size, { 31, 1, 62, 2 }), "has moments that can't be")
    ends_before(head(RECORD, 0, size, { 30, 1, 62, 2 }), "goes back in time")
    ends_before(head(RECORD, 0, size, { 31, 0, 62, 2 }), "goes back in time")
    ends_before(head(RECORD, 0, #text, { 31, 1, 62, 2 }), "is cut off")
  end)

  it("is read by its heads when the index is not right, and loses nothing", function()
    local index = pieces[#pieces]
    local second = index[1] + HEAD_SIZE + 56 -- the entry of the second piece
    local longer = head(RECORD, 0, pieces[2][6] + 1, { 0, 0, 31, 1 })
    for name, changed in pairs {
      ["no magic at the end"] = text:sub(1, -2) .. "x",
      ["a place behind the end"] = with(behind, ("<I8"):pack(#text)),
      ["a place before the beginning"] = with(behind, ("<I8"):pack(-1)),
      ["a place in the middle"] = with(behind, ("<I8"):pack(pieces[2][1])),
      ["a damaged entry"] = with(second + 20, "\255"),
      ["an entry of another place"] = with(second, ("<I8"):pack(9)),
      ["an entry of another size"] = with(second + 8, longer),
      ["an entry that is an index"] = with(second + 8, head(INDEX, 0, pieces[2][6], { 0, 0, 31, 1 })),
    } do
      local last, problem = extent(changed)
      assert.equal(4, last, name)
      assert.is_nil(problem, name)
    end
    -- An index that lacks the last three pieces.
    local entries = text:sub(index[1] + HEAD_SIZE + 1, behind - 3 * 56)
    local short = text:sub(1, index[1]) .. head(INDEX, 0, #entries, { 0, 0, 62, 2 }) .. entries
      .. text:sub(behind + 1)
    assert.equal(4, (extent(short)))
  end)

  it("is read by its index where a head is damaged", function()
    local last, problem = extent(with(pieces[3][1] + 4, "\0\0\0\0"))
    assert.same({ 4 }, { last, problem })
  end)

  local has_zlib, zlib = pcall(require, "zlib")
  if has_zlib then
    it("has packed pieces as RFC 1950 has them", function()
      local packed = recorded(zlib)
      for _, piece in ipairs(pieces_of(packed)) do
        local payload = packed:sub(piece[1] + HEAD_SIZE + 1, piece[1] + HEAD_SIZE + piece[6])
        assert.equal(piece[2] == INDEX and 0 or 1, piece[3])
        if piece[3] == 1 then
          assert.equal(0, (payload:byte(1) * 256 + payload:byte(2)) % 31)
          assert.equal(8, payload:byte(1) % 16)
        end
      end
    end)

    it("says that a packed piece is damaged when its bytes end too soon", function()
      local packed = recorded(zlib)
      local piece = pieces_of(packed)[2]
      local payload = packed:sub(piece[1] + HEAD_SIZE + 1, piece[1] + HEAD_SIZE + piece[6] - 5)
      local short = packed:sub(1, piece[1]) .. head(RECORD, 1, #payload, { 0, 0, 31, 1 }) .. payload
      local player = play(short)
      player:seek(1)
      assert.is_truthy(player.problem:find("is packed by zlib, and damaged", 1, true), player.problem)
      assert.equal(0, player:position())
      player:close()
    end)

    it("says what is missing to read packed pieces", function()
      local packed = recorded(zlib)
      local preload, loaded = package.preload.zlib, package.loaded.zlib
      package.loaded.zlib, package.preload.zlib = nil, function() error "not installed" end
      local ok, message = pcall(play, packed)
      package.loaded.zlib, package.preload.zlib = loaded, preload
      assert.is_false(ok)
      assert.is_truthy(message:find("there is no module zlib (lua-zlib)", 1, true), message)
    end)
  else
    pending "with zlib: lua-zlib is not installed"
  end
end)
