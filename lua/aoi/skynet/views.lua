-- What a scene tells its agents: gathers the views of a tick and sends one message to each address.
-- The command `reload` loads this file anew. Between two ticks nothing is kept here.
local skynet = require "skynet"
local packet = require "aoi.skynet.packet"

local NONE = {}

-- `scene` is the table of scene.lua: space, dims, addresses, parting, newcomers, counters.
return function(scene)
  local views = {}

  -- What waits for each address: one block, or a list of blocks.
  local waiting = {}
  local order, count = {}, 0

  -- id -> record, packed once however many see it; valid until the messages are sent.
  local records
  local function forget_records()
    records = setmetatable({}, { __index = function(cache, id)
      local x, y, z = scene.space:position(id)
      if not x then
        x, y, z = 0 / 0, 0 / 0, 0 / 0 -- gone by now; its `left` follows
      end
      local record = packet.record(scene.dims, id, x, y, z)
      cache[id] = record
      return record
    end })
  end
  forget_records()

  local function send(address, text)
    if skynet.rawsend(address, packet.protocol, text) then
      scene.counters.messages = scene.counters.messages + 1
      scene.counters.bytes_sent = scene.counters.bytes_sent + #text
    else
      scene.addresses.failed(address)
    end
  end

  local function post(address, block)
    local before = waiting[address]
    if not before then
      count = count + 1
      order[count] = address
      waiting[address] = block
    elseif type(before) == "table" then
      before[#before + 1] = block
    else
      waiting[address] = { before, block }
    end
  end

  -- Entity that came back within a tick under another address -> set of what the one before has in view.
  local lost = {}

  -- A handler of the space: all that one entity learns from one tick.
  function views.on_view(watcher, left, nl, entered, ne, moved, nm)
    local before = lost[watcher]
    for i = 1, before and nl or 0 do
      before[left[i]] = true
    end
    for i = 1, before and ne or 0 do
      before[entered[i]] = nil
    end
    local address = scene.addresses.of[watcher] or scene.parting[watcher]
    if address and not scene.newcomers[watcher] then
      scene.counters.events = scene.counters.events + nl + ne + nm
      post(address, packet.block(scene.dims, watcher, left, nl, entered, ne, moved, nm, records))
    end
  end

  -- Tells the new addresses of entities all that those see. Before a tick: what changes by it is in it.
  function views.tell_newcomers()
    lost = {}
    for id in pairs(scene.newcomers) do
      local address, before = scene.addresses.of[id], scene.parting[id]
      if (address or before) and scene.space:has(id) then
        local seen, n = scene.space:markers_of(id)
        if before then
          lost[id] = {}
          for i = 1, n do
            lost[id][seen[i]] = true
          end
        end
        if address and n > 0 then
          scene.counters.events = scene.counters.events + n
          post(address, packet.block(scene.dims, id, NONE, 0, seen, n, NONE, 0, records))
        end
      end
    end
  end

  -- Tells the addresses that such entities had at the last tick that all is out of view. After the tick,
  -- which takes back its own changes from what is seen now.
  function views.tell_lost()
    local all = lost
    lost = {}
    for id, set in pairs(all) do
      local left = {}
      for marker in pairs(set) do
        left[#left + 1] = marker
      end
      local address = scene.parting[id]
      if address and #left > 0 then
        scene.counters.events = scene.counters.events + #left
        post(address, packet.block(scene.dims, id, left, #left, NONE, 0, NONE, 0, records))
      end
    end
  end

  -- Sends what waits: one message to each address.
  function views.flush()
    if count == 0 then
      return
    end
    local texts, addresses, n = waiting, order, count
    waiting, order, count = {}, {}, 0
    forget_records()
    for i = 1, n do
      local text = texts[addresses[i]]
      send(addresses[i], type(text) == "table" and table.concat(text) or text)
    end
  end

  -- Passes a message of `id` on to the n watchers: once to each address, with its entities among them.
  -- `body` is packed by skynet. Sent at once, not with the tick.
  function views.say(id, watchers, n, body)
    local entities, listed = {}, {}
    for i = 1, n do
      local address = scene.addresses.of[watchers[i]]
      if address then
        if not entities[address] then
          entities[address] = {}
          listed[#listed + 1] = address
        end
        table.insert(entities[address], watchers[i])
      end
    end
    for _, address in ipairs(listed) do
      send(address, packet.said(id, entities[address], body))
    end
  end

  -- Passes on what was said to watchers that had not been told of the speaker; after the tick that does so.
  -- Who has not been told by now does not see it any more, or has no place for it in its told set.
  function views.say_unsaid(unsaid)
    for _, said in ipairs(unsaid) do
      local id, watchers, n, body = table.unpack(said)
      local told, known = {}, {}
      for _, watcher in ipairs(scene.space:has(id) and scene.space:told_to(id) or NONE) do
        told[watcher] = true
      end
      for i = 1, n do
        if told[watchers[i]] then
          known[#known + 1] = watchers[i]
        end
      end
      views.say(id, known, #known, body)
    end
  end

  -- Answers a command that was sent and not called.
  function views.refuse(address, command, message)
    send(address, packet.refused(command, message))
  end

  return views
end
