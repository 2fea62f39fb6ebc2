-- An output handler of busted: what its own prints, and beside it a JUnit file in the folder $JUNIT, which
-- .ci/run counts. tools/busted.lua takes it when JUNIT is set.
return function(options)
  -- Every run has a file of its own: the same spec runs in several builds.
  local name = os.tmpname()
  os.remove(name)
  local path = ("%s/%s.xml"):format(os.getenv "JUNIT", name:match "[^/]+$")
  local junit = require "busted.outputHandlers.junit" { arguments = { path } }
  junit:subscribe(options)
  return require("busted.outputHandlers." .. options.defaultOutput)(options)
end
