-- Order of things that no machine's clock may decide: ownership numbers and stamps.
local numbers = {
  HANDLERS = 255, -- in stamps, in place of a member's: commands of the user's handlers
}

-- An ownership number: configuration, tick and region from which a region has an entity.
function numbers.ownership(configuration, tick, region)
  return { configuration, tick, region }
end

-- A stamp: an integer that orders commands by tick, place of their node among the members, and place there.
function numbers.stamp(tick, node, place)
  return tick << 28 | node << 20 | place
end

-- The stamp of the enter with which a stay began: its name ends with it.
local function stamp_of(stay)
  return tonumber(stay:match "%x+$", 16)
end

-- Whether stay a began before stay b.
function numbers.began_earlier(a, b)
  return stamp_of(a) < stamp_of(b)
end

-- The tick in which the enter of a stay was sent.
function numbers.tick_of(stay)
  return stamp_of(stay) >> 28
end

-- Whether list a of numbers stands behind list b, by their first difference.
function numbers.later(a, b)
  for i = 1, #a do
    if a[i] ~= b[i] then
      return a[i] > b[i]
    end
  end
  return false
end

-- Whether two lists of as many numbers are the same.
function numbers.are_same(a, b)
  return not numbers.later(a, b) and not numbers.later(b, a)
end

-- Sorts a list by this field of its values; most often it is in order already. Then O(n).
function numbers.sort_by(list, name)
  for i = 2, #list do
    if list[i][name] < list[i - 1][name] then
      table.sort(list, function(a, b) return a[name] < b[name] end)
      return
    end
  end
end

-- Keys of a table in ascending order: every walk over a table goes by them, so that a schedule has one
-- course.
function numbers.sorted(t)
  local keys = {}
  for key in pairs(t) do
    keys[#keys + 1] = key
  end
  table.sort(keys)
  return keys
end

return numbers
