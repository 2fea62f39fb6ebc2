-- The ends of scenes: waits for each once, however many clients of this service are there.
local skynet = require "skynet"
local alive = require "aoi.skynet.alive"

local ends = {}

local clients = {} -- scene -> client -> function for its end; weak: a forgotten client is collected

local function wait(scene)
  local is_dead = alive.wait_for_end(scene)
  local waiting = clients[scene]
  clients[scene] = nil
  for _, on_end in pairs(is_dead and waiting or {}) do
    on_end()
  end
end

-- Has on_end called once when the scene has ended; in place of what this client, any table, was waiting for
-- there before.
function ends.wait(scene, client, on_end)
  local is_new = not clients[scene]
  clients[scene] = clients[scene] or setmetatable({}, { __mode = "k" })
  clients[scene][client] = on_end
  if is_new then
    skynet.fork(wait, scene)
    skynet.fork(alive.probe, scene, function() return clients[scene] end)
  end
end

-- Sends to a scene, and notices when that is dead.
function ends.send(scene, ...)
  if not skynet.send(scene, "lua", ...) then
    -- In a coroutine of its own: skynet.term would drop the answer that the running one owes.
    skynet.fork(skynet.term, scene)
  end
end

return ends
