-- Counts code by capability, a table in Markdown: lines without comments and blank ones (cloc), functions
-- (Universal Ctags).
--
--     lua tools/count_code.lua [BEFORE]         this checkout; beside it another one, the code of before:
--                                               then the table is written into docs/inside/design.md

local json = require "dkjson"
local figures = require "tools.figures"

-- The capability of a file is that of the first pattern that its path has.
local CAPABILITIES = {
  { "a world of several processes", "^lua/aoi/skynet/world", "^lua/aoi/skynet/region" },
  { "the scene and its clients", "^lua/aoi/skynet" },
  { "binding", "^src/lua/" },
  { "areas", "/[^/]*area[^/]*", "zones", "/shape/", "outline", "calm" },
  { "crowds", "crowd", "/marker_tree", "/ranking" },
  { "hand-over", "hand", "luggage", "passage" },
  { "saves and records", "record", "replay", "snapshot", "saved", "^src/keep/", "player" },
  { "core", "^src/", "^lua/" },
}

local function capability_of(path)
  for number, row in ipairs(CAPABILITIES) do
    for i = 2, #row do
      if path:find(row[i]) then
        return number
      end
    end
  end
  error("no capability has " .. path)
end

local function output_of(command)
  local pipe = assert(io.popen(command))
  local text = pipe:read "a"
  assert(pipe:close(), "failed: " .. command)
  return text
end

-- By capability: files, lines, functions in C and in Lua.
local function count(folder)
  local counts = {}
  for number in ipairs(CAPABILITIES) do
    counts[number] = { files = 0, lines = 0, c = 0, lua = 0 }
  end
  local inside = ("cd '%s' && "):format(folder)
  for path, file in pairs(json.decode(output_of(inside .. "cloc --quiet --json --by-file src lua/aoi"))) do
    if path ~= "header" and path ~= "SUM" then
      local row = counts[capability_of(path)]
      row.files, row.lines = row.files + 1, row.lines + file.code
    end
  end
  local tags = inside .. "ctags -R -x --languages=C,Lua --langmap=C:.c.h --c-kinds=f --lua-kinds=f " ..
    "--_xformat='%{input} %{line}' src lua/aoi"
  for path in output_of(tags):gmatch "(%S+) %d+\n" do
    local row = counts[capability_of(path)]
    local language = path:find "%.lua$" and "lua" or "c"
    row[language] = row[language] + 1
  end
  return counts
end

local KEYS = { "files", "lines", "c", "lua" }

local function commit_of(folder)
  return (output_of(("git -C '%s' rev-parse --short HEAD"):format(folder)):gsub("%s", ""))
end

local lines = {}

local function add_row(name, row, before)
  local cells = { name }
  for _, key in ipairs(KEYS) do
    cells[#cells + 1] = (before and before[key] ~= row[key] and before[key] .. " → " or "") .. row[key]
  end
  lines[#lines + 1] = "| " .. table.concat(cells, " | ") .. " |"
end

local now, before = count ".", arg[1] and count(arg[1])
local total, total_before = { files = 0, lines = 0, c = 0, lua = 0 }, { files = 0, lines = 0, c = 0, lua = 0 }
lines[1] = "| capability | files | lines of code | functions in C | in Lua |"
lines[2] = "| --- | --- | --- | --- | --- |"
for number, row in ipairs(CAPABILITIES) do
  add_row(row[1], now[number], before and before[number])
  for _, key in ipairs(KEYS) do
    total[key] = total[key] + now[number][key]
    total_before[key] = total_before[key] + (before and before[number][key] or 0)
  end
end
add_row("all", total, before and total_before)
local text = table.concat(lines, "\n") .. "\n"
io.write(text)
if before then
  figures.text("count", "text", "make count BEFORE=…",
    ("%s\nCommits %s → %s.\n"):format(text, commit_of(arg[1]), commit_of "."))
end
