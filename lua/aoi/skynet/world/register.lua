-- The register of a world in Redis: who has the coordinator's lease, and the last configuration. lease.lua
-- says what is asked of it; each request is one script, done there at one moment.
local skynet = require "skynet"
local redis = require "skynet.db.redis"

-- KEYS: of the lease, whose value is key and name of a process; of the configuration, where the last process
-- that had the lease stands, too, and its words. ARGV[1]: key and name of the process that asks.
local scripts = {}

scripts.take = [[
local holder = redis.call("get", KEYS[1])
if holder and holder ~= ARGV[1] then
  return { 0, holder, redis.call("pttl", KEYS[1]) }
end
local words = redis.call("hget", KEYS[2], "words")
if words and words ~= ARGV[4] and ARGV[5] == "0" then
  return { 2 }
end
redis.call("set", KEYS[1], ARGV[1], "PX", ARGV[2])
redis.call("hmset", KEYS[2], "words", ARGV[4])
if redis.call("hget", KEYS[2], "holder") ~= ARGV[1] then
  redis.call("hmset", KEYS[2], "holder", ARGV[1], "since", ARGV[3])
end
return { 1, redis.call("hget", KEYS[2], "since"), redis.call("hget", KEYS[2], "text") }]]

scripts.write = [[
if redis.call("get", KEYS[1]) ~= ARGV[1] then
  return 0
end
local number = redis.call("hget", KEYS[2], "number")
if number and tonumber(number) >= tonumber(ARGV[2]) and redis.call("hget", KEYS[2], "key") ~= ARGV[3] then
  return 0
end
redis.call("hmset", KEYS[2], "number", ARGV[2], "key", ARGV[3], "text", ARGV[4])
return 1]]

scripts.give = [[
if redis.call("get", KEYS[1]) == ARGV[1] then
  redis.call("del", KEYS[1])
end
return 1]]

-- More arguments of a script, and what its result means.
local arguments, meanings = {}, {}

function arguments.take(request)
  return ("%d"):format(request.length), ("%d"):format(request.sent // 1), request.words,
    request.with_any_words and "1" or "0"
end

function meanings.take(result)
  if result[1] == 0 then
    return { holder = result[2]:match " (.*)", left = result[3] }
  elseif result[1] == 2 then
    return { had_other_words = true }
  end
  return {
    is_granted = true, since = result[2],
    configuration = result[3] and skynet.unpack(result[3]) or nil,
  }
end

function arguments.write(request)
  local configuration = request.configuration
  return ("%d"):format(configuration.number), configuration.key, skynet.packstring(configuration)
end

function meanings.write(result)
  return { is_written = result == 1 }
end

function arguments.give() end

function meanings.give()
  return {}
end

-- address: { host =, port = }; name: of the world. Returns a table with the functions ask and drop.
return function(address, name)
  local register = {}
  local lease, configuration = ("{aoi %s} lease"):format(name), ("{aoi %s} configuration"):format(name)
  local link = {} -- db = the connection

  -- Has a request done, one at a time; calls answered(request, answer) then, or when it failed
  -- answered(request, nil, message).
  function register.ask(request, answered)
    local own = link
    skynet.fork(function()
      local ok, answer = pcall(function()
        own.db = own.db or redis.connect(address)
        assert(not own.is_over, "too late")
        return meanings[request.kind](own.db:eval(scripts[request.kind], 2, lease, configuration,
          request.key .. " " .. request.name, arguments[request.kind](request)))
      end)
      if not ok then
        register.drop(own)
      end
      answered(request, ok and answer or nil, not ok and answer or nil)
    end)
  end

  -- Gives the connection up; the next request makes another one.
  function register.drop(of)
    of = of or link
    of.is_over = true
    if of.db then
      pcall(of.db.disconnect, of.db)
    end
    link = link == of and {} or link
  end

  return register
end
