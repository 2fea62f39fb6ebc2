-- The two halves of a tick of a region: the first one applies commands and gives what other regions must
-- know, the second one takes in what they gave, and tells.
local skynet = require "skynet"
local numbers = require "aoi.skynet.world.numbers"

local MOVES, AREAS = -1, -2 -- in place of whether an answer is wanted: the row is a run of moves, or of areas

-- `scene` is the table of region.lua; `parts` its parts; for_world: of region/commands.lua.
return function(scene, parts, for_world)
  local tick = {}

  -- Applies one command. Returns nil when it is done and nobody wants to know, else { outcome, text }.
  local function apply(stamp, source, wants, name, ...)
    if for_world.has_left(name, ...) then
      return { "out" }
    end
    local result = table.pack(for_world.run(name, stamp, source, ...))
    local is_refused = result[1] == nil and result[2] ~= nil
    scene.counters.refused = scene.counters.refused + (is_refused and 1 or 0)
    if wants then
      return { is_refused and "refused" or "done", skynet.packstring(table.unpack(result, 1, result.n)) }
    end
    return is_refused and { "refused", result[2] } or nil
  end

  -- list: a flat list of area, "owned" or "fixed", and what it is or false.
  local function put_areas(list)
    for i = 1, #list, 3 do
      local put = list[i + 1] == "owned" and parts.areas.put_owned or parts.areas.put_fixed
      local ok, message = pcall(put, list[i], list[i + 2] or nil)
      if not ok then
        skynet.error("region: an area can not be put here: " .. tostring(message))
      end
    end
  end

  -- The command of a row. text: { stream, text } where it begins a stay.
  local function unpacked(source, text)
    if type(text) == "table" then
      return for_world.number_stream(text[1], source, skynet.unpack(text[2]))
    end
    return skynet.unpack(text)
  end

  -- Applies rows: see world/lands.lua. Returns results: place of a command -> as above.
  local function apply_all(rows)
    local results, n = {}, 0
    for i = 1, #rows, 4 do
      local stamp, source, wants, text = rows[i], rows[i + 1], rows[i + 2], rows[i + 3]
      if wants == AREAS then
        put_areas(text)
      elseif wants == MOVES then
        for_world.run_moves(text, source, function(k, message)
          results[n + k] = { "refused", message }
        end)
        n = n + stamp
      else
        n = n + 1
        results[n] = apply(stamp, source or nil, wants, unpacked(source, text))
      end
    end
    return results
  end

  -- The first half of tick `number`. rows: a flat list of commands in their order, see world/lands.lua;
  -- closed: set of regions to which nothing can be handed over; anew: all is shown as in the first tick of a
  -- configuration; moves: rows of id and place that are moved behind those commands, or nil, and stamp, that
  -- of the first of them. Returns a table:
  --   refused  place of a move -> message
  --   results  place of a command -> { "done" or "refused", packed answer or message }; none: "done";
  --            { "out" }: the entity has left in this tick
  --   agents   whose entities have become, as of region/agents.lua
  --   left     list of entities that are gone, or were refused when they were to enter
  --   crossed  list of { id =, to =, luggage = }: entities that other regions have from now on
  --   out      region -> string for it
  function tick.begin(number, rows, closed, anew, moves, stamp)
    parts.questions.close()
    if anew then
      parts.ghosts.begin_anew()
    end
    scene.number = number
    scene.details:count_as(number)
    if parts.log then
      parts.log.tick = number
    end
    local results, refused = apply_all(rows), {}
    if moves then
      for_world.run_moves(moves, stamp, function(i, message)
        refused[i] = message
      end)
    end
    if parts.handlers.has_tick() then
      for_world.try(parts.handlers.tick)
    end
    scene.is_closed = true
    local agents, crossed = parts.agents.take(), {}
    local out = parts.ghosts.write(function(id, region, words)
      if closed[region] then
        return false
      end
      local luggage, areas = parts.luggage.pack(id, region, words)
      if not luggage then
        return false
      end
      scene.counters.hand_overs = scene.counters.hand_overs + 1
      crossed[#crossed + 1] = { id = id, to = region, luggage = luggage, areas = areas }
      if parts.log then
        parts.log:handed(id, region)
      end
      return true
    end)
    parts.lives.run()
    local left = for_world.take_left()
    for _, text in pairs(out) do
      scene.counters.border_bytes = scene.counters.border_bytes + #text
    end
    return {
      results = results, refused = refused, agents = agents, left = left, crossed = crossed,
      out = out,
    }
  end

  -- Tells what was said, each to those whom the tick told of the speaker.
  local function tell_speeches(speeches)
    for _, stamp in ipairs(numbers.sorted(speeches)) do
      local id, body, is_text = table.unpack(speeches[stamp])
      if scene.space:has(id) then
        local watchers, n = scene.space:told_watchers_of(id)
        scene.views.say(id, watchers, n, body, is_text)
      end
    end
  end

  local function tell()
    for_world.open()
    if parts.log then
      parts.log.tick = scene.number + 1
    end
    local speeches = scene.speeches
    scene.speeches = {}
    parts.ticks.tell()
    tell_speeches(speeches)
  end

  function tick.take_in(shown, luggage, is_first, is_return)
    parts.ghosts.read(shown, is_first)
    for _, text in ipairs(luggage) do
      local _, lost = parts.luggage.unpack(text, is_return)
      if lost then
        for_world.take_none(lost)
      end
    end
    parts.lives.run()
  end

  -- The second half. shown: a list of strings of other regions; luggage: a list of that of entities that are
  -- here from now on; is_first: the tick is the first of a configuration; questions: a
  -- list, or nil, of region/questions.lua. Returns a table:
  --   packets  key of a process -> flat list of handle and text, for its agents
  --   answers  of the questions
  --   log      lines of region/command_log.lua, if that is wanted
  function tick.finish(_, shown, luggage, is_first, questions)
    tick.take_in(shown, luggage, is_first)
    for_world.try(tell)
    local answers = parts.questions.answer_all(questions) -- before handlers that waited change anything
    parts.questions.open()
    for_world.wake()
    return {
      packets = scene.addresses:take_packets(), log = parts.log and parts.log:take(), answers = answers,
    }
  end

  return tick
end
