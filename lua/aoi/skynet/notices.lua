-- Notices: messages to the address of one entity, which wait for the tick. Each is told once, behind the view
-- of that tick, in the order in which they were given; to the address that the entity has then. One whose
-- stay has ended is told before the end of it. Notices are a part of an entity, of parts.lua: they are kept
-- in saves and in the store, go along to another region, and stay behind in a transfer, which tells them
-- first.
local blocks = require "aoi.skynet.blocks"
local packet = require "aoi.skynet.packet"

-- `scene` is the table of scene.lua, `ticks` of ticks.lua.
return function(scene, ticks)
  local notices = { pack = {}, take = {}, save = {}, load = {} }

  local waiting = {} -- entity -> list of { n, id, body, is_text }, n in the order of calls
  local last = 0     -- the largest n up to now
  local is_stored = false -- true: the last chunk or full save of the store had some

  local function add(id, body, is_text)
    last = last + 1
    waiting[id] = waiting[id] or {}
    table.insert(waiting[id], { n = last, id = id, body = body, is_text = is_text })
  end

  local function in_order(list)
    table.sort(list, function(a, b) return a.n < b.n end)
    return list
  end

  -- Notes a message for the address of an entity. Returns true, or nil and a message.
  function notices.give(id, ...)
    local key = math.type(id) and math.tointeger(id)
    if not key or not scene.space:has(key) then
      return nil, ("notify: entity %s is unknown"):format(tostring(id))
    elseif not scene.addresses.of[key] then
      return nil, ("notify: entity %d has no address"):format(key)
    end
    local body, is_text = packet.speech(...)
    if #body > blocks.SAID_LIMIT then
      return nil, ("notify: the message is %d bytes long, expected at most %d"):format(#body,
        blocks.SAID_LIMIT)
    end
    add(key, body, is_text)
    scene.counters.notified = scene.counters.notified + 1
    ticks.changed()
    return true
  end

  -- Up to here notices belong to the tick that begins.
  function notices.mark()
    return last
  end

  -- The notices of an entity, which count as told: a list, nil for none.
  function notices.hand_out(id)
    local list = waiting[id]
    waiting[id] = nil
    return list
  end

  -- The notices that the tick tells, up to this mark, which count as told: a list. An entity whose
  -- first list is still to come waits; so does one that came back from the store, or whose agent's process
  -- is lost, for its agent, and one that has left meanwhile.
  function notices.hand_out_due(mark)
    local due = {}
    for id, list in pairs(waiting) do
      if scene.addresses.of[id] and not (scene.newcomers[id] or scene.orphans[id]) then
        local later = {}
        for _, notice in ipairs(list) do
          table.insert(notice.n <= mark and due or later, notice)
        end
        waiting[id] = later[1] and later
      elseif not (scene.addresses.of[id] or scene.orphans[id] or scene.streams.over[id]) then
        waiting[id] = nil -- nobody is there to hear it
      end
    end
    return in_order(due)
  end

  -- ---- what is kept ---------------------------------------------------------------------------

  local function all()
    local list = {}
    for _, of_one in pairs(waiting) do
      table.move(of_one, 1, #of_one, #list + 1, list)
    end
    return in_order(list)
  end

  local function put(list)
    for _, notice in ipairs(list or {}) do
      add(notice.id, notice.body, notice.is_text)
    end
  end

  function notices.pack.hand_over(id, luggage)
    local list = notices.hand_out(id)
    luggage.notices = list and in_order(list)
  end

  function notices.take.hand_over(_, luggage)
    put(luggage.notices)
  end

  function notices.save.save(state)
    state.notices = all()
  end

  function notices.load.save(state)
    waiting = {}
    put(state.notices)
  end

  notices.save.move, notices.load.move = notices.save.save, notices.load.save

  function notices.save.store(state)
    state.notices = all()
    is_stored = is_stored or next(waiting) ~= nil -- what stood there may stay: a full save may fail
  end

  notices.load.store = notices.load.save

  function notices.save.chunk(state)
    if is_stored or next(waiting) then
      notices.save.store(state)
      is_stored = next(waiting) ~= nil
    end
  end

  function notices.load.chunk(state)
    if state.notices then
      notices.load.store(state)
    end
  end

  return notices
end
