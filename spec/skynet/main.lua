-- Runs the tests of the scene service inside a real skynet; see `make skynet-test`.
-- The last line says whether all went well; tools/run_skynet.sh looks for it.
local skynet = require "skynet"
require "skynet.manager"

local CASES = { "options", "commands", "walkers", "at_once", "gate", "dropping_gate", "clock", "client",
  "streams", "own", "properties", "extras", "audiences", "crowds", "handlers", "faults", "dying", "memory",
  "records", "store", "transfer", "notices", "lives", "players", "viewer", "tutorial" }

-- The cases themselves enter entities, and look at what their scene does, not at what it sends here.
require("aoi.skynet.packet").register(function() end)

skynet.start(function()
  local failed = 0
  local left = {} -- those that ONLY names and that have not run
  for name in (os.getenv "ONLY" or ""):gmatch "%S+" do
    left[name] = true
  end
  local all = not next(left)
  for _, name in ipairs(CASES) do
    if all or left[name] then
      left[name] = nil
      for _, case in ipairs(require("spec.skynet.cases." .. name)) do
        local began = skynet.now()
        local ok, message = xpcall(case.run, debug.traceback)
        print(("%s %s: %s (%.1f s)"):format(ok and "ok    " or "FAILED", name, case.name,
          (skynet.now() - began) / 100))
        if not ok then
          failed = failed + 1
          print(message)
        end
      end
    end
  end
  for name in pairs(left) do
    failed = failed + 1
    print(("FAILED ONLY=%s: it is none of %s"):format(name, table.concat(CASES, ", ")))
  end
  print(failed == 0 and "skynet: all well" or ("skynet: %d tests failed"):format(failed))
  io.stdout:flush()
  skynet.abort()
end)
