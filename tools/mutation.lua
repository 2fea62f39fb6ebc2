-- Knowledge that tools/mutate.lua and tools/try_mutant.lua share: how a fault is put into a source, by which
-- names the checks go, and when a fault has to be tried again.

local mutation = {}

-- Where the copies and what is kept are.
mutation.FOLDER = "build/mutate"

-- How the module is built, with self-checks and everything tiny, beside other builds.
mutation.MAKE = "make --no-print-directory VARIANT=mutant AOI_LTO= CFLAGS=-O1 " ..
  'AOI_DEFINES="-DAOI_SELF_CHECK -DAOI_TINY" '

local SEQUENCES = os.getenv "SEQUENCES" or "3"
local SECONDS = 60 -- of a processor; a check that takes longer hangs
local FAULTLESS = "space/check.c" -- looks at faults, and has none

-- Checks that are not a spec as it is: "differential without vectors" is spec/differential_spec.lua so.
local MANNERS = {
  ["without vectors"] = { environment = "AOI_SCALAR=1" },
  ["with a crowd"] = { which = '--filter="with a crowd"' },
}
-- Checks that are a target of make, with the files that say what they look at.
local TARGETS = {
  ["test-memory"] = { "spec/host/spaces.lua", "spec/host/arrays.c", "spec/host/give_back.c" },
  ["test-replay"] = { "fuzz/replay.c" },
  ["test-allocation"] = { "spec/host/refuse.lua", "spec/host/refuse_core.c", "spec/host/refuse_steps.h" },
}

function mutation.read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read "a"
  file:close()
  return text
end

local function exists(path)
  local file = io.open(path)
  return file ~= nil and file:close()
end

-- The spec of a check's name, and the manner in which it is run.
local function spec_of(name)
  local spec, manner = name:match "^(%S+) (.+)$"
  return ("spec/%s_spec.lua"):format(spec or name), manner
end

-- Whether a check is a target of make, which takes minutes.
function mutation.is_slow(name)
  return TARGETS[name] ~= nil
end

-- The command that runs a check, from the folder of a copy; it succeeds when the check sees no fault.
function mutation.command(name)
  if TARGETS[name] then
    return ("ulimit -S -t %d; %s %s"):format(5 * SECONDS, mutation.MAKE, name)
  end
  local spec, manner = spec_of(name)
  local how = MANNERS[manner] or {}
  return ("ulimit -S -t %d; %s SHRINK=0 SEQUENCES=%s AOI_BUILD=build/mutant %s tools/busted.lua " ..
    "--ignore-lua --no-keep-going %s %s"):format(SECONDS, how.environment or "", SEQUENCES,
    os.getenv "LUA" or "lua5.4", how.which or "--exclude-tags=crowd", spec)
end

-- Whether a command that failed with this exit code, or signal, and output was ended since it hung.
function mutation.has_hung(code, output)
  local XCPU = 24
  return code == XCPU or code == 128 + XCPU or output:find("CPU time limit exceeded", 1, true) ~= nil
end

-- The file that has the fault.
function mutation.path(mutant)
  return "src/" .. mutant.file
end

-- The text as a pattern that matches it whatever the layout.
local function pattern_of(text)
  local words = {}
  for word in text:gmatch "%S+" do
    words[#words + 1] = word:gsub("%p", "%%%0")
  end
  return table.concat(words, "%s+")
end

-- The source with the fault in it; nil and the reason when its place is not found exactly once.
function mutation.mutate(mutant, source)
  local pattern = pattern_of(mutant.from)
  local first, last = source:find(pattern)
  if not first then
    return nil, "its text is not in the file any more"
  elseif source:find(pattern, last + 1) then
    return nil, "its text is in the file more than once"
  end
  return source:sub(1, first - 1) .. mutant.to .. source:sub(last + 1)
end

local function check_is_known(name)
  local spec, manner = spec_of(name)
  return TARGETS[name] ~= nil or exists(spec) and (manner == nil or MANNERS[manner] ~= nil)
end

-- The complaint about a fault of the list; nil when there is none.
local function complaint(mutant)
  if not exists(mutation.path(mutant)) then
    return "there is no such file"
  end
  local changed, why = mutation.mutate(mutant, mutation.read(mutation.path(mutant)))
  if not changed then
    return why
  elseif not check_is_known(mutant.seen_by) then
    return "no check is called " .. mutant.seen_by
  end
end

-- All that is wrong with the list: names of files and checks, texts that are not there once, names given
-- twice, files of C that have no fault.
function mutation.complaints(mutants)
  local complaints, names, files = {}, {}, {}
  for _, mutant in ipairs(mutants) do
    local name = mutant.file .. ", " .. mutant.name
    local why = names[name] and "there are two of this name" or complaint(mutant)
    if why then
      complaints[#complaints + 1] = ("tools/mutants.lua: %s: %s"):format(name, why)
    end
    names[name], files[mutant.file] = true, true
  end
  for file in io.popen "cd src && ls */*.c":lines() do
    if not files[file] and file ~= FAULTLESS then
      complaints[#complaints + 1] = "tools/mutants.lua: no fault in " .. file
    end
  end
  return complaints
end

-- A number of 64 bits that another text is very unlikely to have: FNV-1a.
local function digest(text)
  local sum = 0xcbf29ce484222325
  for place = 1, #text do
    sum = (sum ~ text:byte(place)) * 0x100000001b3
  end
  return ("%016x"):format(sum)
end

local digests = {}

local function digest_of_file(path)
  digests[path] = digests[path] or digest(mutation.read(path))
  return digests[path]
end

-- Differs whenever the fault, the file that it is in, or the check that shall see it has changed.
function mutation.key(mutant)
  local parts = { mutant.file, mutant.from, mutant.to, mutant.seen_by, SEQUENCES,
    digest_of_file(mutation.path(mutant)) }
  for _, path in ipairs(TARGETS[mutant.seen_by] or { (spec_of(mutant.seen_by)) }) do
    parts[#parts + 1] = digest_of_file(path)
  end
  return digest(table.concat(parts, "\0"))
end

return mutation
