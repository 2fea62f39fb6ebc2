-- Returns the whole text of a file; raises when it can't be opened.
return function(path)
  local file = assert(io.open(path))
  local text = file:read("a")
  file:close()
  return text
end
