-- Random views of a scene, packed as the scene packs them, and the lines that spec/packets/dump.c and
-- dump.mjs print of their records.
local blocks = require "aoi.skynet.blocks"
local view_writer = require "aoi.skynet.view_writer"
local lines_of = require "spec.support.packet_lines"

local extras_of_scene = require "aoi.skynet.extras"

local VALUES = { 0, -1, 1 << 31, (1 << 53) + 1, math.mininteger, 0.5, 1e300, -1 / 0, "", "\0\255",
  ("x"):rep(90) }

-- An entity: its place as a reader has it, and its details as the scene has them packed.
local function any_entity(random, is_double)
  local entity = { dims = {} }
  for i = 1, 3 do
    local value = random:chance(0.1) and 0 / 0 or random:float(-1e6, 1e6)
    entity.dims[i] = is_double and value or (("<f"):unpack(("<f"):pack(value)))
  end
  if random:chance(0.5) then
    local entries, shown = {}, {}
    if random:chance(0.5) then
      entries[1], shown[1] = blocks.entry(blocks.DATA, "orc"), " data=bytes:" .. lines_of.hex "orc"
    end
    for key = 0, 255, random:integer(50, 250) do
      local value = random:pick(VALUES)
      entries[#entries + 1] = blocks.entry(key, value)
      shown[#shown + 1] = (" %d=%s"):format(key, lines_of.value(value))
    end
    entity.details, entity.shown = table.concat(entries), table.concat(shown)
  end
  return entity
end

-- One view; count: about how many records it has. Returns the text, and its lines without those of blocks.
local function any_view(random, count)
  local is_double, dims = random:chance(0.5), random:integer(2, 3)
  local extras = extras_of_scene.new(random:pick { 0, 0, 1, 2, 4 })
  local ids = random:pick { { -5, 0x7FFFFFFF }, { 1, count }, { math.mininteger, math.maxinteger } }
  local entities = {}
  local function entity_of(id)
    if not entities[id] then
      entities[id] = any_entity(random, is_double)
      if extras.n > 0 and random:chance(0.8) then
        local values = {}
        for i = 1, extras.n do
          values[i] = random:float(-1e6, 1e6)
        end
        extras:put(id, extras:made_of(table.unpack(values)))
      end
    end
    return entities[id]
  end
  local view = view_writer.new {
    dims = function() return dims end,
    doubles = function() return is_double end,
    place = function(id) return table.unpack(entity_of(id).dims, 1, dims) end,
    details = function(id) return entity_of(id).details end,
    extras = function() return extras end,
  }
  local lists, lines = {}, {}
  local has_entered = {}
  local is_all = random:chance(0.5)
  for _, kind in ipairs { blocks.LEFT, blocks.ENTERED, blocks.ENTERED_WITH, blocks.MOVED, blocks.CHANGED } do
    local is_entered = kind == blocks.ENTERED or kind == blocks.ENTERED_WITH
    local list = { kind = kind, ids = {}, n = 0, changes = {} }
    for _ = 1, (is_entered or not is_all) and random:integer(0, count) or 0 do
      local id = random:pick { random:integer(-count, 2 * count), ids[1], ids[2] }
      local entity = entity_of(id)
      local has_details = kind == blocks.ENTERED_WITH or kind == blocks.CHANGED
      local is_once = is_entered or kind == blocks.CHANGED -- the reader in Lua keeps details by id
      local is_of_kind = has_details and entity.details
        or not has_details and not (is_entered and entity.details)
      if is_of_kind and not (is_once and has_entered[id]) then
        has_entered[id] = has_entered[id] or is_entered
        list.n = list.n + 1
        list.ids[list.n] = id
        list.changes[id] = entity.details
        local words = { ({ "left", "entered", "entered", "moved", "changed" })[kind] .. " " .. id }
        if kind ~= blocks.LEFT and kind ~= blocks.CHANGED then
          for i = 1, 3 do
            words[#words + 1] = lines_of.place(i <= dims and entity.dims[i] or 0.0)
          end
          for _, value in ipairs { extras:values(id) } do
            words[#words + 1] = lines_of.place(value)
          end
        end
        words[#words + 1] = has_details and entity.shown or nil
        lines[#lines + 1] = table.concat(words)
      end
    end
    if list.n > 0 then
      lists[#lists + 1] = list
    end
  end
  local text, pieces = view:view(random:pick { 7, ids[1], ids[2] }, 1, 1, is_all, lists, #lists)
  return text, table.concat(lines, "\n"), pieces
end

return any_view
