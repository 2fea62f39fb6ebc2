-- Draws who hears what, and how handlers behave: they call back, raise and yield.
local draw_calls = require "spec.everything.generator_calls"

local handlers = {}

-- Sets of handlers; each kind of them alone, beside others, and none.
local SETS = {
  {}, { "on_event" }, { "on_event" }, { "on_event", "on_area" }, { "on_event", "on_area" },
  { "on_enter" }, { "on_enter", "on_leave" }, { "on_enter", "on_leave", "on_area" }, { "on_move" },
  { "on_leave", "on_move" }, { "on_enter", "on_leave", "on_move" }, { "on_area" }, { "on_watchers" },
  { "on_markers" }, { "on_watchers", "on_markers" }, { "on_watchers", "on_markers", "on_area" },
  { "on_view" }, { "on_view", "on_area" },
}

local ALL = {
  "on_event", "on_enter", "on_leave", "on_move", "on_watchers", "on_markers", "on_view", "on_area",
}

-- A list of names of handlers.
function handlers.list(random)
  local list = {}
  if random:chance(0.75) then
    table.move(random:pick(SETS), 1, 10, 1, list)
  else
    for _, name in ipairs(ALL) do
      if random:chance(0.35) then
        list[#list + 1] = name
      end
    end
  end
  if random:chance(0.3) then
    list[#list + 1] = "on_error"
  end
  return list
end

-- The script of handlers, which act at some of their calls: number of the call -> list of actions.
function handlers.script(random, v, flags, space)
  local script = {}
  if not flags.misbehaves then
    return script
  end
  for _ = 1, random:integer(1, 6) do
    local actions = {}
    for i = 1, random:integer(1, 2) do
      local act = random:pick { "call", "call", "call", "raise", "yield" }
      actions[i] = { act = act }
      if act == "call" then
        actions[i].call = draw_calls.in_handler(random, v, flags, space)
      end
    end
    script[random:integer(1, 40)] = actions
  end
  return script
end

draw_calls.use_handlers(handlers)

return handlers
