-- Draws calls that must be errors in every state of a space, and change nothing.
local errors = {}

local NAN = 0 / 0

-- Each gives a method and its arguments; p: the numbers of a point as a list.
local MAKE = {
  function(id, p) p[1] = NAN return "enter", id, table.unpack(p) end,
  function(id, p) p[2] = math.huge return "move", id, table.unpack(p) end,
  function(id, p) p[1] = "1" return "update", id, table.unpack(p) end,
  function(_, p) return "enter", "1", table.unpack(p) end,
  function(_, p) return "enter", 0.5, table.unpack(p) end,
  function(id) return "move", id end,
  function(id, p) p[#p + 1] = 5 p[#p + 1] = 5 return "move", id, table.unpack(p) end,
  function() return "leave" end,
  function(id) return "set_mode", id, "x" end,
  function(id) return "set_radius", id, -1 end,
  function(id) return "set_radius", id, NAN end,
  function(id) return "set_layers", id, 1 << 32 end,
  function(id) return "set_visible_radius", id, -1 end,
  function(id) return "set_sight", id, id, true end,
  function(id) return "set_sight", id, id ~ 1, 1 end,
  function(id) return "set_sees_layers", id, -2 end,
  function(id) return "set_limit", id, -1 end,
  function(id) return "set_importance", id, 256 end,
  function(id, p) p[#p + 1] = { radius = "5" } return "enter", id, table.unpack(p) end,
  function(id, p) p[#p + 1] = { radios = 5 } return "update", id, table.unpack(p) end,
  function(id, p) p[#p + 1] = { anchor = { NAN, 0, 0 } } return "update", id, table.unpack(p) end,
  function(id, p) return "enter_all", { id, table.unpack(p, 1, #p - 1) } end,
  function(id, p) return "move_all", { id, NAN, table.unpack(p, 2) } end,
  function() return "move_all", "x" end,
  function() return "leave_all", { 0.5 } end,
  function(id, p) return "update_all", { id, table.unpack(p) }, -1 end,
  function() return "leave_all", "1234567" end,
  function(id) return "add_area", id, {} end,
  function(id) return "add_area", id, { radius = 5 } end,
  function(id) return "add_area", id, { radius = 5, leave_radius = 4, x = 0, y = 0 } end,
  function(id) return "add_area", id, { shape = "polygon", points = { 0, 0, 2, 2, 2, 0, 0, 2 } } end,
  function(id) return "add_area", id, { shape = "polygon", points = { 0, 0, 2, 2 } } end,
  function(id) return "set_area", id, { shape = "star" } end,
  function(id) return "move_area", id, NAN, 0 end,
  function() return "query_circle", 0, 0, -1 end,
  function() return "query_polygon", { 0, 0, 1, 1 } end,
  function() return "set_bounds", 0, 0, 0, 0 end,
  function() return "set_bounds", 0, 0, math.huge, 1 end,
  function() return "tick", 0 end,
  function() return "tick", 0.5 end,
  function() return "tick", (1 << 53) + 1 end,
  function() return "hand_in", "" end,
  function() return "hand_in", ("x"):rep(100) end,
  function() return "drain", 5 end,
  function() return "on", { on_event = 5 } end,
  function() return "on", { on_evnt = 5 } end,
}

function errors.draw(c)
  local id, point = c.v:id(), c.v:point()
  local result = table.pack(c.random:pick(MAKE)(id, table.pack(table.unpack(point, 1, c.v.dims))))
  return { name = result[1], is_error = true, raw = table.move(result, 2, result.n, 1, { n = result.n - 1 }) }
end

return errors
