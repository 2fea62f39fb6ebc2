-- The pictures of the documents: that they are drawn from the code as it is, and that the moving one shows
-- what its space tells.
local draw_queries = require "docs.draw_queries"
local draw_view = require "docs.draw_view"
local walk = require "examples.demo.walk"

local read = require "spec.support.read_file"

describe("the pictures", function()
  it("are what the scripts in docs/ draw", function()
    local count = 0
    for _, files in ipairs { draw_queries, draw_view } do
      for name, text in pairs(files) do
        -- Not assert.equal, which would print both.
        assert.is_true(text == read(name), name .. " is old: run make pictures")
        count = count + 1
      end
    end
    assert.equal(6, count)
  end)
end)

describe("the moving picture", function()
  local svg = read "docs/pictures/view.svg"
  local moving, still = svg:match '(<g class="moving".-)(<g class="still".*)$'

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

  it("is small, and needs no script and no other file", function()
    assert.is_true(#svg < 150000)
    for _, word in ipairs { "<script", "href", "<image", "<foreignObject" } do
      assert.is_nil(svg:find(word, 1, true), word)
    end
  end)
end)
