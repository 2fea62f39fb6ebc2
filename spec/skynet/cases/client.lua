-- The client module: joining, pacing of moves, callbacks, asking, leaving.
local skynet = require "skynet"
local harness = require "spec.skynet.harness"

local function kinds(events, kind)
  local list = {}
  for _, event in ipairs(events) do
    if event[1] == kind then
      list[#list + 1] = event
    end
  end
  return list
end

return {
  {
    name = "callbacks hear of entered, moved, left and said",
    run = function()
      local scene = harness.scene("engine=crosslist", "radius=10", "tick=20")
      local one, other = harness.agent(), harness.agent()
      harness.tell(one, "listen", "events")
      harness.tell(one, "view", "join", scene, 1, 0, 0)
      harness.tell(other, "view", "join", scene, 2, 5, 0)
      harness.await_ticks(scene, 2)
      harness.tell(other, "view", "move", 6, 1)
      harness.await_ticks(scene, 2)
      harness.tell(other, "view", "say", "hello", 7)
      harness.tell(other, "view", "leave")
      harness.await_ticks(scene, 2)
      local all = { { "entered", 2, 5, 0, nil, {} },
        { "moved", 2, 6, 1 }, { "said", 2, "hello", 7 }, { "left", 2 } }
      harness.equal(all, harness.tell(one, "take").events)
      harness.equal({ { 1 }, 1 }, { harness.tell(one, "view", "query", "circle", 0, 0, 100) })
      harness.stop(scene, one, other)
    end,
  },
  {
    name = "moves are paced: at most one message a tick, and the last place arrives",
    run = function()
      local scene = harness.scene("engine=crosslist", "radius=1000", "tick=100")
      local one, other = harness.agent(), harness.agent()
      harness.tell(one, "listen", "events")
      harness.tell(one, "view", "join", scene, 1, 0, 0)
      harness.tell(other, "view", "join", scene, 2, 0, 0)
      local began = skynet.now()
      harness.tell(other, "walk", 100, 1, 0, 0, 1) -- 100 moves in one second
      harness.wait_until(2, "the last move has arrived", function()
        return harness.command(scene, "query", "position", 2) == 100
      end)
      local periods = (skynet.now() - began) / 10
      harness.await_ticks(scene, 2)
      local moved = kinds(harness.tell(one, "take").events, "moved")
      local stats = harness.stats(scene)
      harness.is_true(stats.moves >= 5 and stats.moves <= periods + 2,
        ("%d move messages in %.1f ticks"):format(stats.moves, periods))
      harness.equal({ "moved", 2, 100, 0 }, moved[#moved])
      harness.stop(scene, one, other)
    end,
  },
  {
    name = "of two joins at once only one is asked of a scene",
    run = function()
      local scene, agent = harness.scene("engine=crosslist", "radius=10", "tick=20"), harness.agent()
      local answers = {}
      for id = 1, 2 do
        skynet.fork(function()
          answers[id] = { pcall(harness.tell, agent, "view", "join", scene, id, 0, 0) }
        end)
      end
      harness.wait_until(2, "both are answered", function() return answers[1] and answers[2] end)
      harness.equal({ true, false }, { answers[1][1], answers[2][1] })
      harness.equal(1, harness.stats(scene).entities)
      harness.tell(agent, "view", "leave")
      harness.is_true(not pcall(harness.tell, agent, "view", "join", scene, 3, 1 / 0, 0), "a bad join")
      harness.tell(agent, "view", "join", scene, 3, 0, 0) -- one that was refused does not stand in the way
      harness.stop(scene, agent)
    end,
  },
  {
    name = "a bad join or query raises in the agent that asks; a move to nowhere is heard as refused",
    run = function()
      local scene = harness.scene("engine=grid", "width=100", "height=100", "radius=10", "tick=20")
      local agent = harness.agent()
      harness.tell(agent, "listen", "events")
      harness.is_true(not pcall(harness.tell, agent, "view", "move", 1, 1), "a move before joining")
      harness.is_true(not pcall(harness.tell, agent, "view", "join", scene, 1, 500, 0), "a join outside")
      harness.tell(agent, "view", "join", scene, 1, 50, 50)
      harness.is_true(not pcall(harness.tell, agent, "view", "join", scene, 1, 50, 50), "a second join")
      harness.is_true(not pcall(harness.tell, agent, "view", "query", "circle", 1, 1, -1), "a bad query")
      harness.tell(agent, "view", "move", 500, 50)
      local event
      harness.wait_until(2, "it is refused", function()
        event = harness.tell(agent, "take").events[1]
        return event
      end)
      harness.equal({ "refused", "move", 1 }, { event[1], event[2], event[4] })
      harness.stop(scene, agent)
    end,
  },
  {
    name = "a move that waits in one scene does not hold up those in the next one",
    run = function()
      local slow = harness.scene("engine=crosslist", "radius=10", harness.BY_HAND)
      local quick = harness.scene("engine=crosslist", "radius=10", "tick=20")
      local agent = harness.agent()
      harness.tell(agent, "view", "join", slow, 1, 0, 0)
      harness.tell(agent, "view", "move", 1, 0)
      harness.tell(agent, "view", "move", 2, 0) -- waits for an hour
      harness.tell(agent, "view", "leave")
      harness.tell(agent, "view", "join", quick, 1, 0, 0)
      harness.tell(agent, "view", "move", 1, 0)
      harness.tell(agent, "view", "move", 2, 0)
      harness.wait_until(2, "both moves arrive", function() return harness.stats(quick).moves == 2 end)
      harness.equal({ 2, 0 }, { harness.command(quick, "query", "position", 1) })
      harness.equal(1, harness.stats(slow).moves)
      harness.stop(slow, quick, agent)
    end,
  },
  {
    name = "a move that waits when its entity is transferred does not hold up those in the other scene",
    run = function()
      local slow = harness.scene("engine=crosslist", "radius=10", harness.BY_HAND)
      local other = harness.scene("engine=crosslist", "radius=10", "tick=20")
      local agent = harness.agent()
      harness.tell(agent, "view", "join", slow, 1, 0, 0)
      harness.tell(agent, "view", "move", 1, 0)
      harness.tell(agent, "view", "move", 2, 0) -- waits for an hour
      harness.command(slow, "transfer", 1, other, 50, 50)
      harness.wait_until(2, "its agent has followed", function()
        return harness.tell(agent, "view", "scene") == other
      end)
      harness.tell(agent, "view", "move", 51, 50)
      harness.wait_until(2, "the move arrives", function()
        return harness.command(other, "query", "position", 1) == 51
      end)
      harness.equal(1, harness.stats(other).moves)
      harness.stop(slow, other, agent)
    end,
  },
  {
    name = "who is in a scene that is loaded into another service is told, and a move that waits goes there",
    run = function()
      local before = harness.scene("engine=crosslist", "radius=10", harness.BY_HAND)
      local after = harness.scene("engine=crosslist", "radius=10", harness.BY_HAND)
      local agent = harness.agent()
      harness.tell(agent, "listen", "events")
      harness.tell(agent, "view", "join", before, 1, 0, 0)
      harness.command(before, "enter", 2, 5, 0, { address = false })
      harness.command(before, "tick")
      harness.tell(agent, "take")
      harness.tell(agent, "view", "move", 1, 0)
      harness.tell(agent, "view", "move", 2, 0) -- waits for an hour
      local saved = harness.command(before, "save")
      harness.command(before, "load", saved) -- where it is already
      harness.equal({}, harness.tell(agent, "take").events)
      harness.command(after, "load", saved)
      harness.equal({ { "scene_is", after } }, harness.tell(agent, "take").events)
      harness.equal({ after, 1 }, { harness.tell(agent, "view", "scene") })
      harness.equal({ [2] = { 5, 0 } }, harness.tell(agent, "view", "known"))
      harness.stop(before)
      harness.command(after, "tick")
      harness.equal({}, harness.tell(agent, "take").events)
      harness.wait_until(2, "the move arrives", function()
        return harness.command(after, "query", "position", 1) == 2
      end)
      harness.stop(after, agent)
    end,
  },
  {
    name = "who is elsewhere by now does not follow a scene that is loaded from an old string",
    run = function()
      local before = harness.scene("engine=crosslist", "radius=10", harness.BY_HAND)
      local after = harness.scene("engine=crosslist", "radius=10", harness.BY_HAND)
      local other = harness.scene("engine=crosslist", "radius=10", harness.BY_HAND)
      local goer, given = harness.agent(), harness.agent()
      for id, agent in ipairs { goer, given } do
        harness.tell(agent, "listen", "events")
        harness.tell(agent, "view", "join", before, id, 0, 0)
      end
      local saved = harness.command(before, "save")
      harness.tell(goer, "view", "go", other, 5, 5)
      harness.command(after, "load", saved, { [2] = given })
      harness.equal({ before, 2 }, { harness.tell(given, "view", "scene") })
      harness.command(after, "load", saved)
      harness.equal({ other, 1 }, { harness.tell(goer, "view", "scene") })
      harness.equal({}, harness.tell(goer, "take").events)
      harness.stop(before, after, other, goer, given)
    end,
  },
  {
    name = "who is in a scene that ends, or is killed, hears that it is gone, once, and can join another",
    run = function()
      for _, ends in ipairs { harness.stop, harness.kill } do
        local scene = harness.scene("engine=crosslist", "radius=10", "tick=20")
        local agent, gone_before = harness.agent(), harness.agent()
        harness.tell(agent, "listen", "events")
        harness.tell(gone_before, "listen", "events")
        harness.tell(agent, "view", "join", scene, 1, 0, 0)
        harness.tell(gone_before, "view", "join", scene, 2, 100, 0)
        harness.tell(gone_before, "view", "leave")
        ends(scene)
        local heard = {}
        harness.wait_until(8, "gone is heard", function()
          table.move(harness.tell(agent, "take").events, 1, 9, #heard + 1, heard)
          return #heard > 0
        end)
        harness.equal({ { "gone", scene, "ended" } }, heard)
        harness.equal({}, { harness.tell(agent, "view", "scene") })
        harness.is_true(not pcall(harness.tell, agent, "view", "move", 1, 1), "a move in no scene")
        local other = harness.scene("engine=crosslist", "radius=10", "tick=20")
        harness.tell(agent, "view", "join", other, 1, 0, 0)
        harness.await_ticks(other, 3)
        harness.equal({}, harness.tell(agent, "take").events)
        harness.equal({}, harness.tell(gone_before, "take").events)
        harness.stop(other, agent, gone_before)
      end
    end,
  },
}
