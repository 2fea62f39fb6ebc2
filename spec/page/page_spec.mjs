// The viewer's page in a browser, driven as a person would: what it shows of a recording is compared with brute force
// over the places of all entities.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { built, close, coloursOf, differences, pictures, sees, SIZES, Viewer } from "./browser.mjs";

const TOWN = built("town.aoi"); // 300 people, 300 ticks, a crowd space with limit 12
const PERSON = 1, WOLF = 2, HIDDEN = 4, THING = 8; // layers of docs/record_town.lua
const CAMERA = "9000000";

const sorted = (ids) => [...ids].sort((a, b) => Number(a) - Number(b));
const distance = (a, b) => Math.hypot(a.x - b.x, a.y - b.y);
/** As the page writes lengths. */
const written = (value) => String(Number(value.toFixed(Math.abs(value) >= 1 ? 2 : 3)));

after(close);

describe("the page of the viewer", () => {
  let viewer;
  let people;
  const byId = (id) => people.find((one) => one.id === String(id));
  /** One that stands alone on the map, so that a click means it. */
  const alone = (fits) => people.find((one) => fits(one) && people.every((other) =>
    other === one || distance(one, other) > 16));
  const goTo = async (n) => {
    await viewer.enter("#position", String(n));
    await viewer.page.evaluate(() => document.activeElement.blur());
    people = await viewer.everybody();
  };

  before(async () => {
    viewer = await Viewer.open();
  });
  after(() => viewer.close());

  it("invites to open a recording, and then shows it", async () => {
    assert.match(await viewer.text("#welcome"), /Drop a file here/);
    await viewer.openFile(TOWN);
    assert.equal(await viewer.shown("#welcome"), false);
    assert.equal(await viewer.text("#file"), "town.aoi");
    people = await viewer.everybody();
    assert.equal(people.length, 311);
    assert.match(await viewer.text("#world"), /entities\s+311\s+areas\s+34\s+engine\s+grid/);
    assert.match(await viewer.text("#legend"), /watcher and marker · 300/);
  });

  it("draws something: in light, and in dark, and not the same", async () => {
    const light = await viewer.picture({ file: built("page-light.png") });
    assert.ok(coloursOf(light) > 100, `${coloursOf(light)} colours`);
    assert.ok(coloursOf(await viewer.mapPicture()) > 20);
    await viewer.page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "dark" }]);
    await viewer.rest();
    const dark = await viewer.picture({ file: built("page-dark.png") });
    assert.ok(coloursOf(dark) > 100, `${coloursOf(dark)} colours`);
    assert.ok(differences(light, dark) > 0.9 * light.width * light.height);
    await viewer.page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "light" }]);
  });

  it("has a dot where each entity is, and nothing where nobody is", async () => {
    const map = await viewer.mapPicture();
    const bare = await viewer.colourAt(map, { x: 480, y: 77 });
    assert.ok(bare && people.every((one) => distance(one, { x: 480, y: 77 }) > 20));
    const dots = await Promise.all(people.map((one) => viewer.colourAt(map, one)));
    assert.ok(dots.filter((colour) => colour !== null).length > 250);
    assert.equal(dots.filter((colour) => colour === bare).length, 0);
  });

  describe("in time", () => {
    it("steps by keys, jumps to both ends, and goes to a number", async () => {
      const start = await viewer.position();
      assert.equal(start, 1);
      await viewer.press("ArrowRight", "ArrowRight", "ArrowRight");
      assert.equal(await viewer.position(), 4);
      await viewer.press("ArrowLeft");
      assert.equal(await viewer.position(), 3);
      await viewer.press("End");
      assert.equal(await viewer.position(), 301);
      await viewer.press("ArrowRight");
      assert.equal(await viewer.position(), 301);
      await viewer.press("Home", "ArrowLeft");
      assert.equal(await viewer.position(), 1);
      await goTo(77);
      assert.equal(await viewer.position(), 77);
      assert.equal(await viewer.page.$eval("#slider", (slider) => slider.value), "77");
    });

    it("shows the same moment again after going elsewhere", async () => {
      await goTo(120);
      const then = people;
      await viewer.press("ArrowRight");
      assert.notDeepEqual(await viewer.everybody(), then);
      await viewer.press("End", "Home");
      await goTo(120);
      assert.deepEqual(people, then);
    });

    it("plays by the space bar at the speed that is chosen, and stops", async () => {
      await goTo(10);
      await viewer.page.select("#speed", "50");
      await viewer.page.evaluate(() => document.activeElement.blur());
      await viewer.page.keyboard.press("Space");
      await viewer.page.waitForFunction(() => document.getElementById("play").title.startsWith("Pause"));
      await viewer.page.waitForFunction(() => window.aoiViewer.player.position > 40);
      await viewer.press("Space");
      const stopped = await viewer.position();
      await new Promise((done) => setTimeout(done, 200));
      assert.equal(await viewer.position(), stopped);
      assert.match(await viewer.page.$eval("#play", (play) => play.title), /^Play/);
      await viewer.page.click("#play");
      await viewer.page.waitForFunction((n) => window.aoiViewer.player.position > n, {}, stopped);
      await viewer.page.click("#play");
      await viewer.rest();
      await viewer.page.evaluate(() => document.activeElement.blur());
      await viewer.press("[", "[", "[");
      assert.equal(await viewer.page.$eval("#speed", (speed) => speed.value), "5");
    });

    it("ends at the end, and plays from the start again", async () => {
      await goTo(300);
      await viewer.page.keyboard.press("Space");
      await viewer.page.waitForFunction(() => !window.aoiViewer.player.playing);
      assert.equal(await viewer.position(), 301);
      await viewer.page.keyboard.press("Space");
      await viewer.page.waitForFunction(() => window.aoiViewer.player.position < 100);
      await viewer.press("Space");
    });

    it("scrubs while the slider is dragged", async () => {
      const slider = await viewer.page.$eval("#slider", (element) => {
        const { left, top, width, height } = element.getBoundingClientRect();
        return { left, width, y: top + height / 2 };
      });
      await goTo(1);
      const { mouse } = viewer.page;
      await mouse.move(slider.left + 7, slider.y);
      await mouse.down();
      const seen = [];
      for (const part of [0.25, 0.5, 0.75, 0.4]) {
        await mouse.move(slider.left + part * slider.width, slider.y, { steps: 4 });
        await viewer.rest();
        seen.push(await viewer.position());
      }
      await mouse.up();
      [76, 151, 226, 121].forEach((n, i) => assert.ok(Math.abs(seen[i] - n) < 6, `${seen}`));
      await viewer.page.evaluate(() => document.activeElement.blur());
    });
  });

  describe("about one entity", () => {
    it("shows, after a click on it, whom it sees and who sees it", async () => {
      for (const tick of [60, 200]) {
        await goTo(tick);
        const one = alone(({ mode, layers }) => mode === 3 && layers === PERSON);
        await viewer.click(one);
        assert.match(await viewer.text("#first h2"), new RegExp(`Entity ${one.id}\\b`));
        assert.match(await viewer.text("#first"), /radius\s+90/);
        const markers = people.filter((other) => sees(one, other)).map(({ id }) => id);
        const watchers = people.filter((other) => sees(other, one)).map(({ id }) => id);
        assert.deepEqual(sorted([...await viewer.chips("markers", "filled"),
          ...await viewer.chips("markers", "hollow")]), sorted(markers));
        assert.deepEqual(sorted([...await viewer.chips("watchers", "filled"),
          ...await viewer.chips("watchers", "hollow")]), sorted(watchers));
        assert.match(await viewer.text("#markers h2"), new RegExp(`${markers.length}$`));
      }
    });

    it("draws its view on the map", async () => {
      await viewer.press("Escape");
      const without = await viewer.mapPicture();
      const one = alone(({ mode, layers, x, y }) => mode === 3 && layers === PERSON && x > 200 && y > 150);
      await viewer.click(one);
      const selected = await viewer.mapPicture();
      // Where nobody stands, the ground is another one inside the view, and the same outside.
      const changed = { inside: 0, outside: 0 };
      const places = { inside: 0, outside: 0 };
      for (let x = one.x - 150; x < one.x + 150; x += 10) {
        for (let y = one.y - 150; y < one.y + 150; y += 10) {
          const away = distance(one, { x, y });
          const colours = await Promise.all([without, selected].map((picture) => viewer.colourAt(picture, { x, y })));
          if (colours[0] && Math.abs(away - 90) > 5 && people.every((other) => distance(other, { x, y }) > 16)) {
            const part = away < 90 ? "inside" : "outside";
            places[part]++;
            changed[part] += colours[0] === colours[1] ? 0 : 1;
          }
        }
      }
      assert.ok(places.inside > 10 && places.outside > 10);
      assert.deepEqual(changed, { inside: places.inside, outside: 0 });
      await viewer.press("Escape");
      assert.equal(differences(without, await viewer.mapPicture()), 0);
    });

    it("has at most as many in the told set as the limit, the nearest of those it counts", async () => {
      await goTo(150);
      const crowded = people.find((one) => one.layers === PERSON && one.mode === 3 &&
        people.filter((other) => sees(one, other) && other.layers & (PERSON | HIDDEN)).length > 20);
      await viewer.enter("#find", crowded.id);
      const told = (await viewer.chips("markers", "filled")).map(byId);
      const hollow = (await viewer.chips("markers", "hollow")).map(byId);
      const counted = told.filter(({ layers }) => layers & (PERSON | HIDDEN));
      assert.equal(counted.length, 12);
      assert.ok(hollow.length > 0 && hollow.every(({ layers }) => layers & (PERSON | HIDDEN)));
      const nearest = Math.min(...hollow.map((one) => distance(one, crowded)));
      const farthest = Math.max(...counted.filter(({ id }) => id !== "1").map((one) => distance(one, crowded)));
      assert.ok(farthest <= 1.2 * nearest, `${farthest} ${nearest}`);
      assert.match(await viewer.text("#legend"), /in the view, not in the told set/);
    });

    it("finds by id, and says when there is none", async () => {
      await viewer.press("KeyF");
      assert.equal(await viewer.page.evaluate(() => document.activeElement.id), "find");
      await viewer.enter("#find", "42");
      assert.match(await viewer.text("#first h2"), /Entity 42\b/);
      const { x, y } = byId(42);
      const [px, py] = await viewer.page.evaluate(([a, b]) => window.aoiViewer.map.pixelAt(a, b), [x, y]);
      const box = await viewer.page.$eval("#map", ({ clientWidth, clientHeight }) => [clientWidth, clientHeight]);
      assert.ok(Math.hypot(px - box[0] / 2, py - box[1] / 2) < 1, "it is in the middle of the map");
      await viewer.enter("#find", "-5");
      assert.equal(await viewer.text("#find-message"), "-5 is not in the space at this moment.");
      await viewer.enter("#find", "somebody");
      assert.equal(await viewer.text("#find-message"), "An id is a whole number.");
      assert.match(await viewer.text("#first h2"), /Entity 42\b/);
      await viewer.press("Escape", "KeyZ");
    });

    it("lists its events in the moments that were played", async () => {
      await viewer.press("Escape", "Home");
      await viewer.enter("#find", "1");
      await viewer.page.evaluate(() => document.activeElement.blur());
      const told = new Set(await viewer.chips("markers", "filled"));
      const before = new Set(told);
      for (let i = 0; i < 25; i++) {
        await viewer.press("ArrowRight");
      }
      const lines = await viewer.page.$$eval("#events li", (items) => items.map((item) => item.innerText.split(/\s+/)));
      const own = lines.filter(([tick, , watcher]) => Number(tick) > 1 && Number(tick) <= 26 && watcher === "1");
      assert.ok(own.length > 5, `${own.length} events`);
      for (const [, op, , , marker] of own.reverse()) {
        assert.equal(told.has(marker), op === "leave", `${op} ${marker}`);
        (op === "enter" ? told.add(marker) : told.delete(marker));
      }
      assert.deepEqual(sorted(told), sorted([...await viewer.chips("markers", "filled"),
        ...await viewer.chips("markers", "stale")]));
      assert.notDeepEqual(told, before);
      assert.equal(lines.filter(([, op]) => op === "move").length, 0);
      await viewer.page.click("#show-moves");
      await viewer.press("ArrowRight");
      assert.ok(await viewer.page.$$eval("#events .op-4", ({ length }) => length) > 0);
      await viewer.page.click("#show-moves");
      await viewer.page.evaluate(() => document.activeElement.blur());
      await viewer.press("Escape", "KeyZ");
    });
  });

  describe("about areas", () => {
    const MARKET = "100";
    const isPerson = ({ layers, mode }) => layers === PERSON && mode === 3;
    /** The market of docs/record_town.lua: an octagon with a hole. */
    const isInMarket = ({ x, y }) => {
      const isInside = (radius) => {
        let crossings = 0;
        const corner = (n) => [500 + radius * Math.cos((n + 0.5) * Math.PI / 4),
          320 + radius * Math.sin((n + 0.5) * Math.PI / 4)];
        for (let n = 0; n < 8; n++) {
          const [[ax, ay], [bx, by]] = [corner(n), corner(n + 1)];
          crossings += ay <= y !== by <= y && x < ax + (y - ay) / (by - ay) * (bx - ax) ? 1 : 0;
        }
        return crossings % 2 === 1;
      };
      return isInside(78) && !isInside(15);
    };

    it("draws them, unless that is switched off", async () => {
      await viewer.press("Escape", "Escape", "KeyZ");
      await goTo(40);
      const drawn = await viewer.mapPicture();
      await viewer.press("KeyR");
      assert.equal(await viewer.page.$eval("#show-areas", ({ checked }) => checked), false);
      assert.ok(differences(drawn, await viewer.mapPicture()) > 1000);
      await viewer.page.click("#show-areas");
      await viewer.page.evaluate(() => document.activeElement.blur());
      await viewer.rest();
      assert.equal(differences(drawn, await viewer.mapPicture()), 0);
      assert.match(await viewer.text("#legend"), /Areas/);
    });

    it("shows, after a click into one, who is in it", async () => {
      await viewer.press("Escape", "Escape");
      const before = await viewer.mapPicture();
      await viewer.click({ x: 500, y: 320 + 78 - 8 });
      assert.match(await viewer.text("#area"), new RegExp(`Area ${MARKET}\\b.*polygon.*corners\\s+16`, "s"));
      const inside = people.filter((one) => isPerson(one) && isInMarket(one)).map(({ id }) => id);
      assert.ok(inside.length > 5 && inside.length <= 60, `${inside.length}`);
      assert.deepEqual(sorted(await viewer.chips("members")), sorted(inside));
      assert.ok(differences(before, await viewer.mapPicture()) > 100);
      const lit = await viewer.mapPicture();
      const colours = await Promise.all(inside.map((id) => viewer.colourAt(lit, byId(id))));
      const [own] = colours; // some stand behind others
      assert.ok(colours.filter((colour) => colour === own).length > 0.8 * inside.length, `${colours}`);
      assert.notEqual(await viewer.colourAt(before, byId(inside[0])), own);
    });

    it("shows of which areas an entity is a member, and goes from one to the other", async () => {
      const [member] = await viewer.chips("members");
      await (await viewer.page.$("#members .chip")).click();
      await viewer.rest();
      assert.match(await viewer.text("#first h2"), new RegExp(`Entity ${member}\\b`));
      assert.ok((await viewer.chips("in-areas")).includes(MARKET));
      const wolf = people.find(({ id, layers }) => layers === WOLF && people.some((one) => isPerson(one) &&
        distance(byId(id), one) <= 25));
      await viewer.press("Escape", "Escape");
      assert.equal(await viewer.page.$("#area"), null);
      const near = people.find((one) => isPerson(one) && distance(wolf, one) <= 25);
      await viewer.enter("#find", near.id);
      await (await viewer.page.evaluateHandle((id) => [...document.querySelectorAll("#in-areas .chip")]
        .find((chip) => chip.textContent === id), wolf.id)).click();
      await viewer.rest();
      assert.match(await viewer.text("#area"),
        new RegExp(`circle.*radius\\s+25.*leave radius\\s+40.*owner\\s+${wolf.id}\\b`, "s"));
      const members = new Set(await viewer.chips("members"));
      for (const one of people.filter(isPerson)) {
        const away = distance(wolf, one);
        assert.ok(away <= 25 ? members.has(one.id) : away <= 40 || !members.has(one.id), `${one.id} at ${away}`);
      }
    });

    it("lists who came in and went out among the events", async () => {
      await viewer.press("Escape", "Escape");
      await goTo(1);
      const before = new Map(people.map((one) => [one.id, isInMarket(one)]));
      for (let i = 0; i < 30; i++) {
        await viewer.press("ArrowRight");
      }
      people = await viewer.everybody();
      const newcomer = people.find((one) => isPerson(one) && isInMarket(one) && !before.get(one.id));
      await viewer.enter("#find", newcomer.id);
      const events = await viewer.page.$$eval("#events .op-8", (items) => items.map((item) =>
        item.nextElementSibling.innerText));
      assert.ok(events.includes(`Area ${MARKET}`), `${events}`);
      await viewer.press("Escape", "Escape", "KeyZ");
    });
  });

  describe("about two entities", () => {
    const pair = async (w, m) => {
      await viewer.press("Escape", "Escape");
      await viewer.enter("#find", w.id);
      await viewer.enter("#second", m.id);
      await viewer.page.evaluate(() => document.activeElement.blur());
      return [await viewer.text("#answer"), await viewer.text("#answer-back")];
    };
    const farFrom = (w, fits) => people.find((m) => fits(m) && distance(w, m) > w.radius + 1 && distance(w, m) < 400);

    it("says of one that was shift-clicked how far away it is", async () => {
      await viewer.press("Escape", "Escape", "KeyZ");
      await goTo(90);
      const w = alone(({ mode, layers }) => mode === 3 && layers === PERSON);
      const m = people.find((one) => one.layers === PERSON && one.mode === 3 && distance(w, one) > 120 &&
        people.every((other) => other === one || distance(one, other) > 16));
      await viewer.click(w);
      await viewer.click(m, true);
      const answer = await viewer.text("#answer");
      assert.match(answer, new RegExp(`^${w.id} does not see ${m.id}\n`));
      assert.ok(answer.includes(`${m.id} is ${written(distance(w, m))} away, ${w.id} sees up to 90: ` +
        `${written(distance(w, m) - 90)} too far.`), answer);
      assert.ok(answer.includes(`explain(${w.id}, ${m.id}) = range`), answer);
      assert.match(await viewer.text("#answer-back"), new RegExp(`^${m.id} does not see ${w.id}\n`));
    });

    it("swaps the two", async () => {
      const [one, other] = [await viewer.text("#answer"), await viewer.text("#answer-back")];
      await viewer.press("KeyX");
      assert.deepEqual([await viewer.text("#answer"), await viewer.text("#answer-back")], [other, one]);
    });

    it("names modes, layers, and those who are absent", async () => {
      const person = people.find(({ layers, mode }) => layers === PERSON && mode === 3);
      const hidden = people.find(({ layers }) => layers === HIDDEN);
      const wolf = people.find(({ layers }) => layers === WOLF);
      const chest = people.find(({ mode }) => mode === 2);
      assert.match((await pair(person, byId(CAMERA)))[0], /9000000 is a watcher only \(mode "w"\): nobody sees it/);
      const [, back] = await pair(person, chest);
      assert.match(back, new RegExp(`${chest.id} is a marker only \\(mode "m"\\): it sees nobody`));
      assert.equal(chest.layers, THING);
      assert.match((await pair(person, hidden))[0],
        new RegExp(`${hidden.id} shows itself on layer 0x4; ${person.id} sees layers 0xb: no bit in common`));
      assert.match((await pair(wolf, chest))[0], /layer 0x8; \d+ sees layers 0x1: no bit in common/);
      assert.match((await pair(person, { id: "-7" }))[0], /-7 is not in the space at this moment/);
    });

    it("knows who is in the told set, and the rank of who is not", async () => {
      await goTo(150);
      const crowded = people.find((one) => one.layers === PERSON && one.mode === 3 &&
        people.filter((other) => sees(one, other) && other.layers & PERSON).length > 20);
      await viewer.enter("#find", crowded.id);
      const [near] = await viewer.chips("markers", "filled");
      const hollow = await viewer.chips("markers", "hollow");
      const far = byId(hollow.at(-1));
      assert.match((await pair(crowded, byId(near)))[0], /is in \d+'s told set .* moves come every/s);
      const [answer] = await pair(crowded, far);
      const [, away, rank, limit] = answer.match(
        /in view, ([\d.]+) away, but ranks (\d+), and the limit of \d+ is (\d+)/);
      assert.equal(away, written(distance(crowded, far)));
      assert.equal(limit, "12");
      assert.equal(Number(rank), 12 + hollow.length, "the farthest of all in view is the last");
      assert.match(answer, /^\d+ sees \d+, which is not in its told set\n/);
    });

    it("asks by a click on an id of a list, and selects by a double click", async () => {
      await viewer.press("Escape", "Escape");
      await viewer.enter("#find", "1");
      const [id] = await viewer.chips("markers");
      const chip = () => viewer.page.$(`#markers [data-chip$=" ${id}"]`);
      await (await chip()).click();
      await viewer.rest();
      assert.equal(await viewer.page.$eval("#second", (field) => field.value), id);
      await (await chip()).click({ count: 2 });
      await viewer.rest();
      assert.match(await viewer.text("#first h2"), new RegExp(`Entity ${id}\\b`));
      assert.ok(farFrom(byId(1), ({ mode }) => mode === 3));
    });
  });

  describe("on the map", () => {
    before(async () => {
      await viewer.press("Escape", "Escape", "KeyZ");
      await goTo(150);
    });

    it("shows cells, views and ids when asked to", async () => {
      await viewer.page.mouse.move(5, 5);
      await viewer.rest();
      const plain = await viewer.mapPicture();
      for (const [key, box] of [["KeyC", "#show-cells"], ["KeyV", "#show-views"], ["KeyN", "#show-names"]]) {
        await viewer.press(key);
        assert.equal(await viewer.page.$eval(box, ({ checked }) => checked), true);
        assert.ok(differences(plain, await viewer.mapPicture()) > 1000, key);
        await viewer.page.click(box);
        await viewer.page.mouse.move(5, 5);
        await viewer.page.evaluate(() => document.activeElement.blur());
        await viewer.page.evaluate(() => Promise.all(document.getAnimations().map(({ finished }) => finished)));
        await viewer.rest();
        assert.equal(differences(plain, await viewer.mapPicture()), 0, key);
      }
    });

    it("colours by mode, layer, rate ring, importance and change, and says what the colours are", async () => {
      await viewer.enter("#find", CAMERA);
      await viewer.page.evaluate(() => document.activeElement.blur());
      await viewer.press("KeyZ", "ArrowRight");
      people = await viewer.everybody();
      const counted = async () => Object.fromEntries((await viewer.text("#legend")).split("\n")
        .map((line) => line.match(/^(.*) · (\d+)$/)).filter(Boolean).map(([, text, n]) => [text, Number(n)]));
      const seen = [];
      for (const colour of ["mode", "layer", "ring", "importance", "change"]) {
        assert.equal(await viewer.page.$eval("#colour", ({ value }) => value), colour);
        const legend = await counted();
        seen.push(legend);
        assert.equal(Object.values(legend).reduce((sum, n) => sum + n, 0), people.length, colour);
        await viewer.press("KeyK");
      }
      const [modes, layers, rings, importances, changes] = seen;
      assert.deepEqual(modes, { "watcher only": 1, "marker only": 10, "watcher and marker": 300 });
      for (const [name, layer] of [["layer 0x1", PERSON], ["layer 0x2", WOLF], ["layer 0x8", THING]]) {
        assert.equal(layers[name], people.filter((one) => one.layers === layer).length, name);
      }
      const camera = byId(CAMERA);
      // The list begins with the nearest, and the limit of the camera is 40.
      const near = (await viewer.chips("markers", "filled")).map(byId).filter((one) => distance(one, camera) <= 30);
      assert.ok(near.length > 0 && near.length < 40);
      assert.equal(rings["up to 30: every tick"], near.length);
      const told = (await viewer.text("#markers")).match(/^in the told set(, no longer in the view)? · \d+/gm)
        .reduce((sum, text) => sum + Number(text.match(/\d+$/)), 0);
      assert.equal(rings["not in the told set"], people.length - told);
      assert.deepEqual(importances, { "importance 0": people.length - 1, "importance 128–255": 1 });
      assert.ok(changes.moved > 50 && changes.nothing > 10, JSON.stringify(changes));
    });

    it("follows two fingers: what is under them stays there, and nobody is selected", async () => {
      await viewer.press("Escape", "KeyZ");
      const camera = () => viewer.page.evaluate(() => ({ ...window.aoiViewer.map.camera }));
      const placeAt = ([x, y]) => viewer.page.evaluate(([px, py]) => {
        const box = document.getElementById("map").getBoundingClientRect();
        return window.aoiViewer.map.placeAt(px - box.left, py - box.top);
      }, [x, y]);
      const touch = await viewer.page.createCDPSession();
      const send = (type, ...fingers) => touch.send("Input.dispatchTouchEvent", { type,
        touchPoints: fingers.map(([x, y], id) => ({ x, y, id })) });
      const { scale } = await camera();
      const under = [await placeAt([300, 300]), await placeAt([400, 300])];
      await send("touchStart", [300, 300]);
      await send("touchStart", [300, 300], [400, 300]);
      for (let step = 1; step <= 5; step++) {
        await send("touchMove", [300 - 20 * step, 300 + 10 * step], [400 + 20 * step, 300 + 10 * step]);
      }
      await send("touchEnd");
      await viewer.rest();
      assert.ok(Math.abs((await camera()).scale / scale - 3) < 0.01, `${(await camera()).scale / scale}`);
      const now = [await placeAt([200, 350]), await placeAt([500, 350])];
      assert.ok(now.flat().every((n, i) => Math.abs(n - under.flat()[i]) < 0.01), `${now} was ${under}`);
      assert.equal(await viewer.page.$("#first"), null);
      await viewer.press("KeyZ");
    });

    it("selects by a touch, and asks about a second one by a long touch", async () => {
      await viewer.press("Escape", "KeyZ");
      const stands = (one) => people.every((other) => other === one || distance(one, other) > 16);
      const [one, other] = people.filter(stands);
      const touch = async (entity, milliseconds) => {
        const [x, y] = await viewer.pixelOf(entity);
        await viewer.page.touchscreen.touchStart(x, y);
        await new Promise((done) => setTimeout(done, milliseconds));
        await viewer.page.touchscreen.touchEnd();
        await viewer.rest();
      };
      await touch(one, 50);
      assert.match(await viewer.text("#first h2"), new RegExp(`Entity ${one.id}\\b`));
      await touch(other, 700);
      assert.match(await viewer.text("#first h2"), new RegExp(`Entity ${one.id}\\b`));
      assert.equal(await viewer.page.$eval("#second", (field) => field.value), other.id);
      await viewer.press("Escape", "Escape");
    });

    it("pans by dragging and zooms by the wheel, where the mouse is", async () => {
      await viewer.press("Escape", "KeyZ");
      const camera = () => viewer.page.evaluate(() => ({ ...window.aoiViewer.map.camera }));
      const before = await camera();
      await viewer.page.mouse.move(400, 300);
      await viewer.page.mouse.down();
      await viewer.page.mouse.move(500, 340, { steps: 3 });
      await viewer.page.mouse.up();
      const dragged = await camera();
      assert.ok(Math.abs((before.x - dragged.x) * before.scale - 100) < 1);
      assert.ok(Math.abs((dragged.y - before.y) * before.scale - 40) < 1);
      assert.equal(await viewer.shown("#panels #first").catch(() => false), false, "a drag selects nobody");
      const under = () => viewer.page.evaluate(() => {
        const box = document.getElementById("map").getBoundingClientRect();
        return window.aoiViewer.map.placeAt(600 - box.left, 200 - box.top);
      });
      await viewer.page.mouse.move(600, 200);
      const place = await under();
      await viewer.page.mouse.wheel({ deltaY: -400 });
      await viewer.rest();
      const after = await under();
      assert.ok((await camera()).scale > 1.5 * before.scale);
      assert.ok(Math.hypot(after[0] - place[0], after[1] - place[1]) < 0.01);
      await viewer.press("KeyZ");
      assert.deepEqual(await camera(), before);
    });
  });

  describe("for everybody", () => {
    it("lists its keys", async () => {
      await viewer.press("?");
      assert.match(await viewer.text("#keys"), /play or pause/);
      await viewer.press("Escape");
      assert.equal(await viewer.shown("#keys"), false);
    });

    it("reaches every control with the tab key, and shows where it is", async () => {
      await viewer.press("Escape", "Escape");
      await goTo(150);
      await viewer.enter("#find", "1");
      const all = await viewer.page.$$eval("button, input, select, canvas[tabindex]", (elements) => elements
        .filter((element) => element.checkVisibility() && !element.disabled).length);
      await viewer.page.focus("#open");
      const reached = new Set();
      for (let i = 0; i < all + 20; i++) {
        const [name, outline] = await viewer.page.evaluate(() => {
          const element = document.activeElement;
          window.elementNumbers ??= new Map();
          if (!window.elementNumbers.has(element)) {
            window.elementNumbers.set(element, window.elementNumbers.size);
          }
          const seen = element.matches(".segments input") ? element.nextElementSibling : element;
          return [`${element.tagName} ${window.elementNumbers.get(element)}`, getComputedStyle(seen).outlineStyle];
        });
        if (i > 0 && !name.startsWith("BODY")) {
          assert.notEqual(outline, "none", name);
        }
        if (/^(BUTTON|INPUT|SELECT|CANVAS)/.test(name)) {
          reached.add(name);
        }
        await viewer.page.keyboard.press("Tab");
      }
      assert.equal(reached.size, all);
      await viewer.page.evaluate(() => document.activeElement.blur());
    });

    it("selects on the map by the Enter key, without a mouse", async () => {
      await viewer.press("Escape", "Escape", "KeyZ");
      await viewer.page.focus("#map");
      await viewer.press("KeyA", "Enter");
      const { x, y } = await viewer.page.evaluate(() => window.aoiViewer.map.camera);
      people = await viewer.everybody();
      const nearest = people.reduce((best, one) => distance(one, { x, y }) < distance(best, { x, y }) ? one : best);
      assert.match(await viewer.text("#first h2"), new RegExp(`Entity ${nearest.id}\\b`));
    });

    it("speaks Chinese", async () => {
      await viewer.page.click("#language");
      await viewer.rest();
      assert.equal(await viewer.page.evaluate(() => document.documentElement.lang), "zh");
      for (const [selector, text] of [["#first", "实体"], ["#markers", "我看见谁"], ["#watchers", "谁看见我"],
        ["#legend", "两者都是"], ["header", "打开"]]) {
        assert.ok((await viewer.text(selector)).includes(text), selector);
      }
      const left = await viewer.page.evaluate(() => document.body.innerText.replace(/lua-aoi|town\.aoi|English/g, ""));
      const english = left.match(/\b[a-z]{3,}\b/g).filter((word) =>
        !["tick", "enter", "leave", "move", "explain", "told", "range", "limit", "layer", "mode"].includes(word));
      assert.deepEqual([...new Set(english)], []);
      await viewer.page.click("#language");
    });

    it("is drawn in all sizes, in light and in dark, for people to look at", async () => {
      await viewer.press("Escape", "Escape", "KeyZ");
      await viewer.enter("#find", "1");
      await viewer.enter("#second", "2");
      await viewer.page.evaluate(() => document.activeElement.blur());
      await pictures(viewer.page, (width, scheme) => built(`page-${width}-${scheme}.png`), () => viewer.press("KeyZ"));
      await viewer.press("Escape", "Escape");
    });

    for (const [width, height] of [[1000, 620], ...SIZES]) {
      it(`has everything in reach in ${width} by ${height} pixels`, async () => {
        await viewer.page.setViewport({ width, height });
        await viewer.rest();
        const outside = await viewer.page.$$eval("header *, footer *, .map > *, .tools *, .zoom *, aside", (elements) => {
          const isOut = ({ left, right, top, bottom }) =>
            left < -0.5 || top < -0.5 || right > innerWidth + 0.5 || bottom > innerHeight + 0.5;
          return elements.filter((element) => element.checkVisibility() && isOut(element.getBoundingClientRect()))
            .map((element) => element.id || element.tagName);
        });
        assert.deepEqual(outside, []);
        // Nothing stands over a button.
        const hidden = await viewer.page.$$eval("header button, footer button, .zoom button, .tools select", (buttons) =>
          buttons.filter((button) => button.checkVisibility()).filter((button) => {
            const { left, top, width: wide, height: high } = button.getBoundingClientRect();
            return !button.contains(document.elementFromPoint(left + wide / 2, top + high / 2));
          }).map((button) => button.id || button.title));
        assert.deepEqual(hidden, []);
        await viewer.press("KeyZ");
        const map = await viewer.page.$eval("#map", (element) => element.getBoundingClientRect().height);
        assert.ok(map > 200, `${map} pixels of map`);
        await viewer.page.setViewport({ width: 1280, height: 760 });
      });
    }
  });
});

