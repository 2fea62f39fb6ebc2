-- Answers of a viewer to requests; the rest of it is tested on a real skynet, by spec/skynet.
local metrics = require "aoi.skynet.metrics"
local requests = require "aoi.skynet.requests"

local TOKEN = "0123456789abcdef"

describe("a request to a viewer", function()
  local function answer(url, header, method, body)
    return requests.answer(TOKEN, method or "GET", url, header or { host = "127.0.0.1:8001" }, body or "")
  end

  it("gets the page or the stream", function()
    assert.equal("page", answer("/?token=" .. TOKEN))
    assert.equal("page", answer("/?language=zh&token=" .. TOKEN .. "&x#token=1"))
    assert.equal("stream", answer("/stream?token=" .. TOKEN))
    assert.equal("metrics", answer("/metrics?token=" .. TOKEN))
  end)

  it("is refused without the token, whatever it asks", function()
    local wrong = { "", "?", "?token", "?token=", "?token=" .. TOKEN:sub(2), "?token=" .. TOKEN .. "0",
      "?token=1123456789abcdef", "?token=0123456789abcdeg", "?token=0&token=" .. TOKEN, "?tokens=" .. TOKEN,
      "?a=?token=" .. TOKEN, "#?token=" .. TOKEN, "?token=" .. TOKEN:upper(), "?token=%30" .. TOKEN:sub(2) }
    for _, query in ipairs(wrong) do
      for _, path in ipairs { "", "/", "/stream", "/other", "http://127.0.0.1/" } do
        for _, method in ipairs { "GET", "POST", "get" } do
          assert.equal(403, answer(path .. query, nil, method, "body"), path .. query)
        end
      end
    end
  end)

  it("is refused when it is no GET, has a body, or another path", function()
    assert.equal(405, answer("/?token=" .. TOKEN, nil, "POST"))
    assert.equal(405, answer("/?token=" .. TOKEN, nil, "get"))
    assert.equal(413, answer("/?token=" .. TOKEN, nil, "GET", "body"))
    for _, path in ipairs { "", "//", "/index.html", "/stream/", "/Stream", "/%73tream", "/../x" } do
      assert.equal(404, answer(path .. "?token=" .. TOKEN), path)
    end
  end)

  it("gets the stream only for a page of the same host", function()
    local function from(origin, host)
      return answer("/stream?token=" .. TOKEN, { origin = origin, host = host })
    end
    assert.equal("stream", from("http://127.0.0.1:8001", "127.0.0.1:8001"))
    assert.equal("stream", from(nil, "127.0.0.1:8001")) -- no browser
    for _, origin in ipairs { "null", "", "http://127.0.0.1", "https://127.0.0.1:8001",
      "http://127.0.0.1:80010", "http://elsewhere.example" } do
      assert.equal(403, from(origin, "127.0.0.1:8001"), origin)
    end
    assert.equal(403, from({ "http://a", "http://127.0.0.1:8001" }, "127.0.0.1:8001"))
    assert.equal(403, from(nil, nil))
    assert.equal(403, from("http://a", { "a", "b" }))
  end)
end)

describe("a message page", function()
  it("shows any text as it is", function()
    local page = requests.message_page("<title>", [[a & <script>"x"</script> 'y' %1]])
    assert.is_truthy(page:find("<h1>&lt;title&gt;</h1>", 1, true), page)
    assert.is_truthy(page:find("<p>a &amp; &lt;script&gt;&quot;x&quot;&lt;/script&gt; &#39;y&#39; %1</p>", 1,
      true), page)
  end)
end)

describe("a token that is drawn", function()
  it("is 128 bits, never the same", function()
    local one, other = requests.new_token(), requests.new_token()
    assert.matches("^%x+$", one)
    assert.equal(32, #one)
    assert.not_equal(one, other)
  end)
end)

describe("counts for Prometheus", function()
  it("are one gauge for each name, with labels where there are several", function()
    assert.equal(table.concat({
      "# TYPE aoi_entities gauge", "aoi_entities 12",
      "# TYPE aoi_region_owned gauge", 'aoi_region_owned{region="1"} 5', 'aoi_region_owned{region="12"} 7',
      "# TYPE aoi_tick_time gauge", "aoi_tick_time 0.5",
      "# TYPE aoi_waits gauge", [[aoi_waits{node="a\"\\b"} 2]], [[aoi_waits{node="c"} 3]], "",
    }, "\n"), metrics.text({ entities = 12, tick_time = 0.5, engine = "grid", radius = 1 / 0, wrong = 0 / 0,
      waits = { c = 3, ['a"\\b'] = 2 } }, { [12] = { owned = 7, engine = "grid" }, { owned = 5 } }))
  end)
end)
