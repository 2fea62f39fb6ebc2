-- The names that DESIGN gives, and what they are called today; and what today's module cannot do yet. A later
-- issue that brings a name or an ability changes this table and nothing else.
local names = {}

local METHODS = {
  set_layers = "set_layer",
  set_sees_layers = "set_sees",
  told_markers_of = "told",
  told_watchers_of = "told_to",
}

local OPTIONS = {
  layers = "layer",
  sees_layers = "sees",
  keep_factor = "keep",
  move_budget = "budget",
}

-- What the generator may draw.
names.can = {
  touch_everywhere = false,        -- touch in deferred spaces that are no crowds
  visible_radius = false,
  sights = false,
  grid_without_map = false,
  update_area = false,
}

function names.method(name)
  return METHODS[name] or name
end

function names.option(name)
  return OPTIONS[name] or name
end

-- A copy of a table of options with today's names.
function names.options(options)
  local renamed = {}
  for name, value in pairs(options) do
    renamed[names.option(name)] = value
  end
  return renamed
end

return names