describe("a recording that begins with nobody", () => {
  it("opens where somebody is, between tools and legend, and says why one is in the told set", async () => {
    const viewer = await Viewer.open();
    await viewer.openFile(built("watch.aoi"));
    assert.equal(await viewer.position(), 4);
    const [top, bottom] = [(await viewer.pixelOf({ x: 0, y: 1000 }))[1], (await viewer.pixelOf({ x: 0, y: 0 }))[1]];
    const edge = (selector, side) => viewer.page.$eval(selector, (one, name) => one.getBoundingClientRect()[name], side);
    assert.ok(top > await edge("#tools", "bottom"));
    assert.ok(bottom < await edge("#legend", "top"));
    await viewer.click({ x: 500, y: 500 });
    const bottomNow = (await viewer.pixelOf({ x: 0, y: 0 }))[1];
    assert.ok(bottomNow < await edge("#legend", "top"), "it has room to grow");
    await viewer.enter("#find", "1");
    assert.match(await viewer.text("#markers"), /in the told set · 6: 2 of 2, 4 free/);
    const tags = await viewer.page.$$eval("#markers .filled", (chips) =>
      chips.map((chip) => `${chip.textContent} ${chip.dataset.tags ?? ""}`.trim()));
    assert.deepEqual(tags.sort(),
      ["2", "3", "4 pinned", "6 not counted", "7 not counted, visible radius", "8 not counted, sight"]);
    await viewer.enter("#second", "9");
    assert.match(await viewer.text("#answer"), /a sight of false/);
    await viewer.close();
  });

  it("draws from where a marker is seen by its visible radius, and says so", async () => {
    const viewer = await Viewer.open();
    await viewer.openFile(built("watch.aoi"));
    const without = await viewer.mapPicture();
    await viewer.click({ x: 700, y: 500 });
    assert.match(await viewer.text("#first"), /visible radius\s+300/);
    const selected = await viewer.mapPicture();
    // Places that look different now, in a ring around 7, away from the line on which all stand.
    const changedAt = async (radius) => {
      let changed = 0;
      for (let degrees = 20; degrees < 340; degrees += degrees === 158 ? 44 : 2) {
        const angle = degrees / 180 * Math.PI;
        const colours = await Promise.all([-2, 0, 2].flatMap((more) => {
          const place = { x: 700 + (radius + more) * Math.cos(angle), y: 500 + (radius + more) * Math.sin(angle) };
          return [without, selected].map((picture) => viewer.colourAt(picture, place));
        }));
        changed += [0, 2, 4].some((at) => colours[at] !== colours[at + 1]) ? 1 : 0;
      }
      return changed;
    };
    const onOutline = await changedAt(300);
    assert.ok(onOutline > 60, `${onOutline} places on its outline`);
    assert.deepEqual([await changedAt(280), await changedAt(320)], [0, 0]);
    await viewer.enter("#find", "1");
    await viewer.enter("#second", "10");
    assert.match(await viewer.text("#why"), /10 is seen from up to 300 \(its visible radius\)/);
    await viewer.close();
  });
});

