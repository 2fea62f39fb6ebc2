-- The cases of a spec that runs histories of everything at once: the same ones each time.
local driver = require "spec.everything.driver"
local seeds = require "spec.support.seeds"

local gate = {}

-- A list of { name, run } for the histories of `count` seeds from `first` on; of SEQUENCES there are as
-- many, of SEED it is that one. run raises with a report when one fails.
function gate.cases(first, count)
  local cases = {}
  for _, group in ipairs(seeds.groups(count)) do
    local from, to = group.first, group.last
    if not os.getenv "SEED" then
      from, to = from + first - 1, to + first - 1
    end
    cases[#cases + 1] = {
      name = ("everything at once agrees with the model in histories %d to %d"):format(from, to),
      run = function()
        local seed = driver.first_failure(from, to)
        if seed then
          error(driver.report(seed) or ("SEED=%d failed once, and not again"):format(seed), 0)
        end
      end,
    }
  end
  return cases
end

return gate
