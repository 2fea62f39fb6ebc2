-- Breaks the C code, or a part of worlds, on purpose, in one place at a time, and says which spec sees
-- it. A fault that nothing sees is a hole in the specs: `make mutate` then fails.
--
--     lua tools/mutate.lua [short] [words of a fault's name or file ...]
--
-- The faults are in tools/mutants.lua. They are built and tested in a copy below build/mutate, so the
-- sources stay as they are whatever happens. The build is the one with self-checks. SEQUENCES=n in
-- the environment makes the specs' random sequences more or fewer.

local mutants = dofile "tools/mutants.lua"

local FOLDER = "build/mutate"
local MAKE = "make --no-print-directory -C " .. FOLDER .. " VARIANT=mutant AOI_LTO= CFLAGS=-O1 " ..
  'AOI_DEFINES="-DAOI_SELF_CHECK -DAOI_TINY" '
local SEQUENCES = os.getenv "SEQUENCES" or "3"
local CHECKS = "space/check.c" -- looks at faults, and has none
local SECONDS = 120 -- a check that takes longer hangs

-- What looks at a mutant, cheap ones first.
local SPECS = {
  "regressions", "differential", "differential_steps", "deferred", "slack", "differential_deferred",
  "differential_slack", "crowds", "differential_crowds", "differential_crowds_apart", "crowd_properties",
  "differential_batches", "packed_rows", "differential_bounds", "differential_groups", "differential_queries",
  "three_dimensions", "modes", "cross_engine", "observers", "construct", "events", "coroutine",
  "delivery", "errors", "determinism", "large_coordinates", "memory", "snapshot",
  "polygons", "areas", "areas_polygons", "errors_areas", "differential_areas",
  "hand_over", "hand_over_regions", "differential_hand_over",
  "records", "differential_records", "memory_held", "quadtree_distributions", "hostile_values", "reentrancy",
  "usual_radius", "traits",
  "skynet_region", "skynet_details", "skynet_region_state", "skynet_world_migration",
  "skynet_world_map", "skynet_world_directory", "skynet_world_link", "skynet_world_barrier",
  "skynet_world_commands", "skynet_world_agents", "skynet_world_transfer", "skynet_world_area_table",
  "skynet_world_areas", "skynet_world_areas_failures",
  "letters", "skynet_world_store",
}

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read "a"
  file:close()
  return text
end

local function write(path, text)
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
end

-- Returns whether the command succeeded, its exit code, and what it printed.
local function execute(command)
  local pipe = assert(io.popen("exec 2>&1; " .. command))
  local output = pipe:read "a"
  local succeeded, _, code = pipe:close()
  return succeeded == true, code, output
end

local function must(command)
  local succeeded, _, output = execute(command)
  if not succeeded then
    io.stderr:write(command, "\n", output)
    os.exit(1)
  end
end

-- The text as a pattern that matches it whatever the layout.
local function pattern_of(text)
  local words = {}
  for word in text:gmatch "%S+" do
    words[#words + 1] = word:gsub("%p", "%%%0")
  end
  return table.concat(words, "%s+")
end

-- The source with the fault in it; an error when its place is not found exactly once.
local function mutate(mutant, source)
  local pattern = pattern_of(mutant.from)
  local first, last = source:find(pattern)
  local where = ("tools/mutants.lua: %s, %s: its text is "):format(mutant.file, mutant.name)
  assert(first, where .. "not in the file any more")
  assert(not source:find(pattern, last + 1), where .. "in the file more than once")
  return source:sub(1, first - 1) .. mutant.to .. source:sub(last + 1)
end

local function run_spec(name, environment, which)
  return ("cd %s && %s SEQUENCES=%s AOI_BUILD=build/mutant timeout %d %s tools/busted.lua " ..
    "--ignore-lua --no-keep-going %s spec/%s_spec.lua"):format(FOLDER, environment or "", SEQUENCES,
    SECONDS, os.getenv "LUA" or "lua5.4", which or "--exclude-tags=crowd", name)
end

-- All checks by name, in their order.
local function all_checks()
  local checks = {}
  for _, name in ipairs(SPECS) do
    checks[#checks + 1] = { name = name, command = run_spec(name) }
  end
  for _, name in ipairs { "differential", "differential_deferred", "differential_queries" } do
    checks[#checks + 1] = { name = name .. " without vectors",
      command = run_spec(name, "AOI_SCALAR=1") }
  end
  for _, name in ipairs { "differential_deferred", "differential_slack" } do
    checks[#checks + 1] = { name = name .. " with a crowd",
      command = run_spec(name, "", '--filter="with a crowd"') }
  end
  checks[#checks + 1] = { name = "differential without AVX-512",
    command = run_spec("differential", "AOI_NO_AVX512=1") }
  for _, target in ipairs { "test-memory", "test-replay", "test-allocation" } do
    checks[#checks + 1] = { name = target, command = ("timeout %d %s %s"):format(2 * SECONDS, MAKE, target) }
  end
  return checks
end

-- Those that the mutant names go first.
local function checks_for(mutant, checks)
  local first, rest = {}, {}
  for _, check in ipairs(checks) do
    local list = mutant.seen_by == check.name and first or rest
    list[#list + 1] = check
  end
  assert(#first == 1, "tools/mutants.lua: no check is called " .. mutant.seen_by)
  return table.move(rest, 1, #rest, #first + 1, first)
end

local function prepare()
  must(("rm -rf %s && mkdir -p %s && cp -r Makefile make .busted src lua spec tools fuzz clients %s"):format(
    FOLDER, FOLDER, FOLDER))
  must(MAKE .. "all")
end

-- Without a fault all is well, else what follows would say nothing. In short form only those are asked
-- that are likely to see a fault.
local function check_without_fault(checks, chosen, short)
  local needed = {}
  for _, mutant in ipairs(chosen) do
    needed[mutant.seen_by] = true
  end
  for _, check in ipairs(checks) do
    local succeeded, output = true
    if needed[check.name] or not short then
      succeeded, _, output = execute(check.command)
    end
    if not succeeded then
      io.stderr:write("without any fault fails: ", check.name, "\n", output)
      os.exit(1)
    end
  end
end

-- Returns the name of the check that sees the mutant, and how; nil when none does.
local function try(mutant, checks)
  local path = FOLDER .. "/src/" .. mutant.file
  local source = read(path)
  write(path, mutate(mutant, source))
  local built, _, said = execute(MAKE .. "all")
  local seen_by, how
  for _, check in ipairs(built and checks_for(mutant, checks) or {}) do
    local succeeded, code, output = execute(check.command)
    if not succeeded then
      local place = output:match "src/([%w_./]+:%d+): self%-check failed"
      seen_by, how = check.name, code == 124 and "hangs" or place and "self-check " .. place
      break
    end
  end
  write(path, source)
  if not built then
    io.stderr:write(mutant.file, ", ", mutant.name, ": does not compile\n", said)
    os.exit(1)
  end
  return seen_by, how
end

local function is_chosen(mutant, words, short)
  if short and not mutant.short then
    return false
  end
  for _, word in ipairs(words) do
    if (mutant.file .. " " .. mutant.name):find(word, 1, true) then
      return true
    end
  end
  return #words == 0
end

local words, short = {}, false
for _, word in ipairs(arg) do
  if word == "short" then
    short = true
  else
    words[#words + 1] = word
  end
end

local files, chosen = {}, {}
for _, mutant in ipairs(mutants) do
  mutate(mutant, read("src/" .. mutant.file)) -- all of them, also in short form: else texts could rot
  files[mutant.file] = true
  if is_chosen(mutant, words, short) then
    chosen[#chosen + 1] = mutant
  end
end
for file in io.popen "cd src && ls */*.c":lines() do
  assert(files[file] or file == CHECKS, "tools/mutants.lua: no fault in " .. file)
end

assert(#chosen > 0, "no such fault")

prepare()
local checks = all_checks()
check_without_fault(checks, chosen, short)
local unseen, counts, by_self_check = {}, {}, 0
for number, mutant in ipairs(chosen) do
  local seen_by, how = try(mutant, checks)
  print(("%3d/%d %s, %s: %s%s"):format(number, #chosen, mutant.file, mutant.name,
    seen_by or "NOT SEEN", how and " (" .. how .. ")" or ""))
  io.flush()
  if seen_by then
    counts[seen_by] = (counts[seen_by] or 0) + 1
    by_self_check = by_self_check + (how and how ~= "hangs" and 1 or 0)
  else
    unseen[#unseen + 1] = mutant
  end
end

print(("\n%d of %d faults seen, %d of them by a self-check; first by:"):format(#chosen - #unseen,
  #chosen, by_self_check))
for _, check in ipairs(checks) do
  if counts[check.name] then
    print(("%5d  %s"):format(counts[check.name], check.name))
  end
end
for _, mutant in ipairs(unseen) do
  print(("not seen: %s, %s"):format(mutant.file, mutant.name))
end
os.exit(#unseen == 0)
