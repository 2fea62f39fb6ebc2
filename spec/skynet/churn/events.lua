-- Actions of clients in the churn run: a list, of which each client draws. A kind is a function of the client
-- and a line in the list; at the end each must have happened often enough.
local skynet = require "skynet"
local socket = require "skynet.socket"

-- ---- living -----------------------------------------------------------------------------------

local function walk(client)
  client:walk()
end

-- Several places within a tick, of which the last counts.
local function hurry(client)
  for _ = 1, 6 do
    client:walk()
    skynet.sleep(client.random:integer(0, 3))
  end
end

local function speak(client)
  client:say()
end

local function change_look(client)
  client.look = client.random:integer(0, 359)
  client:tell("look", client.look)
end

local function change_mood(client)
  client.mood = client.random:pick { "none", "calm", "angry" }
  client:tell("mood", client.mood)
end

local function change_name(client)
  client.name = ("client %d, once %d"):format(client.id, client.random:integer(1, 999))
  client:tell("name", client.name)
end

local function change_map(client)
  local map = client:other_map()
  client:tell("change", map, client:place(map))
end

local function be_transferred(client)
  local map = client:other_map()
  client:tell("transfer", map, client:place(map))
end

local function leave_and_join(client)
  client:tell("rejoin", client.map, client:place(client.map))
end

-- ---- ending -----------------------------------------------------------------------------------

-- Closed without a word, and the agent leaves.
local function crash(client)
  socket.close(client:drop().fd)
end

-- The socket is lost, and the agent goes on with the next connection.
local function come_back(client)
  client:tell "linger"
  socket.close(client:drop().fd)
  skynet.sleep(client.random:integer(0, 50))
  client:login "resume"
end

local function agent_exits(client)
  client:tell "exit"
  client:wait_for_end(client:drop(), "an agent exits")
end

local function agent_leaves(client)
  client:tell "vanish"
  client:wait_for_end(client:drop(), "an agent leaves without a word")
end

local function agent_is_killed(client)
  local connection = client:drop()
  skynet.call(".launcher", "lua", "KILL", connection.agent)
  client:wait_for_end(connection, "a killed agent's socket is closed")
end

-- ---- not reading ------------------------------------------------------------------------------

local function is_full(connection)
  local called, full = pcall(skynet.call, connection.agent, "lua", "is_full")
  return called and full
end

-- Reads nothing, until its agent drops what it is told; then it goes on.
local function hang(client)
  local connection = client.connection
  connection.hangs = true
  client:tell("fill", "wait")
  client:wait_until("its socket is full", function()
    return is_full(connection)
  end)
  skynet.sleep(client.random:integer(20, 60))
  client:tell "enough"
  connection.hangs = false
end

-- Reads nothing, until its agent has ended.
local function hang_for_good(client)
  client:tell("fill", "drop")
  local connection = client:drop()
  connection.hangs = true
  client:wait_until("its agent drops it", function()
    return not skynet.send(connection.agent, "debug", "PING")
  end, connection.agent)
  connection.hangs = false
  client:wait_for_end(connection, "the socket of a client that does not read is closed")
end

-- ---- logging in twice -------------------------------------------------------------------------

-- The former agent leaves and ends.
local function log_in_twice(client)
  local former = client:login "kick"
  client:wait_for_end(former, "the former agent ends")
end

-- The new agent takes the entity, and the scene tells the former one; see Client:settle.
local function take_over(client)
  if client:echo() then
    client.formers[#client.formers + 1] = client:login "take"
  end
end

return {
  { name = "walk", weight = 300, run = walk },
  { name = "hurry", weight = 8, run = hurry },
  { name = "speak", weight = 8, run = speak },
  { name = "look", weight = 8, run = change_look },
  { name = "mood", weight = 8, run = change_mood },
  { name = "name", weight = 4, run = change_name },
  { name = "change", weight = 6, run = change_map },
  { name = "transfer", weight = 6, run = be_transferred },
  { name = "rejoin", weight = 3, run = leave_and_join },
  { name = "crash", weight = 3, run = crash },
  { name = "resume", weight = 3, run = come_back },
  { name = "agent_exit", weight = 2, run = agent_exits },
  { name = "agent_kill", weight = 2, run = agent_is_killed },
  { name = "agent_leave", weight = 2, run = agent_leaves },
  { name = "hang", weight = 1.5, run = hang },
  { name = "hang_for_good", weight = 1.5, run = hang_for_good },
  { name = "login_twice", weight = 2, run = log_in_twice },
  { name = "take_over", weight = 2, run = take_over },
}
