-- Writes the events of a space down as short texts, so that specs compare them as plain strings:
-- "1: enter 2" says that watcher 1 was told that marker 2 entered its view.
local record = {}

function record.text(watcher, marker, op)
  return string.format("%d: %s %d", watcher, op, marker)
end

-- A new log and an on_event handler that fills it.
function record.log()
  local log = {}
  return log, function(watcher, marker, op)
    log[#log + 1] = record.text(watcher, marker, op)
  end
end

-- A space of the engine row with a log on on_event.
function record.space(row, extra)
  local log, handler = record.log()
  local options = row.options(extra)
  options.on_event = handler
  return require("aoi").new(options), log
end

-- The events, in order, as one string; empties the log.
function record.in_order(log)
  local text = table.concat(log, ", ")
  record.forget(log)
  return text
end

-- The events as a set: sorted, as one string; empties the log.
function record.told(log)
  table.sort(log)
  return record.in_order(log)
end

-- The kinds in order, as in "leave leave enter move"; keeps the log.
function record.kinds(log)
  local kinds = {}
  for i, line in ipairs(log) do
    kinds[i] = line:match(": (%a+) ")
  end
  return table.concat(kinds, " ")
end

function record.forget(log)
  for i = #log, 1, -1 do
    log[i] = nil
  end
end

-- The first n entries of a list of ids, sorted, as one string.
function record.ids(list, n)
  local ids = {}
  for i = 1, n do
    ids[i] = rawget(list, i)
  end
  table.sort(ids)
  return table.concat(ids, " ")
end

return record
