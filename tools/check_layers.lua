-- Checks the direction of every include below src/: lua tools/check_layers.lua [FOLDER]. Fails when a file
-- includes one of a higher layer, one that is private to another layer, or in the end itself.

-- From the ground up: the files of a folder include those of their own and of the folders before it.
local LAYERS = {
  "base", "shape", "entity", "index", "area", "sight", "events", "record", "space", "tick", "crowd",
  "deferred", "replay",
}

-- The whole of the core for others: everybody includes it, and it includes nothing of ours. The binding
-- in lua/ knows nothing else.
local INTERFACE = "aoi.h"
local BINDING = "lua"

-- Only files of their own folder include these.
local PRIVATE = {
  ["index/grid.h"] = true, ["index/axis.h"] = true, ["index/buckets.h"] = true,
  ["index/bucket_scan.h"] = true,
}

local root = arg[1] or "src"

local level = {}
for number, layer in ipairs(LAYERS) do
  level[layer] = number
end

-- "index" of "index/grid.h"; nil of a file in no folder.
local function folder_of(path)
  return path:match "^(.+)/[^/]*$"
end

-- Why `from` may not include `to`, nil when it may.
local function objection(from, to)
  local above, below = folder_of(from), folder_of(to)
  if from == INTERFACE then
    return "the interface includes nothing of ours"
  elseif to == INTERFACE then
    return nil
  elseif above == BINDING then
    return below ~= BINDING and "the binding knows the core by its interface only" or nil
  elseif not level[below] then
    return "it is in none of the layers"
  elseif level[below] > level[above] then
    return ("%s is above %s"):format(below, above)
  elseif PRIVATE[to] and above ~= below then
    return ("it is private to %s"):format(below)
  end
end

-- { ["index/grid.c"] = { { to = "index/grid.h", line = 3 }, ... } } and the sorted list of files.
local function read_includes()
  local includes, files = {}, {}
  local pipe = assert(io.popen(("cd '%s' && find . -name '*.[ch]'"):format(root)))
  for path in pipe:lines() do
    files[#files + 1] = path:match "^%./(.*)$"
  end
  pipe:close()
  table.sort(files)
  for _, file in ipairs(files) do
    local list, number = {}, 0
    for line in io.lines(root .. "/" .. file) do
      number = number + 1
      local to = line:match '^%s*#%s*include%s*"([^"]+)"'
      if to then
        list[#list + 1] = { to = to, line = number }
      end
    end
    includes[file] = list
  end
  return includes, files
end

local includes, files = read_includes()
local faults = {}
local function fault(...)
  faults[#faults + 1] = (...):format(select(2, ...))
end

for _, file in ipairs(files) do
  local folder = folder_of(file)
  if file ~= INTERFACE and folder ~= BINDING and not level[folder] then
    fault("%s/%s: is in none of the layers", root, file)
  else
    for _, include in ipairs(includes[file]) do
      local to = include.to
      local why = not includes[to] and "there is no such file, seen from " .. root or objection(file, to)
      if why then
        fault("%s/%s:%d: includes \"%s\": %s", root, file, include.line, to, why)
      end
    end
  end
end

for path in pairs(PRIVATE) do
  if not includes[path] then
    fault("tools/check_layers.lua: there is no %s to be private", path)
  end
end

-- Goes along all includes; `path` are the files on the way to this one.
local seen = {}
local function look_for_cycles(file, path)
  if seen[file] == "on the way" then
    fault("%s/%s: includes itself: %s, %s", root, file, table.concat(path, ", "), file)
  elseif not seen[file] then
    seen[file] = "on the way"
    path[#path + 1] = file
    for _, include in ipairs(includes[file] or {}) do
      look_for_cycles(include.to, path)
    end
    path[#path] = nil
    seen[file] = "done"
  end
end
for _, file in ipairs(files) do
  look_for_cycles(file, {})
end

for _, what in ipairs(faults) do
  io.stderr:write(what, "\n")
end
if #files == 0 then
  io.stderr:write("no C files in ", root, "\n")
end
os.exit(#faults == 0 and #files > 0)
