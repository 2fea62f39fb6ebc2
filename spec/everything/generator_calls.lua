-- Draws the calls of a history.
local draw_areas = require "spec.everything.generator_areas"
local draw_errors = require "spec.everything.generator_errors"
local queries = require "spec.everything.generator_queries"

local calls = {}

local handlers -- draws handlers; it draws calls itself, so it is given later

function calls.use_handlers(module)
  handlers = module
end

-- Each of these makes a call from a context: { random, v = values, flags, inside = { [space] = { id = true }
-- } }.
local make = {}

local function an_inside(c)
  local list = c.inside[c.space].list
  if #list > 0 and c.random:chance(0.95) then
    return c.random:pick(list)
  end
  return c.v:id()
end

local function an_outside(c)
  for _ = 1, 5 do
    local id = c.v:id()
    if not c.inside[c.space].set[id] then
      return id
    end
  end
  return c.v:id()
end

local function set_inside(c, id, is_inside)
  local inside = c.inside[c.space]
  if is_inside and not inside.set[id] then
    inside.set[id] = true
    table.insert(inside.list, id)
  elseif not is_inside and inside.set[id] then
    inside.set[id] = nil
    for i, other in ipairs(inside.list) do
      if other == id then
        table.remove(inside.list, i)
        break
      end
    end
  end
end

-- Options of entities; `mostly_none` leaves them out more often.
local function draw_opts(c, needs_radius)
  local r, v, opts = c.random, c.v, {}
  local classic = c.flags.engine == "classic"
  if not classic and (needs_radius or r:chance(0.3)) then
    opts.radius = v:radius()
  end
  if r:chance(0.3) then
    opts.mode = v:mode()
  end
  if not classic and r:chance(c.flags.visible_share) then
    opts.visible_radius = r:chance(0.2) and 0 or v:radius()
  end
  if r:chance(0.15) then
    opts.layers = v:layers()
  end
  if r:chance(0.15) then
    opts.sees_layers = v:layers()
  end
  if c.flags.crowd and r:chance(0.2) then
    opts.limit = r:pick { 0, 1, 2, 4, math.huge }
  end
  if c.flags.crowd and r:chance(0.2) then
    opts.importance = r:pick { 0, 1, 5, 255 }
  end
  return next(opts) and opts or nil
end

-- An anchor near a place, or where it must be.
local function add_anchor(c, call)
  local slack = c.flags.shared.slack
  if c.random:chance(0.15) then
    call.opts = call.opts or {}
    call.opts.anchor = {}
    for axis = 1, c.v.dims do
      local off = slack and c.random:pick { 0, slack / 2, -slack / 2, slack, -slack, slack * 2 } or 0
      call.opts.anchor[axis] = call.place[axis] + off
    end
  end
  return call
end

function make.enter(c)
  local id = an_outside(c)
  set_inside(c, id, true)
  local opts = draw_opts(c, c.flags.no_radius)
  return add_anchor(c, { name = "enter", id = id, place = c.v:point(), opts = opts })
end

function make.move(c)
  return { name = "move", id = an_inside(c), place = c.v:point() }
end

function make.leave(c)
  local id = an_inside(c)
  set_inside(c, id, false)
  return { name = "leave", id = id }
end

function make.update(c)
  local id = c.random:chance(0.7) and an_inside(c) or an_outside(c)
  set_inside(c, id, true)
  local opts = draw_opts(c, c.flags.no_radius)
  return add_anchor(c, { name = "update", id = id, place = c.v:point(), opts = opts })
end

local TRAITS = {
  set_radius = function(c) return c.v:radius() end,
  set_visible_radius = function(c) return c.random:chance(0.2) and 0 or c.v:radius() end,
  set_mode = function(c) return c.v:mode() end,
  set_layers = function(c) return c.v:layers() end,
  set_sees_layers = function(c) return c.v:layers() end,
  set_limit = function(c) return c.random:pick { 0, 1, 2, 3, 100, math.huge } end,
  set_importance = function(c) return c.random:pick { 0, 1, 2, 255 } end,
}

local function trait(name)
  return function(c)
    return { name = name, id = an_inside(c), value = TRAITS[name](c) }
  end
end

