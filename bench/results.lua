--[[ The numbers of the last `make bench`, for charts and tables: a function(path) that returns them as they
stand in the file, and the rows by their ids. Numbers of a quick run are refused. ]]
local json = require "dkjson"

return function(path)
  local file = io.open(path)
  if not file then
    io.stderr:write("no ", path, ": run make bench first\n")
    os.exit(1)
  end
  local results = assert(json.decode(file:read("a")))
  file:close()
  if results.environment.mode ~= "full" then
    io.stderr:write(path, " is of a quick run: run make bench\n")
    os.exit(1)
  end
  local rows = {}
  for _, row in ipairs(results.results) do
    rows[row.id] = row
  end
  return results, rows
end
