-- How a client asks a scene to take its entity in, in a stream later than all that the entity has had, and
-- how an entity leaves a scene again in which it is not to be.
local skynet = require "skynet"
local alive = require "aoi.skynet.alive"
local blocks = require "aoi.skynet.blocks"
local calls = require "aoi.skynet.calls"
local of_client = require("aoi.skynet.streams").of_client

local entering = {}

-- A transfer or a load takes our entity into the next stream, without us, and there may be several until we
-- hear of them. A stream of ours is at least so much later than the last one that we know: none of these.
entering.AHEAD = 16

-- Places and opts as they were given, with these among the opts.
function entering.with_opts(opts, ...)
  local args = table.pack(...)
  local at = (type(args[3]) == "table" or args[3] == nil and args[4] == nil) and 3 or 4
  for name, value in pairs(type(args[at]) == "table" and args[at] or {}) do
    opts[name] = value
  end
  args[at] = opts
  return opts, table.unpack(args, 1, at)
end

-- An entity has come into that scene, and has left meanwhile, or gone elsewhere: it leaves there if it is
-- still in this stream (nil or false: in any). It may have left that, too: then the refusal matters to
-- nobody, and as an answer nobody hears it.
function entering.leave_there(where, id, in_stream)
  skynet.fork(pcall, calls.call, where, "lua", "leave", id, in_stream and { stream = in_stream })
end

-- hearing: of hearing.lua. Returns the function ask(to, command, id, anew, ...), which asks a scene to enter
-- or update our entity in a new stream; once more when somebody else has had a later one. It returns the
-- arguments, opts first, and what the scene answers, or false and why not. What is told of an entry before
-- its answer is held back.
function entering.new(hearing)
  local known = hearing.known
  local stream -- the latest that we asked for

  -- A stream later than all that this entity had.
  local function new_stream(id)
    local new = skynet.starttime() * 100 + skynet.now() & 0xFFFFFFFF
    local last = blocks.later(stream, known:stream(id))
    stream = of_client(last and blocks.after(new, last + entering.AHEAD - 1 & 0xFFFFFFFF) or new)
    return stream
  end

  return function(to, command, id, anew, ...)
    local args, answer
    for _ = 1, 2 do
      args = table.pack(entering.with_opts({ stream = new_stream(id), anew = anew }, ...))
      known:ask(id, args[1].stream)
      if command == "enter" then
        hearing.hold(id, args[1].stream)
      end
      answer = table.pack(pcall(alive.call, to, "lua", command, id, table.unpack(args, 2, args.n)))
      local last = answer[1] and answer[2] == nil and answer[4]
      if math.type(last) ~= "integer" then
        break
      end
      stream = last
    end
    if not answer[1] or not answer[2] then
      return args, false, answer[1] and answer[3] or answer[2]
    end
    return args, table.unpack(answer, 2, answer.n)
  end
end

return entering
