-- Runs histories in a process of its own, so that a crash of the module does not take along who wants to
-- know of it.
--
--     lua child.lua <package.path> <package.cpath> seeds <first> <last>
--     lua child.lua <package.path> <package.cpath> file <path of a history>
--
-- With seeds: a line "seed n" before each history, and "failed <what>" behind one that has failed. With a
-- file: what was done and heard, in the end "failed <what>".
package.path, package.cpath = arg[1], arg[2]

local generator = require "spec.everything.generator"
local runner = require "spec.everything.runner"

io.stdout:setvbuf "line"

local function one_line(text)
  return (text:gsub("%s+", " "))
end

local function run_seeds(first, last)
  for seed = first, last do
    print("seed " .. seed)
    local failure = runner.run(generator.history(seed))
    if failure then
      print("failed " .. one_line(failure.text))
    end
  end
end

local function run_file(path)
  local failure = runner.run(assert(loadfile(path))(), print)
  print(failure and "failed " .. one_line(failure.text) or "passed")
end

if arg[3] == "seeds" then
  run_seeds(math.tointeger(tonumber(arg[4])), math.tointeger(tonumber(arg[5])))
else
  run_file(arg[4])
end
