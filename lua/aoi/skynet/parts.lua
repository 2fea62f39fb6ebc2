--[[ The parts of an entity of a scene beside the space: data and properties, extras, its address with the
stream, events still to be told to that, data that handlers keep of it. A further part is a file of parts/
and a line here.

A part is a table. Nothing in it is required, and its functions do not wait:

  pack    occasion -> function(id, luggage): puts into the table `luggage` what goes along with an entity
  take    occasion -> function(id, luggage, was_ghost): the entity is here from now on; takes its own out of
          the luggage again. was_ghost: it was here before, as another region's
  forget  function(id, is_ghost): the entity is none of ours any more. is_ghost: it can be seen here still
  save    occasion -> function(state): puts what it keeps of all entities into the table `state`
  load    occasion -> function(state, more): takes it again

Each part has names of its own for what it puts into these tables, values for skynet.pack. Occasions:

  transfer   pack, take: the entity goes to another scene. luggage.opts are those with which it enters there,
             and `take` comes before it does. An error there refuses it, and ends in `forget`
  hand_over  pack, take: another region owns the entity; `take` comes after hand_in
  save       save, load: the commands of these names. more: true, other addresses are given than those saved
  store      save, load: a full save of the store. more: a table for what the module of handlers gets back
  chunk      save, load: what has changed since the last chunk or full save. more: as for `store`
  move       save, load: a region goes on in another service, nobody notices

A part without a function for an occasion stays behind: `pack` and `save` say what goes where. What the space
keeps (traits, pins, told sets) it packs and saves itself, but for a transfer: see parts/traits.lua. ]]

-- In the order in which they are packed and taken: handlers find all the rest.
local PARTS = {
  require "aoi.skynet.parts.traits",
  require "aoi.skynet.parts.audiences",
  require "aoi.skynet.parts.details",
  require "aoi.skynet.parts.extras",
  require "aoi.skynet.parts.tells",
  require "aoi.skynet.parts.agents",
  function(_, files) return files.resync end,
  function(_, files) return files.own_state.part end,
  function(scene) return scene.notices end,
  (require "aoi.skynet.parts.own"),
}

-- `scene` is the table of scene.lua; `files` has resync and handlers, each of the file of its name; store and
-- own_state, if there are such.
return function(scene, files)
  local of_entity, list = {}, {}
  for i, new in ipairs(PARTS) do
    list[i] = new(scene, files)
  end

  for _, verb in ipairs { "pack", "take", "save", "load" } do
    -- With the occasion, and what is said above.
    of_entity[verb] = function(occasion, ...)
      for _, part in ipairs(list) do
        local run = part[verb] and part[verb][occasion]
        if run then
          run(...)
        end
      end
    end
  end

  function of_entity.forget(id, is_ghost)
    for _, part in ipairs(list) do
      if part.forget then
        part.forget(id, is_ghost)
      end
    end
  end

  return of_entity
end