function make.set_trait(c)
  local kinds = { "set_radius", "set_mode", "set_layers", "set_sees_layers" }
  if c.flags.visible_share > 0 then
    kinds[5] = "set_visible_radius"
  end
  return trait(c.random:pick(kinds))(c)
end

function make.set_sight(c)
  local how = c.random:pick { "true", "true", "false", "false", "nil" }
  local call = { name = "set_sight", id = an_inside(c) }
  call.other = c.random:chance(0.8) and an_inside(c) or c.v:id()
  if how ~= "nil" then
    call.how = how == "true"
  end
  return call
end

function make.crowd(c)
  local name = c.random:pick { "set_limit", "set_importance", "pin", "pin", "unpin", "touch" }
  if TRAITS[name] then
    return trait(name)(c)
  elseif name == "touch" then
    return { name = name, id = an_inside(c) }
  end
  return { name = name, id = an_inside(c), other = c.random:chance(0.8) and an_inside(c) or c.v:id() }
end

-- ---- batches -----------------------------------------------------------------------------------

local function as_float(x)
  return (string.unpack("<f", string.pack("<f", x)))
end

local function form_rows(c, call)
  if c.random:chance(0.5) then
    return call
  end
  call.form = c.random:pick { "doubles", "floats" }
  if call.form == "floats" then
    for _, row in ipairs(call.rows) do
      for axis = 1, row.place and c.v.dims or 0 do
        row.place[axis] = as_float(row.place[axis])
      end
    end
  end
  return call
end

