-- The format of what a scene sends: what the writer packs, the reader gives back; sizes, cutting, and what
-- a reader passes over or refuses.
local blocks = require "aoi.skynet.blocks"
local view_writer = require "aoi.skynet.view_writer"
local Random = require "spec.support.random"

local KINDS = { "left", "entered", "moved", "changed" }

-- An entity id: short, mostly; sometimes beyond 32 bits.
local function random_id(random, is_wide)
  if is_wide and random:chance(0.3) then
    return random:pick { 1 << 31, -(1 << 31) - 1, math.maxinteger, math.mininteger, random:bits() << 20 }
  end
  return random:pick { (1 << 31) - 1, -(1 << 31), random:integer(-1000, 1000), random:integer(0, 1 << 30) }
end

local function random_value(random)
  return random:pick { 0, -1, 2147483647, -2147483648, 2147483648, math.mininteger, 0.5, 3.0, 1e300, "",
    "Ali", ("\0\255"):rep(random:integer(0, 40)) }
end

-- Details as they are packed, and as they are read: data, properties.
local function random_details(random)
  local parts, data, properties = {}, nil, nil
  if random:chance(0.5) then
    data = random_value(random)
    data = type(data) == "string" and data or "data"
    parts[1] = blocks.entry(blocks.DATA, data)
  end
  for _ = 1, random:integer(0, 3) do
    local key, value = random:integer(0, 255), random_value(random)
    properties = properties or {}
    if random:chance(0.2) then
      value = nil
    end
    parts[#parts + 1] = blocks.entry(key, value)
    if value == nil then
      value = false
    end
    properties[key] = value
  end
  return table.concat(parts), data, properties
end

-- A world of entities, a writer for it, and a view of some of them.
local function new_world(random, options)
  local world = { places = {}, details = {} }
  world.dims, world.doubles = options.dims, options.doubles
  local function place(id)
    world.places[id] = world.places[id] or { random:integer(-500, 500) / 8, random:integer(0, 99999) / 4,
      options.dims == 3 and random:integer(-9, 9) + 0.5 or nil }
    return table.unpack(world.places[id])
  end
  world.writer = view_writer.new {
    dims = function() return options.dims end,
    doubles = function() return options.doubles end,
    place = place,
    details = function(id) return world.details[id] end,
  }
  return world
end

local function ids_of(random, most, is_wide, used)
  local ids = {}
  for _ = 1, random:integer(0, most) do
    local id = random_id(random, is_wide)
    if not used[id] then
      used[id] = true
      ids[#ids + 1] = id
    end
  end
  return ids
end

-- The view that these lists must be read as, in the form that blocks.view gives.
local function expected_view(world, lists)
  local view = { left = {}, entered = {}, moved = {}, changed = {}, details = {}, dims = world.dims }
  local function put(list, ids)
    for _, id in ipairs(ids) do
      list[#list + 1] = id
      table.move(world.places[id], 1, world.dims, #list + 1, list)
    end
  end
  for _, list in ipairs(lists) do
    if list.kind == blocks.LEFT then
      table.move(list.ids, 1, list.n, 1, view.left)
    elseif list.kind == blocks.MOVED then
      put(view.moved, list.ids)
    elseif list.kind == blocks.CHANGED then
      table.move(list.ids, 1, list.n, #view.changed + 1, view.changed)
      for _, id in ipairs(list.ids) do
        view.details[id] = list.changes[id]
      end
    else
      put(view.entered, list.ids)
      for _, id in ipairs(list.kind == blocks.ENTERED_WITH and list.ids or {}) do
        view.details[id] = world.details[id]
      end
    end
  end
  return view
end

local function random_lists(random, world, most, is_wide)
  local lists, used = {}, {}
  local function add(kind, ids, changes)
    if #ids > 0 then
      lists[#lists + 1] = { kind = kind, ids = ids, n = #ids, changes = changes }
    end
  end
  add(blocks.LEFT, ids_of(random, most, is_wide, used))
  add(blocks.ENTERED, ids_of(random, most, is_wide, used))
  local with = ids_of(random, most, is_wide, used)
  for _, id in ipairs(with) do
    world.details[id] = random_details(random)
  end
  add(blocks.ENTERED_WITH, with)
  add(blocks.MOVED, ids_of(random, most, is_wide, used))
  for _ = 1, random:integer(1, 3) do
    local changed, changes = ids_of(random, most, is_wide, used), {}
    for _, id in ipairs(changed) do
      changes[id] = random_details(random)
    end
    add(blocks.CHANGED, changed, changes)
  end
  return lists
end

-- Joins the pieces of a list: one view, and the heads.
local function read_all(text)
  local heads, whole, at = {}, nil, 1
  while at <= #text do
    local block
    block, at = blocks.head(text, at)
    heads[#heads + 1] = block
    local view = blocks.view(text, block)
    for _, name in ipairs { "left", "entered", "moved", "changed", "details" } do
      view[name] = view[name] or {}
    end
    if not whole then
      whole = view
    else
      for _, kind in ipairs(KINDS) do
        table.move(view[kind], 1, #view[kind], #whole[kind] + 1, whole[kind])
      end
      for id, details in pairs(view.details) do
        whole.details[id] = details
      end
    end
  end
  return whole, heads
end

describe("blocks of a view", function()
  for _, options in ipairs {
    { dims = 2, doubles = true }, { dims = 2, doubles = false },
    { dims = 3, doubles = true }, { dims = 3, doubles = false },
  } do
    it(("are read as they were written: %d dimensions, %s"):format(options.dims,
      options.doubles and "doubles" or "floats"), function()
      local random = Random.new(options.dims)
      for round = 1, 60 do
        local is_wide = round % 3 == 0
        local world = new_world(random, options)
        local watcher = random_id(random, round % 4 == 0)
        local lists = random_lists(random, world, round % 20 == 0 and 1500 or 20, is_wide)
        for _ = 1, 2 do -- the second time with records that the writer remembers
          local is_all = random:chance(0.3)
          local text, count = world.writer:view(watcher, 77, 0xFFFFFFFF, is_all, lists, #lists)
          local view, heads = read_all(text)
          assert.same(expected_view(world, lists), view)
          assert.equal(count, #heads)
          for i, head in ipairs(heads) do
            local flags = head.flags
            assert.same({ blocks.VIEW, watcher, 77, 0xFFFFFFFF + i - 1 & 0xFFFFFFFF },
              { head.kind, head.watcher, head.stream, head.number })
            assert.equal(i < count, flags & blocks.MORE ~= 0)
            assert.equal(is_all and i == 1, flags & blocks.REPLACES ~= 0)
            assert.equal(options.dims == 3, flags & blocks.THREE ~= 0)
            assert.equal(options.doubles, flags & blocks.DOUBLES ~= 0)
          end
        end
      end
    end)
  end

  it("are short where all ids are, whatever was packed before", function()
    local world = new_world(Random.new(1), { dims = 2, doubles = false })
    local function size(watcher, ids)
      return #world.writer:view(watcher, 1, 1, false, { { kind = blocks.MOVED, ids = ids, n = #ids } }, 1)
    end
    assert.equal(16 + 3 + 2 * 12, size(1, { 2, 3 }))
    assert.equal(20 + 3 + 2 * 16, size(1, { 2, 1 << 31 }))
    assert.equal(16 + 3 + 2 * 12, size(1, { 2, 3 }))
    assert.equal(20 + 3 + 2 * 16, size(-1 << 40, { 2, 3 }))
    assert.equal(16 + 3 + 12, size(1, { -1 << 31 }))
  end)

  it("forget places when told to", function()
    local world = new_world(Random.new(1), { dims = 2, doubles = true })
    local lists = { { kind = blocks.ENTERED, ids = { 5 }, n = 1 } }
    local before = world.writer:view(1, 1, 1, false, lists, 1)
    world.places[5] = { 1000, 2000 }
    assert.equal(before, (world.writer:view(1, 1, 1, false, lists, 1)))
    world.writer:forget()
    assert.same({ 5, 1000, 2000 }, read_all((world.writer:view(1, 1, 1, false, lists, 1))).entered)
  end)

  it("are cut below 60,000 bytes, and no earlier than needed", function()
    local random = Random.new(3)
    local world = new_world(random, { dims = 2, doubles = true })
    local ids = {}
    for id = 1, 9000 do
      ids[id] = id
      world.details[id] = blocks.entry(blocks.DATA, ("x"):rep(random:integer(0, 300)))
    end
    world.details[77] = blocks.entry(blocks.DATA, ("x"):rep(16000))
    local lists = { { kind = blocks.LEFT, ids = ids, n = 9000 },
      { kind = blocks.ENTERED_WITH, ids = ids, n = 9000 } }
    local text, count = world.writer:view(1, 1, 1, true, lists, 2)
    local view, heads = read_all(text)
    assert.same(expected_view(world, lists), view)
    for i, head in ipairs(heads) do
      local size = 16 + head.last - head.first + 1
      assert.is_true(size <= 60000)
      assert.is_true(size > 43000 or i == count)
    end
    -- Exactly as long as may be, and one record more.
    for n, pieces in pairs { [2999] = 1, [3000] = 2 } do
      text, count = world.writer:view(1, 1, 1, true, { { kind = blocks.MOVED, ids = ids, n = n } }, 1)
      assert.equal(pieces, count)
      assert.equal(3 * n, #read_all(text).moved)
    end
  end)

  it("are one where 60,000 bytes do, to the byte", function()
    local world = new_world(Random.new(1), { dims = 2, doubles = true })
    for id = 1, 5 do
      world.details[id] = blocks.entry(blocks.DATA, ("x"):rep(11900))
    end
    local list = { kind = blocks.ENTERED_WITH, ids = { 1, 2, 3, 4, 5, 6 }, n = 6 }
    local rest = 60000 - 16 - 3 - 6 * (20 + 2) - 5 * 11903
    for more = 0, 1 do
      world.details[6] = ("x"):rep(rest + more)
      world.writer:forget()
      local text, count = world.writer:view(1, 1, 1, true, { list }, 1)
      assert.equal(1 + more, count)
      assert.equal(more == 0 and 60000 or 60001 + 16 + 3, #text)
    end
  end)

  it("may be empty, and then replace all", function()
    local world = new_world(Random.new(1), { dims = 2, doubles = true })
    local text, count = world.writer:view(-3, 5, 6, true, {}, 0)
    assert.same({ 16, 1 }, { #text, count })
    local view, heads = read_all(text)
    assert.same({ {}, {}, {}, {} }, { view.left, view.entered, view.moved, view.changed })
    assert.same({ -3, 5, 6 }, { heads[1].watcher, heads[1].stream, heads[1].number })
  end)

  it("have sections that a reader does not know, and passes over", function()
    local body = ("<BI2"):pack(200, 5) .. "12345" .. ("<BI2i4i4"):pack(blocks.LEFT, 8, 7, 8)
      .. ("<BI2"):pack(0, 0)
    local text = ("<BBI2i4I4I4"):pack(blocks.VIEW, 0, #body, 1, 1, 1) .. body
    assert.same({ 7, 8 }, read_all(text).left)
  end)
end)

describe("details", function()
  it("are read as they were packed", function()
    local random = Random.new(9)
    for _ = 1, 300 do
      local text, data, properties = random_details(random)
      local got_data, got = blocks.details(text)
      assert.same({ data, properties }, { got_data, got })
    end
    assert.equal("integer", math.type(select(2, blocks.details(blocks.entry(1, 5.0)))[1]))
  end)

  it("take as few bytes as the format allows", function()
    local sizes = { [5] = 6, [-5.0] = 6, [1 << 31] = 10, [0.5] = 10, ["abc"] = 7 }
    for value, size in pairs(sizes) do
      assert.equal(size, #blocks.entry(0, value))
    end
    assert.same({ 2, 6 }, { #blocks.entry(9, nil), #blocks.entry(blocks.DATA, "abc") })
  end)

  it("with an unknown tag are read up to that", function()
    assert.same({ nil, { [3] = 4 } }, { blocks.details(blocks.entry(3, 4) .. "\99 and what follows") })
  end)

  it("that are cut off are refused", function()
    for _, entry in ipairs { blocks.entry(1, 5), blocks.entry(1, "abc"), blocks.entry(blocks.DATA, "abc"),
      blocks.entry(1, nil) } do
      for length = 1, #entry - 1 do
        assert.is_false(pcall(blocks.details, entry:sub(1, length)))
      end
    end
  end)
end)

describe("other blocks", function()
  local function read(text)
    local block, at = blocks.head(text, 1)
    assert.equal(#text + 1, at)
    return block
  end

  it("are read as they were written", function()
    for _, id in ipairs { 7, -(1 << 40) } do
      local text, block
      for _, is_text in ipairs { true, false } do
        text = blocks.said(3, 9, 10, id, "hello", is_text)
        assert.equal((id == 7 and 16 + 4 or 20 + 8) + 5, #text)
        block = read(text)
        assert.same({ blocks.SAID, 3, 9, 10 }, { block.kind, block.watcher, block.stream, block.number })
        assert.same({ id, "hello", is_text }, { blocks.said_body(text, block) })
      end
      block = read(blocks.over(id, 9, 1 << 32))
      assert.same({ blocks.OVER, id, 9, 0 }, { block.kind, block.watcher, block.stream, block.number })
      text = blocks.elsewhere(id, 9, 10, 0xFF00AA11, 12)
      block = read(text)
      assert.same({ blocks.ELSEWHERE, id, 0xFF00AA11, 12, false },
        { block.kind, block.watcher, blocks.elsewhere_body(text, block) })
      text = blocks.elsewhere(id, 9, 10, 0xFF00AA11, 0xFF00AA22, true)
      assert.same({ 0xFF00AA11, 0xFF00AA22, true }, { blocks.elsewhere_body(text, (blocks.head(text, 1))) })
    end
    local text = blocks.refused "why"
    local block = read(text)
    assert.same({ blocks.REFUSED, 0, 0, 0, "why" },
      { block.kind, block.watcher, block.stream, block.number, text:sub(block.first, block.last) })
  end)

  it("hold all that may be said", function()
    local text = blocks.said(math.mininteger, 1, 1, 1, ("x"):rep(blocks.SAID_LIMIT), true)
    assert.equal(blocks.LIMIT, #text)
    read(text)
  end)

  it("that are cut off anywhere are refused", function()
    local world = new_world(Random.new(5), { dims = 2, doubles = true })
    world.details[9] = blocks.entry(blocks.DATA, "x")
    local left, entered = { kind = blocks.LEFT, ids = { 1, 2 }, n = 2 },
      { kind = blocks.ENTERED_WITH, ids = { 9 }, n = 1 }
    local text = world.writer:view(1, 1, 1, false, { left, entered }, 2)
    for length = 1, #text - 1 do
      assert.is_false(pcall(read_all, text:sub(1, length)))
      -- Once more with a head that says the shorter length.
      if length > 16 then
        local body = text:sub(17, length)
        local damaged = ("<BBI2i4I4I4"):pack(blocks.VIEW, blocks.DOUBLES, #body, 1, 1, 1) .. body
        local ok, view = pcall(read_all, damaged)
        assert.is_true(not ok or #body == 3 + 8 and #view.left == 2)
      end
    end
  end)
end)

describe("a message with the views of some watchers", function()
  it("has no others, and all other blocks", function()
    local world = new_world(Random.new(6), { dims = 2, doubles = true })
    local texts = {}
    for watcher = 1, 3 do
      local left = { kind = blocks.LEFT, ids = { 7 }, n = 1 }
      texts[#texts + 1] = world.writer:view(watcher, 1, 1, false, { left }, 1)
      texts[#texts + 1] = blocks.said(watcher, 1, 2, 9, "x", true)
    end
    local text = table.concat(texts)
    assert.equal(text, blocks.with_views_of(text, { true, true, true }))
    assert.equal(table.concat { texts[2], texts[3], texts[4], texts[6] },
      blocks.with_views_of(text, { [2] = true, [4] = true }))
    assert.equal("", blocks.with_views_of(texts[1] .. texts[1], {}))
  end)
end)

describe("streams", function()
  it("are later by serial number arithmetic", function()
    for _, case in ipairs { { 2, 1, true }, { 1, 2, false }, { 1, 1, false }, { 0, 0xFFFFFFFF, true },
      { 0x7FFFFFFF, 0, true }, { 0x80000000, 0, false }, { 5, 0xFFFFFFF0, true } } do
      assert.equal(case[3], blocks.is_later(case[1], case[2]))
    end
  end)
end)
