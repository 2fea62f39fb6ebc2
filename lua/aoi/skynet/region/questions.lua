-- Questions to a region. They speak of the last tick that was told: between the two halves of a tick the own
-- entities have moved and ghosts have not, and an entity that crosses a border is in no region. So what is
-- asked then waits for the second half.
local skynet = require "skynet"

local OF_AREAS = { areas_of = true } -- answers with areas, not with entities

-- `scene` is the table of region.lua; `parts` has areas, of region/areas.lua; query: the command of a scene.
return function(scene, parts, query)
  local questions = {}
  local is_closed, waiting = false, {} -- waiting: list of coroutines

  -- A tick begins.
  function questions.close()
    is_closed = true
  end

  -- It has been told.
  function questions.open()
    local list = waiting
    is_closed, waiting = false, {}
    for _, this in ipairs(list) do
      skynet.wakeup(this)
    end
  end

  -- Places, a flat list, of which those of entities of other regions are false.
  local function only_own(places, ids, n)
    local dims = scene.dims
    for i = 1, n do
      if not scene.owned[math.tointeger(ids[i])] then
        for k = (i - 1) * dims + 1, i * dims do
          places[k] = false
        end
      end
    end
    return places, n
  end

  -- As the command `query` of a scene, but of entities only those of this region. Areas of an entity of
  -- another region: only those whose owner is of this one. To nearest belong the places of those found.
  local function of_own(shape, ...)
    local answer = table.pack(query(nil, shape, ...))
    local list, n = answer[1], answer[2]
    if type(list) ~= "table" then
      return table.unpack(answer, 1, answer.n)
    elseif OF_AREAS[shape] then
      return parts.areas.only_known(list, n, (...))
    elseif shape == "positions" then
      return only_own(list, (...), n)
    end
    local ids = {}
    for i = 1, n do
      ids[#ids + 1] = scene.owned[list[i]] and list[i] or nil
    end
    return ids, #ids, shape == "nearest" and query(nil, "positions", ids, #ids) or nil
  end

  -- Asks now, or when the tick that is under way has been told. about: an entity that has to be one of this
  -- region, else that is all of the answer: false. nil: the question is about none, and only the entities of
  -- this region count. Returns true and the answer.
  function questions.ask(about, ...)
    while is_closed do
      local this = coroutine.running()
      waiting[#waiting + 1] = this
      skynet.wait(this)
    end
    if about and not (scene.owned[about] and scene.space:has(about)) then
      return false
    elseif about then
      return true, query(nil, ...)
    end
    return true, of_own(...)
  end

  -- The answers of a list of packed questions without such an entity, each as of table.pack.
  function questions.answer_all(list)
    local answers = {}
    for i, question in ipairs(list or {}) do
      local answer = table.pack(pcall(of_own, skynet.unpack(question)))
      answers[i] = answer[1] and table.pack(table.unpack(answer, 2, answer.n))
        or { n = 2, nil, tostring(answer[2]) }
    end
    return answers
  end

  return questions
end
