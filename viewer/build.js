/*
 * build.js - puts the page, its scripts and styles, the core and maybe a recording into one HTML file that needs
 * nothing else: node viewer/build.js CORE.wasm OUT.html [RECORDING]
 */
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const POLICY = "<!-- the policy -->"; // before all that it is about
const STYLE = '<link rel="stylesheet" href="style.css">';
const SCRIPT = '<script type="module" src="main.js"></script>';

const here = path.dirname(fileURLToPath(import.meta.url));
const [core, out, recording] = process.argv.slice(2);

async function bundle(file) {
  const result = await build({
    entryPoints: [path.join(here, file)],
    bundle: true,
    format: "esm",
    legalComments: "inline", // those of libraries, with their licences
    minify: true,
    target: "es2022",
    write: false,
  });
  return result.outputFiles[0].text;
}

// A script, or a style, ends where its end is written, even in a string.
const escaped = (text, end) => text.replaceAll(new RegExp(`</(?=${end})`, "gi"), "<\\/");

const script = (text, type) => `<script${type}>${text}</script>`;

const hashOf = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/**
 * The rights of the page, also when it is opened from disk: it runs these scripts and no others, loads nothing, and
 * speaks to nobody but the address that it came from, for the stream.
 */
const policyOf = (scripts, style) => [
  "default-src 'none'",
  `script-src ${scripts.map(hashOf).join(" ")} 'wasm-unsafe-eval'`,
  `style-src ${hashOf(style)}`,
  "img-src data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

// A page is one string, and strings have an end: 512 MiB, of which base64 takes a third.
const MOST_INSIDE = 320 * 2 ** 20;

function base64(file) {
  if (statSync(file).size > MOST_INSIDE) {
    throw new Error(`${file} is larger than ${MOST_INSIDE / 2 ** 20} MiB, which is the most that a page can have inside: `
      + "send it beside the page");
  }
  return JSON.stringify(readFileSync(file).toString("base64"));
}

function replaceLine(page, line, text) {
  if (!page.includes(line)) {
    throw new Error(`page.html does not have ${line}`);
  }
  return page.replace(line, () => text);
}

const data = `window.AOI_CORE = ${base64(core)};
window.AOI_RECORDING = ${recording ? base64(recording) : null};
window.AOI_RECORDING_NAME = ${JSON.stringify(recording ? path.basename(recording) : "")};`;

const style = escaped(await bundle("style.css"), "style");
const scripts = [data, await bundle("main.js")].map((text) => escaped(text, "script"));

let page = readFileSync(path.join(here, "page.html"), "utf8");
page = replaceLine(page, POLICY, `<meta http-equiv="content-security-policy" content="${policyOf(scripts, style)}">`);
page = replaceLine(page, STYLE, `<style>${style}</style>`);
page = replaceLine(page, SCRIPT, `${script(scripts[0], "")}\n${script(scripts[1], ' type="module"')}`);
writeFileSync(out, page);
