-- Handlers of a scene or a region that write down what they hear of areas, and do what they are told about
-- them. package.loaded of this module's name with "_heard" behind it is a list of { region or 0, text }.
local HEARD = "spec.support.area_handlers_heard"
local heard = package.loaded[HEARD] or {} -- the file is loaded anew for each of them
package.loaded[HEARD] = heard

return function(scene)
  return {
    on_area = function(area, marker, op)
      heard[#heard + 1] = { scene.region or 0, ("area %d %s %d"):format(area, op, marker) }
      if op == "enter" and area % 10 == 3 and scene.region and scene.owned[marker] then
        pcall(scene.set_area, area, { sees_layers = marker % 4 }) -- which may hear nobody
      end
    end,

    commands = {
      -- For entity id: a command about areas.
      ask = function(_, _, name, ...)
        return scene[name](...)
      end,
    },
  }
end