describe("a space with slack", () => {
  it("is drawn with dashed lines, and explained with its slack", async () => {
    const viewer = await Viewer.open();
    await viewer.openFile(built("slack.aoi"));
    await viewer.enter("#find", "2");
    await viewer.enter("#second", "3");
    assert.match(await viewer.text("#first"), /anchors, which stay up to 6 behind/);
    assert.match(await viewer.text("#why"), /With slack 6 anchors count, not these places/);
    await viewer.close();
  });
});

describe("ten thousand entities", () => {
  it("are drawn, and it is printed how fast", async (context) => {
    const viewer = await Viewer.open({ width: 1400, height: 860 });
    await viewer.openFile(built("large.aoi"));
    assert.ok((await viewer.everybody()).length > 10000);
    const measure = async (what, during) => {
      await viewer.page.evaluate(() => {
        window.aoiViewer.frames.draws.length = window.aoiViewer.frames.intervals.length = 0;
      });
      const from = [performance.now(), await viewer.position()];
      await during();
      const seconds = (performance.now() - from[0]) / 1000;
      const { draws } = await viewer.page.evaluate(() => window.aoiViewer.frames);
      const [median] = draws.slice().sort((a, b) => a - b).slice(draws.length >> 1);
      const ticks = (await viewer.position()) - from[1];
      context.diagnostic(`${what}: ${(draws.length / seconds).toFixed(0)} frames a second, drawing takes ` +
        `${median.toFixed(1)} ms${ticks ? `, ${(ticks / seconds).toFixed(0)} ticks a second` : ""}`);
      assert.ok(draws.length > 2, what); // how many depends on the machine
    };
    const pan = () => viewer.page.evaluate(() => new Promise((done) => {
      const end = performance.now() + 2000;
      const canvas = document.getElementById("map");
      const wheel = (now) => {
        const deltaY = now % 400 < 200 ? 20 : -20;
        canvas.dispatchEvent(new WheelEvent("wheel", { deltaY, clientX: 500, clientY: 400 }));
        return now < end ? requestAnimationFrame(wheel) : done();
      };
      requestAnimationFrame(wheel);
    }));
    const play = async () => {
      await viewer.press("Home");
      await viewer.page.keyboard.press("Space");
      await new Promise((done) => setTimeout(done, 2000));
      await viewer.press("Space");
    };
    await viewer.page.select("#speed", "50");
    await viewer.page.evaluate(() => document.activeElement.blur());
    await measure("10,000 entities, zooming", pan);
    await measure("10,000 entities, playing", play);
    await viewer.enter("#find", "4000");
    await viewer.page.evaluate(() => document.activeElement.blur());
    await viewer.press("KeyZ", "KeyV", "KeyC");
    await measure("with all views, cells and one selected, zooming", pan);
    await viewer.close();
  });
});