local function draw_rows(c, pick, with_place, different)
  local rows, used = {}, {}
  for _ = 1, c.random:integer(0, c.random:pick { 2, 6, 20 }) do
    local id = pick(c)
    if not different or not used[id] then
      used[id] = true
      rows[#rows + 1] = { id = id, place = with_place and c.v:point() or nil }
    end
  end
  return rows
end

local function mark_rows(c, rows, is_inside)
  for _, row in ipairs(rows) do
    set_inside(c, row.id, is_inside)
  end
end

-- Half of all ids and more.
function make.enter_many(c)
  local rows = {}
  for i = 1, c.random:integer(#c.v.ids // 2, #c.v.ids) do
    rows[i] = { id = c.v.ids[i], place = c.v:point() }
  end
  mark_rows(c, rows, true)
  return { name = "enter_all", rows = rows, opts = draw_opts(c, c.flags.no_radius) }
end

function make.enter_all(c)
  local call = { name = "enter_all", rows = draw_rows(c, an_outside, true, c.random:chance(0.95)) }
  mark_rows(c, call.rows, true)
  call.opts, call.counted = draw_opts(c, c.flags.no_radius), c.random:chance(0.5)
  return form_rows(c, call)
end

function make.move_all(c)
  local call = { name = "move_all", rows = draw_rows(c, an_inside, true) }
  call.skip, call.counted = c.random:chance(0.3), c.random:chance(0.5)
  return form_rows(c, call)
end

function make.update_all(c)
  local pick = c.random:chance(0.5) and an_inside or an_outside
  local call = { name = "update_all", rows = draw_rows(c, pick, true) }
  mark_rows(c, call.rows, true)
  call.opts, call.counted = draw_opts(c, c.flags.no_radius), c.random:chance(0.5)
  return form_rows(c, call)
end

function make.leave_all(c)
  local call = { name = "leave_all", rows = draw_rows(c, an_inside, false, c.random:chance(0.95)) }
  mark_rows(c, call.rows, false)
  call.counted = c.random:chance(0.5)
  return form_rows(c, call)
end

-- ---- the whole space ---------------------------------------------------------------------------

local JUMPS = { 1, 2, 3, 100, (1 << 29) - 1, 1 << 29, (1 << 29) + 1, 1 << 30, (1 << 30) + 1, 1 << 31 }
local NUMBERS = { 1 << 29, 1 << 30, 1 << 31, 1 << 32, 1 << 53 }

function make.tick(c)
  local r, number = c.random, nil
  if c.flags.far_ticks and r:chance(0.3) then
    number = c.tick + r:pick(JUMPS)
    if r:chance(0.4) then
      number = math.max(c.tick + 1, r:pick(NUMBERS) + r:integer(-3, 2))
    end
  elseif r:chance(0.05) then
    number = c.tick + r:integer(-1, 3)
  end
  c.tick = math.min(math.max(c.tick + 1, number or 0), 1 << 53)
  if c.flags.shows_ghosts and r:chance(0.8) then
    return { name = "tick_world", number = c.tick }
  end
  -- The spaces of a world tick together.
  for space = 2, c.flags.spaces do
    c:add_call { name = "tick", on = space, number = number or c.flags.spaces > 1 and c.tick or nil }
  end
  return { name = "tick", on = 1, number = number or c.flags.spaces > 1 and c.tick or nil }
end

function make.set_bounds(c)
  local r, v = c.random, c.v
  local margin = r:pick { 0, 1, 2, v:extent() / 2, -v:extent() / 4 }
  return { name = "set_bounds", x = v.low - margin, y = v.low - margin - r:integer(0, 1),
    width = v:extent() + 2 * margin, height = v:extent() + 2 * margin + r:integer(0, 2) }
end

function make.clear(c)
  c.inside[c.space], c.areas[c.space] = { list = {}, set = {} }, nil
  return { name = "clear" }
end

function make.drain(c)
  return { name = "drain", packed = c.random:chance(0.5) or nil }
end

function make.flush()
  return { name = "flush" }
end

function make.on(c)
  return { name = "on", handlers = handlers.list(c.random),
    script = handlers.script(c.random, c.v, c.flags, c.space) }
end

local COLLECTS = {
  true, { "area_enter" }, { "area_leave" }, { "enter" }, { "enter", "leave" }, { "move" }, {},
  { "move", "area_enter" }, { "enter", "area_enter", "area_leave" },
}

function make.reload(c)
  local call = make.on(c)
  call.name, call.close = "reload", c.random:chance(0.5)
  if c.flags.gathers and c.random:chance(0.2) then
    call.collect = c.random:pick(COLLECTS)
  end
  return call
end

function make.copy()
  return { name = "copy" }
end

function make.record()
  return { name = "record" }
end

function make.replay(c)
  return { name = "replay", go_on = c.random:chance(0.4) }
end

function make.damage(c)
  local r = c.random
  return {
    name = "damage", where = r:fraction(), bits = r:pick { 1, 128, r:integer(1, 255) },
    cut = r:chance(0.2), slot = r:integer(1, math.max(1, c.luggage or 0)),
  }
end

function make.renew(c)
  c.inside[c.space] = { list = {}, set = {} }
  return { name = "renew" }
end

function make.ask()
  return { name = "ask" }
end

function make.resume(c)
  return { name = "resume", which = c.random:integer(1, 5) }
end

function make.abandon(c)
  return { name = "abandon", which = c.random:integer(1, 5), close = c.random:chance(0.5),
    collect = c.random:chance(0.5) }
end

make.query = queries.draw
make.error = draw_errors.draw

function make.area(c)
  return draw_areas.draw(c, an_inside)
end

-- ---- several spaces ----------------------------------------------------------------------------

local function another_space(c)
  local other = c.random:integer(1, c.flags.spaces - 1)
  return other >= c.space and other + 1 or other
end

function make.mirror(c)
  local id, to = an_inside(c), another_space(c)
  return { name = "mirror", from = c.space, on = to, id = id }
end

function make.hand_over(c)
  local id, to = an_inside(c), another_space(c)
  c.luggage = (c.luggage or 0) + 1
  c:add_call { name = "hand_out", on = c.space, id = id, slot = c.luggage }
  if c.random:chance(0.9) then
    c.space = to
    set_inside(c, id, true)
    return { name = "hand_in", on = to, slot = c.luggage }
  end
  return { name = "hand_in", on = c.space, slot = c.random:integer(1, c.luggage) }
end

function make.hand_in(c)
  return { name = "hand_in", slot = c.random:integer(1, 6) }
end

function make.hand_out(c)
  c.luggage = (c.luggage or 0) + 1
  return { name = "hand_out", id = an_inside(c), slot = c.luggage }
end

-- ---- lists -------------------------------------------------------------------------------------

-- How often which call is drawn, in which histories.
local WEIGHTS = {
  { name = "enter", weight = 12 }, { name = "move", weight = 26 }, { name = "leave", weight = 5 },
  { name = "update", weight = 8 }, { name = "set_trait", weight = 8 },
  { name = "crowd", weight = 8, needs = "crowd" }, { name = "set_sight", weight = 8, needs = "sights" },
  { name = "enter_all", weight = 4 }, { name = "move_all", weight = 6 }, { name = "update_all", weight = 3 },
  { name = "leave_all", weight = 1 },
  { name = "tick", weight = 18, needs = "deferred" },
  { name = "set_bounds", weight = 1 }, { name = "clear", weight = 0.3 }, { name = "renew", weight = 0.2 },
  { name = "damage", weight = 0.5 },
  { name = "drain", weight = 5, needs = "gathers" }, { name = "flush", weight = 1 },
  { name = "on", weight = 2 }, { name = "reload", weight = 2.5 }, { name = "copy", weight = 1 },
  { name = "record", weight = 1.5 }, { name = "replay", weight = 1.5 },
  { name = "ask", weight = 2 }, { name = "query", weight = 5 }, { name = "error", weight = 3 },
  { name = "area", weight = 12, needs = "areas" },
  { name = "resume", weight = 3, needs = "misbehaves" },
  { name = "abandon", weight = 1, needs = "misbehaves" },
  { name = "mirror", weight = 12, needs = "world" }, { name = "hand_over", weight = 7, needs = "world" },
  { name = "hand_out", weight = 1, needs = "deferred" },
}

local function rows_for(weights, flags)
  local rows = {}
  for _, row in ipairs(weights) do
    if not row.needs or flags[row.needs] or row.needs == "world" and flags.spaces > 1 then
      rows[#rows + 1] = row
    end
  end
  return rows
end

local function new_context(random, v, flags)
  local c = { random = random, v = v, flags = flags, inside = {}, areas = {}, tick = 0, list = {} }
  for space = 1, flags.spaces do
    c.inside[space] = { list = {}, set = {} }
  end
  function c:add_call(call)
    table.insert(self.list, call)
  end
  return c
end

local function draw_one(c, rows)
  c.space = c.random:integer(1, c.flags.spaces)
  local space = c.space
  local call = make[c.random:pick_weighted(rows).name](c)
  call.on = call.on or space
  return call
end

-- A list of n calls or some more.
function calls.list(random, v, flags, n)
  local c, rows = new_context(random, v, flags), rows_for(WEIGHTS, flags)
  for _ = 1, #v.ids < 80 and math.min(#v.ids, random:integer(0, 12)) or 1 do
    c.space = random:integer(1, flags.spaces)
    local call = (#v.ids < 80 and make.enter or make.enter_many)(c)
    call.on = c.space
    c:add_call(call)
  end
  while #c.list < n do
    c:add_call(draw_one(c, rows))
  end
  return c.list
end

-- Calls that a handler makes. It does not know who is inside: any id may be.
local IN_HANDLER = {
  { name = "enter", weight = 4 }, { name = "move", weight = 8 }, { name = "leave", weight = 4 },
  { name = "update", weight = 6 }, { name = "set_trait", weight = 3 }, { name = "move_all", weight = 2 },
  { name = "tick", weight = 2, needs = "deferred" }, { name = "area", weight = 5, needs = "areas" },
  { name = "set_sight", weight = 2, needs = "sights" },
  { name = "crowd", weight = 2, needs = "crowd" }, { name = "drain", weight = 2, needs = "gathers" },
  { name = "flush", weight = 2 }, { name = "clear", weight = 1 }, { name = "ask", weight = 2 },
  { name = "on", weight = 4 },
  { name = "query", weight = 2 }, { name = "error", weight = 1 }, { name = "copy", weight = 1 },
  { name = "set_bounds", weight = 0.5 }, { name = "mirror", weight = 3, needs = "world" },
  { name = "hand_in", weight = 3, needs = "world" }, { name = "hand_out", weight = 2, needs = "deferred" },
}

function calls.in_handler(random, v, flags, space)
  local c = new_context(random, v, flags)
  for _, id in ipairs(v.ids) do
    for other = 1, flags.spaces do
      table.insert(c.inside[other].list, id)
    end
  end
  c.space = random:chance(0.85) and space or random:integer(1, flags.spaces)
  local name = random:pick_weighted(rows_for(IN_HANDLER, flags)).name
  local call = name == "tick" and { name = "tick" } or make[name](c)
  call.on = call.on or c.space
  return call
end

return calls
