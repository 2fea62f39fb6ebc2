-- Writes the figures of a long run into docs/inside/reliability.md, in the place of those of the run before:
--
--     command | lua tools/figures.lua NAME
--
-- The page has a line "<!-- figures: NAME -->" and below it a line "<!-- end -->": what stands between them
-- is replaced by what the command says, and by the commit that was checked out.

local PAGE = "docs/inside/reliability.md"

local name = assert(arg[1], "usage: command | lua tools/figures.lua NAME")

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read "a"
  file:close()
  return text
end

local function commit()
  local pipe = io.popen "git rev-parse --short HEAD 2>/dev/null"
  local hash = pipe:read "l"
  pipe:close()
  return hash and ("\nWritten at commit %s.\n"):format(hash) or ""
end

local said = io.read "a"
assert(said:find "%S", "no figures")
local page = read(PAGE)
local begin = ("<!-- figures: %s -->\n"):format(name)
local _, from = page:find(begin, 1, true)
assert(from, PAGE .. " has no line " .. begin)
local to = assert(page:find("<!-- end -->", from, true), PAGE .. ": the figures have no end: " .. name)
local text = page:sub(1, from) .. said .. commit() .. page:sub(to)
local file = assert(io.open(PAGE, "wb"))
file:write(text)
file:close()
