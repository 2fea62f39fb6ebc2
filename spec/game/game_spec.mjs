// The game of examples/skynet-game as a player has it: its page in a headless Chromium, with robots beside it. In
// the environment: SKYNET_HOME, a skynet that is built, and AOI_BUILD, the folder of the module for it.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { close, launch, pictures } from "../page/browser.mjs";
import { startGame } from "../../examples/skynet-game/robots/game.mjs";
import { Robot } from "../../examples/skynet-game/robots/robot.mjs";

describe("the game", () => {
  let game;
  let page;
  const complaints = [];

  const robotAt = (name, x, y, map = "meadow") => Robot.join(game.address, { name, at: [map, x, y].join() });
  const logHas = (text) => page.waitForFunction(
    (words) => [...document.querySelectorAll("#log li")].some((line) => line.textContent === words), {}, text);
  const sees = (name, isSeen = true) => page.waitForFunction(
    (words, wanted) => [...document.querySelectorAll("#seen li")].some((line) => line.textContent === words) === wanted,
    {}, name, isSeen);
  const me = () => page.evaluate(() => ({ ...window.game.me, map: window.game.map.name }));
  const waitFor = async (what, check) => {
    for (let i = 0; !check(); i++) {
      assert.ok(i < 500, `waited in vain: ${what}`);
      await new Promise((done) => setTimeout(done, 20));
    }
  };
  const hold = async (key, check) => {
    await page.keyboard.down(key);
    await page.waitForFunction(check);
    await page.keyboard.up(key);
  };

  before(async () => {
    game = await startGame();
    page = await (await launch()).newPage();
    page.setDefaultTimeout(20000);
    await page.setViewport({ width: 1120, height: 780 });
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    await page.goto(game.address);
    await page.type("#name", "Ann");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => window.game.me !== null);
  });
  after(async () => {
    await close();
    game?.stop();
    assert.deepEqual(complaints, []);
  });

  it("is joined at the place where the meadow begins", async () => {
    assert.deepEqual(await me().then(({ x, y, map }) => [x, y, map]), [1000, 900, "meadow"]);
  });

  it("shows a robot that comes, speaks, walks out of view, and comes back and goes", async () => {
    const robot = await robotAt("Bob", 1050, 880);
    await logHas("Bob comes into view");
    await sees("Bob");
    await waitFor("Bob sees Ann", () => robot.view.entities.size > 0);
    robot.socket.send("say hello");
    await logHas("Bob: hello");
    robot.walkTo(1101, 880);
    await logHas("Bob is out of view");
    await sees("Bob", false);
    robot.walkTo(1090, 880);
    await sees("Bob");
    robot.leave();
    await sees("Bob", false);
  });

  it("opens a line by Enter, and says it by Enter", async () => {
    const heard = [];
    const robot = await Robot.join(game.address,
      { name: "Ivy", at: "meadow,1020,880", said: (text) => heard.push(text) });
    await waitFor("Ivy sees Ann", () => robot.view.entities.size > 0);
    const focused = () => page.evaluate(() => document.activeElement.id);
    assert.equal(await focused(), "map");
    await page.keyboard.press("Enter");
    assert.equal(await focused(), "words");
    await page.keyboard.type("good morning");
    await page.keyboard.press("Enter");
    assert.equal(await focused(), "map");
    await logHas("you: good morning");
    await waitFor("Ivy hears Ann", () => heard.includes("good morning"));
    const long = "早".repeat(100); // as much as the line takes
    await page.keyboard.press("Enter");
    await page.keyboard.type(`${long}上`);
    await page.keyboard.press("Enter");
    await waitFor("Ivy hears Ann to the end", () => heard.includes(long));
    assert.deepEqual(heard, ["good morning", long]);
    robot.leave();
  });

  it("walks with the arrow keys, and the others see where", async () => {
    const robot = await robotAt("Carol", 960, 900);
    await sees("Carol");
    await hold("ArrowLeft", () => window.game.me.x <= 960);
    const { id, x, y } = await me();
    await waitFor("Carol sees Ann there", () => {
      const ann = robot.view.entities.get(id);
      return ann?.x === x && ann?.y === y;
    });
    assert.equal(new TextDecoder().decode(robot.view.entities.get(id).data), "Ann");
    assert.deepEqual(robot.view.entities.get(id).extras, [180]); // its arrow
    assert.equal(robot.view.entities.get(id).properties.has(3), false); // its life is its own affair
    assert.equal(await page.evaluate(() => window.game.view.me.properties.get(3)), 100);
    robot.leave();
  });

  it("puts back who goes too far at once", async () => {
    const robot = await robotAt("Dave", 100, 100);
    robot.walkTo(400, 100);
    await waitFor("Dave is back", () => robot.x === 100);
    robot.leave();
    // The page, too: both what it draws and what it knows of itself.
    await page.evaluate(() => {
      const { socket, view } = window.game;
      window.game.me.x = 5;
      socket.send(`walk 5 5 0 ${view.stepTo(5, 5)} ${view.me.stream}`);
    });
    await page.waitForFunction(() => window.game.me.x !== 5);
    const { x, y } = await me();
    assert.deepEqual(await page.evaluate(() => [window.game.view.me.x, window.game.view.me.y]), [x, y]);
  });

  it("has monsters that notice somebody, and give up", async () => {
    const bait = await robotAt("Eve", 980, 1200);
    const robot = await robotAt("Gil", 1080, 1200);
    const isOrc = (mood) => () => robot.view.entities.get(-3)?.properties.get(1) === mood;
    await waitFor("the orc is angry", isOrc("angry"));
    bait.leave();
    await waitFor("the orc is calm", isOrc("calm"));
    robot.leave();
  });

  it("pushes whoever a monster catches: the own picture moves, and steps on their way don't undo it", async () => {
    const notified = [];
    const robot = await Robot.join(game.address,
      { name: "Hal", at: "meadow,700,706", notified: (text) => notified.push(text) });
    await waitFor("Hal is pushed by the boar", () => notified.includes("The boar pushes you away."));
    await waitFor("Hal is told where to", () => Math.hypot(robot.x - 700, robot.y - 706) > 25);
    const pushed = { x: robot.x, y: robot.y };
    const stale = (robot.view.me.pushes - 1) >>> 0;
    robot.socket.send(`walk 700 706 0 ${stale} ${robot.view.me.stream}`); // chosen before it was pushed
    await new Promise((done) => setTimeout(done, 300));
    assert.notDeepEqual({ x: robot.x, y: robot.y }, { x: 700, y: 706 });
    assert.ok(Math.hypot(pushed.x - 700, pushed.y - 706) > 25);
    robot.leave();
    // The page: its own picture stands where it was pushed to.
    await page.evaluate(() => document.getElementById("map").focus());
    const before = await page.evaluate(() => window.game.view.me.pushes);
    await hold("ArrowRight", () => window.game.me.x >= 1095);
    await page.waitForFunction((pushes) => window.game.view.me.pushes > pushes, {}, before); // by the bear
    await logHas("The bear pushes you away.");
    const drawn = await me();
    const told = await page.evaluate(() => ({ x: window.game.view.me.x, y: window.game.view.me.y }));
    assert.deepEqual({ x: drawn.x, y: drawn.y }, told);
    await pictures(page, (width, scheme) => `${process.env.AOI_BUILD}/game-${width}-${scheme}.png`);
    await hold("ArrowLeft", () => window.game.me.x <= 950); // away from it
  });

  it("tells many robots exactly what they have to be told", async () => {
    const script = fileURLToPath(new URL("../../examples/skynet-game/robots/main.mjs", import.meta.url));
    const robots = spawn(process.execPath, [script, game.address],
      { env: { ...process.env, ROBOTS: "120", DURATION: "1" } });
    let said = "";
    robots.stdout.on("data", (text) => { said += text; });
    robots.stderr.on("data", (text) => { said += text; });
    assert.equal(await new Promise((done) => robots.on("close", done)), 0, said);
    assert.match(said, /120 of 120 robots/);
  });

  it("has a fire that hurts, until one begins anew", async () => {
    const notified = [];
    const robot = await Robot.join(game.address,
      { name: "Ida", at: "meadow,1100,800", notified: (text) => notified.push(text) });
    await waitFor("Ida burns", () => notified.includes("The fire burns you!"));
    await waitFor("Ida has lost life", () => robot.view.me?.properties.get(3) < 80);
    await waitFor("Ida begins anew", () => robot.x === 1000 && robot.y === 900);
    assert.ok(notified.includes("The fire was too much: you begin anew."));
    robot.leave();
  });

  it("lets somebody log in again at once, where they are", async () => {
    const first = await robotAt("Jon", 300, 300);
    first.walkTo(320, 310);
    await new Promise((done) => setTimeout(done, 400));
    const again = await Robot.join(game.address, { name: "Jon" });
    assert.deepEqual([again.x, again.y, again.id], [320, 310, first.id]);
    await waitFor("the former one is closed", () => first.isClosed);
    again.leave();
  });

  it("leads through the door into the square, and shows who is there", async () => {
    const robot = await robotAt("Fay", 270, 220, "square");
    await page.evaluate(() => document.getElementById("map").focus());
    // On a busy machine a key may be up only some steps later.
    for (let { x } = await me(); Math.abs(x - 1000) > 10; { x } = await me()) {
      await (x < 1000 ? hold("ArrowRight", () => window.game.me.x >= 990)
        : hold("ArrowLeft", () => window.game.me.x <= 1010));
    }
    await hold("ArrowDown", () => window.game.map.name === "square");
    await sees("Fay");
    assert.equal((await me()).map, "square");
    robot.leave();
    await sees("Fay", false);
  });

  it("leads through the door once while an arrow key is held, and back when one turns round", async () => {
    // Every map that the page is told of from now on.
    await page.evaluate(() => {
      let { map } = window.game;
      window.toldMaps = [];
      Object.defineProperty(window.game, "map", {
        get: () => map,
        set: (told) => {
          map = told;
          window.toldMaps.push(told.name);
        },
      });
    });
    await hold("ArrowDown", () => window.toldMaps.length > 0 || window.game.me?.y > 300);
    await hold("ArrowUp", () => window.toldMaps.length > 1 ||
      window.game.map.name === "meadow" && window.game.me?.y < 950);
    assert.deepEqual(await page.evaluate(() => window.toldMaps), ["meadow"]);
    await hold("ArrowDown", () => window.toldMaps.length > 2 || window.game.me?.y >= window.game.map.height);
    assert.deepEqual(await page.evaluate(() => [window.toldMaps, window.game.me?.y]), [["meadow", "square"], 500]);
  });
});
