-- A Redis for simulated processes: it runs the scripts of EVAL itself, each at one moment, with the few
-- commands that ours use, and a client of it as skynet.db.redis is one.
local Redis = {}
Redis.__index = Redis

local fake_redis = {}

-- now(): milliseconds.
function fake_redis.new(now)
  return setmetatable({
    now = now,
    values = {},     -- key -> text, or table of a hash
    ends = {},       -- key -> when it is gone
    is_down = false, -- true: nobody listens
    is_mute = false, -- true: it stands still, and does later what it is asked for
    deaf_to = {},    -- name of a process -> true: it does not reach Redis
    silent_to = {},  -- name of a process -> true: it does not get the answers
    kept = {},       -- list of functions, while it is mute
  }, Redis)
end

local commands = {}

function commands.get(self, key)
  return self.values[key] or false
end

function commands.set(self, key, value, px, length)
  assert(px == "PX")
  self.values[key], self.ends[key] = value, self.now() + tonumber(length)
  return "OK"
end

function commands.pttl(self, key)
  return self.values[key] and math.ceil(self.ends[key] - self.now()) or -2
end

function commands.del(self, key)
  self.values[key] = nil
  return 1
end

function commands.hget(self, key, field)
  return self.values[key] and self.values[key][field] or false
end

function commands.hmset(self, key, ...)
  local hash = self.values[key] or {}
  for i = 1, select("#", ...), 2 do
    hash[select(i, ...)] = select(i + 1, ...)
  end
  self.values[key] = hash
  return "OK"
end

-- Runs a script with keys and arguments; returns its result as a client gets it.
function Redis:eval(script, n, ...)
  local given = { ... }
  for key, time in pairs(self.ends) do
    if self.now() >= time then
      self.values[key], self.ends[key] = nil, nil
    end
  end
  local result = assert(load(script, "script", "t", {
    tonumber = tonumber, KEYS = table.move(given, 1, n, 1, {}),
    ARGV = table.move(given, n + 1, #given, 1, {}),
    redis = { call = function(name, ...)
      return commands[name](self, ...)
    end },
  }))()
  if type(result) == "table" then
    for i = 1, #result do
      result[i] = result[i] or nil
    end
  end
  return result
end

-- All that it knows is gone, as after a start without its file.
function Redis:forget()
  self.values, self.ends = {}, {}
end

-- It goes on, and does what it was asked for meanwhile.
function Redis:continue()
  self.is_mute = false
  local kept = self.kept
  self.kept = {}
  for _, f in ipairs(kept) do
    f()
  end
end

-- A client for a service of that process. later(is_back, f): runs f after a moment, here or, on the way back,
-- there.
function Redis:client(process, skynet, later)
  local client = {}

  function client.connect(address)
    assert(address.host and address.port)
    if self.is_down then
      error "connect failed"
    end
    local db, token, answer = {}, nil, nil

    local function finish(...)
      if token then
        answer = table.pack(...)
        skynet.wakeup(token)
      end
    end

    function db.eval(_, ...)
      local given = table.pack(...)
      local own = {}
      token, answer = own, nil
      local function serve()
        local is_done = not self.is_down and not self.deaf_to[process]
        local result = is_done and self:eval(table.unpack(given, 1, given.n))
        later(true, function()
          if token == own and (self.is_down or is_done and not self.silent_to[process]) then
            finish(is_done, result)
          end
        end)
      end
      later(false, function()
        if self.is_mute then
          self.kept[#self.kept + 1] = serve
        else
          serve()
        end
      end)
      skynet.wait(token)
      token = nil
      assert(answer[1], "socket")
      return answer[2]
    end

    function db.disconnect()
      finish(false)
    end
    return db
  end

  return client
end

return fake_redis
