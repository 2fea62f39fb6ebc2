-- Small scenes, played on every engine and told in words, next to what each must tell.
local aoi = require "aoi"

local scenes = {}

-- A step is { method, id, x, y, expected = the events it must give }, in the order of `rank` below.
scenes.all = {
  {
    title = "Six entities with a view of 2; 6 moves into the middle; all leave.",
    radius = 2,
    steps = {
      { "enter", 1, 1, 5 },
      { "enter", 2, 2, 2 },
      { "enter", 3, 3, 1, expected = { "2 now sees 3", "3 now sees 2" } },
      { "enter", 4, 5, 3, expected = { "3 now sees 4", "4 now sees 3" } },
      { "enter", 5, 6, 6 },
      { "enter", 6, 3, 3, expected = {
        "1 now sees 6", "2 now sees 6", "3 now sees 6", "4 now sees 6",
        "6 now sees 1", "6 now sees 2", "6 now sees 3", "6 now sees 4",
      } },
      { "move", 6, 4, 4, expected = {
        "1 no longer sees 6", "3 no longer sees 6", "6 no longer sees 1", "6 no longer sees 3",
        "5 now sees 6", "6 now sees 5", "2 sees 6 move", "4 sees 6 move",
      } },
      { "leave", 1 },
      { "leave", 2, expected = {
        "2 no longer sees 3", "2 no longer sees 6", "3 no longer sees 2", "6 no longer sees 2",
      } },
      { "leave", 3, expected = { "3 no longer sees 4", "4 no longer sees 3" } },
      { "leave", 4, expected = { "4 no longer sees 6", "6 no longer sees 4" } },
      { "leave", 5, expected = { "5 no longer sees 6", "6 no longer sees 5" } },
      { "leave", 6 },
    },
  },
  {
    title = "Three entities with a view of 5 change places.",
    radius = 5,
    steps = {
      { "enter", 1, 1, 2 },
      { "enter", 2, 5, 9 },
      { "enter", 3, 10, 10, expected = { "2 now sees 3", "3 now sees 2" } },
      { "move", 1, 7, 7, expected = { "1 now sees 2", "1 now sees 3", "2 now sees 1", "3 now sees 1" } },
      { "move", 2, 1, 2, expected = {
        "1 no longer sees 2", "2 no longer sees 1", "2 no longer sees 3", "3 no longer sees 2",
      } },
      { "move", 3, 5, 5, expected = { "2 now sees 3", "3 now sees 2", "1 sees 3 move" } },
    },
  },
}

-- The map that two of them need is 20 by 20.
scenes.engines = {
  { engine = "grid", width = 20, height = 20 },
  { engine = "crosslist" },
  { engine = "quadtree", width = 20, height = 20 },
}

local sentences = {
  enter = "%d now sees %d",
  leave = "%d no longer sees %d",
  move = "%d sees %d move",
}
local rank = { leave = 1, enter = 2, move = 3 }

-- Plays a scene on an engine; returns the sentences of each step.
function scenes.play(scene, engine)
  local events
  local options = { radius = scene.radius }
  for name, value in pairs(engine) do
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
    -- The order inside a kind is an engine's own: sorted, all look alike.
    table.sort(events, function(a, b)
      if a[3] ~= b[3] then
        return rank[a[3]] < rank[b[3]]
      elseif a[1] ~= b[1] then
        return a[1] < b[1]
      end
      return a[2] < b[2]
    end)
    told[i] = {}
    for k, event in ipairs(events) do
      told[i][k] = sentences[event[3]]:format(event[1], event[2])
    end
  end
  space:close()
  return told
end

local function describe(step)
  local method, id, x, y = table.unpack(step)
  if method == "leave" then
    return ("%d leaves"):format(id)
  end
  return ("%d %s (%d, %d)"):format(id, method == "enter" and "enters at" or "moves to", x, y)
end

local function count(list, sentence)
  local n = 0
  for _, one in ipairs(list) do
    n = n + (one == sentence and 1 or 0)
  end
  return n
end

-- All sentences of a step: those expected, then what else an engine told.
local function sentences_of(expected, told_by, i)
  local list = { table.unpack(expected) }
  for _, told in ipairs(told_by) do
    for _, sentence in ipairs(told[i]) do
      if count(list, sentence) < count(told[i], sentence) then
        list[#list + 1] = sentence
      end
    end
  end
  return list
end

-- Plays a scene on all engines and prints it; returns whether each told what is expected, once.
function scenes.tell(scene, write)
  write = write or io.write
  local told_by, names, all_well, events = {}, {}, true, 0
  for i, engine in ipairs(scenes.engines) do
    told_by[i], names[i] = scenes.play(scene, engine), ("%-11s"):format(engine.engine)
  end
  local function row(call, sentence, verdicts)
    write((("%-22s%-22s%s"):format(call, sentence, table.concat(verdicts)):gsub(" +$", "")), "\n")
  end
  write(scene.title, "\n\n")
  row("call", "event", names)
  for i, step in ipairs(scene.steps) do
    local expected = step.expected or {}
    local list = sentences_of(expected, told_by, i)
    for k, sentence in ipairs(list) do
      local verdicts = {}
      for e, told in ipairs(told_by) do
        local should, does = count(expected, sentence), count(told[i], sentence)
        all_well = all_well and should == does
        verdicts[e] = ("%-11s"):format(should == does and "told" or does < should and "MISSING" or "WRONG")
      end
      row(k == 1 and describe(step) or "", sentence, verdicts)
    end
    if #list == 0 then
      row(describe(step), "-", {})
    end
    events = events + #expected
  end
  write("\n", all_well and ("All engines told these %d events, as expected.\n\n"):format(events)
    or "Not all engines told what is expected.\n\n")
  return all_well
end

return scenes
