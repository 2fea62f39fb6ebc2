-- Says which lines and branches of src/ the tests have reached, from what a build with gcc's --coverage
-- has counted: lua tools/coverage.lua FOLDER_OF_OBJECTS. Fails when less than LEAST of the lines were
-- reached, for every line not reached that tools/unreached.txt does not explain, and for every line that
-- it explains in vain.
--
-- Branches of SELF_CHECK are left out: that they are never taken is their purpose.

local LEAST = 0.95

local objects = assert(arg[1], "usage: lua tools/coverage.lua FOLDER_OF_OBJECTS")

-- sources[path][line] = { count =, text =, branches = { count, ... } }, of all lines that are code. A line
-- of a header is in several object files.
local sources = {}

local function line_of(path, number, text)
  sources[path] = sources[path] or {}
  local line = sources[path][number] or { count = 0, text = text, branches = {} }
  sources[path][number] = line
  return line
end

local function read_counts(source)
  local path, line, branch
  local pipe = assert(io.popen(("gcov --stdout -b -c -o %s %s 2>/dev/null"):format(objects, source)))
  for row in pipe:lines() do
    local count, number, text = row:match "^%s*([^:%s]+):%s*(%d+):(.*)$"
    if count and number == "0" then
      path = text:match "^Source:(.*)$" or path
    elseif count then
      line, branch = nil, 0
      if count ~= "-" and path:find "^src/" then
        line = line_of(path, tonumber(number), text)
        line.count = line.count + (tonumber(count:match "^%d+") or 0)
      end
    elseif line and row:find "^branch" and not line.text:find "SELF_CHECK" then
      branch = branch + 1
      line.branches[branch] = (line.branches[branch] or 0) + (tonumber(row:match "taken (%d+)") or 0)
    end
  end
  pipe:close()
end

-- The text of a line without indentation and comment.
local function bare(text)
  return (text:gsub("/%*.*", ""):gsub("^%s+", ""):gsub("%s+$", ""))
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

local function percent(reached, all)
  return all == 0 and "    -" or ("%5.1f"):format(100 * reached / all)
end

local pipe = io.popen "ls src/*/*.c"
for source in pipe:lines() do
  read_counts(source)
end
pipe:close()

local explained = read_explained "tools/unreached.txt"
local paths, unexplained, totals = {}, {}, { lines = 0, reached = 0, branches = 0, taken = 0 }
for path in pairs(sources) do
  paths[#paths + 1] = path
end
table.sort(paths)

print "lines reached        branches taken"
for _, path in ipairs(paths) do
  local counts = { lines = 0, reached = 0, branches = 0, taken = 0 }
  local last = 0
  for number in pairs(sources[path]) do
    last = math.max(last, number)
  end
  for number = 1, last do
    local line = sources[path][number]
    if line then
      counts.lines = counts.lines + 1
      counts.reached = counts.reached + (line.count > 0 and 1 or 0)
      for _, taken in ipairs(line.branches) do
        counts.branches = counts.branches + 1
        counts.taken = counts.taken + (taken > 0 and 1 or 0)
      end
      if line.count == 0 then
        local what = path .. ": " .. bare(line.text)
        local times = explained[what]
        if times and times > 0 then
          explained[what] = times - 1
        else
          unexplained[#unexplained + 1] = ("%s:%d: %s"):format(path, number, bare(line.text))
        end
      end
    end
  end
  print(("%s %% of %4d     %s %% of %4d   %s"):format(percent(counts.reached, counts.lines), counts.lines,
    percent(counts.taken, counts.branches), counts.branches, path))
  for what, count in pairs(counts) do
    totals[what] = totals[what] + count
  end
end
print(("%s %% of %4d     %s %% of %4d   in all"):format(percent(totals.reached, totals.lines), totals.lines,
  percent(totals.taken, totals.branches), totals.branches))

local stale = {}
for what, times in pairs(explained) do
  if times > 0 then
    stale[#stale + 1] = times == 1 and what or ("%s (%d lines)"):format(what, times)
  end
end
table.sort(stale)
for _, what in ipairs(stale) do
  print(("in tools/unreached.txt, but reached or not there: %s"):format(what))
end
for _, where in ipairs(unexplained) do
  print(("not reached, and not explained in tools/unreached.txt: %s"):format(where))
end
if totals.reached < LEAST * totals.lines then
  print(("fewer than %g %% of the lines were reached"):format(100 * LEAST))
end
os.exit(#unexplained == 0 and #stale == 0 and totals.reached >= LEAST * totals.lines)
