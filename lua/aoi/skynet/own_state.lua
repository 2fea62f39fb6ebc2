-- Notes of what others do to an entity, for its own address: steps are told from pushes, pushes are counted,
-- and what others have changed is kept until the address is told of it, in the section of own_section.lua.
--
-- A step is a change of place by the entity's own side: one that names the stream and the count of pushes
-- that it knew when it chose the place, or comes from the entity's address or from who gave it that address.
-- Any other is a push. A step of another stream or another count is late, and does not count. Of an update
-- with such a count the rest counts; with another stream it is a command of another stay, and nothing does.
local blocks = require "aoi.skynet.blocks"
local own_section = require "aoi.skynet.own_section"
local names = require "aoi.skynet.names"

local TRAIT_KEYS = own_section.TRAIT_KEYS
local OPTS = { "stream", "pushes", "call" }
local is_opt = {}
for _, name in ipairs(OPTS) do
  is_opt[name] = true
end

local own_state = {}

local function problem_with_count(name, value)
  if value ~= nil and not (math.type(value) == "integer" and value >= 0 and value <= 0xFFFFFFFF) then
    return ("%s is %s, expected an integer from 0 to 4294967295"):format(name, tostring(value))
  end
end

-- The complaint about the numbers that a command carries: stream, pushes, call; nil: none.
function own_state.problem(opts)
  for _, name in ipairs(OPTS) do
    local problem = problem_with_count(name, opts[name])
    if problem then
      return problem
    end
  end
end

-- The complaint about a table that has nothing but these numbers.
function own_state.problem_with_all(opts)
  for name in pairs(opts) do
    if not is_opt[name] then
      return ("option %s is unknown%s, expected %s"):format(tostring(name), names.hint(name, OPTS),
        names.listed(OPTS))
    end
  end
  return own_state.problem(opts)
end

