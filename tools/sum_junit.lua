-- Sums up JUnit files, those of busted and of node's test runner: lua tools/sum_junit.lua FOLDER prints how
-- many tests passed, failed (errors among them) and were skipped; and on standard error each that failed, as
-- a long log may be cut where it says so.
local folder = assert(arg[1], "usage: lua tools/sum_junit.lua FOLDER")

local passed, failed, skipped = 0, 0, 0

-- A case that passed has nothing in it.
local function count_case(attributes, inside)
  if inside:find "<failure[%s>/]" or inside:find "<error[%s>/]" then
    failed = failed + 1
    io.stderr:write("FAILED:", attributes, "\n", inside, "\n")
  elseif inside:find "<skipped[%s>/]" then
    skipped = skipped + 1
  else
    passed = passed + 1
  end
end

local function count_file(text)
  text = text:gsub('="[^"]*"', function(name) return (name:gsub(">", "&gt;")) end) -- node's may have one
  local rest = text:gsub("<testcase[^>]*/>", function()
    passed = passed + 1
    return ""
  end):gsub("<testcase([^>]*)>(.-)</testcase>", function(attributes, inside)
    count_case(attributes, inside)
    return ""
  end)
  local _, errors = rest:gsub("<error[%s>/]", "") -- of a spec that can't be loaded
  failed = failed + errors
  if errors > 0 then
    io.stderr:write("FAILED: ", rest, "\n")
  end
end

local listing = assert(io.popen(("find '%s' -name '*.xml' -print"):format(folder)))
for path in listing:lines() do
  local file = assert(io.open(path, "rb"))
  count_file(file:read "a")
  file:close()
end
listing:close()
print(passed, failed, skipped)
