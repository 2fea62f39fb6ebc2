--[[ Writes measured figures into the pages, so that nobody types them:

    command | lua tools/figures.lua NAME KIND "COMMAND"     KIND: text, console for what a program printed, or
                                                            table for rows with tabs between the cells

Tools in Lua require this file. What was written last is kept in docs/figures/NAME.txt: its first line is
the kind and the command that measures, the rest the text, or the rows of a table with tabs between the cells.
In a page the figures stand below a line <!-- figures: NAME, COMMAND -->: a text up to <!-- end -->, or in a
table whose first columns are words, in the language of the page. spec/documents_figures_spec.lua compares the
pages with these files. ]]
local figures = {}

local FOLDER = "docs/figures/"

-- Rows, lists of cells, of a text with tabs between them.
local function rows_of(text)
  local rows = {}
  for line in text:gmatch "([^\n]*)\n" do
    rows[#rows + 1] = {}
    for cell in (line .. "\t"):gmatch "(.-)\t" do
      table.insert(rows[#rows], cell)
    end
  end
  return rows
end

local function read(path)
  local file = io.open(path, "rb")
  local text = file and file:read "a"
  return file and file:close() and text
end

local function write(path, text)
  local file = assert(io.open(path, "wb"))
  assert(file:write(text))
  assert(file:close())
end

-- Lists the captures of a pattern in the lines that a command prints, sorted.
local function listed(command, pattern)
  local list = {}
  local listing = assert(io.popen(command))
  for line in listing:lines() do
    list[#list + 1] = line:match(pattern)
  end
  listing:close()
  table.sort(list)
  return list
end

-- All pages: Markdown files in the project's folder and below docs/.
function figures.pages()
  return listed("find . -maxdepth 1 -name '*.md' -print; find docs -name '*.md' -print", "^%.?/?(.*)$")
end

-- Names of all figures that were ever written.
function figures.names()
  return listed("find " .. FOLDER .. " -name '*.txt' -print", "([^/]+)%.txt$")
end

-- The last figures of this name, or nil: kind, command, and the text or the rows, lists of cells.
function figures.last(name)
  local text = read(FOLDER .. name .. ".txt")
  if not text then
    return nil
  end
  local kind, command, rest = text:match "^(%l+) ([^\n]*)\n(.*)$"
  if kind ~= "table" then
    return kind, command, rest
  end
  return kind, command, rows_of(rest)
end

-- A row of a page with these as its last cells; nil where the page has fewer columns.
local function with_cells(line, cells)
  local words = {}
  for word in line:gmatch "|([^|]*)" do
    words[#words + 1] = word
  end
  words[#words] = nil -- behind the last bar
  local first = #words - #cells
  if first < 1 then
    return nil
  end
  for k, cell in ipairs(cells) do
    words[first + k] = (" %s "):format(cell)
  end
  return "|" .. table.concat(words, "|") .. "|"
end

-- Puts cells into the table below a marker, in the lines of a page from `at` on. Returns where it ends.
local function fill_table(lines, at, rows, where)
  while lines[at] == "" do
    at = at + 1
  end
  at = at + 2 -- names of columns, a line of dashes
  for i, cells in ipairs(rows) do
    local line = lines[at + i - 1]
    lines[at + i - 1] = line and line:find "^|" and with_cells(line, cells)
      or error(("%s: row %d of the figures has no room"):format(where, i), 0)
  end
  at = at + #rows
  if lines[at] and lines[at]:find "^|" then
    error(where .. ": more rows than figures", 0)
  end
  return at
end

local function fill_text(lines, at, kind, text, where)
  local last = at
  while lines[last] ~= "<!-- end -->" do
    last = last + 1
    assert(last <= #lines, where .. ": the figures have no end")
  end
  local new = {}
  for line in text:gmatch "([^\n]*)\n" do
    new[#new + 1] = line
  end
  if kind == "console" then
    table.insert(new, 1, "```console")
    new[#new + 1] = "```"
  end
  table.move(lines, last, #lines, at + #new)
  for i = #lines, #lines - (last - at) + #new + 1, -1 do
    lines[i] = nil
  end
  table.move(new, 1, #new, at, lines)
  return at + #new
end

-- The text of a page with all figures as they were written last; raises where a marker is wrong. used: a set
-- of the names, filled.
function figures.filled(path, used)
  local lines = {}
  for line in (assert(read(path), path)):gmatch "([^\n]*)\n" do
    lines[#lines + 1] = line
  end
  local at = 1
  while at <= #lines do
    local name, command = lines[at]:match "^<!%-%- figures: ([%w-]+), (.-) %-%->$"
    if not name and lines[at]:find "^<!%-%- figures" then
      error(("%s:%d: a marker names figures and command"):format(path, at), 0)
    end
    at = at + 1
    if name then
      local where = ("%s:%d"):format(path, at - 1)
      local kind, measured_by, what = figures.last(name)
      assert(kind, where .. ": no tool has written figures " .. name)
      if command ~= measured_by then
        error(("%s: figures %s are written by %s"):format(where, name, measured_by), 0)
      end
      used[name] = true
      at = kind == "table" and fill_table(lines, at, what, where) or fill_text(lines, at, kind, what, where)
    end
  end
  return table.concat(lines, "\n") .. "\n"
end

local function keep(name, kind, command, text)
  write(FOLDER .. name .. ".txt", ("%s %s\n%s"):format(kind, command, text))
  for _, path in ipairs(figures.pages()) do
    local before = read(path)
    if before:find("<!-- figures: " .. name .. ",", 1, true) then
      write(path, figures.filled(path, {}))
    end
  end
end

-- kind: text or console.
function figures.text(name, kind, command, text)
  assert(kind == "text" or kind == "console", "kind: text or console")
  assert(text:find "%S", "no figures")
  keep(name, kind, command, text)
end

-- Rows of cells; false for one that was not measured: it stays as it was.
function figures.table(name, command, rows)
  local _, _, former = figures.last(name)
  local lines = {}
  for i, row in ipairs(rows) do
    local cells = {}
    for k, cell in ipairs(row) do
      cells[k] = cell or assert(former and former[i] and former[i][k],
        name .. ": not measured, and never was")
    end
    lines[i] = table.concat(cells, "\t") .. "\n"
  end
  keep(name, "table", command, table.concat(lines))
end

local function commit()
  local pipe = io.popen "git rev-parse --short HEAD 2>/dev/null"
  local hash = pipe:read "l"
  pipe:close()
  return hash and ("\nWritten at commit %s.\n"):format(hash) or ""
end

if arg and (arg[0] or ""):find "figures%.lua$" then
  local name, kind, command = arg[1], arg[2], arg[3]
  assert(command, "usage: command | lua tools/figures.lua NAME KIND COMMAND")
  local text = io.read "a"
  assert(text:find "%S", "no figures")
  if kind == "table" then
    figures.table(name, command, rows_of(text))
  else
    figures.text(name, kind, command, text .. (kind == "text" and commit() or ""))
  end
end

return figures
