// Starts the game, for robots and specs: in SKYNET_HOME, with the module in AOI_BUILD, on any port that is free.
import { spawn } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** Resolves to {address, stop()} when the game is open. */
export function startGame({ SKYNET_HOME, AOI_BUILD } = process.env) {
  const home = path.resolve(SKYNET_HOME);
  const game = spawn(path.join(home, "skynet"), ["examples/skynet-game/config"], {
    cwd: root,
    env: { ...process.env, SKYNET_HOME: home, AOI_BUILD, AOI_LOG: `${AOI_BUILD}/skynet-game.log`, PORT: "0" },
  });
  let said = "";
  return new Promise((resolve, reject) => {
    const hear = (text) => {
      said += text;
      const found = /the game: open (http:\S+)\n/.exec(said);
      if (found) {
        resolve({ address: found[1], stop: () => game.kill("SIGKILL") });
      }
    };
    game.stdout.on("data", hear);
    game.stderr.on("data", hear);
    game.on("error", reject);
    game.on("exit", () => reject(new Error(`the game has ended: ${said}`)));
  });
}
