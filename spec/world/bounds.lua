-- How long a world may stand still, how late an answer may come, and how late the players of a lost region
-- may be back, as docs/world.md promises it. Pure Lua, without skynet.
--
-- A span is { from, to }, in seconds; a list of them is sorted and its spans do not touch each other.
-- Tests run on machines that have other work. When the timers of a process that did not fail were late, each
-- bound grows by just that, and the report says so.
local bounds = {}

-- Seconds that a look every few hundredths of a second can't tell.
local BETWEEN_LOOKS = 0.15

-- All that is in any of the spans.
function bounds.union(spans)
  local sorted = table.move(spans, 1, #spans, 1, {})
  table.sort(sorted, function(a, b) return a[1] < b[1] end)
  local result = {}
  for _, span in ipairs(sorted) do
    local last = result[#result]
    if last and span[1] <= last[2] then
      last[2] = math.max(last[2], span[2])
    else
      result[#result + 1] = { span[1], span[2] }
    end
  end
  return result
end

-- All that is in both lists.
function bounds.both(a, b)
  local result, i, j = {}, 1, 1
  while a[i] and b[j] do
    local from, to = math.max(a[i][1], b[j][1]), math.min(a[i][2], b[j][2])
    if from < to then
      result[#result + 1] = { from, to }
    end
    if a[i][2] < b[j][2] then
      i = i + 1
    else
      j = j + 1
    end
  end
  return result
end

-- How much of a span is in the list.
function bounds.overlap(list, span)
  local sum = 0
  for _, one in ipairs(bounds.both(list, { span })) do
    sum = sum + one[2] - one[1]
  end
  return sum
end

-- The spans in which no node had a new tick. news: node -> what Pulse:news gives. A node that was killed and
-- started anew had none before.
local function standing(began, news)
  local result
  for _, of_node in ipairs(news) do
    local own = bounds.union { { began, math.max(began, of_node.since) }, table.unpack(of_node.stood) }
    result = result and bounds.both(result, own) or own
  end
  return result
end

local function late_of(failing, names, news)
  local all = {}
  for node, of_node in ipairs(news) do
    if not failing[names[node]] then
      table.move(of_node.late, 1, #of_node.late, #all + 1, all)
    end
  end
  return bounds.union(all)
end

-- The worst one of a list, by its bound, as { how long, how long it may be, how much of that for late timers,
-- span =, what =, longest = the longest one, as such a table }.
local function worst_of(list, late, allowed)
  local worst, longest
  for _, one in ipairs(list) do
    local grown = bounds.overlap(late, one.span)
    local judged = { one.length, allowed(one) + grown, grown, span = one.span, what = one.what }
    if not worst or judged[1] - judged[2] > worst[1] - worst[2] then
      worst = judged
    end
    if not longest or judged[1] > longest[1] then
      longest = judged
    end
  end
  worst = worst or { 0, allowed(), 0 }
  worst.longest = longest or worst
  return worst
end

-- Judges what has happened since `began`. of: { silence, lease = seconds, 0 when no lease had to run out,
-- failing = set of the names of nodes that failed, away = spans in which nobody could coordinate, unowned =
-- spans in which no node could have regions, stands = seconds for which the world may stand, in the place of
-- silence + 1, once = true: all its long standstills count as one }.
-- news: node -> what Pulse:news gives, with waits and backs, lists of { length =, span =, what = }.
-- Returns { stood =, wait =, back = }, each as worst_of has it.
function bounds.judge(of, names, news)
  local late = late_of(of.failing, names, news)
  local still, stood = standing(of.began, news), {}
  for _, span in ipairs(still) do
    stood[#stood + 1] = { length = span[2] - span[1], span = span, what = "the world" }
  end
  local long = 0
  for _, one in ipairs(of.once and stood or {}) do
    long = long + (one.length > of.silence / 2 and one.length or 0)
  end
  stood[#stood + 1] = long > 0 and { length = long, span = { still[1][1], still[#still][2] },
    what = "the world, all in all" } or nil
  local away, waits, backs = bounds.union(of.away), {}, {}
  local no_world = bounds.union(table.move(of.unowned, 1, #of.unowned, #still + 1,
    table.move(still, 1, #still, 1, {})))
  for _, of_node in ipairs(news) do
    table.move(of_node.waits, 1, #of_node.waits, #waits + 1, waits)
    table.move(of_node.backs, 1, #of_node.backs, #backs + 1, backs)
  end
  return {
    stood = worst_of(stood, late, function(one)
      return (of.stands or of.silence + 1) + of.lease + (one and bounds.overlap(away, one.span) or 0)
        + BETWEEN_LOOKS
    end),
    wait = worst_of(waits, late, function()
      return 2 * of.silence + 2 + BETWEEN_LOOKS
    end),
    back = worst_of(backs, late, function(one)
      return 1 + (one and bounds.overlap(no_world, one.span) or 0) + BETWEEN_LOOKS
    end),
  }
end

return bounds
