-- Which random sequences a spec runs. SEED=n in the environment replays one; SEQUENCES=n says
-- how many there are otherwise.

local seeds = {}

local GROUP = 25

-- The seeds in groups { first = n, last = m }: one test per group, so that a crash of the module
-- leaves a hint in the names of the tests that passed.
function seeds.groups(usual_count)
  local only = math.tointeger(tonumber(os.getenv("SEED")))
  if only then
    return { { first = only, last = only } }
  end
  local count = math.tointeger(tonumber(os.getenv("SEQUENCES"))) or usual_count
  local groups = {}
  for first = 1, count, GROUP do
    groups[#groups + 1] = { first = first, last = math.min(count, first + GROUP - 1) }
  end
  return groups
end

return seeds
