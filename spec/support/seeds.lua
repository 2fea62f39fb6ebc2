-- Which random sequences a spec runs. SEED=n in the environment replays one; SEQUENCES=n says
-- how many there are otherwise.

local seeds = {}

local GROUP = 25

-- The seeds in groups { first = n, last = m }: one test per group, so that a crash of the module
-- leaves a hint in the names of the tests that passed. Of SEQUENCES, one in `divisor` (1 when nil)
-- is run, but of few the first three: they are what faults are tried on (tools/mutate.lua).
function seeds.groups(usual_count, divisor)
  local only = math.tointeger(tonumber(os.getenv("SEED")))
  if only then
    return { { first = only, last = only } }
  end
  local asked = math.tointeger(tonumber(os.getenv("SEQUENCES")))
  local count = asked and math.max(math.ceil(asked / (divisor or 1)), math.min(asked, 3)) or usual_count
  local groups = {}
  for first = 1, count, GROUP do
    groups[#groups + 1] = { first = first, last = math.min(count, first + GROUP - 1) }
  end
  return groups
end

return seeds
