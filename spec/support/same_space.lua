-- Whether two spaces are the same to all who ask, and have the same to say at the next tick and drain.

local aoi = require "aoi"

local EQUAL_STATS = {
  "engine", "entities", "areas", "pending", "collected", "changed", "calls", "tick", "cols", "rows",
  "cell_width", "cell_height",
}

local SETS = { "markers_of", "watchers_of", "told_markers_of", "told_watchers_of", "areas_of" }

-- Of more entities than this only some pairs are explained.
local MOST_EXPLAINED = 12

-- `what` is made into a text with the other arguments.
local function check(what, actual, expected, ...)
  if actual ~= expected then
    error(("%s is %s, and %s in the space it is made after"):format(what:format(...), tostring(actual),
      tostring(expected)), 0)
  end
end

local function sorted(list, n)
  local copy = table.move(list, 1, n, 1, {})
  table.sort(copy)
  check("the entry after the last", list[n + 1], nil)
  return copy
end

-- The events that are gathered, in order of names; both stay as they are.
local function collected(space)
  local copy, texts = aoi.load(space:save()), {}
  local ok, events, n = pcall(copy.drain, copy)
  if ok then
    for i = 1, 3 * n, 3 do
      texts[#texts + 1] = ("%d %s %d"):format(events[i], events[i + 2], events[i + 1])
    end
    table.sort(texts)
  end
  copy:close()
  return table.concat(texts, ", ")
end

local function check_entity(actual, expected, id)
  check("the position of %d", table.concat({ actual:position(id) }, " "),
    table.concat({ expected:position(id) }, " "), id)
  check("the radius of %d", actual:radius(id), expected:radius(id), id)
  for _, method in ipairs(SETS) do
    check("%s(%d)", table.concat(sorted(actual[method](actual, id)), " "),
      table.concat(sorted(expected[method](expected, id)), " "), method, id)
  end
end

local function check_explanations(actual, expected, ids)
  local stride = math.max(1, #ids // MOST_EXPLAINED)
  for i = 1, #ids, stride do
    for k = 1 + i % stride, #ids, stride do
      local reason, rank = actual:explain(ids[i], ids[k])
      local wanted, wanted_rank = expected:explain(ids[i], ids[k])
      check("explain(%d, %d)", reason, wanted, ids[i], ids[k])
      check("the rank of explain(%d, %d)", rank, wanted_rank, ids[i], ids[k])
    end
  end
end

-- Raises, with what differs, when they are not the same.
local function check_same(actual, expected)
  local actual_stats, expected_stats = actual:stats(), expected:stats()
  for _, name in ipairs(EQUAL_STATS) do
    check(name, actual_stats[name], expected_stats[name])
  end
  check("tostring", tostring(actual), tostring(expected))
  local ids = sorted(expected:ids())
  check("ids", table.concat(sorted(actual:ids()), " "), table.concat(ids, " "))
  for _, id in ipairs(ids) do
    check_entity(actual, expected, id)
  end
  check_explanations(actual, expected, ids)
  local areas = sorted(expected:areas())
  check("areas", table.concat(sorted(actual:areas()), " "), table.concat(areas, " "))
  for _, area in ipairs(areas) do
    check("members_of(%d)", table.concat(sorted(actual:members_of(area)), " "),
      table.concat(sorted(expected:members_of(area)), " "), area)
  end
  check("what is gathered", collected(actual), collected(expected))
end

return { check = check_same }
