-- Starts busted under the interpreter that runs this file, wherever busted's own script is.

-- busted exits with the number of failures, of which the system keeps the low eight bits: 256 would
-- be a success.
local exit = os.exit
os.exit = function(code, close) -- luacheck: ignore 122
  return exit(type(code) == "number" and math.min(code, 255) or code, close)
end

-- With JUNIT=folder each run leaves a JUnit file there.
if (os.getenv "JUNIT" or "") ~= "" then
  table.insert(arg, 1, "--output=tools/busted_reports.lua")
end

require "busted.runner" { standalone = false }
