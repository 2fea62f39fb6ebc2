-- Messages between the processes of a world as bytes: skynet packs them, but for moves, which are most of all
-- commands and go as rows.
local skynet = require "skynet"

-- Returns two functions: pack(message) -> string, unpack(string) -> message. dims: of the world.
return function(dims)
  -- id, stamp, number, who has sent it, place, stay
  local ROW = "<i8i8I4I4" .. ("d"):rep(dims) .. "s1"

  local function is_row(message, command)
    return command.place and not command.uid and command.node == message.from
      and command.key == message.from_key
  end

  local function copy_of(t)
    local copy = {}
    for name, value in pairs(t) do
      copy[name] = value
    end
    return copy
  end

  -- The message with rows in the place of moves, which stay as they are.
  local function with_rows(message)
    local rows, others = {}, {}
    for _, command in ipairs(message.item.commands) do
      if is_row(message, command) then
        local place = command.place
        if dims == 3 then
          rows[#rows + 1] = ROW:pack(command.id, command.stamp, command.number, command.source, place[1],
            place[2], place[3], command.stay)
        else
          rows[#rows + 1] = ROW:pack(command.id, command.stamp, command.number, command.source, place[1],
            place[2], command.stay)
        end
      else
        others[#others + 1] = command
      end
    end
    local copy = copy_of(message)
    copy.item = copy_of(message.item)
    copy.item.commands, copy.rows = others, table.concat(rows)
    return copy
  end

  local function pack(message)
    local item = message.item
    if item and item.commands and item.commands[1] then
      message = with_rows(message)
    end
    return skynet.packstring(message)
  end

  local function unpack(text)
    local message = skynet.unpack(text)
    local rows = message.rows
    local at = 1
    while rows and at <= #rows do
      local id, stamp, number, source, x, y, z, stay, after = ROW:unpack(rows, at)
      if dims == 2 then
        z, stay, after = nil, z, stay
      end
      local commands = message.item.commands
      commands[#commands + 1] = {
        id = id, kind = "move", stamp = stamp, number = number, source = source, place = { x, y, z },
        stay = stay, node = message.from, key = message.from_key,
      }
      at = after
    end
    return message
  end

  return pack, unpack
end
