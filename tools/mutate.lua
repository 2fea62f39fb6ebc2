-- Breaks the C code, or a part of worlds, on purpose, in one place at a time: does the check that the fault
-- names (tools/mutants.lua) see it? A fault that it does not see is a hole in the specs: `make mutate` fails.
--
--     lua tools/mutate.lua                              all faults that were not seen yet, as they are now
--     lua tools/mutate.lua words ...                    those with one of these words in their name or file
--     lua tools/mutate.lua short                        the short form
--     lua tools/mutate.lua check                        none; only whether the list is right
--
-- Faults are built and tested in copies below build/mutate, JOBS of them at a time (2 when not set), so the
-- sources stay as they are whatever happens. What was seen is kept in build/mutate/tried.txt, and tried
-- again once the fault, its file or its check has changed. When all faults are seen as they are now, the
-- figures are written into docs/inside/reliability.md. SEQUENCES=n makes the specs' random sequences more or
-- fewer.

package.path = "tools/?.lua;" .. package.path
local mutation = require "mutation"

local LUA = os.getenv "LUA" or "lua5.4"
local JOBS = math.tointeger(tonumber(os.getenv "JOBS" or 2)) or error "JOBS is no number"
local TRIED = mutation.FOLDER .. "/tried.txt"
local SEEN = { seen = true, ["self-check"] = true, hung = true }

local function must(command)
  if not os.execute(command) then
    io.stderr:write("failed: ", command, "\n")
    os.exit(1)
  end
end

-- How each fault came out when it was tried last, by its key.
local function read_tried()
  local tried = {}
  local file = io.open(TRIED)
  for line in file and file:lines() or function() end do
    local key, outcome = line:match "^(%x+)\t(.+)$"
    if key then -- else it was cut off
      tried[key] = outcome
    end
  end
  return tried
end

-- A copy for each that works, all of them built.
local function prepare()
  local first = mutation.FOLDER .. "/0"
  must(("cd %s 2>/dev/null && rm -rf [0-9]* || mkdir -p %s"):format(mutation.FOLDER, mutation.FOLDER))
  must(("mkdir -p %s && cp -R Makefile make .busted src lua spec tools fuzz clients docs examples %s")
    :format(first, first))
  must(("cd %s && %s all >/dev/null"):format(first, mutation.MAKE))
  for number = 1, JOBS - 1 do
    must(("cp -Rp %s %s/%d"):format(first, mutation.FOLDER, number))
  end
end

-- Gives the jobs to the copies, each to one that is idle; returns whether all were done.
local function run(jobs)
  local pipe = assert(io.popen(("xargs -P %d -n 3 --process-slot-var=COPY sh -c " ..
    "'cd %s/$COPY && exec %s tools/try_mutant.lua \"$@\"' try"):format(JOBS, mutation.FOLDER, LUA), "w"))
  for _, job in ipairs(jobs) do
    pipe:write(('"%s" "%s" "%s"\n'):format(job[1], job[2], job[3]))
  end
  return pipe:close() == true
end

-- Tries those faults of these numbers whose checks are slow, or are not. Without a fault all is well, else
-- what follows would say nothing.
local function try(mutants, numbers, is_slow)
  local checks, faults, asked = {}, {}, {}
  for _, number in ipairs(numbers) do
    local mutant = mutants[number]
    local name = mutant.seen_by
    if mutation.is_slow(name) == is_slow then
      if not asked[name] then
        asked[name] = true
        checks[#checks + 1] = { "check", "-", name }
      end
      faults[#faults + 1] = { "fault", mutation.key(mutant), number }
    end
  end
  return #faults == 0 or run(checks) and run(faults)
end

local function try_all(mutants, numbers)
  prepare()
  return try(mutants, numbers, false) and try(mutants, numbers, true)
end

local function is_chosen(mutant, words)
  for _, word in ipairs(words) do
    if (mutant.file .. " " .. mutant.name):find(word, 1, true) or word == "short" and mutant.short then
      return true
    end
  end
  return false
end

-- The numbers of the faults to try, those of a file together: each is built from the one before.
local function choose(mutants, words)
  local tried, numbers = read_tried(), {}
  for number, mutant in ipairs(mutants) do
    if is_chosen(mutant, words) or #words == 0 and not SEEN[tried[mutation.key(mutant)]] then
      numbers[#numbers + 1] = number
    end
  end
  table.sort(numbers, function(one, another)
    local file, other = mutants[one].file, mutants[another].file
    return file < other or file == other and one < another
  end)
  return numbers
end

-- How many of these came out in which way; and the faults that nobody saw.
local function count(mutants, numbers)
  local tried, counts, unseen = read_tried(), {}, {}
  for _, number in ipairs(numbers) do
    local outcome = tried[mutation.key(mutants[number])] or "not tried"
    counts[outcome] = (counts[outcome] or 0) + 1
    if not SEEN[outcome] then
      unseen[#unseen + 1] = ("%s: %s, %s"):format(outcome, mutants[number].file, mutants[number].name)
    end
  end
  return counts, unseen
end

local function summary(number, counts)
  local seen, parts = 0, {}
  for outcome in pairs(SEEN) do
    seen = seen + (counts[outcome] or 0)
  end
  for _, outcome in ipairs { "not seen", "not built", "not tried" } do
    parts[#parts + 1] = counts[outcome] and (", %d %s"):format(counts[outcome], outcome)
  end
  return ("%d faults: %d seen, %d of them by a self-check and %d since the check hung%s"):format(number, seen,
    counts["self-check"] or 0, counts.hung or 0, table.concat(parts))
end

-- All faults are seen: how many in each folder.
local function write_figures(mutants, line)
  local counts, folders = {}, {}
  for _, mutant in ipairs(mutants) do
    local folder = mutation.path(mutant):gsub("^src/%.%./", ""):match "^(.*)/"
    if not counts[folder] then
      folders[#folders + 1] = folder
    end
    counts[folder] = (counts[folder] or 0) + 1
  end
  table.sort(folders)
  local pipe = assert(io.popen(LUA .. " tools/figures.lua mutate text 'make mutate'", "w"))
  pipe:write(line, ".\n\n| folder | faults, all of them seen |\n| --- | --- |\n")
  for _, folder in ipairs(folders) do
    pipe:write(("| %s | %d |\n"):format(folder, counts[folder]))
  end
  assert(pipe:close())
end

local mutants, words = dofile "tools/mutants.lua", arg
local complaints = mutation.complaints(mutants)
if #complaints > 0 then
  io.stderr:write(table.concat(complaints, "\n"), "\n")
  os.exit(1)
elseif words[1] == "check" then
  os.exit(true)
end

local numbers = choose(mutants, words)
print(("%d of %d faults to try"):format(#numbers, #mutants))
assert(#numbers > 0 or #words == 0, "no such fault")
local done = #numbers == 0 or try_all(mutants, numbers)
local counts, unseen = count(mutants, numbers)
print(summary(#numbers, counts))
for _, line in ipairs(unseen) do
  print(line)
end
if #words == 0 and done and #unseen == 0 then
  for number = 1, #mutants do
    numbers[number] = number
  end
  local line = summary(#mutants, (count(mutants, numbers)))
  print("all of them: " .. line)
  write_figures(mutants, line)
end
os.exit(done and #unseen == 0)
