-- Views as agents believe them, against the views that the scene has of their entities.
local harness = require "spec.skynet.harness"

local beliefs = {}

-- The markers that an entity sees: id -> { x, y }; with told: its told set.
local function view_of(scene, id, told)
  local view = {}
  local ids, n = harness.command(scene, "query", told and "told_markers_of" or "markers_of", id)
  for i = 1, n do
    view[ids[i]] = { harness.command(scene, "query", "position", ids[i]) }
  end
  return view
end

-- agents: entity -> its agent. details: entity -> { data =, properties = }, nil: not to be looked at. told:
-- true for crowds.
function beliefs.check(scene, agents, what, details, told)
  local pairs_seen = 0
  for id, agent in pairs(agents) do
    local expected = view_of(scene, id, told)
    local believed = harness.tell(agent, "known", id)
    for other, marker in pairs(believed) do
      if not details then
        marker.data, marker.properties = nil, nil
      elseif marker.properties and not next(marker.properties) then
        marker.properties = nil
      end
      pairs_seen = pairs_seen + 1
      if details and expected[other] then
        local of = details[other] or {}
        expected[other].data = of.data
        expected[other].properties = of.properties and next(of.properties) and of.properties or nil
      end
    end
    harness.equal(expected, believed, ("%s: what %d sees"):format(what, id))
  end
  return pairs_seen
end

return beliefs
