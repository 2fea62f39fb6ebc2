-- Writes the blocks of views: sections with the records of many entities, each of which is packed once,
-- however many see the entity. docs/packets.md describes every byte; src/lua/view_blocks.c puts the records
-- together. Without skynet.
local blocks = require "aoi.skynet.blocks"
local core = require "aoi.core"
local remember = require "aoi.skynet.remember"

local pack = string.pack

local LONG_IDS, DOUBLES, THREE, REPLACES = blocks.LONG_IDS, blocks.DOUBLES, blocks.THREE, blocks.REPLACES
local LEFT, ENTERED, ENTERED_WITH, MOVED, CHANGED =
  blocks.LEFT, blocks.ENTERED, blocks.ENTERED_WITH, blocks.MOVED, blocks.CHANGED

-- The records of entities by kind of section, with long or short ids; in front of a place stand the extras.
-- `of` is as for view_writer.new.
local function new_records(of, is_long)
  local get_place, get_details, extras = of.place, of.details, of.extras and of.extras()
  local n_extras = extras and extras.n or 0
  local extras_of = n_extras > 0 and extras.of
  local place = "<" .. (extras and extras:word() or "") .. (is_long and "i8" or "i4")
    .. (of.doubles() and "d" or "f"):rep(of.dims())
  local place_and_details = place .. "s2"

  local function pack_place(id)
    if extras_of then
      return pack(place, extras_of[id], id, get_place(id))
    end
    return pack(place, id, get_place(id))
  end

  local function pack_with(id, details)
    local x, y, z = get_place(id)
    if extras_of then
      if z then
        return pack(place_and_details, extras_of[id], id, x, y, z, details)
      end
      return pack(place_and_details, extras_of[id], id, x, y, details)
    elseif z then
      return pack(place_and_details, id, x, y, z, details)
    end
    return pack(place_and_details, id, x, y, details)
  end

  return {
    n_extras = n_extras,
    [LEFT] = false, -- that is the id alone
    [MOVED] = remember(pack_place),
    -- hidden -> id -> record; false: it has details, or has none
    [ENTERED] = remember(function(hidden)
      return remember(function(id)
        return not (get_details and get_details(id, hidden or nil)) and pack_place(id)
      end)
    end),
    [ENTERED_WITH] = remember(function(hidden)
      return remember(function(id)
        local details = get_details(id, hidden or nil)
        return details and pack_with(id, details)
      end)
    end),
  }
end

local view_writer = {}

--[[ A writer of views. All of `of` are functions; those of what no entity has may be left out:
  dims()               2 or 3
  doubles()            true: places are doubles, else floats
  place(id)            -> x, y [, z]
  details(id, hidden)  -> the packed details of an entity, but for the keys in a set; nil: none
  extras()             -> the extras of all, of extras.lua
What they give is remembered until `forget`. ]]
function view_writer.new(of)
  local writer, join, flat = {}, core.view_joiner(), {}
  local short, long, flags -- nil: nothing was written since `forget`

  -- Forgets records: places and details may be others by now, and the dimensions, too.
  function writer.forget()
    short, long, flags = nil, nil, nil
  end

  local function begin()
    short = new_records(of, false)
    flags = (of.doubles() and DOUBLES or 0) | (of.dims() == 3 and THREE or 0)
  end

  -- As join of view_blocks.c.
  local function join_all(records, own_flags, watcher, stream, number, sections, count, me)
    local at = 0
    for k = 1, count do
      local section = sections[k]
      local kind = section.kind
      local of_kind = records[kind]
      if kind == CHANGED then
        of_kind = section.changes
      elseif kind == ENTERED or kind == ENTERED_WITH then
        of_kind = of_kind[section.hidden or false]
      end
      flat[at + 1], flat[at + 2], flat[at + 3], flat[at + 4] = kind, of_kind, section.ids, section.n
      at = at + 4
    end
    return join(own_flags, watcher, stream, number, records.n_extras, flat, count, me)
  end

  --[[ A view as one block, or as several where it is long. sections: `count` of them in the order of their
  kinds, each { kind, ids, n }. CHANGED has `changes`, a table of id -> details, packed; it passes over those
  without. Those that entered may have `hidden`, a set of keys that the watcher may not know. ENTERED passes
  over entities with details, ENTERED_WITH over the others. is_all: it replaces what the watcher saw. me: the
  section about the watcher itself, of own_section.lua, or nil. Returns the text; how many blocks there are,
  with the numbers from `number` on; and how many records. O(ids). ]]
  function writer.view(_, watcher, stream, number, is_all, sections, count, me)
    if not short then
      begin()
    end
    local own_flags = is_all and flags | REPLACES or flags
    if watcher + 0x80000000 >> 32 == 0 then
      local text, n_blocks, n = join_all(short, own_flags, watcher, stream, number, sections, count, me)
      if text then
        return text, n_blocks, n
      end
    end
    long = long or new_records(of, true)
    return join_all(long, own_flags | LONG_IDS, watcher, stream, number, sections, count, me)
  end

  -- Whether a move of the entity was written since `forget`.
  function writer.has_moved(id)
    return short ~= nil and rawget(short[MOVED], id) ~= nil or long ~= nil and rawget(long[MOVED], id) ~= nil
  end

  return writer
end

return view_writer
