-- Tries one fault in a copy of the project, below build/mutate, for tools/mutate.lua; from the copy's folder:
--
--     lua tools/try_mutant.lua fault KEY NUMBER    the fault of that number in tools/mutants.lua; how it came
--                                                  out goes to the end of ../tried.txt, under its key
--     lua tools/try_mutant.lua check - NAME        a check without any fault: it must see none

package.path = "tools/?.lua;" .. package.path
local mutation = require "mutation"

-- Returns whether the command succeeded, its exit code, and what it printed.
local function execute(command)
  local pipe = assert(io.popen("exec 2>&1; " .. command))
  local output = pipe:read "a"
  local succeeded, _, code = pipe:close()
  return succeeded == true, code, output
end

local function write(path, text, mode)
  local file = assert(io.open(path, mode))
  assert(file:write(text))
  assert(file:close())
end

-- The checks that other faults in the same language name, those of most faults first.
local function other_checks(mutants, mutant)
  local counts, names = {}, {}
  for _, other in ipairs(mutants) do
    local name = other.seen_by
    if other.file:match "%.lua$" == mutant.file:match "%.lua$" then
      if not counts[name] and name ~= mutant.seen_by then
        names[#names + 1] = name
      end
      counts[name] = (counts[name] or 0) + 1
    end
  end
  table.sort(names, function(one, another)
    return counts[one] > counts[another] or counts[one] == counts[another] and one < another
  end)
  return names
end

-- How the fault that is built comes out, and more about it.
local function look(mutants, mutant)
  local succeeded, code, output = execute(mutation.command(mutant.seen_by))
  if not succeeded then
    local place = output:match "src/([%w_./]+:%d+): self%-check failed"
    return mutation.has_hung(code, output) and "hung" or place and "self-check" or "seen", place
  end
  for _, name in ipairs(other_checks(mutants, mutant)) do
    if not execute(mutation.command(name)) then
      return "not seen", "but by " .. name
    end
  end
  return "not seen", "by no check"
end

local function try(key, number)
  local mutants = dofile "tools/mutants.lua"
  local mutant = mutants[number]
  local path, began = mutation.path(mutant), os.time()
  local source = mutation.read(path)
  write(path, assert(mutation.mutate(mutant, source)), "wb")
  local built, _, said = execute(mutation.MAKE .. "all")
  local outcome, more
  if built then
    outcome, more = look(mutants, mutant)
  else
    outcome, more = "not built", "\n" .. said
  end
  write(path, source, "wb")
  write("../tried.txt", ("%s\t%s\n"):format(key, outcome), "ab")
  io.write(("%3d %s, %s: %s%s (%d s)\n"):format(number, mutant.file, mutant.name,
    outcome == "seen" and mutant.seen_by or outcome, more and " " .. more or "", os.time() - began))
end

local function check(name)
  local succeeded, _, output = execute(mutation.command(name))
  if not succeeded then
    io.write("without any fault fails: ", name, "\n", output)
    os.exit(255)
  end
end

if arg[1] == "fault" then
  try(arg[2], math.tointeger(tonumber(arg[3])))
else
  check(arg[3])
end
