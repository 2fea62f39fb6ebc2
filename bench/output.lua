-- Collects the results: prints them as tables and keeps them for the JSON file.
local output = { rows = {} }

local by_id = {}

function output.title(text)
  print("\n== " .. text)
end

function output.note(text)
  print("   " .. text)
end

local function number(value)
  if value >= 1e5 or value < 0.0005 then
    return ("%.4g"):format(value)
  end
  return (value >= 100 and "%.0f" or value >= 10 and "%.1f" or "%.2f"):format(value)
end
output.number = number

local function spread(summary)
  return ("%8s (%s..%s)"):format(number(summary.median), number(summary.min), number(summary.max))
end

function output.header(unit)
  print(("   %-34s %-30s %9s  %s"):format("", unit or "ns a call (min..max)", "events", "x floor (min..max)"))
end

--[[ Adds a row: id is scene/case/..., the words are for the printed table. `result` has the summaries
`time`, `ratio` and `floor` (may be nil) and the number `events`; fields of `more` go to the JSON as
they are, its `compared` (a summary) is also printed, followed by the words `to`. ]]
function output.row(id, words, result, more, to)
  local row = { id = id, text = words, unit = "ns" }
  for name, value in pairs(more or {}) do
    row[name] = value
  end
  row.time, row.ratio, row.floor, row.events = result.time, result.ratio, result.floor, result.events
  output.rows[#output.rows + 1] = row
  by_id[id] = row
  local time, unit = result.time, ""
  if time.median >= 10000 then
    time, unit = { median = time.median / 1000, min = time.min / 1000, max = time.max / 1000 }, " us"
  end
  local compared = row.compared and ("  = %s x %s"):format(number(row.compared.median), to) or ""
  print(("   %-34s %-30s %9s  %s%s"):format(words, spread(time) .. unit,
    result.events and number(result.events) or "", result.ratio and spread(result.ratio) or "", compared))
end

-- A row that holds another number than a time.
function output.value(id, words, value, unit)
  local row = { id = id, text = words, value = value, unit = unit }
  output.rows[#output.rows + 1] = row
  by_id[id] = row
  print(("   %-34s %8s %s"):format(words, number(value), unit))
end

function output.missing(words, what)
  print(("   %-34s not in this build%s"):format(words, what and ": " .. what or ""))
end

-- The row with the id, or nil.
function output.find(id)
  return by_id[id]
end

return output
