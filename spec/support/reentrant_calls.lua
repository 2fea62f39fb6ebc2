-- Every method of a space as a call that a handler, or whoever else, may make at any time; one row
-- each, or some: { method = name, name = what is special about this one, run = function(cell) }.
-- The scene is that of reentrancy_cell.lua.

local aoi = require "aoi"
local packed = require "spec.support.packed_rows"

local rows = {}

local function row(method, name, run)
  rows[#rows + 1] = { method = method, name = method .. (name and " " .. name or ""), run = run }
end

-- A row whose call changes something in the same way in the space and in the model.
local function change(method, name, arguments)
  row(method, name, function(cell)
    cell.lockstep:change(method, arguments(cell.lockstep))
  end)
end

-- A batch of packed rows; `floats` of them.
local function packed_batch(method, rows_of, floats)
  row(method, "of packed rows", function(cell)
    local call = { rows_of(cell.lockstep), method = method, n = 1, form = floats and "floats" or "doubles" }
    cell.lockstep:make(call)
  end)
end

local function question(method, ...)
  local arguments = table.pack(...)
  row(method, nil, function(cell)
    cell.lockstep:ask(method, table.unpack(arguments, 1, arguments.n))
  end)
end

-- ---- calls that change something --------------------------------------------------------------

change("enter", nil, function(lockstep) return lockstep:fresh_id(), 41, 50 end)
change("enter", "with options", function(lockstep)
  return lockstep:fresh_id(), 41, 50, { mode = "w", sees_layers = 1 }
end)
change("enter", "of one inside, refused", function() return 1, 41, 50 end)
change("move", nil, function() return 4, 54, 50 end)
change("move", "of the subject", function() return 1, 90, 88 end)
change("leave", nil, function() return 4 end)
change("leave", "of the subject", function() return 1 end)
change("update", "of one inside", function() return 6, 33, 50, { layers = 2 } end)
change("update", "of a new one", function(lockstep) return lockstep:fresh_id(), 33, 50 end)
change("set_radius", nil, function() return 1, 2 end)
change("set_visible_radius", nil, function() return 4, 60 end)
change("set_sight", nil, function() return 1, 4, false end)
change("set_sight", "of one that is not seen", function() return 4, 1, true end)
change("set_mode", nil, function() return 1, "m" end)
change("set_layers", nil, function() return 1, 0 end)
change("set_sees_layers", nil, function() return 4, 0 end)
change("enter_all", nil, function(lockstep)
  return { lockstep:fresh_id(), 40, 50, lockstep:fresh_id(), 42, 51 }
end)
change("move_all", nil, function() return { 4, 54, 50, 1, 36, 49, 4, 37, 50 } end)
change("move_all", "with an unknown id, refused", function() return { 4, 54, 50, 777, 36, 49 } end)
change("move_all", "that skips", function() return { 4, 54, 50, 777, 1, 1 }, 2, "skip" end)
change("update_all", nil, function(lockstep)
  return { 4, 54, 50, lockstep:fresh_id(), 36, 49, 1, 37, 50 }
end)
change("leave_all", nil, function() return { 4, 1, 9 } end)

change("add_area", nil, function(lockstep) return lockstep:fresh_id(), { x = 40, y = 50, radius = 4 } end)
change("add_area", "with an owner", function(lockstep)
  return lockstep:fresh_id(), { owner = 4, shape = "square", radius = 9, dx = -3 }
end)
-- A finalizer that runs while room is made for the points comes before the call, and not after it.
row("add_area", "of points", function(cell)
  local opts = { shape = "polygon", points = { 20, 30, 60, 30, 40, 70 } }
  cell.lockstep:make { cell.lockstep:fresh_id(), opts, method = "add_area", n = 2, is_quiet = true }
end)
change("set_area", nil, function() return 1, { radius = 20 } end)
change("set_area", "placed anew", function() return 3, { x = 36, y = 50, radius = 3 } end)
change("update_area", nil, function() return 1, { radius = 20 } end)
change("update_area", "that adds", function(lockstep)
  return lockstep:fresh_id(), { x = 40, y = 50, radius = 4 }
end)
change("move_area", nil, function() return 2, 37, 50 end)
change("remove_area", nil, function() return 1 end)

-- Refused where the space is no crowd.
change("set_limit", nil, function() return 1, 2 end)
change("set_importance", nil, function() return 4, 9 end)
change("pin", nil, function() return 1, 3 end)
change("unpin", nil, function() return 1, 3 end)
change("touch", nil, function() return 4 end)

-- Refused where the space is not deferred. The string is made before the entity goes: what a finalizer does
-- meanwhile comes before the call.
local function hand_out(lockstep, id)
  return lockstep:make { id, method = "hand_out", n = 1, is_quiet = true }
end
row("hand_out", nil, function(cell) hand_out(cell.lockstep, 4) end)
row("hand_in", nil, function(cell)
  local lockstep = cell.lockstep
  local _, entity = hand_out(lockstep, 6)
  lockstep:hush() -- a clear here would forget what was told, but the string says it
  if entity then
    lockstep.model:keep_string(entity)
    lockstep:change("hand_in", entity)
  end
  lockstep:unhush()
end)
row("hand_in", "of no such string, refused", function(cell) cell.lockstep:change("hand_in", "nobody") end)

packed_batch("enter_all", function(lockstep) return { lockstep:fresh_id(), 40, 50, 1, 42, 51 } end)
packed_batch("move_all", function() return { 4, 54, 50, 1, 36, 49, 4, 37, 50 } end, true)
packed_batch("update_all", function(lockstep) return { 6, 33, 50, lockstep:fresh_id(), 36, 49 } end, true)
packed_batch("leave_all", function() return { 6, 9 } end)

row("set_bounds", nil, function(cell)
  local lockstep = cell.lockstep
  if lockstep.model.map then
    lockstep:change("set_bounds", 0, 0, 200, 150)
  elseif not lockstep.closed and pcall(lockstep.space.set_bounds, lockstep.space, 0, 0, 200, 150) then
    lockstep.complain "set_bounds works without a map"
  end
end)

row("clear", nil, function(cell) cell.lockstep:clear() end)
row("close", nil, function(cell) cell.lockstep:close() end)
row("flush", nil, function(cell) cell.lockstep:call "flush" end)
row("drain", nil, function(cell) cell.lockstep:drain() end)
row("drain", "packed", function(cell) cell.lockstep:drain "packed" end)
row("on", "with the same handlers", function(cell) cell.lockstep:call("on", cell:handlers()) end)
row("on", "with handlers of another kind", function(cell)
  cell.lockstep:call("on", cell:other_handlers())
end)
row("tick", nil, function(cell)
  local lockstep = cell.lockstep
  if lockstep.deferred then
    lockstep:tick()
  elseif pcall(lockstep.space.tick, lockstep.space) then
    lockstep.complain "tick works in a space that is not deferred"
  end
end)

-- ---- questions --------------------------------------------------------------------------------

question("sights", 1)
question("has", 4)
question("position", 4)
question("anchor", 4)
row("traits", nil, function(cell) cell.lockstep:call("traits", 4) end)
question("sees", 1, 4)
question("ids")
question("markers_of", 1)
question("watchers_of", 4)
question("told_markers_of", 1)
question("told_watchers_of", 4)
question("explain", 1, 4)
question("members_of", 1)
question("members_of", 2, "packed")
question("areas_of", 4)
question("in_area", 1, 4)
question("areas")
question("query_rect", 30, 45, 50, 55)
question("query_circle", 40, 50, 9)
question("query_sector", 30, 50, 15, 0, 1)
question("query_segment", 20, 50, 60, 50, 5)
question("query_polygon", { 20, 30, 60, 30, 40, 70 })
question("query_nearest", 40, 50, 4)
question("ids", "packed")
question("markers_of", 1, "packed")
question("told_markers_of", 1, "packed")
question("query_nearest", 40, 50, 4, nil, "packed")

row("radius", nil, function(cell)
  local model = cell.lockstep.model
  local radius = cell.lockstep:call("radius", 4)
  if radius and not model.classic and radius ~= model:radius(4) then
    cell.lockstep.complain("radius is " .. radius)
  end
end)

row("positions", nil, function(cell)
  local lockstep = cell.lockstep
  local t, n = lockstep:call("positions", { 4, 777 }, 2)
  if t and (n ~= 2 or t[3] ~= false or t[4] ~= false or t[5] ~= nil) then
    lockstep.complain "positions of an unknown id are not false"
  end
end)

row("positions", "packed", function(cell)
  local lockstep = cell.lockstep
  local string, n = lockstep:call("positions", packed.ids { 4, 777 }, nil, "packed")
  local coordinates = string and packed.to_coordinates(string) or {}
  if string and (n ~= 2 or #coordinates ~= 4 or coordinates[4] == coordinates[4]) then
    lockstep.complain "positions of an unknown id are not NaN"
  end
end)

row("pending", nil, function(cell)
  local lockstep = cell.lockstep
  local pending = lockstep:call "pending"
  if pending and not lockstep.second and not lockstep.closed
    and pending ~= lockstep.main:waiting() then
    lockstep.complain(("pending is %d, expected %d"):format(pending, lockstep.main:waiting()))
  end
end)

row("stats", nil, function(cell)
  local lockstep = cell.lockstep
  local stats = lockstep:call "stats"
  if not stats or lockstep.closed then
    return
  elseif stats.entities ~= lockstep.model:count() then
    lockstep.complain(("stats count %d entities"):format(stats.entities))
  elseif lockstep.collected and stats.collected ~= lockstep.collected:waiting() then
    lockstep.complain(("stats count %d collected events"):format(stats.collected))
  end
end)

row("save", nil, function(cell)
  local lockstep = cell.lockstep
  local saved = lockstep:call "save"
  if not saved or lockstep.closed then
    return
  end
  -- The string is whole whatever is going on just then, and holds all that the space holds.
  local twin = aoi.load(saved)
  if #twin ~= lockstep.model:count() then
    lockstep.complain(("the saved space has %d entities"):format(#twin))
  end
  twin:close()
end)

-- A finalizer in the middle of the next row leaves alone what that one needs.
row("record", nil, function(cell)
  local lockstep = cell.lockstep
  lockstep:call("record", true)
  if not lockstep.is_recording then
    lockstep:call("record", false)
  end
end)

-- A save and the records after it are the space, whatever is going on just then.
row("recorded", nil, function(cell)
  local lockstep = cell.lockstep
  if lockstep.is_recording then
    return
  end
  lockstep.is_recording = true
  lockstep:call("record", true)
  lockstep:call "recorded"
  local saved = lockstep:call "save"
  lockstep:change("move", 4, 54, 50)
  local later, string = lockstep:call "save", lockstep:call "recorded"
  lockstep:call("record", false)
  lockstep.is_recording = false
  if lockstep.closed or not (saved and later and string) then
    return
  end
  local twin, expected = aoi.load(saved), aoi.load(later)
  aoi.replay(twin, string, { calls = expected:stats().calls })
  if #twin ~= #expected or twin:stats().calls ~= expected:stats().calls then
    lockstep.complain(("the replayed space has %d entities, %d calls"):format(#twin, twin:stats().calls))
  end
  twin:close()
  expected:close()
end)

return rows
