-- Sums up JUnit files, those of busted and of node's test runner: lua tools/sum_junit.lua FOLDER prints how
-- many tests passed, failed (errors among them) and were skipped.
local folder = assert(arg[1], "usage: lua tools/sum_junit.lua FOLDER")

local passed, failed, skipped = 0, 0, 0

-- A case that passed has nothing in it.
local function count_case(inside)
  if inside:find "<failure[%s>/]" or inside:find "<error[%s>/]" then
    failed = failed + 1
  elseif inside:find "<skipped[%s>/]" then
    skipped = skipped + 1
  else
    passed = passed + 1
  end
end

local function count_file(text)
  text = text:gsub('="[^"]*"', "") -- a name may have any letters
  local rest = text:gsub("<testcase[^>]*/>", function()
    passed = passed + 1
    return ""
  end):gsub("<testcase[^>]*>(.-)</testcase>", function(inside)
    count_case(inside)
    return ""
  end)
  local _, errors = rest:gsub("<error[%s>/]", "") -- of a spec that can't be loaded
  failed = failed + errors
end

local listing = assert(io.popen(("find '%s' -name '*.xml' -print"):format(folder)))
for path in listing:lines() do
  local file = assert(io.open(path, "rb"))
  count_file(file:read "a")
  file:close()
end
listing:close()
print(passed, failed, skipped)
