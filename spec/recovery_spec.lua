-- Real processes that record and are killed with SIGKILL, at many moments: each comes back to the last call
-- that it has recorded, goes on, and is killed again.

local aoi = require "aoi"
local process = require "spec.support.recording_process"
local same_space = require "spec.support.same_space"

local PROGRAM = "spec/support/recording_process.lua"
local SECONDS = 60 -- a process that says nothing for so long hangs

local interpreter
do
  local first = 0
  while arg[first - 1] do
    first = first - 1
  end
  interpreter = arg[first]
end

-- How many lines the process has said so far, and the last of them as a number.
local function acknowledged(path)
  local count, last = 0, 0
  local file = io.open(path)
  for line in file and file:lines "L" or function() end do
    if line:sub(-1) == "\n" then
      count, last = count + 1, tonumber(line)
    end
  end
  if file then
    file:close()
  end
  return count, last
end

-- Starts the process, kills it when it has said so many lines more, and waits for its end.
local function run_and_kill(recording, said, lines, zlib)
  local before = acknowledged(said)
  local command = ("exec env LUA_PATH='%s' LUA_CPATH='%s' sh -c 'echo $$; exec %s %s %s %s %s'"):format(
    package.path, package.cpath, interpreter, PROGRAM, recording, said, zlib or "")
  local pipe = assert(io.popen(command))
  local pid = assert(tonumber(pipe:read "l"))
  local start = os.time()
  while acknowledged(said) - before < lines and os.time() - start < SECONDS do
    os.execute "true" -- lets it run
  end
  local came_so_far = acknowledged(said) - before >= lines
  assert(os.execute("kill -9 " .. pid))
  pipe:close()
  assert.is_true(came_so_far, "the process does not go on")
end

-- The space that has lived so many ticks without ever being recorded.
local function unbroken(ticks)
  local space = aoi.new(process.options)
  for number = 1, ticks do
    process.live(space, number)
  end
  return space
end

local function test(zlib)
  local recording, said = os.tmpname(), os.tmpname()
  finally(function()
    os.remove(recording)
    os.remove(said)
  end)
  local tick = 0
  for _, lines in ipairs { 1, 0, 3, 7, 0, 20, 2, 5, 40, 11, 1, 4 } do
    run_and_kill(recording, said, lines, zlib)
    local _, last = acknowledged(said)
    local space, problem = aoi.recover(recording)
    assert.is_truthy(space, problem)
    local ticks = space:stats().tick
    assert.is_true(ticks >= last and ticks >= tick, ("back at %d, %d was said"):format(ticks, last))
    assert.is_true(ticks <= last + 1, "more than one tick was recorded before it was said")
    local expected = unbroken(ticks)
    same_space.check(space, expected)
    -- And it goes on as it would have.
    process.live(space, ticks + 1)
    process.live(expected, ticks + 1)
    same_space.check(space, expected)
    space:close()
    expected:close()
    tick = ticks
  end
  assert.is_true(tick >= 94)
  local player = aoi.player(recording)
  player:seek(player:last())
  assert.equal(tick, player:position())
  player:close()
end

describe("a process that records and is killed", function()
  it("comes back to its last recorded call", function()
    test()
  end)

  if pcall(require, "zlib") then
    it("comes back from a recording that is packed", function()
      test "zlib"
    end)
  else
    pending "comes back from a recording that is packed: lua-zlib is not installed"
  end
end)
