-- Checks how comments begin: lua tools/check_comments.lua [FOLDER]. A reader who learnt English wants the
-- subject first, so few comments may begin with a word of WORDS, and none that opens a file; nor may that
-- one begin with "see": a file says itself what it is for. Lists the comments when there are too many.

local MOST = 15
local WORDS = {
  "Who", "Whose", "Whom", "Whoever", "Those", "The same", "One that", "One who", "What", "Whatever",
}
local FOLDERS = { "src", "lua", "clients", "examples", "spec", "fuzz", "bench", "tools", "viewer" }
local LANGUAGE = { c = "C", h = "C", js = "C", lua = "Lua" }

local root = arg[1] or "."

local function read(path)
  local file = assert(io.open(path))
  local text = file:read "a"
  file:close()
  return text
end

-- Where the string that opens at `from` ends; `from` when nothing closes it in its line, as it is none then,
-- but part of a regular expression.
local function end_of_string(text, from)
  local quote, at = text:sub(from, from), from + 1
  while true do
    local stop = text:find('[\\\n' .. quote .. ']', at)
    local sign = stop and text:sub(stop, stop)
    if sign == quote then
      return stop
    elseif not stop or sign == "\n" and quote ~= "`" then
      return from
    end
    at = stop + (sign == "\\" and 2 or 1)
  end
end

-- The comment or string at `from`: where it ends, and the text of the comment, if it is one.
local READERS = {
  Lua = function(text, from)
    local start = text:match("^%-%-()", from)
    local level, inside = text:match("^%[(=*)%[()", start or from)
    if level then
      local stop, behind = text:match("()%]" .. level .. "%]()", inside)
      return (behind or #text + 1) - 1, start and text:sub(inside, (stop or #text + 1) - 1)
    elseif start then
      local words = text:match("^[^\n]*", start)
      return start + #words - 1, words
    elseif text:find("^[\"']", from) then
      return end_of_string(text, from)
    end
    return from
  end,
  C = function(text, from)
    if text:find("^/%*", from) then
      local stop = text:find("*/", from + 2, true) or #text
      return stop + 1, text:sub(from + 2, stop - 1)
    elseif text:find("^//", from) then
      local words = text:match("^[^\n]*", from)
      return from + #words - 1, words
    elseif text:find("^[\"'`]", from) then
      return end_of_string(text, from)
    end
    return from
  end,
}
local BEGINNINGS = { Lua = "[%-\"'%[]", C = "[/\"'`]" }

-- The comments of a text: { { line = 1, words = "..." }, ... }. Comments that begin in one column of lines
-- in a row are one.
local function read_comments(text, language)
  local comments = {}
  local at, line, start, last = 1, 1, 1, nil -- start: of the line
  while true do
    local from = text:find(BEGINNINGS[language], at)
    if not from then
      return comments
    end
    local stop, words = READERS[language](text, from)
    if words then
      local newline = text:find("\n", start, true)
      while newline and newline < from do
        line, start = line + 1, newline + 1
        newline = text:find("\n", start, true)
      end
      local column = from - start
      local alone = text:sub(start, from - 1):find "^%s*$"
      if last and alone and last.stop == line - 1 and last.column == column then
        last.words = last.words .. "\n" .. words
      else
        last = { line = line, words = words, column = column }
        comments[#comments + 1] = last
      end
      last.stop = line + select(2, words:gsub("\n", ""))
    end
    at = stop + 1
  end
end

-- The text of a comment without what frames it.
local function bare(words)
  return (words:gsub("^[%s%*/%-]+", ""))
end

local function begins_with(words, beginning)
  return words:find("^" .. beginning:gsub(" ", "%%s[%%s%%*/%%-]*") .. "%f[^%w_]")
end

local function begins_badly(words)
  for _, word in ipairs(WORDS) do
    if begins_with(words, word) then
      return true
    end
  end
  return false
end

-- Whether a sentence of the first paragraph begins badly, or the first one refers to another file. The name
-- of the file and a dash may go before it.
local function opens_badly(words)
  local paragraph = (words .. "\n\n"):match "^(.-)\n[%s%*/%-]*\n"
  paragraph = paragraph:gsub("^[%w_]+%.[ch] %- ", ""):gsub("^%l", string.upper)
  if begins_with(paragraph, "See") then
    return true
  end
  for sentence in (". " .. paragraph):gmatch "[%.:]%s+%f[%S]()" do
    if begins_badly(bare((". " .. paragraph):sub(sentence))) then
      return true
    end
  end
  return false
end

local faults, listed, files = {}, {}, 0
for _, folder in ipairs(FOLDERS) do
  local paths = {}
  local find = "cd '%s' && test ! -d %s || find %s -name node_modules -prune -o -type f -print"
  local pipe = assert(io.popen(find:format(root, folder, folder)))
  for path in pipe:lines() do
    if LANGUAGE[path:match "%.(%w+)$"] then
      paths[#paths + 1] = path
    end
  end
  pipe:close()
  table.sort(paths)
  files = files + #paths
  for _, path in ipairs(paths) do
    local text = read(root .. "/" .. path)
    for i, comment in ipairs(read_comments(text, LANGUAGE[path:match "%.(%w+)$"])) do
      local words = bare(comment.words)
      local place = ("%s:%d: %s"):format(path, comment.line, words:match "^([^\n]-)%s*%f[\n\0]")
      if i == 1 and opens_badly(words) then
        faults[#faults + 1] = place .. " (in the first paragraph of a file)"
      end
      if begins_badly(words) then
        listed[#listed + 1] = place
      end
    end
  end
end

if #listed > MOST then
  table.move(listed, 1, #listed, #faults + 1, faults)
  faults[#faults + 1] = ("%d comments begin with such words; at most %d may"):format(#listed, MOST)
end
for _, fault in ipairs(faults) do
  io.stderr:write(fault, "\n")
end
if files == 0 then
  io.stderr:write("no files in ", root, "\n")
end
os.exit(#faults == 0 and files > 0)
