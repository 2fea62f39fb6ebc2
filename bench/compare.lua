--[[ Two builds of the module next to each other, `make bench-compare BEFORE=...`: how long a move takes in
the second, as a part of the time in the first. Arguments: the two shared objects, then words; only cases
that have all the words in their names are run; "sequence" is shuffled, with ids from 1 on. PASSES in the
environment is how often a case is run with new spaces at most. How: bench/alternate.lua. Where code and
data come to lie differs from process to process and can make a twentieth, so what seems slower is run
again in processes of its own. ]]
local alternate = require "bench.alternate"
local output = require "bench.output"

local TOO_SLOW = 1.03

local kinds = {
  { "grid", "per call", "A B C D B2 F" },
  { "grid", "with moves", "B C" },
  { "grid", "deferred", "A B C D" },
  { "grid", "batch", "B C D" },
  { "grid", "deferred-batch", "B D" },
  { "grid", "drained", "B C D" },
  { "grid", "slack", "A B C D" },
  { "grid", "view", "B C" },
  { "grid", "one-view", "A" },
  { "grid", "crowd", "A C" },
  { "grid", "visible", "B" },
  { "grid", "sights", "B" },
  { "classic", "per call", "A B C D" },
  { "folded", "per call", "A B C D B2 F S" },
  { "folded", "deferred", "B C" },
  { "folded", "visible", "B" },
  { "crosslist", "per call", "A B C D" },
  { "crosslist", "deferred", "B C" },
  { "quadtree", "per call", "A B C D B2" },
  { "quadtree", "deferred", "B B2" },
}

local function name_of(case)
  local order = case.in_sequence and "sequence" or case.shuffled and "shuffled" or "in order"
  return ("%-2s %-8s %-9s %s"):format(case.world, order, case.engine, case.way)
end

-- World by world, as making one takes a while.
local function all_cases()
  local cases = {}
  for world in ("A B C D B2 F S"):gmatch "%S+" do
    for _, order in ipairs { {}, { shuffled = true }, { shuffled = true, in_sequence = true } } do
      for _, kind in ipairs(kinds) do
        if (" " .. kind[3] .. " "):find(" " .. world .. " ", 1, true) and
          (not order.in_sequence or kind[1] == "grid") then
          cases[#cases + 1] = {
            engine = kind[1], way = kind[2], world = world,
            shuffled = order.shuffled, in_sequence = order.in_sequence,
          }
        end
      end
    end
  end
  return cases
end

-- True when the name has all the words, each as a word of its own.
local function is_wanted(name, words)
  local padded = " " .. name:gsub("%s+", "  ") .. " "
  for _, word in ipairs(words) do
    if not padded:find(" " .. word .. " ", 1, true) then
      return false
    end
  end
  return true
end

local before, after = arg[1], arg[2]
if not after then
  io.stderr:write("usage: compare.lua before.so after.so [words]\n")
  os.exit(2)
end
-- A copy of a build, which is loaded beside it as another one.
local function load_copy(path)
  local copy = os.tmpname()
  local from, to = assert(io.open(path, "rb")), assert(io.open(copy, "wb"))
  assert(to:write(from:read "a"))
  from:close()
  to:close()
  local ok, core = pcall(alternate.load, copy)
  os.remove(copy)
  return ok and core or error(core, 0)
end

local cores = { alternate.load(before), alternate.load(after), load_copy(before) }
local words = { table.unpack(arg, 3) }

local is_again = os.getenv "AOI_AGAIN" == "1"

local function spread(ratio)
  return ("%.3f (%.2f..%.2f)"):format(ratio.median, ratio.low, ratio.high)
end

-- Prints a row; returns whether the second build takes longer than chance can tell, and whether events are
-- the same.
local function run(case, name)
  local results, same = alternate.run(cores, case)
  local ratio, itself = results[2].ratio, results[3].ratio
  local is_slower = ratio.median > math.max(TOO_SLOW, itself.high)
  print(("%-36s %10s %10s   %-20s  %-20s%s%s"):format(is_again and "   again" or name,
    output.number(results[1].time.median), output.number(results[2].time.median), spread(ratio),
    spread(itself), is_slower and "  SLOWER" or "", same and "" or "  OTHER EVENTS"))
  return is_slower, same
end

local function run_again(name)
  os.execute(("AOI_AGAIN=1 %s %s %s %s %s"):format(arg[-1], arg[0], before, after, name))
end

io.stdout:setvbuf "line"
if not is_again then
  print(("before: %s\nafter:  %s"):format(before, after))
  print(("%-36s %10s %10s   %-20s  %s"):format("", "before, ns", "after, ns", "after / before",
    "before / before (95 of 100)"))
end
local slower, different, missing = 0, 0, 0
for _, case in ipairs(all_cases()) do
  local name = name_of(case)
  if is_wanted(name, words) then
    local objection = alternate.objection(cores[1], case) or alternate.objection(cores[2], case)
    if objection then
      print(("%-36s not in both builds: %s"):format(name, objection))
      missing = missing + 1
    else
      local is_slower, same = run(case, name)
      slower, different = slower + (is_slower and 1 or 0), different + (same and 0 or 1)
      if is_slower and not is_again then
        run_again(name)
        run_again(name)
      end
    end
  end
end
if not is_again then
  print(("%d slower at first (more than %.2f, and than the first build beside itself), %d with other events, "
    .. "%d not in both"):format(slower, TOO_SLOW, different, missing))
end
os.exit(different == 0)
