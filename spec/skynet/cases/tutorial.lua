-- The last step of the tutorial, in a skynet of its own: it prints what both pages show.
local harness = require "spec.skynet.harness"
local markdown = require "spec.support.markdown"

local function run()
  local command = ('AOI_LOG="%s.tutorial" timeout 60 "%s/skynet" examples/tutorial/skynet/config 2>&1')
    :format(os.getenv "AOI_LOG", os.getenv "SKYNET_HOME")
  local pipe = assert(io.popen(command))
  local said = pipe:read "a"
  pipe:close()
  for _, path in ipairs { "docs/tutorial.md", "docs/zh/tutorial.md" } do
    local blocks = markdown.only(markdown.read(path), "code")
    harness.equal(blocks[#blocks].text, said, "what " .. path .. " shows")
  end
end

return { { name = "its last step prints what the pages show", run = run } }
