--[[ Instructions and misses of the first data cache that a move takes, of two builds side by side: `make
bench-instructions BEFORE=...`. callgrind counts them, so what else the machine does changes nothing, and a
few thousandths can be seen. Arguments: the two shared objects, then words; only cases that have all the
words in their names are run.

The world is a part of B. The counted moves are made in a coroutine, as callgrind can be told to count in a
function alone, which is lua_resume; their loop in Lua counts, too. In cases about radii, one in a hundred
is seen from far or sees far: the moves of the others and of those few are counted apart. "-": the build does
not have this. ]]
local alternate = require "bench.alternate"
local spaces = require "bench.spaces"
local worlds = require "bench.worlds"

local COUNT = "valgrind -q --tool=callgrind --toggle-collect=lua_resume --cache-sim=yes --I1=32768,8,64 " ..
  "--D1=32768,8,64 --LL=8388608,16,64"

local ENTITIES, STEPS, STEPS_OF_FEW = 3000, 10, 80

local function is_one_of_hundred(id)
  return id % 100 == 1
end

local function is_usual(id)
  return not is_one_of_hundred(id)
end

-- Kinds of cases: opts of one in a hundred, and who moves.
local kinds = {
  plain = {},
  ["seen from far: others"] = { opts = { visible_radius = 200 }, moves = is_usual },
  ["seen from far: alone"] = { opts = { visible_radius = 200 }, moves = is_one_of_hundred, few = true },
  ["far sight: others"] = { opts = { radius = 200 }, moves = is_usual },
  ["far sight: alone"] = { opts = { radius = 200 }, moves = is_one_of_hundred, few = true },
}

local function tick(space)
  space:tick()
end

local ways = {
  ["per call"] = { options = spaces.enter_leave },
  ["with moves"] = { options = spaces.all_events },
  deferred = { options = spaces.enter_leave, more = { deferred = true }, after_step = tick },
}

-- Plays a case in this process: all go there, and are counted on the way back.
local function play(path, engine, way_name, kind_name)
  local core, way, kind = alternate.load(path), ways[way_name], kinds[kind_name]
  local steps = kind.few and STEPS_OF_FEW or STEPS
  local world = worlds.make({ entities = ENTITIES, size = 3200 * (ENTITIES / 10000) ^ 0.5 }, ENTITIES * steps)
  local space = core.new(spaces.options(engine, world, way.options, way.more or {}))
  worlds.enter(space, world, kind.opts and function(id)
    return is_one_of_hundred(id) and kind.opts or nil
  end)
  local ids, xs, ys, move, after_step = {}, world.xs, world.ys, space.move, way.after_step
  for id = 1, ENTITIES do
    if not kind.moves or kind.moves(id) then
      ids[#ids + 1] = id
    end
  end
  local function walk(from, to, by)
    for step = from, to, by do
      local first = ENTITIES * step
      for i = 1, #ids do
        local id = ids[i]
        local at = first + id
        move(space, id, xs[at], ys[at]) -- `space:move` takes longer in some processes than in others
      end
      if after_step then
        after_step(space)
      end
    end
  end
  walk(1, steps, 1)
  collectgarbage "stop"
  coroutine.wrap(walk)(steps - 1, 0, -1)
  print(#ids * steps)
end

-- Counts of a move, or nil when the build does not have this.
local function measure(path, case)
  local out = os.tmpname()
  local run = assert(io.popen(("%s --callgrind-out-file=%s %s %s play %s %s '%s' '%s' 2>/dev/null"):format(
    COUNT, out, arg[-1], arg[0], path, case.engine, case.way, case.kind)))
  local moves = run:read "n"
  run:close()
  local file = assert(io.open(out))
  local text = file:read "a"
  file:close()
  os.remove(out)
  if moves then
    local instructions, _, _, _, reads, writes = text:match("\nsummary:" .. (" (%d+)"):rep(6))
    return { instructions = instructions / moves, misses = (reads + writes) / moves }
  end
end

local function all_cases()
  local cases = {}
  for _, engine in ipairs { "grid", "folded", "classic", "crosslist", "quadtree" } do
    for _, way in ipairs { "per call", "with moves", "deferred" } do
      cases[#cases + 1] = { engine = engine, way = way, kind = "plain" }
    end
    for _, kind in ipairs(engine == "classic" and {} or
      { "seen from far: others", "far sight: others", "seen from far: alone", "far sight: alone" }) do
      cases[#cases + 1] = { engine = engine, way = "per call", kind = kind }
    end
  end
  return cases
end

local function is_wanted(name, words)
  for _, word in ipairs(words) do
    if not (" " .. name .. " "):find(" " .. word .. " ", 1, true) then
      return false
    end
  end
  return true
end

local function columns(before, after, what)
  local function number(of)
    return of and ("%.1f"):format(of[what]) or "-"
  end
  return ("%9s %9s %6s"):format(number(before), number(after),
    before and after and ("%.3f"):format(after[what] / before[what]) or "")
end

if arg[1] == "play" then
  play(arg[2], arg[3], arg[4], arg[5])
  return
end
local before, after = arg[1], arg[2]
if not after then
  io.stderr:write("usage: instructions.lua before.so after.so [words]\n")
  os.exit(2)
end
io.stdout:setvbuf "line"
print(("before: %s\nafter:  %s"):format(before, after))
print(("%-44s %9s %9s %6s   %9s %9s %6s"):format("a move", "instr.", "after", "", "misses", "after", ""))
for _, case in ipairs(all_cases()) do
  local name = ("%s %s%s"):format(case.engine, case.way, case.kind == "plain" and "" or ", " .. case.kind)
  if is_wanted(name:gsub("[,:]", ""), { table.unpack(arg, 3) }) then
    local was, is = measure(before, case), measure(after, case)
    print(("%-44s %s   %s"):format(name, columns(was, is, "instructions"), columns(was, is, "misses")))
  end
end
