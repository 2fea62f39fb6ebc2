-- Compares the lines that gcovr says no test has reached with those that tools/unreached.txt explains:
-- lua tools/check_unreached.lua REPORT.json. Fails for every line not reached that is not explained there,
-- and for every line that is explained in vain.

local json = require "dkjson"

local function read_file(path)
  local file = assert(io.open(path))
  local text = file:read "a"
  file:close()
  return text
end

-- The text of a line without indentation and comment.
local function bare(text)
  return (text:gsub("/%*.*", ""):gsub("^%s+", ""):gsub("%s+$", ""))
end

local function read_lines(path)
  local texts = {}
  for text in io.lines(path) do
    texts[#texts + 1] = bare(text)
  end
  return texts
end

-- How many lines of this file and text are explained, from rows "file: text of the line", or
-- "file: 3 x text" for three such lines. A row that begins otherwise is a reason.
local function read_explained(path)
  local explained = {}
  for row in io.lines(path) do
    local file, text = row:match "^(src/%S+): (.+)$"
    if file then
      local times, rest = text:match "^(%d+) x (.+)$"
      local what = file .. ": " .. (rest or text)
      explained[what] = (explained[what] or 0) + tonumber(times or 1)
    end
  end
  return explained
end

local explained = read_explained "tools/unreached.txt"
local faults = {}

local path = assert(arg[1], "usage: lua tools/check_unreached.lua REPORT.json")
local report = assert(json.decode(read_file(path)))
assert(#report.files > 0, "no file in the report")
for _, file in ipairs(report.files) do
  local texts = read_lines(file.file)
  for _, line in ipairs(file.lines) do
    if line.count == 0 and not line["gcovr/noncode"] then
      local what = file.file .. ": " .. texts[line.line_number]
      if (explained[what] or 0) > 0 then
        explained[what] = explained[what] - 1
      else
        faults[#faults + 1] = ("not reached, and not explained in tools/unreached.txt: %s:%d: %s"):format(
          file.file, line.line_number, texts[line.line_number])
      end
    end
  end
end
for what, times in pairs(explained) do
  if times > 0 then
    faults[#faults + 1] = ("in tools/unreached.txt, but reached or not there: %s%s"):format(what,
      times > 1 and (" (%d lines)"):format(times) or "")
  end
end
table.sort(faults)
for _, fault in ipairs(faults) do
  print(fault)
end
os.exit(#faults == 0)
