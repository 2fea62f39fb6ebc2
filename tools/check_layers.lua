-- Checks how the files below src/ hang together: lua tools/check_layers.lua [FOLDER]. Fails when a file
-- includes one of a higher layer, one that is private to another layer, or in the end itself; when it calls
-- itself by way of other files (x.h and x.c are one); and when two files of a folder have static functions
-- of one name.

-- From the ground up: the files of a folder include those of their own and of the folders before it.
local LAYERS = {
  "base", "shape", "entity", "index", "sight", "events", "record", "space", "query", "tick", "area", "crowd",
  "hand_over", "keep",
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

-- The text of a file without comments, strings and macros: what a macro calls, its users call.
local function read_bare(path)
  local file = assert(io.open(path))
  local text = file:read "a"
  file:close()
  text = text:gsub("/%*.-%*/", " "):gsub("\\\n", " "):gsub('"[^"\n]*"', '""')
  return (text:gsub("\n#define [^\n]*", "\n"))
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

-- Follows `next_of`, which gives a list of names for each name, and reports each circle that it comes to.
local function look_for_circles(names, next_of, report)
  local seen = {}
  local function go(name, path)
    if seen[name] == "on the way" then
      report(name, table.concat(path, ", ") .. ", " .. name)
    elseif not seen[name] then
      seen[name] = "on the way"
      path[#path + 1] = name
      for _, other in ipairs(next_of(name)) do
        go(other, path)
      end
      path[#path] = nil
      seen[name] = "done"
    end
  end
  for _, name in ipairs(names) do
    go(name, {})
  end
end

look_for_circles(files, function(file)
  local list = {}
  for i, include in ipairs(includes[file] or {}) do
    list[i] = include.to
  end
  return list
end, function(file, path)
  fault("%s/%s: includes itself: %s", root, file, path)
end)

-- ---- functions ----

-- A definition begins at the left border, and its body right behind the arguments.
local DEFINITION = "\n([%a_][^\n;{}()#=]-)([%a_][%w_]*)%b()%s*{"

local PROTOTYPE = "\n[%a_][^\n;{}()#=]-[%a_][%w_]*%b();"

local text_of, home_of, static_in = {}, {}, {}
for _, file in ipairs(files) do
  local text = "\n" .. read_bare(root .. "/" .. file)
  text_of[file] = text:gsub(PROTOTYPE, "\n")
  for kind, name in text:gmatch(DEFINITION) do
    if kind:find "static" or kind:find "ALWAYS_INLINE" then
      local key = (folder_of(file) or "") .. " " .. name
      if static_in[key] and static_in[key] ~= file then
        fault("%s/%s: %s() is the name of a static function in %s, too", root, file, name, static_in[key])
      end
      static_in[key] = static_in[key] or file
    end
    if file:find "%.h$" or not (kind:find "static" or kind:find "ALWAYS_INLINE") then
      home_of[name] = file
    end
  end
end

-- "index/grid" of "index/grid.h".
local function unit_of(file)
  return (file:gsub("%.[ch]$", ""))
end

local calls, units = {}, {}
for _, file in ipairs(files) do
  local unit = unit_of(file)
  if not calls[unit] then
    calls[unit] = {}
    units[#units + 1] = unit
  end
  for name in text_of[file]:gmatch "([%a_][%w_]*)%(" do
    local home = home_of[name] and unit_of(home_of[name])
    if home and home ~= unit and not calls[unit][home] then
      calls[unit][home] = true
      table.insert(calls[unit], home)
    end
  end
end
look_for_circles(units, function(unit)
  return calls[unit]
end, function(unit, path)
  fault("%s/%s: calls itself: %s", root, unit, path)
end)

for _, what in ipairs(faults) do
  io.stderr:write(what, "\n")
end
if #files == 0 then
  io.stderr:write("no C files in ", root, "\n")
end
os.exit(#faults == 0 and #files > 0)
