-- The pictures of the documents: that they are drawn from the code as it is, and that the moving ones show
-- what their spaces tell.
local draw_areas = require "docs.draw_areas"
local draw_crowd = require "docs.draw_crowd"
local draw_queries = require "docs.draw_queries"
local draw_sights = require "docs.draw_sights"
local draw_view = require "docs.draw_view"
local walk = require "examples.demo.walk"

local read = require("spec.support.files").read

local function numbers(text)
  local list = {}
  for number in text:gmatch "[^;,]+" do
    list[#list + 1] = assert(tonumber(number))
  end
  return list
end

-- Where something is when `part` of the round is over, from its first place and the steps from there.
local function place(way, part)
  local last = #way.steps // 2 - 1
  local before = math.min(math.floor(part * last), last - 1)
  local rest = part * last - before
  local function coordinate(k)
    local from, to = way.steps[2 * before + k], way.steps[2 * before + 2 + k]
    return way[k] + from + rest * (to - from)
  end
  return coordinate(1), coordinate(2)
end

local function way(text)
  local x, y = text:match 'cx="([^"]+)" cy="([^"]+)"'
  return { tonumber(x), tonumber(y), steps = numbers(text:match '<animateMotion [^>]*values="([^"]+)"') }
end

describe("the pictures", function()
  it("are what the scripts in docs/ draw", function()
    local count = 0
    for _, files in ipairs { draw_queries, draw_areas, draw_view, draw_crowd, draw_sights } do
      for name, text in pairs(files) do
        -- Not assert.equal, which would print both.
        assert.is_true(text == read(name), name .. " is old: run make pictures")
        count = count + 1
      end
    end
    assert.equal(10, count)
  end)
end)

describe("the picture of visible radii and sights", function()
  local svg = read "docs/pictures/sights.svg"

  local function seen_by(watcher)
    local list = {}
    for marker in svg:gmatch('class="s' .. watcher .. '%-(%d+)"') do
      list[#list + 1] = tonumber(marker)
    end
    return list
  end

  it("has lines to the tower from farther than the radius, and none between 3 and 4", function()
    assert.same({ 9, 11, 12 }, seen_by(1))
    assert.same({ 9, 13, 14 }, seen_by(2))
    assert.same({ 15, 16 }, seen_by(3))
    assert.same({ 15 }, seen_by(4))
  end)
end)

describe("the moving picture of a view", function()
  local svg = read "docs/pictures/view.svg"
  local moving, still = svg:match '(<g class="moving".-)(<g class="still".*)$'

  local view = way(moving:match '<g class="view">.-</g>')
  local radius = tonumber(moving:match '<g class="view"><circle [^>]* r="([^"]+)"')
  local walkers = {}
  for id = 1, walk.walkers do
    local text = moving:match(('<g id="w%d">[^\n]+'):format(id))
    local walker = way(text)
    walker.opacity = tonumber(text:match '<g opacity="(%d)">')
    local values, times = text:match '<animate attributeName="opacity" values="([^"]+)" keyTimes="([^"]+)"'
    walker.values, walker.times = numbers(values or walker.opacity .. ";" .. walker.opacity),
      numbers(times or "0;1")
    walkers[id] = walker
  end

  -- The moments at which a walker begins to shine and to fade, as { time, op }.
  local function changes(walker)
    local list = {}
    for i = 2, #walker.times do
      local before, value = walker.values[i - 1], walker.values[i]
      if value > before then
        assert.equal(walker.times[i - 1], walker.times[i], "it lights up at once")
        list[#list + 1] = { time = walker.times[i], op = "enter" }
      elseif value < before then
        list[#list + 1] = { time = walker.times[i - 1], op = "leave" }
      end
    end
    return list
  end

  it("lights up who is in the circle, and nobody else", function()
    local seen, unseen = 0, 0
    for id, walker in pairs(walkers) do
      local list = changes(walker)
      local ticks = 640
      for tick = 0, ticks do
        local part = tick / ticks
        local lit = walker.opacity == 1
        for _, change in ipairs(list) do
          if change.time <= part + 1e-5 then
            lit = change.op == "enter"
          end
        end
        local x, y = place(walker, part)
        local view_x, view_y = place(view, part)
        local distance = math.sqrt((x - view_x) ^ 2 + (y - view_y) ^ 2)
        -- Places are drawn to a tenth of a pixel.
        if math.abs(distance - radius) > 0.3 then
          assert.equal(distance < radius, lit, ("walker %d at tick %d"):format(id, tick))
          seen, unseen = seen + (lit and 1 or 0), unseen + (lit and 0 or 1)
        end
      end
    end
    assert.is_true(seen > 3000 and unseen > 15000)
  end)

  it("ends as it begins", function()
    for id, walker in pairs(walkers) do
      assert.equal(walker.values[1], walker.values[#walker.values], id)
      assert.same({ 0, 1 }, { walker.times[1], walker.times[#walker.times] })
      assert.same({ 0, 0 }, { walker.steps[#walker.steps - 1], walker.steps[#walker.steps] })
    end
    assert.same({ 0, 0 }, { view.steps[#view.steps - 1], view.steps[#view.steps] })
  end)

  it("lists the events in the order of the lights, and before them the last of the round before", function()
    local listed = {}
    for op, watcher, marker in moving:gmatch ">on_(%l+)%((%d+), (%d+)%)<" do
      assert.equal(walk.watcher, tonumber(watcher))
      listed[#listed + 1] = op .. " " .. marker
    end
    local lights = {}
    for id, walker in pairs(walkers) do
      for _, change in ipairs(changes(walker)) do
        lights[#lights + 1] = { time = change.time, text = change.op .. " " .. id }
      end
    end
    local before = #listed - #lights
    assert.is_true(#lights > 50 and before >= 10)
    for line = 1, before do
      assert.equal(listed[#lights + line], listed[line])
    end
    -- The order of events of one moment is the engine's own.
    local time_of = {}
    for _, light in ipairs(lights) do
      time_of[light.text] = time_of[light.text] or {}
      table.insert(time_of[light.text], light.time)
    end
    local time = 0
    for line = before + 1, #listed do
      local times = time_of[listed[line]]
      table.sort(times)
      local own = assert(table.remove(times, 1), listed[line])
      assert.is_true(own >= time, listed[line])
      time = own
    end
  end)

  it("shows the first moment where nothing moves", function()
    assert.is_nil(still:find("<animate", 1, true))
    local space = require("aoi").new(walk.options)
    for id = 0, walk.walkers do
      local x, y = walk.place(id, 0)
      space:enter(id, x, y, { mode = id == walk.watcher and "w" or "m" })
    end
    for id = 1, walk.walkers do
      local lit = space:sees(walk.watcher, id)
      assert.equal(lit and 1 or 0, walkers[id].opacity)
      assert.equal(lit and "1" or "0", still:match(('<g id="s%d">.-<g opacity="(%%d)">'):format(id)))
    end
    space:close()
  end)
end)

describe("the moving picture of a crowd", function()
  local svg = read "docs/pictures/crowd.svg"
  local moving, still = svg:match '(<g class="moving".-)(<g class="still".-)<g class="legend"'
  local LIMIT, KEEP, WALKERS, TICKS = 12, 1.2, 96, 256
  local view = way(moving:match '<g class="view">.-</g>')
  local radius = tonumber(moving:match '<g class="view"><circle [^>]* r="([^"]+)"')

  -- Whether something is to be seen, as a function of the tick.
  local function light(text)
    if not text then
      return function() return false end
    end
    local first = text:match 'opacity="(%d)"'
    local values, times = text:match '<animate [^>]*calcMode="discrete" values="([^"]+)" keyTimes="([^"]+)"'
    values, times = numbers(values or first), numbers(times or "0")
    assert.equal(tonumber(first), values[1])
    return function(tick)
      local value
      for i, time in ipairs(times) do
        value = time <= tick / TICKS + 1e-5 and values[i] or value
      end
      return value == 1
    end
  end

  local walkers = {}
  for id = 1, WALKERS do
    local text = moving:match(('<g id="w%d">.-<animateMotion[^\n]+'):format(id))
    walkers[id] = way(text)
    walkers[id].told = light(text:match '<g class="told".-</g>')
    walkers[id].seen = light(text:match '<circle class="seen".-</circle>')
  end

  local function distance(id, tick)
    local x, y = place(walkers[id], tick / TICKS)
    local view_x, view_y = place(view, tick / TICKS)
    return math.sqrt((x - view_x) ^ 2 + (y - view_y) ^ 2)
  end

  it("has a ring for those in the circle, and fills as many of them as the limit", function()
    for tick = 0, TICKS - 1 do
      local filled = 0
      for id, walker in ipairs(walkers) do
        -- Places are drawn to a tenth of a pixel.
        if math.abs(distance(id, tick) - radius) > 0.3 then
          assert.equal(distance(id, tick) < radius, walker.seen(tick), id)
        end
        if walker.told(tick) then
          assert.is_true(walker.seen(tick))
          filled = filled + 1
        end
      end
      assert.equal(LIMIT, filled, "tick " .. tick)
    end
  end)

  it("swaps two only when one is nearer by the keep_factor", function()
    local swaps = 0
    for tick = 1, TICKS - 1 do
      local nearest_that_goes, farthest_that_comes = math.huge, 0
      for id, walker in ipairs(walkers) do
        local before, now = walker.told(tick - 1), walker.told(tick)
        if now and not before then
          farthest_that_comes = math.max(farthest_that_comes, distance(id, tick))
        elseif before and not now and walker.seen(tick) then
          nearest_that_goes = math.min(nearest_that_goes, distance(id, tick))
        end
      end
      if farthest_that_comes > 0 and nearest_that_goes < math.huge then
        assert.is_true(farthest_that_comes * KEEP <= nearest_that_goes + 0.4, "tick " .. tick)
        swaps = swaps + 1
      end
    end
    assert.is_true(swaps > 20, swaps)
  end)

  it("has a line beside it for those that are filled, as long as they are", function()
    local chart = svg:match '<g class="chart".*$'
    local scale = (264 - 26) / TICKS
    local drawn = {}
    for id, x, width in chart:gmatch 'class="b(%d+)" x="([^"]+)" y="[^"]+" width="([^"]+)"' do
      local from = (tonumber(x) - 26) / scale
      for tick = math.floor(from + 0.5), math.floor(from + tonumber(width) / scale + 0.5) - 1 do
        drawn[id .. " " .. tick] = true
      end
    end
    for id, walker in ipairs(walkers) do
      for tick = 0, TICKS - 1 do
        assert.equal(walker.told(tick), drawn[id .. " " .. tick] or false, ("%d at %d"):format(id, tick))
      end
    end
    assert.equal("0 0;238 0", chart:match 'type="translate" values="([^"]+)"')
  end)

  it("counts the enter events of a round, with keep and without", function()
    local lines = 0
    for _ in svg:gmatch '<rect class="b%d+" x="[^"]+"' do
      lines = lines + 1
    end
    local enters, without = svg:match "keep_factor = 1.2: (%d+) × enter %(1: (%d+) ×%)"
    assert.equal(lines - LIMIT, tonumber(enters))
    assert.is_true(tonumber(enters) < tonumber(without))
  end)

  it("ends as it begins", function()
    for id, walker in ipairs(walkers) do
      assert.equal(walker.told(0), walker.told(TICKS), id)
      assert.same({ 0, 0 }, { walker.steps[#walker.steps - 1], walker.steps[#walker.steps] })
    end
    assert.same({ 0, 0 }, { view.steps[#view.steps - 1], view.steps[#view.steps] })
  end)

  it("shows the first moment where nothing moves", function()
    assert.is_nil(still:find("<animate", 1, true))
    for id, walker in ipairs(walkers) do
      local text = still:match(('<g id="s%d">.-\n</g>'):format(id))
      assert.equal(walker.told(0), text:find('class="told"', 1, true) ~= nil, id)
      assert.equal(walker.seen(0), text:find('class="seen"', 1, true) ~= nil, id)
    end
  end)
end)

describe("a moving picture", function()
  for _, name in ipairs { "view", "crowd" } do
    it("is small, and needs no script and no other file: " .. name, function()
      local svg = read("docs/pictures/" .. name .. ".svg")
      assert.is_true(#svg < 150000)
      for _, word in ipairs { "<script", "href", "<image", "<foreignObject" } do
        assert.is_nil(svg:find(word, 1, true), word)
      end
    end)
  end
end)