-- `scene` is the table of scene.lua.
function own_state.new(scene)
  local own = {}
  local streams, counters = scene.streams, scene.counters

  -- Entity -> what others have changed since its address was told: place, true; details, key -> whether the
  -- address may know a value of it; traits, set of names. nil where there is nothing.
  local notes = {}
  own.notes = notes

  local function note_of(id)
    local note = notes[id]
    if not note then
      note = {}
      notes[id] = note
    end
    return note
  end

  -- Entity -> { the stream before, the present one }, where the scene has begun this itself: commands of the
  -- first one may be on their way when the agent is told the second one.
  local begun_here = {}

  -- The scene has begun another stream for the entity, at the same address, behind this one.
  function own.goes_on(id, before)
    begun_here[id] = { before, streams.of[id] }
  end

  -- ---- whose command it is --------------------------------------------------------------------

  -- Whether a command comes from the entity's own side. stream: the one that it carries, if any.
  function own.is_own(id, source, stream)
    if stream then
      return stream == streams.of[id]
    end
    local addresses = scene.addresses
    return source and (source == addresses.of[id] or source == addresses.sender[id]) or false
  end

  -- Judges a command that sets the place of an entity: "step", "push", or "late", and then it is counted.
  function own.judge(id, source, stream, pushes)
    if stream and stream ~= streams.of[id] or pushes and pushes ~= streams.pushes[id] then
      counters.late_steps = counters.late_steps + 1
      return "late"
    elseif stream or pushes or not streams.of[id] or own.is_own(id, source) then
      return "step" -- without an address nobody is to be told
    end
    return "push"
  end

  -- Whether another command is of another stream, and does not count. stream: which it carries; nil: none.
  function own.is_late(id, stream)
    if not stream or stream == streams.of[id] then
      return false
    end
    local before = begun_here[id]
    if before and stream == before[1] and streams.of[id] == before[2] then
      return false
    end
    counters.late_commands = counters.late_commands + 1
    return true
  end

  -- The client's call of this number is taken in.
  function own.called(id, carried)
    if carried.call and carried.stream == streams.of[id] then
      streams.calls[id] = carried.call
    end
  end

  -- ---- noting ---------------------------------------------------------------------------------

  -- Somebody else sets the entity's place: to be called before it is done, so that who is told at once can do
  -- nothing about it meanwhile. Returns a function that takes it back, when it can't be done.
  function own.push(id)
    local before, note = streams.pushes[id], note_of(id)
    local was_noted = note.place
    streams.pushes[id], note.place = before + 1 & 0xFFFFFFFF, true
    return function()
      streams.pushes[id], note.place = before, was_noted
      if not next(note) then
        notes[id] = nil
      end
    end
  end

  -- Whether it matters to the entity's address what this command changes, see is_own: most of its own don't.
  function own.is_noted(id, source, stream)
    local own_stream = streams.of[id]
    if not own_stream then
      return false
    end
    return notes[id] ~= nil or stream ~= own_stream and not own.is_own(id, source, stream)
  end

  -- Whether the entity's address may know a value of this detail, from a list or as it has set it itself: not
  -- one that others have given since it was told last. To be asked before a command changes the detail.
  function own.may_know(id, key)
    local note, entries = notes[id], scene.details.entries[id]
    local noted = note and note.details and note.details[key]
    if noted ~= nil then
      return noted
    end
    return entries ~= nil and entries[key] ~= nil
  end

  -- A command has changed a detail of the entity. stream: the one that it carries, if any; may_know: what the
  -- function above said before.
  function own.changed_detail(id, source, stream, key, may_know)
    if not streams.of[id] then
      return
    end
    local note = notes[id]
    if not own.is_own(id, source, stream) then
      note = note or note_of(id)
      note.details = note.details or {}
      note.details[key] = may_know
    elseif note and note.details and note.details[key] == false then
      note.details[key] = true
    end
  end

  -- A command has changed a trait of the entity. stream: as above.
  function own.changed_trait(id, source, stream, name)
    if streams.of[id] and not own.is_own(id, source, stream) then
      local note = note_of(id)
      note.traits = note.traits or {}
      note.traits[name] = true
    end
  end

  -- As changed_trait, for the opts of a command that are traits. opts may be nil.
  function own.changed_traits(id, source, stream, opts)
    for name in pairs(opts or {}) do
      if TRAIT_KEYS[name] then
        own.changed_trait(id, source, stream, name)
      end
    end
  end

  -- ---- telling --------------------------------------------------------------------------------

  local function packed_traits(id, only)
    local parts, values = {}, scene.space:traits(id)
    for key, name in ipairs(own_section.TRAIT_NAMES) do
      if values[name] ~= nil and (not only or only[name]) then
        parts[#parts + 1] = blocks.entry(key, values[name])
      end
    end
    return parts[1] and table.concat(parts)
  end

  -- The details in a note of which the address knows a value, or is to know one.
  local function packed_details(id, only)
    local parts, entries = {}, scene.details.entries[id] or {}
    for key, may_know in pairs(only) do
      parts[#parts + 1] = entries[key] or may_know and blocks.entry(key) or nil
    end
    return parts[1] and table.concat(parts)
  end

  local function extras_of(id)
    local extras = scene.extra_values
    return extras.n > 0 and { extras:values(id) } or nil
  end

  -- The section about an entity with all of it. O(its details).
  function own.whole(id)
    local text = own_section.pack {
      pushes = streams.pushes[id], calls = streams.calls[id], is_whole = true,
      place = { scene.space:position(id) }, extras = extras_of(id), details = scene.details:of(id),
      traits = packed_traits(id),
    }
    notes[id] = nil
    return text
  end

  -- The section with what others have changed; nil when that is nothing. O(that).
  function own.take(id)
    local note = notes[id]
    if not note then
      return nil
    end
    local text
    if scene.space:has(id) then
      local details = note.details and packed_details(id, note.details)
      text = (note.place or details or note.traits) and own_section.pack {
        pushes = streams.pushes[id], calls = streams.calls[id],
        place = note.place and { scene.space:position(id) } or nil,
        extras = note.place and extras_of(id) or nil,
        details = details,
        traits = note.traits and packed_traits(id, note.traits),
      } or nil
    end
    notes[id] = nil
    return text
  end

  -- A part of an entity, of parts.lua: who gave it its address, and to another region what it is to be told.
  -- In a transfer, and when a scene is loaded, all that is told anew.
  own.part = { pack = {}, take = {}, save = {}, load = {} }

  function own.part.pack.transfer(id, luggage)
    luggage.sender = scene.addresses.sender[id]
  end

  function own.part.pack.hand_over(id, luggage)
    luggage.sender, luggage.noted = scene.addresses.sender[id], notes[id]
  end

  -- After that of parts/agents.lua.
  function own.part.take.hand_over(id, luggage)
    if luggage.address then
      scene.addresses.sender[id], notes[id] = luggage.sender, luggage.noted
    end
  end

  function own.part.save.move(state)
    state.senders, state.noted = scene.addresses.sender, notes
  end

  function own.part.load.move(state)
    scene.addresses.sender = state.senders
    for id, note in pairs(state.noted) do
      notes[id] = note
    end
  end

  function own.part.forget(id)
    notes[id], begun_here[id] = nil, nil
  end

  function own.part.save.save(state)
    state.senders = scene.addresses.sender
  end

  -- After that of parts/agents.lua.
  function own.part.load.save(state, is_given)
    for id in pairs(notes) do
      notes[id] = nil
    end
    begun_here = {}
    for id, stream in pairs(is_given and {} or state.streams.of) do
      own.goes_on(id, stream)
    end
    for id, sender in pairs(is_given and {} or state.senders) do
      if scene.addresses.of[id] then
        scene.addresses.sender[id] = sender
      end
    end
  end

  return own
end

return own_state
