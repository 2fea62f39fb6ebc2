-- Sums up the figures of gcovr for each file, as a table of the folders for docs/inside/reliability.md: lua
-- tools/sum_coverage.lua SUMMARY.json

local json = require "dkjson"

local COUNTS = { "line_covered", "line_total", "branch_covered", "branch_total" }

local function add(sums, folder, file)
  sums[folder] = sums[folder] or {}
  for _, name in ipairs(COUNTS) do
    sums[folder][name] = (sums[folder][name] or 0) + file[name]
  end
end

local function row(name, sums)
  local function percent(of, all)
    return all == 0 and "" or ("%.1f %%"):format(100 * of / all)
  end
  return ("| %s | %d | %s | %d | %s |"):format(name, sums.line_total,
    percent(sums.line_covered, sums.line_total), sums.branch_total,
    percent(sums.branch_covered, sums.branch_total))
end

local file = assert(io.open((assert(arg[1], "usage: lua tools/sum_coverage.lua SUMMARY.json"))))
local summary = assert(json.decode(file:read "a"))
file:close()
local sums, folders = {}, {}
for _, one in ipairs(summary.files) do
  local folder = one.filename:match "^(.*)/"
  if not sums[folder] then
    folders[#folders + 1] = folder
  end
  add(sums, folder, one)
  add(sums, "all", one)
end
table.sort(folders)
print "| folder | lines | reached | branches | taken |"
print "| --- | --- | --- | --- | --- |"
for _, folder in ipairs(folders) do
  print(row(folder, sums[folder]))
end
print(row("all", sums.all))
