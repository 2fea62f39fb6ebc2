-- The frames of examples/skynet-game: packets and words for a websocket.

describe("the frames of the game", function()
  it("are those of a websocket, each in one write", function()
    local written = {}
    package.loaded["skynet.socket"] = {
      write = function(id, bytes)
        assert.equal(3, id)
        written[#written + 1] = bytes
      end,
    }
    local frames = dofile "examples/skynet-game/frames.lua"
    package.loaded["skynet.socket"] = nil
    frames.packet(3, "abc")
    frames.packet(3, ("x"):rep(200))
    frames.packet(3, ("y"):rep(70000))
    frames.words(3, "you", 7, 1.5, 2)
    assert.same({ "\x82\3abc", "\x82\126\0\200" .. ("x"):rep(200),
      "\x82\127\0\0\0\0\0\1\x11\x70" .. ("y"):rep(70000), "\x81\11you 7 1.5 2" }, written)
  end)
end)
