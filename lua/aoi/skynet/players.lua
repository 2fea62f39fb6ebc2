-- The players of a service that stands for many, a gate for one: what client.lua is for one, by their ids.
--
--   local players = require "aoi.skynet.players"
--   players.on { entered = function(id, other, x, y) ... end, notified = function(id, ...) ... end }
--   players.join(scene, id, x, y, opts)
--   players.move(id, x, y)
--
-- Each has a client of its own: client.lua is a file that may be run for one entity alone. docs/skynet.md has
-- the whole list, meta.lua the types.
local skynet = require "skynet"
local entering = require "aoi.skynet.entering"
local hearing = require "aoi.skynet.hearing"
local new_recent = require("aoi.skynet.recent").new
local of_callbacks = require "aoi.skynet.callbacks"

local new_client = assert(loadfile(assert(package.searchpath("aoi.skynet.client", package.path))))

local players = {}

-- The functions of the client that get the id first, and do for that player what they do there.
local FUNCTIONS = { "move", "update", "set_property", "set_traits", "go", "leave", "say", "query", "me",
  "stream" }

local SECOND = 100 -- in skynet's hundredths

local NOT_FOR_MANY = { view = true, said_to = true }

local clients = {}   -- id -> its client
local callbacks = {} -- of `on`
local bound = {}     -- id -> those of its client
local joining = {}   -- set of ids that a scene is asked to take in

-- ---- hearing ----------------------------------------------------------------------------------

-- The ear of a player that was forgotten: a load of an old save has it back, and is to leave it out.
local FORMER = { said = function() end, packet = function() end }

function FORMER.refused(_, message)
  skynet.error("a scene has refused a command: " .. message)
end

local function have_leave(id, where, in_stream)
  hearing.known:forget(id)
  hearing.known:drop(id, in_stream)
  entering.leave_there(where, id, in_stream)
end

function FORMER.elsewhere(id, to, in_stream, is_loaded)
  if is_loaded then
    have_leave(id, to, in_stream)
  end
end

-- A transfer has taken it in somewhere, and the scene of before has ended on the way.
function FORMER.me(id)
  have_leave(id, hearing.known:told_by(id))
end

local former = new_recent(function(id)
  if hearing.listener(id) == FORMER then
    hearing.listen(id, nil)
  end
end)

-- Nothing more is to be heard of a player that is nowhere, once the end of its last stay was heard. A second
-- later: by then the time alone makes a stream later than all that it has had.
local function forget(id)
  skynet.timeout(SECOND, function()
    if clients[id] and not clients[id].scene() and not joining[id] and not hearing.known:markers(id) then
      clients[id], bound[id] = nil, nil
      hearing.listen(id, FORMER)
      former:note(id, true)
    end
  end)
end

local special = {}

function special.refused(id, callback)
  return callback and function(command, message)
    callback(id, command, message)
  end
end

function special.gone(id, callback)
  return function(scene, why)
    forget(id)
    if callback then
      callback(id, scene, why)
    else
      skynet.error(("player %d is no longer in scene %s: %s"):format(id, scene, why))
    end
  end
end

local function bind(id, name)
  local callback = callbacks[name]
  if special[name] then
    return special[name](id, callback)
  end
  return callback and function(...)
    callback(id, ...)
  end
end

-- The callbacks of a player's client: made when they are called first.
local function new_bound(id)
  return setmetatable({}, { __index = function(own, name)
    local callback = bind(id, name)
    own[name] = callback or false
    return own[name]
  end })
end

-- Sets what is called, all at once: the callbacks of the client but `view` and `said_to`, with the id of the
-- player before their arguments: entered(id, other, x, y ...), gone(id, scene, why). But refused(id, command,
-- message); and packet(id, text) gets what of a message is for this player. Raises, and changes nothing, when
-- the list is no table or has something else in it.
function players.on(list)
  local problem = of_callbacks.problem(list, NOT_FOR_MANY)
  if problem then
    error("players.on: " .. problem, 2)
  end
  callbacks = list
  hearing.pass_blocks(list.packet ~= nil)
  for _, own in pairs(bound) do
    for name in pairs(own) do
      own[name] = nil
    end
  end
end

local function make(id)
  local client = new_client(id)
  clients[id], bound[id] = client, new_bound(id)
  client.on(bound[id])
  local hear = hearing.listener(id)
  local over = hear.over
  function hear.over(...)
    over(...)
    forget(id)
  end
  return client
end

-- ---- doing ------------------------------------------------------------------------------------

-- Enters the scene for this player, as view.join does. Raises when the scene refuses.
function players.join(scene, id, ...)
  local key = math.type(id) and math.tointeger(id)
  if not key then
    error(("players.join: id is %s, expected an integer"):format(tostring(id)), 2)
  end
  local client, was_joining = clients[key] or make(key), joining[key]
  joining[key] = true
  local answer = table.pack(pcall(client.join, scene, key, ...))
  joining[key] = was_joining -- another join of this player may be under way: then this one was refused
  if not answer[1] then
    forget(key)
    error(answer[2], 0)
  end
  return table.unpack(answer, 2, answer.n)
end

local function client_of(id)
  return clients[id] or error(("player %s is in no scene: call join first"):format(tostring(id)), 3)
end

for _, name in ipairs(FUNCTIONS) do
  players[name] = function(id, ...)
    return client_of(id)[name](...)
  end
end

-- As view.resync: nothing happens when the player is in no scene.
function players.resync(id)
  if clients[id] then
    clients[id].resync()
  end
end

-- The view of a player, as view.known; {} for one that was told nothing.
function players.known(id)
  return hearing.known:markers(id) or {}
end

-- The scene that a player is in; nil: none.
function players.scene(id)
  local client = clients[id]
  return client and (client.scene())
end

-- The ids of those that are in a scene: a new list, in no order. O(players).
function players.ids()
  local ids = {}
  for id, client in pairs(clients) do
    ids[#ids + 1] = client.scene() and id or nil
  end
  return ids
end

return players
