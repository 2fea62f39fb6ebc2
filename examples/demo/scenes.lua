-- Small scenes, each played on both engines and told in words, side by side.
local aoi = require "aoi"

local scenes = {}

-- A step is { method, id, x, y }. The map that the grid needs is 20 by 20 and seen from nowhere.
scenes.all = {
  {
    title = "Six entities with a view of 2; 6 moves into the middle; all leave.",
    radius = 2,
    steps = {
      { "enter", 1, 1, 5 }, { "enter", 2, 2, 2 }, { "enter", 3, 3, 1 },
      { "enter", 4, 5, 3 }, { "enter", 5, 6, 6 }, { "enter", 6, 3, 3 },
      { "move", 6, 4, 4 },
      { "leave", 1 }, { "leave", 2 }, { "leave", 3 }, { "leave", 4 }, { "leave", 5 }, { "leave", 6 },
    },
  },
  {
    title = "Three entities with a view of 5 change places.",
    radius = 5,
    steps = {
      { "enter", 1, 1, 2 }, { "enter", 2, 5, 9 }, { "enter", 3, 10, 10 },
      { "move", 1, 7, 7 }, { "move", 2, 1, 2 }, { "move", 3, 5, 5 },
    },
  },
}

scenes.engines = {
  grid = { engine = "grid", width = 20, height = 20 },
  crosslist = { engine = "crosslist" },
}

local sentences = {
  enter = "%d now sees %d",
  leave = "%d no longer sees %d",
  move = "%d sees %d move",
}
local rank = { leave = 1, enter = 2, move = 3 }

-- Plays a scene; returns the list of events of each step, each event { watcher, marker, op }.
function scenes.play(scene, engine)
  local events
  local options = { radius = scene.radius }
  for name, value in pairs(scenes.engines[engine]) do
    options[name] = value
  end
  function options.on_event(watcher, marker, op)
    events[#events + 1] = { watcher, marker, op }
  end
  local space = aoi.new(options)
  local told = {}
  for i, step in ipairs(scene.steps) do
    events = {}
    space[step[1]](space, table.unpack(step, 2))
    -- The order inside a kind is an engine's own: sorted, both look alike.
    table.sort(events, function(a, b)
      if a[3] ~= b[3] then
        return rank[a[3]] < rank[b[3]]
      elseif a[1] ~= b[1] then
        return a[1] < b[1]
      end
      return a[2] < b[2]
    end)
    told[i] = events
  end
  space:close()
  return told
end

-- What an event says in words; "" for none.
function scenes.sentence(event)
  return event and sentences[event[3]]:format(event[1], event[2]) or ""
end

local function describe(step)
  local method, id, x, y = table.unpack(step)
  if method == "leave" then
    return ("%d leaves"):format(id)
  end
  return ("%d %s (%d, %d)"):format(id, method == "enter" and "enters at" or "moves to", x, y)
end

-- Plays a scene on both engines and prints it; returns whether both told the same.
function scenes.tell(scene, write)
  write = write or io.write
  local grid = scenes.play(scene, "grid")
  local crosslist = scenes.play(scene, "crosslist")
  local same, count = true, 0
  write(scene.title, "\n\n", ("%-22s  %-22s  %s\n"):format("call", "grid tells", "crosslist tells"))
  for i, step in ipairs(scene.steps) do
    for line = 1, math.max(#grid[i], #crosslist[i], 1) do
      local left = scenes.sentence(grid[i][line])
      local right = scenes.sentence(crosslist[i][line])
      write((("%-22s  %-22s  %s"):format(line == 1 and describe(step) or "", left, right)
        :gsub("%s+$", "")), "\n")
      same = same and left == right
    end
    count = count + #grid[i]
  end
  write("\n", same and ("Both engines told the same %d events.\n\n"):format(count)
    or "The engines told different events.\n\n")
  return same
end

return scenes
