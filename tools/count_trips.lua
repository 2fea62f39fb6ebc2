-- Counts the files and functions that calls pass, a table in Markdown: make trips. Of the core by a program
-- that is built without optimising and sees each call (bench/trips.c), of a scene by a hook
-- (tools/scene_trips.lua).
--
--     lua tools/count_trips.lua PROGRAM MODULES [BEFORE PROGRAM MODULES]
--
-- PROGRAM: bench/trips.c with the core. MODULES: the folder that has aoi/core.so. BEFORE: another checkout,
-- with its own; then the table is written into docs/inside/design.md.
local figures = require "tools.figures"

-- The trips in the order of the table, and what each is.
local TRIPS = {
  { "a move in a grid", "the moves of 400 entities in a grid, one round" },
  { "a tick of a deferred space", "a tick of a deferred space with 400 moves" },
  { "a tick of a crowd", "a tick of a crowd with 400 moves" },
  { "a hand-over", "a hand-over of an owner of an area, in an area" },
  { "a move of an agent", "a move of an agent, until its scene has it" },
  { "a tick of a scene", "a tick of a scene, until the agent knows" },
  { "a transfer", "a transfer to a scene, until the agent sees it" },
}

local function lines_of(command)
  local pipe = assert(io.popen(command))
  local lines = {}
  for line in pipe:lines() do
    lines[#lines + 1] = line
  end
  assert(pipe:close(), "failed: " .. command)
  return lines
end

local function add(trips, trip, file, name)
  local counted = trips[trip] or { functions = 0, files = 0, seen = {} }
  trips[trip] = counted
  for kind, key in pairs { functions = file .. " " .. name, files = file } do
    if not counted.seen[key] then
      counted.seen[key] = true
      counted[kind] = counted[kind] + 1
    end
  end
end

-- A function of a header is one, however many files have a copy of it.
local function add_of_core(trips, program)
  local passed = lines_of(program)
  local addresses = {}
  for i, line in ipairs(passed) do
    addresses[i] = line:match "\t(.*)"
  end
  local names = lines_of(("addr2line -f -e '%s' %s"):format(program, table.concat(addresses, " ")))
  for i, line in ipairs(passed) do
    local file = names[2 * i]:match "/(src/[^:]*)"
    if file then
      add(trips, line:match "^[^\t]*", file, names[2 * i - 1])
    end
  end
end

local function add_of_scene(trips, folder, modules)
  local path = lines_of("pwd")[1]
  local command = ("modules=$(realpath '%s') && cd '%s' && " ..
    "LUA_PATH_5_4='lua/?.lua;lua/?/init.lua;%s/?.lua;;' LUA_CPATH_5_4=\"$modules/?.so;;\" " ..
    "lua5.4 '%s/tools/scene_trips.lua'"):format(modules, folder, path, path)
  for _, line in ipairs(lines_of(command)) do
    add(trips, line:match "^(.-)\t(.-)\t(.*)$")
  end
end

local function count(folder, program, modules)
  local trips = {}
  add_of_core(trips, program)
  add_of_scene(trips, folder, modules)
  return trips
end

local function commit_of(folder)
  return lines_of(("git -C '%s' rev-parse --short HEAD"):format(folder))[1]
end

local now, folder = count(".", arg[1], arg[2]), arg[3]
local before = folder and count(folder, arg[4], arg[5])
local lines = { "| trip | files | functions |", "| --- | --- | --- |" }
for _, trip in ipairs(TRIPS) do
  local cells = { trip[2] }
  for _, kind in ipairs { "files", "functions" } do
    local former, number = before and before[trip[1]][kind], now[trip[1]][kind]
    cells[#cells + 1] = (former and former ~= number and former .. " → " or "") .. number
  end
  lines[#lines + 1] = "| " .. table.concat(cells, " | ") .. " |"
end
local text = table.concat(lines, "\n") .. "\n"
io.write(text)
if before then
  figures.text("trips", "text", "make trips BEFORE=…",
    ("%s\nCommits %s → %s.\n"):format(text, commit_of(folder), commit_of "."))
end
