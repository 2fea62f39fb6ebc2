-- Writes the blocks of views: sections with the records of many entities, each of which is packed once,
-- however many see the entity. docs/packets.md describes every byte. Pure Lua, without skynet.
--
-- Most of a scene's time goes into putting records together. The operator .. of many values is twice as quick
-- as table.concat: for each number of records there is a function that is one expression.
local blocks = require "aoi.skynet.blocks"
local remember = require "aoi.skynet.remember"

local pack, concat = string.pack, table.concat

local VIEW, LONG_IDS, DOUBLES, THREE, REPLACES, MORE =
  blocks.VIEW, blocks.LONG_IDS, blocks.DOUBLES, blocks.THREE, blocks.REPLACES, blocks.MORE
local LEFT, ENTERED, ENTERED_WITH, MOVED, CHANGED, EXTRAS =
  blocks.LEFT, blocks.ENTERED, blocks.ENTERED_WITH, blocks.MOVED, blocks.CHANGED, blocks.EXTRAS
local HAS_PLACE = blocks.HAS_PLACE
local HEAD, HEAD_SIZE, ID, ID_SIZE = blocks.HEAD, blocks.HEAD_SIZE, blocks.ID, blocks.ID_SIZE
local LIMIT, is_short = blocks.LIMIT, blocks.is_short

-- ---- joining ----------------------------------------------------------------------------------

local MOST_JOINED = 32 -- records in one expression

