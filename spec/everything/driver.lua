-- Runs histories in children, finds those that fail, crash or hang, and reports each: shrunk, with its seed.
local files = require "spec.support.files"
local generator = require "spec.everything.generator"
local shrink = require "spec.everything.shrink"
local writing = require "spec.everything.writing"

local driver = {}

-- Seconds for one history, and for those of one child; ten times and more what they take.
local SECONDS_FOR_ONE = 20
local HISTORIES_OF_A_CHILD = 50
local SECONDS_FOR_A_CHILD = 300

-- Meanings of a child's status; others are signals.
local ENDS = { ["124"] = "it hangs", ["1"] = "the run itself is broken" }

-- The interpreter that runs this.
local function interpreter()
  local lowest = 0
  while arg[lowest - 1] do
    lowest = lowest - 1
  end
  return arg[lowest]
end

local function open_child(seconds, ...)
  local command = "timeout %d %s spec/everything/child.lua '%s' '%s' %s 2>&1; echo ended $?"
  return assert(io.popen(command:format(seconds, interpreter(), package.path, package.cpath,
    table.concat({ ... }, " "))))
end

-- Runs one history in a child. Returns what failed, or nil, and all that the child has said.
function driver.run(history)
  local path = os.tmpname()
  files.write(path, "return " .. writing.value(history) .. "\n")
  local child = open_child(SECONDS_FOR_ONE, "file", path)
  local said = child:read "a"
  child:close()
  os.remove(path)
  local status = said:match "ended (%d+)%s*$"
  if status ~= "0" then
    return ENDS[status] or "it crashed: status " .. tostring(status), said
  end
  return said:match "\nfailed ([^\n]*)\nended" or said:match "^failed ([^\n]*)", said
end

-- Runs the histories of seeds first .. last in one child. Returns the seed of the first one that fails,
-- crashes or hangs, or nil.
local function first_failure(first, last)
  local child = open_child(SECONDS_FOR_A_CHILD, "seeds", ("%d"):format(first), ("%d"):format(last))
  local seed, failed, status, others = nil, nil, nil, {}
  for line in child:lines() do
    local number, end_status = line:match "^seed (%-?%d+)$", line:match "^ended (%d+)$"
    if number and not failed then
      seed = math.tointeger(tonumber(number))
    elseif line:find "^failed " and not failed then
      failed = seed
    elseif end_status then
      status = end_status
    elseif not number then
      others[#others + 1] = line
    end
  end
  child:close()
  if not seed then
    error("no history was run: " .. table.concat(others, "\n"))
  end
  return failed or status ~= "0" and seed or nil
end

-- Returns the seed of the first of the histories first .. last that fails, or nil.
function driver.first_failure(first, last)
  for from = first, last, HISTORIES_OF_A_CHILD do
    local seed = first_failure(from, math.min(last, from + HISTORIES_OF_A_CHILD - 1))
    if seed then
      return seed
    end
  end
end

-- Whether and how the history of a seed fails: nil, or a report with a short history that fails.
function driver.report(seed)
  local history = generator.history(seed)
  local text = driver.run(history)
  if not text then
    return nil
  end
  if os.getenv "SHRINK" == "0" then -- tools/mutate.lua only asks whether there is a failure
    return ("history of SEED=%d: %s"):format(seed, text)
  end
  local short = shrink.history(history, driver.run)
  local short_text, said = driver.run(short)
  return table.concat({
    ("history of SEED=%d: %s"):format(seed, text),
    ("SEED=%d make everything replays it. Shrunk to %d calls, which end so: %s"):format(seed, #short.calls,
      tostring(short_text)),
    said, "the whole short history:", "return " .. writing.value(short),
  }, "\n")
end

return driver
