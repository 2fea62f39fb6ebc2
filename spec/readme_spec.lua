-- The pictures in docs/pictures are what the code draws.
describe("the pictures of the queries", function()
  it("are what docs/draw_queries.lua draws", function()
    local count = 0
    for name, text in pairs(require "docs.draw_queries") do
      local file = assert(io.open(name))
      assert.equal(text, file:read("a"), name .. " is old: run make pictures")
      file:close()
      count = count + 1
    end
    assert.equal(5, count)
  end)
end)
