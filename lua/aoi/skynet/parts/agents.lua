-- A part of an entity, of parts.lua: the address that is told what it sees, with the stream of that. A store
-- keeps no address, as it means nothing in another process, but who had one: an orphan when the scene comes
-- back.
local skynet = require "skynet"
local blocks = require "aoi.skynet.blocks"

-- An agent that goes to another scene just as this one is loaded takes the time for its stream, before it has
-- heard of that of the load: an agent that is here has the next stream, which is no later, and one that comes
-- from elsewhere has one that is so many hundredths of a second ahead, and none that clients choose.
local AHEAD = 50

-- `scene` is the table of scene.lua; `files` has entities, of the file of that name.
return function(scene, files)
  local part = { pack = {}, take = {}, save = {}, load = {} }

  -- The stream in the other scene is a later one.
  function part.pack.transfer(id, luggage)
    local stream = scene.streams.of[id]
    luggage.opts.address = scene.addresses.of[id] or false
    luggage.opts.stream = stream and stream + 1 & 0xFFFFFFFF
  end

  function part.pack.hand_over(id, luggage)
    luggage.address = scene.addresses.of[id]
    local streams = scene.streams
    luggage.stream, luggage.number = streams.of[id], streams.numbers[id]
    luggage.pushes, luggage.call = streams.pushes[id], streams.calls[id]
    luggage.is_orphan = scene.orphans[id] -- else the other region takes its address for one that hears
  end

  function part.take.hand_over(id, luggage)
    if luggage.address then
      scene.streams:go_on(id, luggage.stream, luggage.number, luggage.pushes, luggage.call)
      scene.addresses:set(id, luggage.address)
    end
    scene.orphans[id] = luggage.is_orphan
  end

  -- An address that is to be told that its stream is over: the stream was ended before this.
  function part.forget(id)
    scene.streams:finish(id)
    scene.addresses:set(id, nil)
    scene.orphans[id] = nil
  end

  -- ---- the commands save and load -------------------------------------------------------------

  function part.save.save(state)
    state.addresses, state.streams = scene.addresses.of, scene.streams:save()
    state.orphans = scene.orphans
  end

  -- Ends the streams of what is here, and begins those of what was saved: later ones, so that nobody takes a
  -- block for one that it has seen. Every address is told all that its entities see, and those that were
  -- elsewhere that the scene is here now.
  function part.load.save(state, is_given)
    local streams, former, was_here = scene.streams, state.streams.of, {}
    for id, address in pairs(scene.addresses.of) do
      was_here[id] = address
      former[id] = blocks.later(former[id], streams.of[id])
      streams:finish(id, address)
      scene.addresses:set(id, nil)
    end
    streams:load(state.streams, not is_given)
    scene.orphans = state.orphans or {} -- none in saves of former versions
    for id, address in pairs(state.addresses) do
      if address and scene.space:has(id) then
        local is_here = was_here[id] == address
        local comes = not is_given and not is_here
        streams:begin(id, is_here and former[id] + 1 & 0xFFFFFFFF or nil, former[id], comes and AHEAD or nil)
        if comes then
          local number = state.streams.numbers[id] + 1
          scene.views.tell_loaded(address, id, skynet.self(), state.streams.of[id], number)
        end
        streams:returned(id, address)
        scene.addresses:set(id, address)
        scene.newcomers[id], scene.orphans[id] = true, nil
      end
    end
    files.entities.await_agents()
  end

  function part.save.move(state)
    state.addresses, state.streams = scene.addresses:state(), scene.streams:state()
    state.orphans = scene.orphans
  end

  function part.load.move(state)
    scene.streams:restore(state.streams)
    scene.addresses:restore(state.addresses)
    scene.orphans = state.orphans
  end

  if scene.region then
    return part -- in its store addresses stand with the epochs of entities: region/store.lua
  end

  -- ---- the store ------------------------------------------------------------------------------

  function part.save.store(state)
    local ids = {}
    for _, set in ipairs { scene.addresses.of, scene.orphans } do
      for id in pairs(set) do
        ids[#ids + 1] = id
      end
    end
    state.addressed, state.streams = ids, { last = scene.streams.last }
  end

  function part.load.store(state)
    scene.streams:load(state.streams)
    scene.orphans = {}
    for _, id in ipairs(state.addressed) do
      scene.orphans[id] = true
    end
  end

  function part.save.chunk(state)
    state.addressed = scene.addresses:take_changes()
  end

  function part.load.chunk(state)
    for id, is_addressed in pairs(state.addressed or {}) do
      scene.orphans[id] = is_addressed or nil
    end
  end

  return part
end
