-- Reads what the specs need of a Markdown file: headings, blocks of code, table rows, links.
local markdown = {}

--[[ Returns a list of elements in order, each { kind = ..., line = number }:
  heading  level, text, anchor (the name that links know it by)
  code     language, text, lines
  row      of a table: text
  links    of one line: targets, a list ]]
function markdown.read(path)
  local elements, block, number = {}, nil, 0
  local function add(element)
    element.line = number
    elements[#elements + 1] = element
    return element
  end
  for line in io.lines(path) do
    number = number + 1
    local fence = line:match("^```(.*)$")
    if block then
      if fence then
        block.text, block = table.concat(block.lines, "\n") .. "\n", nil
      else
        block.lines[#block.lines + 1] = line
      end
    elseif fence then
      block = add { kind = "code", language = fence, lines = {} }
    elseif line:find("^#+ ") then
      local marks, text = line:match("^(#+) (.*)$")
      local anchor = text:lower():gsub("、", ""):gsub("[^%w%- _\128-\255]", ""):gsub(" ", "-")
      add { kind = "heading", level = #marks, text = text, anchor = anchor }
    elseif line:find("^|") then
      add { kind = "row", text = line }
    end
    if not block and not fence then
      local targets = {}
      for target in line:gmatch("%]%(([^)%s]+)%)") do
        targets[#targets + 1] = target
      end
      if #targets > 0 then
        add { kind = "links", targets = targets }
      end
    end
  end
  assert(not block, path .. ": a block of code has no end")
  return elements
end

-- The elements of one kind.
function markdown.only(elements, kind)
  local list = {}
  for _, element in ipairs(elements) do
    if element.kind == kind then
      list[#list + 1] = element
    end
  end
  return list
end

local comments = { lua = "%-%-.*", sh = "#.*", c = "/%*.-%*/", hex = "#.*", js = "//.*" }

-- Code without its comments (none of ours stands in a string) and without blanks at line ends.
function markdown.without_comments(block)
  local comment = comments[block.language]
  local lines = {}
  for i, line in ipairs(block.lines) do
    lines[i] = ((comment and line:gsub(comment, "") or line):gsub("%s+$", ""))
  end
  return table.concat(lines, "\n")
end

-- The paths of all Markdown files of the project, sorted.
function markdown.files()
  local list = {}
  local listing = assert(io.popen("find . '(' -name build -o -name node_modules -o -name .git ')' " ..
    "-prune -o -name '*.md' -print"))
  for path in listing:lines() do
    list[#list + 1] = path:gsub("^%./", "")
  end
  listing:close()
  table.sort(list)
  return list
end

-- The user's documents: a list of { English path, Chinese path }. Every page of docs/zh has one in docs.
function markdown.documents()
  local list = { { "README.md", "README.zh-CN.md" } }
  for _, path in ipairs(markdown.files()) do
    local name = path:match("^docs/zh/(.*)$")
    if name then
      list[#list + 1] = { "docs/" .. name, path }
    end
  end
  return list
end

return markdown