-- A function of these parameters that gives a text before, and the records of n ids from each of some tables.
local function new_joiner(parameters, n, ...)
  local words = {}
  for _, word in ipairs { ... } do
    local table_name = word:match "^(%l+)%[%]$"
    for i = 1, table_name and n or 1 do
      words[#words + 1] = table_name and ("%s[ids[%d]]"):format(table_name, i) or word
    end
  end
  return load(("return function(%s) return %s end"):format(parameters, concat(words, " .. ")))()
end

local records_of = remember(function(n)
  return new_joiner("records, ids", n, "records[]")
end)

-- Whole blocks with one section, and with one and its extras.
local block_of = remember(function(n)
  return new_joiner("head, section, records, ids", n, "head", "section", "records[]")
end)
local block_with_extras_of = remember(function(n)
  return new_joiner("head, before, extras, section, records, ids", n, "head", "before", "extras[]", "section",
    "records[]")
end)

local FEW = 3 -- records that one expression is not worth while for

-- Puts the records of the first n ids into `parts` behind position `at`. Returns the last position then.
local function put(parts, at, records, ids, n)
  if n > FEW and n <= MOST_JOINED then
    parts[at + 1] = records_of[n](records, ids)
    return at + 1
  end
  for i = 1, n do
    parts[at + i] = records[ids[i]]
  end
  return at + n
end

-- ---- records ----------------------------------------------------------------------------------

-- Heads of sections by kind and length.
local section_heads = {}
for kind = LEFT, CHANGED do
  section_heads[kind] = remember(function(length)
    return pack("<BI2", kind, length)
  end)
end

-- Heads of sections with extras, by how many an entity has and how many entities there are.
local extras_heads = remember(function(n)
  return remember(function(count)
    return pack("<BI2B", EXTRAS, 1 + 4 * n * count, n)
  end)
end)

-- The records of entities by kind of section, with long or short ids. `of` is as for view_writer.new;
-- too_long() is called for an id that is no short one, whose record is of no use then.
local function new_records(of, is_long, too_long)
  local id_format, get_place = ID[is_long], of.place
  local place = (is_long and "i8" or "i4") .. (of.doubles() and "d" or "f"):rep(of.dims())
  local plain, with, id_with_details = "<" .. place, "<" .. place .. "s2", id_format .. "s2"
  local function fits(id)
    return is_long or id + 0x80000000 >> 32 == 0 or too_long()
  end
  local records = {
    -- Most records are of these: without the detour of remember.
    [LEFT] = setmetatable({}, { __index = function(cache, id)
      if not is_long and id + 0x80000000 >> 32 ~= 0 then
        too_long()
        return ""
      end
      local record = pack(id_format, id)
      cache[id] = record
      return record
    end }),
    [MOVED] = setmetatable({}, { __index = function(cache, id)
      if not is_long and id + 0x80000000 >> 32 ~= 0 then
        too_long()
        return ""
      end
      local record = pack(plain, id, get_place(id))
      cache[id] = record
      return record
    end }),
    -- Apart from those above, which tell who has moved.
    [ENTERED] = remember(function(id)
      return fits(id) and pack(plain, id, get_place(id)) or ""
    end),
    -- hidden -> id -> record
    [ENTERED_WITH] = remember(function(hidden)
      return remember(function(id)
        if not fits(id) then
          return ""
        end
        local x, y, z = get_place(id)
        local details = of.details(id, hidden or nil)
        return z and pack(with, id, x, y, z, details) or pack(with, id, x, y, details)
      end)
    end),
    -- hidden -> since -> id -> record
    [CHANGED] = remember(function(hidden)
      return remember(function(since)
        return remember(function(id)
          return fits(id) and pack(id_with_details, id, of.changes(id, since, hidden or nil)) or ""
        end)
      end)
    end),
  }
  local extras = of.extras and of.extras()
  records.extras, records.is_long = extras and extras.n > 0 and extras or nil, is_long
  local place_size = plain:packsize()
  records.sizes = { [LEFT] = ID_SIZE[is_long], [ENTERED] = place_size, [MOVED] = place_size }
  return records
end

-- ---- blocks -----------------------------------------------------------------------------------

-- Puts records of a kind without a fixed size into `parts` behind position `at`. Returns the last position
-- then, and how many bytes there are.
local function put_details(parts, at, records, section)
  local ids, since, size = section.ids, section.since, 0
  records = records[section.hidden or false]
  if since and not section.each then
    records = records[since]
  end
  if not section.each and section.n > FEW and section.n <= MOST_JOINED then
    parts[at + 1] = records_of[section.n](records, ids)
    return at + 1, #parts[at + 1]
  end
  for i = 1, section.n do
    local record = (section.each and records[since[i]] or records)[ids[i]]
    parts[at + i] = record
    size = size + #record
    if size > LIMIT then
      break
    end
  end
  return at + section.n, size
end

-- Puts sections into `parts` behind the n-th, which make this many bytes. Returns how many parts there are
-- then, and how many bytes; stops where it becomes clear that these are more than LIMIT.
local function fill(parts, n, bytes, records, sections, count)
  local extras = records.extras
  for k = 1, count do
    local section = sections[k]
    local kind, n_ids = section.kind, section.n
    local has_extras, size = extras and HAS_PLACE[kind], records.sizes[kind]
    bytes = bytes + (has_extras and 4 + 4 * extras.n * n_ids or 0)
    if bytes + (size or ID_SIZE[false]) * n_ids > LIMIT then
      return n, LIMIT
    end
    if has_extras then
      parts[n + 1] = extras_heads[extras.n][n_ids]
      n = put(parts, n + 1, extras.of, section.ids, n_ids)
    end
    local head = n + 1
    if size then
      size = size * n_ids
      n = put(parts, head, records[kind], section.ids, n_ids)
    else
      n, size = put_details(parts, head, records[kind], section)
    end
    bytes = bytes + size + 3
    if bytes > LIMIT then
      return n, bytes
    end
    parts[head] = section_heads[kind][size]
  end
  return n, bytes
end

-- A block of some entities that move and some that change, as is usual where properties change often; nil for
-- any other.
local function join_two(records, flags, watcher, stream, number, moved, changed)
  local n, n_changed, is_long = moved.n, changed.n, records.is_long
  local are_few = n <= MOST_JOINED and n_changed <= MOST_JOINED
  local size = are_few and not changed.each and records.sizes[moved.kind]
  if not size then
    return nil
  end
  size = size * n
  local text = records_of[n_changed](records[CHANGED][changed.hidden or false][changed.since], changed.ids)
  if 6 + size + #text + HEAD_SIZE[is_long] > LIMIT then
    return nil
  end
  return pack(HEAD[is_long], VIEW, flags, 6 + size + #text, watcher, stream, number)
    .. section_heads[moved.kind][size] .. records_of[n](records[moved.kind], moved.ids)
    .. section_heads[CHANGED][#text] .. text
end

-- The view as one block; nil when it is too long for that. The last section of most views has most of the
-- records: what comes before it is one text, and the rest one expression.
local function join_block(parts, records, flags, watcher, stream, number, sections, count, me)
  local section, extras, is_long = sections[count], records.extras, records.is_long
  local kind, n = section and section.kind, section and section.n
  local size = count > 0 and n <= MOST_JOINED and records.sizes[kind]
  local has_extras = extras and HAS_PLACE[kind]
  if not me and count == 2 and not extras and section.kind == CHANGED then
    local text = join_two(records, flags, watcher, stream, number, sections[1], section)
    if text then
      return text
    end
  end
  local n_parts, bytes = 1, 0
  if me then
    n_parts, bytes, parts[2] = 2, #me, me
  end
  if count > 1 or not size then
    n_parts, bytes = fill(parts, n_parts, bytes, records, sections, size and count - 1 or count)
  end
  if size then
    size = size * n
    bytes = bytes + 3 + size + (has_extras and 4 + 4 * extras.n * n or 0)
  end
  if bytes + HEAD_SIZE[is_long] > LIMIT then
    return nil
  end
  local front = pack(HEAD[is_long], VIEW, flags, bytes, watcher, stream, number)
  if n_parts > 1 then
    parts[1] = front
    front = concat(parts, "", 1, n_parts)
  end
  if not size then
    return front
  elseif has_extras then
    return block_with_extras_of[n](front, extras_heads[extras.n][n], extras.of, section_heads[kind][size],
      records[kind], section.ids)
  end
  return block_of[n](front, section_heads[kind][size], records[kind], section.ids)
end

local function all_short(sections, count)
  for k = 1, count do
    for i = 1, sections[k].n do
      if not is_short(sections[k].ids[i]) then
        return false
      end
    end
  end
  return true
end

-- Packs the view as several blocks, each of at most LIMIT bytes. Returns the text and how many there are.
local function cut(records, flags, watcher, stream, number, sections, count, me)
  local extras, is_long = records.extras, records.is_long
  local room = LIMIT - HEAD_SIZE[is_long]
  -- Blocks that are complete; sections of the next one, and its bytes.
  local texts, body, bytes = {}, { me }, me and #me or 0
  local section, kind = {}, nil        -- records of the last section of that
  local before = {}                    -- the extras of these
  local head, more                     -- bytes of a section without records, and of the extras of a record
  local function end_section()
    if #section > 0 then
      if #before > 0 then
        body[#body + 1] = extras_heads[extras.n][#before] .. concat(before)
        before = {}
      end
      local text = concat(section)
      body[#body + 1] = section_heads[kind][#text] .. text
      section = {}
    end
  end
  local function end_block(more_follow)
    end_section()
    local own_flags = flags & (#texts == 0 and ~0 or ~REPLACES) | more_follow
    local text = concat(body)
    texts[#texts + 1] = pack(HEAD[is_long], VIEW, own_flags, #text, watcher, stream,
      number + #texts & 0xFFFFFFFF) .. text
    body, bytes = {}, 0
  end
  for k = 1, count do
    local list = sections[k]
    end_section()
    kind = list.kind
    local has_extras = extras and HAS_PLACE[kind]
    head, more = has_extras and 7 or 3, has_extras and 4 * extras.n or 0
    bytes = bytes + head
    local cache = records[kind]
    if not records.sizes[kind] then
      cache = cache[list.hidden or false]
    end
    if list.since and not list.each then
      cache = cache[list.since]
    end
    for i = 1, list.n do
      local id = list.ids[i]
      local record = (list.each and cache[list.since[i]] or cache)[id]
      if bytes + #record + more > room then
        end_block(MORE)
        bytes = head
      end
      section[#section + 1] = record
      before[#before + 1] = has_extras and extras.of[id] or nil
      bytes = bytes + #record + more
    end
  end
  end_block(0)
  return concat(texts), #texts
end

-- ---- the writer -------------------------------------------------------------------------------

local view_writer = {}

--[[ A writer of views. All of `of` are functions:
  dims()               2 or 3
  doubles()            true: places are doubles, else floats
  place(id)            -> x, y [, z]
  details(id, hidden)  -> the packed details of an entity, but for the keys in a set
  changes(id, since, hidden)   -> those that have changed since then
  extras()             -> the extras of all, of extras.lua; may be left out: there are none
What they give is remembered until `forget`. ]]
function view_writer.new(of)
  local writer, parts = {}, {}
  local short, long, flags
  local has_long -- true: `short` was asked for ids that are not short

  -- Forgets records: places and details may be others by now.
  function writer.forget()
    has_long, long = false, nil
    short = new_records(of, false, function()
      has_long = true
      return false
    end)
    flags = (of.doubles() and DOUBLES or 0) | (of.dims() == 3 and THREE or 0)
  end
  writer.forget()

  --[[ A view as one block, or as several where it is long. sections: `count` of them in the order of their
  kinds, each { kind, ids, n }, n at least 1; CHANGED has `since`: one for all ids or, with `each`, a list of
  one for each id; it and ENTERED_WITH may have `hidden`, a set of keys that the watcher may not know. is_all:
  it replaces what the watcher saw. me: the section about the watcher itself, of own_section.lua, or nil.
  Returns the text and how many blocks there are, which have the numbers from `number` on. O(ids). ]]
  function writer.view(_, watcher, stream, number, is_all, sections, count, me)
    local own_flags = is_all and flags | REPLACES or flags
    number = number & 0xFFFFFFFF
    if watcher + 0x80000000 >> 32 == 0 then
      local text = join_block(parts, short, own_flags, watcher, stream, number, sections, count, me)
      if not has_long or all_short(sections, count) then
        if text then
          return text, 1
        end
        return cut(short, own_flags, watcher, stream, number, sections, count, me)
      end
    end
    long = long or new_records(of, true)
    own_flags = own_flags | LONG_IDS
    local text = join_block(parts, long, own_flags, watcher, stream, number, sections, count, me)
    if text then
      return text, 1
    end
    return cut(long, own_flags, watcher, stream, number, sections, count, me)
  end

  -- Whether a move of the entity was written since `forget`.
  function writer.has_moved(id)
    return rawget(short[MOVED], id) ~= nil or long ~= nil and rawget(long[MOVED], id) ~= nil
  end

  return writer
end

return view_writer
