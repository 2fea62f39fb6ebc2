-- Several kinds of handlers in one space, for the comparison with the model: each must hear
-- everything in its own manner. The first writes the log; the others write logs beside it, which
-- have the same events in the same stretches, in another order. A collecting space is one of them.

local compare = require "spec.support.compare"
local group_listeners = require "spec.support.group_listeners"

local function find(name)
  for _, list in ipairs { compare.listeners, group_listeners } do
    for _, listener in ipairs(list) do
      if listener.name == name then
        return listener
      end
    end
  end
  error("no listener " .. name)
end

-- The listener of all these parts.
local function join(parts)
  local names, code, gathering = {}, {}, nil
  for index, part in ipairs(parts) do
    names[index] = part.name
    code[index] = parts[index].code
    gathering = parts[index].gather and parts[index] or gathering
  end
  return {
    name = table.concat(names, " and "),
    code = table.concat(code, "\n"),
    code_after_call = gathering and gathering.code_after_call,
    are_several = true,
    parts = parts,
    kinds = parts[1].kinds,
    listen = function(options, log)
      parts[1].listen(options, log)
      log.beside = {}
      for index = 2, #parts do
        log.beside[index - 1] = { log = {}, listener = parts[index] }
        parts[index].listen(options, log.beside[index - 1].log)
      end
    end,
    gather = gathering and function(log, space)
      for _, beside in ipairs(log.beside) do
        if beside.listener == gathering then
          gathering.gather(beside.log, space)
        end
      end
    end,
    check_order = function(log, first, last, change)
      local check_first = parts[1].check_order or compare.check_order_of_kinds
      check_first(log, first, last, change)
      for _, beside in ipairs(log.beside) do
        compare.check_same("events heard by " .. beside.listener.name, #beside.log, #log)
        compare.check_change(beside.log, first, last, change, beside.listener)
      end
    end,
  }
end

local function several(...)
  local parts = {}
  for index, name in ipairs { ... } do
    parts[index] = find(name)
  end
  return join(parts)
end

return {
  join = join,
  several("on_event", "on_view"),
  several("on_view", "on_watchers and on_markers", "one handler per kind"),
  several("on_markers", "on_event", "collect"),
  several("on_watchers", "on_view", "collect"),
  several("on_view", "on_markers"),
}
