-- The outbox of examples/skynet-game: messages for a client that reads too slowly.
local writer = require "spec.support.packet_writer"

local function block(kind, flags, number)
  return writer.block(kind, flags, 7, 1, number, "")
end

describe("the outbox of a player", function()
  local written, outbox

  before_each(function()
    written = {}
    package.loaded["skynet.socket"] = {
      write = function(id, bytes)
        assert.equal(3, id)
        written[#written + 1] = bytes
      end,
    }
    outbox = dofile "examples/skynet-game/outbox.lua" (3)
    package.loaded["skynet.socket"] = nil
  end)

  it("passes on packets and words as frames of a websocket, each in one write", function()
    outbox.pass_on "abc"
    outbox.pass_on(("x"):rep(200))
    outbox.pass_on(("y"):rep(70000))
    outbox.tell("you", 7, 1.5, 2)
    assert.same({ "\x82\3abc", "\x82\126\0\200" .. ("x"):rep(200),
      "\x82\127\0\0\0\0\0\1\x11\x70" .. ("y"):rep(70000), "\x81\11you 7 1.5 2" }, written)
  end)

  it("drops packets from a first warning on, until a list comes that names all, behind a resync", function()
    local view, list = block(writer.VIEW, 0, 1), block(writer.VIEW, writer.REPLACES, 2)
    local long = writer.block(writer.VIEW, writer.LONG_IDS, 1 << 40, 1, 1, "\1\0\0")
    assert.is_false(outbox.warn(0))
    assert.is_false(outbox.warn(1024))
    outbox.pass_on(list)
    assert.is_false(outbox.warn(2048))
    outbox.pass_on(list)
    assert.same({}, written)
    outbox.tell "map" -- what is said by hand always goes
    assert.is_true(outbox.warn(0))
    outbox.pass_on(view)
    outbox.pass_on(block(writer.SAID, writer.REPLACES, 3)) -- a flag that means nothing there
    assert.equal(1, #written)
    outbox.pass_on(view .. long .. list .. view)
    outbox.pass_on(view)
    assert.same({ "\x82\32" .. list .. view, "\x82\16" .. view }, { table.unpack(written, 2) })
    assert.is_false(outbox.warn(0))
  end)
end)
