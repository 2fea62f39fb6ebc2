-- The game: starts a scene for each map, and the gate where players come in. From the environment: PORT.
local skynet = require "skynet"
local maps = require "maps"

skynet.start(function()
  local scenes = {}
  for _, name in ipairs { "meadow", "square" } do
    scenes[name] = skynet.newservice("scene", maps.words(name))
  end
  local gate = skynet.newservice("gate", os.getenv "PORT" or 8002) -- 0: any that is free
  print("the game: open " .. skynet.call(gate, "lua", "open", scenes))
  io.stdout:flush()
  skynet.exit()
end)
