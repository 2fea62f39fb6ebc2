-- Answers of the brute-force model, as texts, for its own specs.

local Model = require "spec.support.model"

local model_answers = {}

-- The events of a call as one sorted text per kind: "leave 1>2 3>2; enter 2>4".
function model_answers.events(changes)
  local parts = {}
  for _, change in ipairs(changes) do
    for _, kind in ipairs(Model.kinds) do
      local list = {}
      for key in pairs(change[kind]) do
        list[#list + 1] = key:gsub(" sees ", ">")
      end
      table.sort(list)
      if #list > 0 then
        parts[#parts + 1] = kind .. " " .. table.concat(list, " ")
      end
    end
  end
  return table.concat(parts, "; ")
end

function model_answers.is_refused(call, ...)
  local ok, reason = pcall(call, ...)
  return not ok and type(reason) == "table" and reason.refused ~= nil
end

-- A list of ids and its length, as of a question: "2 3".
function model_answers.ids(list, n)
  assert(#list == n)
  return table.concat(list, " ")
end

return model_answers
