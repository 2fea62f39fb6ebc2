-- Faults that `make world-test` and `make world-faults` plant, one at a time, to see that they see them:
-- `lua spec/world/faults.lua` lists the names of the first, and with the word `failures` those of the second,
-- each with the failure after which it is to be seen, behind a colon. With a name and a folder it writes the
-- faulty file there, for spec/world/config to find first. Fails when the place is not there any more. With a
-- name alone it prints the words of what must be said to be wrong; with `check` it only looks whether all
-- faults can be planted.
local FAULTS = {
  {
    name = "strip", -- regions see only half as far beyond their borders as they must
    file = "world/map", from = "own.max_radius + 2 * own.slack + own.margin", to = "own.max_radius / 2",
  },
  {
    name = "told", -- who is handed over has been told of nothing, as far as its new region knows
    file = "region/luggage",
    from = "local ok, message = pcall(scene.space.hand_in, scene.space, all.space)",
    to = 'local has = scene.space:has(id) '
      .. 'local ok, message = pcall(has and scene.space.set_mode or scene.space.hand_in, scene.space, '
      .. 'has and id or all.space, has and "wm" or nil)',
  },
  {
    name = "anchor", -- a ghost's visibility is judged from its place, not from its anchor
    file = "region/ghosts",
    from = "table.move({ space:anchor(id) }, 1, dims,", to = "table.move(place, 1, dims,",
  },
  {
    name = "said", -- what is said does not cross borders
    file = "region/ghosts", to = "break",
    from = "put(region, SAID, speech)",
  },
  {
    name = "areas", -- regions tell of their neighbours' entities in areas, too
    file = "region/areas", to = "id",
    from = "owned[id] or ended_before[id] or scene.owned[marker] or departed_before[marker]",
  },
  {
    name = "details", -- a ghost comes without data and properties
    file = "region/ghosts", from = "and details:has_any(id) then", to = "and not id then",
  },
  {
    name = "stays", -- half of the entities are still there when their leave was answered
    after = "nothing", file = "region/commands", seen = "and nobody's",
    from = "return of_scene.leave(source, id, address)",
    to = "if id % 4 > 1 then return true end return of_scene.leave(source, id, address)",
  },
  {
    name = "again", -- what is missing between nodes is not asked for
    after = "messages lost", file = "world/member", to = "if false then", seen = "was expelled",
    from = "if now >= link.needed_at + self.times.repeated then",
  },
  {
    name = "late", -- a piece that comes behind a later one is lost
    after = "messages held up", file = "world/links", from = "if number > link.heard then",
    to = "if number > (link.newest or 0) then link.newest = number",
  },
  {
    name = "unanswered", -- the calls of a node that is expelled have no answer
    after = "a node stopped for 2 s", file = "world/member", from = "calls.end_all(self)", to = "",
  },
  {
    name = "holder", -- nobody learns that another node has the coordinator's lease by now
    after = "the coordinator's node killed for 5 s", file = "world/lease",
    from = "self.holder = answer.holder", to = "self.holder = self.holder or answer.holder",
  },
  {
    name = "patience", -- a node is silent only after five times the silence
    -- Stopped, as the port of one that is killed refuses, and then nobody waits for its silence.
    after = "a node stopped for longer than orphan", file = "world/times",
    from = "rounds = 8,", to = "rounds = 40,", seen = "the world stood too long",
  },
  {
    name = "waiting", -- a node gives no answers for others
    after = "the coordinator alone stopped for longer than orphan", file = "world/member",
    from = "calls.give_up(self, before)", to = "", seen = "an answer came too late",
  },
  {
    name = "slow", -- where entities were lost nobody can enter in the first fifty ticks of a configuration
    after = "a node killed for 5 s", file = "world/agents", from = "message = prepare(call,",
    to = 'message = name == "enter" and counters.lost > 0 '
      .. 'and world.member.tick - world.member.first_tick < 50 and "again" or prepare(call,',
    seen = "the lost were in again too late",
  },
}

local name, folder = ...

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read "a"
  file:close()
  return text
end

-- The text of the file of a fault with the fault in it. Raises when its place is not there once.
local function with(fault)
  local text = read("lua/aoi/skynet/" .. fault.file .. ".lua")
  local at, to = text:find(fault.from, 1, true)
  if not at or text:find(fault.from, to, true) then
    local times = at and "twice" or "not"
    error(("fault %s: %q is there %s, expected once"):format(fault.name, fault.from, times), 0)
  end
  return text:sub(1, at - 1) .. fault.to .. text:sub(to + 1)
end

for _, fault in ipairs(FAULTS) do
  if name == "check" then
    assert(load(with(fault), "fault " .. fault.name))
  elseif not name and not fault.after then
    print(fault.name)
  elseif name == "failures" and fault.after then
    print(fault.name .. ":" .. fault.after)
  elseif name == fault.name and not folder then
    print(fault.seen or "")
  elseif name == fault.name then
    os.execute(("mkdir -p '%s/aoi/skynet/world' '%s/aoi/skynet/region'"):format(folder, folder))
    local file = assert(io.open(("%s/aoi/skynet/%s.lua"):format(folder, fault.file), "wb"))
    file:write(with(fault))
    file:close()
  end
end
