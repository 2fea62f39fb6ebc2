-- Ways of telling: a call per event, grouped, at a tick; and slack.
local measure = require "bench.measure"
local output = require "bench.output"
local features = require "bench.features"
local spaces = require "bench.spaces"
local worlds = require "bench.worlds"

local delivery = { name = "delivery", text = "a move in the grid by way of delivery, radius 50" }

local function tick(space)
  space:tick()
end

--[[ Each: id, text, options of the space, names of options that the build must know, what follows each
step, and the id of the way that it is compared with. ]]
local ways = {
  { id = "per-call", text = "on_enter + on_leave", options = { spaces.enter_leave }, needs = {} },
  { id = "deferred", text = "same, deferred, a tick a step",
    options = { spaces.enter_leave, { deferred = true } }, needs = { "deferred" }, after_step = tick,
    against = "per-call" },
  { id = "slack", text = "same, slack 12", options = { spaces.enter_leave, { slack = 12 } },
    needs = { "slack" }, against = "per-call" },
  { id = "all-events", text = "on_event (with move)", options = { spaces.all_events }, needs = {} },
  { id = "grouped", text = "on_watchers + on_markers", options = { spaces.by_other },
    needs = { "on_watchers", "on_markers" }, against = "all-events" },
  { id = "deferred-all-events", text = "on_event, deferred", needs = { "deferred" },
    options = { spaces.all_events, { deferred = true } }, after_step = tick, against = "all-events" },
  { id = "deferred-view", text = "on_view, deferred", needs = { "deferred", "on_view" },
    options = { spaces.by_view, { deferred = true } }, after_step = tick, against = "all-events" },
}

function delivery.run()
  for _, name in ipairs { "A", "B", "C", "D", "B2", "F" } do
    local definition = worlds.definitions[name]
    if definition.entities * worlds.part <= measure.settings.most_entities then
      -- Half as many moves: crowded worlds with move events are slow.
      local world = worlds.named(name, measure.settings.moves // 2)
      local cases, by_id = {}, {}
      for _, way in ipairs(ways) do
        if features.has("grid", table.unpack(way.needs)) then
          local space = spaces.filled("grid", world, table.unpack(way.options))
          if way.after_step then
            way.after_step(space) -- what came in by enter
          end
          local case = spaces.walking(space, world, way.after_step)
          case.way = way
          cases[#cases + 1], by_id[way.id] = case, case
        end
      end
      measure.run(cases)
      output.note(("world %s: %s"):format(name, definition.text))
      output.header()
      for _, way in ipairs(ways) do
        local case = by_id[way.id]
        if case then
          local compared = by_id[way.against] and
            measure.compare(case.time.rounds, by_id[way.against].time.rounds)
          output.row(("delivery/%s/%s"):format(way.id, name), way.text, case,
            { delivery = way.id, world = name, against = compared and way.against, compared = compared },
            compared and by_id[way.against].way.text)
        else
          output.missing(way.text)
        end
      end
      for _, case in ipairs(cases) do
        case.space:close()
      end
    end
  end
end

return delivery
