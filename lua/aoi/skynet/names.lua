-- Names that somebody has written and that are none: what is expected in their place. Pure Lua.
local names = {}

local MOST_SLIPS = 2 -- a letter too many, missing, another one, or two swapped

local function slips_between(a, b)
  local before, row = nil, {}
  for k = 0, #b do
    row[k] = k
  end
  for i = 1, #a do
    local last, this = row, { [0] = i }
    for k = 1, #b do
      local is_same = a:byte(i) == b:byte(k)
      this[k] = math.min(last[k - 1] + (is_same and 0 or 1), last[k] + 1, this[k - 1] + 1)
      if before and k > 1 and a:byte(i) == b:byte(k - 1) and a:byte(i - 1) == b:byte(k) then
        this[k] = math.min(this[k], before[k - 2] + 1)
      end
    end
    before, row = last, this
  end
  return row[#b]
end

-- The one of a list of names that this was perhaps meant as; nil: none. Half of a name is no slip.
-- O(length of all names).
function names.nearest(name, list)
  local nearest, least = nil, MOST_SLIPS + 1
  for _, known in ipairs(type(name) == "string" and #name < 100 and list or {}) do
    local slips = slips_between(name, known)
    if slips < least and 2 * slips < #known then
      nearest, least = known, slips
    end
  end
  return nearest
end

-- " (did you mean a?)", or nothing.
function names.hint(name, list)
  local nearest = names.nearest(name, list)
  return nearest and (" (did you mean %s?)"):format(nearest) or ""
end

-- "a, b or c".
function names.listed(list)
  return #list < 2 and list[1] or table.concat(list, ", ", 1, #list - 1) .. " or " .. list[#list]
end

-- The complaint of a space about an option that it does not know, with the names that are known beside its
-- own. not_here: one of its own that is none here; nil: none. Any other message is given back as it is.
function names.with_own(message, own, not_here)
  local head, option, expected =
    tostring(message):match "^(.-: option )(.*) is unknown[^,]*, expected ([%w_, :]+)$"
  if not expected then
    return message
  end
  local whose = expected:match "^.*: " or ""
  local list, is_known = {}, {}
  for known in expected:sub(#whose + 1):gsub(" or ", ", "):gmatch "[^,%s]+" do
    list[#list + 1], is_known[known] = known ~= not_here and known or nil, true
  end
  for _, known in ipairs(own) do
    list[#list + 1], is_known[known] = not is_known[known] and known or nil, true
  end
  return ("%s%s is unknown%s, expected %s%s"):format(head, option, names.hint(option:match "^%S+", list),
    whose, names.listed(list))
end

return names
