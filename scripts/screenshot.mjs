// `npm run screenshot`: photographs the real program. Drives the built Hermes in tmux on the demo model, in a home and a
// project of its own, and writes docs/images/{first,keys,connect,chat,approval,resume}.png, and what a new user meets
// in windows of 80x24 and 120x40 as walk-<size>-<step>.png, in the order of docs/comparison.md. Needs tmux, Chromium and a
// font with emojis.
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { chromium } from "playwright-core";
import { pageOf } from "./lib/ansi-page.mjs";
import { ensureBuilt, ensureInstalled, root } from "./lib/run.mjs";

const usual = { columns: 96, rows: 34 };
const walked = [
  { columns: 80, rows: 24 },
  { columns: 120, rows: 40 },
];
const waitMs = 30_000;
const maxBytes = 250_000;
const images = path.join(root, "docs", "images");
const browsers = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome", process.env["CHROMIUM"]];

await ensureInstalled();
await ensureBuilt();
const folder = mkdtempSync(path.join(tmpdir(), "hermes-screenshot-"));
const socket = path.join(folder, "tmux");
const tmux = (...args) => execFileSync("tmux", ["-S", socket, ...args], { encoding: "utf8", stdio: "pipe" });
try {
  const project = makeProject();
  const screens = await tour(project);
  for (const size of walked) {
    Object.assign(screens, await walk(project, size));
    Object.assign(screens, await walkWithServer(project, size));
    Object.assign(screens, await walkInShell(project, size));
  }
  await takeAll(screens);
} finally {
  try {
    tmux("kill-server");
  } catch (error) {
    // The server ends by itself with its last window.
    if (!String(error).includes("no server running")) console.error(String(error));
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
}

/** The walk through the program; gives the screens to photograph. */
async function tour(project) {
  const screens = {};
  open(project, []);
  await shows(/Try: /);
  screens.first = screen();
  tmux("send-keys", "-t", "hermes", "?");
  await shows(/any key closes/);
  screens.keys = screen();
  tmux("send-keys", "-t", "hermes", "Escape");
  await sleep(500);
  say("/connect");
  await shows(/Which provider/);
  await sleep(500);
  screens.connect = screen();
  tmux("send-keys", "-t", "hermes", "Escape");
  await shows(/the model is unchanged/);
  say("list files");
  await shows(/notes\.txt[\s\S]*❯ *$/m);
  say('replace "tea" with "coffee" in notes.txt');
  await shows(/Done: [\s\S]*❯ *$/m);
  screens.chat = screen();
  say("run `rm -rf build`");
  await shows(/a letter, then Enter/);
  screens.approval = screen();
  tmux("send-keys", "-t", "hermes", "o");
  await shows(/Enter: allow once/);
  tmux("send-keys", "-t", "hermes", "Enter");
  await shows(/┊ 💻 \$ +rm -rf build[\s\S]*❯ *$/m);
  say("/title Coffee notes");
  await shows(/Coffee notes[\s\S]*❯ *$/m);
  say("/quit");
  await ends();
  open(project, ["--resume", "Coffee notes"]);
  await shows(/rm -rf build[\s\S]*❯ *$/m);
  screens.resume = screen();
  say("/quit");
  await ends();
  return screens;
}

/** The first minutes of somebody new, in a window of this size. */
async function walk(project, size) {
  const screens = {};
  const name = `walk-${size.columns}x${size.rows}`;
  open(project, [], size);
  await shows(/Try: /);
  screens[`${name}-first`] = screen();
  say("/help");
  await shows(/\/help all[\s\S]*❯ *$/m);
  screens[`${name}-help`] = screen();
  tmux("send-keys", "-t", "hermes", "?");
  await shows(/any key closes/);
  screens[`${name}-keys`] = screen();
  tmux("send-keys", "-t", "hermes", "Escape");
  await sleep(500);
  tmux("send-keys", "-t", "hermes", "F1");
  await shows(/─ Commands ─/);
  tmux("send-keys", "-t", "hermes", "-l", "files");
  await shows(/search: files/);
  screens[`${name}-commands`] = screen();
  tmux("send-keys", "-t", "hermes", "Escape");
  await sleep(500);
  say("/connect");
  await shows(/Which provider/);
  screens[`${name}-connect`] = screen();
  tmux("send-keys", "-t", "hermes", "Escape");
  await shows(/the model is unchanged/);
  say("/settings");
  await shows(/─ Settings ─/);
  tmux("send-keys", "-t", "hermes", "-l", "cost");
  await shows(/search: cost/);
  screens[`${name}-settings`] = screen();
  tmux("send-keys", "-t", "hermes", "Escape");
  await sleep(500);
  say("run `for n in 1 2 3 4 5 6 7 8; do echo line $n; sleep 0.7; done`");
  await appears(/│ line 7/);
  screens[`${name}-tail`] = screen();
  await shows(/exit code 0[\s\S]*❯ *$/m);
  tmux("send-keys", "-t", "hermes", "C-o");
  await shows(/Tool calls/);
  screens[`${name}-calls`] = screen();
  tmux("send-keys", "-t", "hermes", "Escape");
  await sleep(500);
  say("run `rm -rf src`");
  await shows(/a letter, then Enter/);
  screens[`${name}-approval`] = screen();
  tmux("send-keys", "-t", "hermes", "Escape");
  await shows(/\[not run\][\s\S]*❯ *$/m);
  say("/resume");
  await shows(/this folder first/);
  screens[`${name}-resume`] = screen();
  tmux("send-keys", "-t", "hermes", "Escape");
  await sleep(500);
  say("/export talk.html");
  await shows(/talk\.html[\s\S]*❯ *$/m);
  screens[`${name}-export`] = screen();
  tmux("send-keys", "-t", "hermes", "C-c");
  await appears(/again to quit/);
  screens[`${name}-leave`] = screen();
  tmux("send-keys", "-t", "hermes", "C-c");
  await ends();
  return screens;
}

/** A server that limits requests, and one that falls silent in the middle of an answer: waiting and stopping. */
async function walkWithServer(project, size) {
  const screens = {};
  const name = `walk-${size.columns}x${size.rows}`;
  const server = createServer(answerAsLab);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const home = path.join(folder, `lab-${size.columns}`);
    mkdirSync(home);
    const model = `model:\n  provider: custom\n  base_url: http://127.0.0.1:${server.address().port}/v1\n  default: lab-large\n`;
    writeFileSync(path.join(home, "config.yaml"), `${model}auxiliary: { title_generation: { enabled: false } }\n`);
    open(project, [], { ...size, home });
    await shows(/Try: /);
    say("what is a busy server like?");
    await appears(/attempt 2 of/);
    screens[`${name}-waiting`] = screen();
    tmux("send-keys", "-t", "hermes", "Escape");
    await shows(/do instead\?[\s\S]*❯ *$/m);
    say("tell me a long story");
    await appears(/there lived/);
    tmux("send-keys", "-t", "hermes", "Escape");
    await shows(/there lived[\s\S]*do instead\?[\s\S]*❯ *$/m);
    screens[`${name}-stopped`] = screen();
    say("/quit");
    await ends();
    return screens;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

function answerAsLab(request, response) {
  if (request.method === "GET") {
    const isList = request.url === "/v1/models";
    response.writeHead(isList ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(isList ? { data: [{ id: "lab-large", context_length: 200_000 }] } : {}));
    return;
  }
  let body = "";
  request.on("data", (piece) => {
    body += piece;
  });
  request.on("end", () => {
    if (!body.includes("long story")) {
      response.writeHead(429, { "content-type": "application/json", "retry-after": "45" });
      response.end(JSON.stringify({ error: { message: "Too many requests", type: "rate_limit_error" } }));
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    const words = "Once upon a time, in a house by the sea, there lived ";
    const piece = { id: "c1", object: "chat.completion.chunk", created: 1, model: "lab-large" };
    const delta = { index: 0, delta: { role: "assistant", content: words }, finish_reason: null };
    response.write(`data: ${JSON.stringify({ ...piece, choices: [delta] })}\n\n`);
  });
}

/** Scripts and rescue, in a shell: words and data together, a mistake that is named, a damaged store that is rebuilt. */
async function walkInShell(project, size) {
  const screens = {};
  const name = `walk-${size.columns}x${size.rows}`;
  const bin = path.join(folder, "bin");
  mkdirSync(bin, { recursive: true });
  const program = path.join(bin, "hermes");
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${path.join(root, "dist", "cli", "main.js")}' "$@"\n`);
  chmodSync(program, 0o755);
  const variables = { ...environment(), PATH: `${bin}:${process.env.PATH}`, PS1: "$ " };
  start(project, ["env", ...assignments(variables), "bash", "--norc", "--noprofile"], size);
  await shows(/\$ *$/);
  say("date | hermes chat --provider demo -q 'read notes.txt'");
  await shows(/\|I like[\s\S]*\$ *$/);
  say("hermes model set nosuch:x");
  await shows(/nosuch[\s\S]*nosuch[\s\S]*\$ *$/);
  screens[`${name}-scripts`] = screen();
  say("clear; dd if=/dev/urandom of=$HERMES_HOME/state.db bs=4096 seek=6 count=2 conv=notrunc status=none");
  say("hermes sessions fsck --repair; hermes sessions list --limit 3");
  await shows(/ID\s[\s\S]*\$ *$/);
  screens[`${name}-salvage`] = screen();
  say("exit");
  await ends();
  return screens;
}

/** Waits until the screen shows this, whatever else moves. */
async function appears(pattern) {
  const giveUpAt = Date.now() + waitMs;
  for (;;) {
    const now = tmux("capture-pane", "-p", "-t", "hermes");
    if (pattern.test(now)) return;
    if (Date.now() > giveUpAt) throw new Error(`The screen never showed ${pattern}:\n${now}`);
    await sleep(50);
  }
}

function makeProject() {
  const project = path.join(folder, "coffee");
  mkdirSync(path.join(project, "src"), { recursive: true });
  mkdirSync(path.join(project, "build"));
  writeFileSync(path.join(project, "README.md"), "# Coffee\n");
  writeFileSync(path.join(project, "notes.txt"), "I like tea in the morning\n");
  writeFileSync(path.join(project, "src", "main.js"), "console.log('hello')\n");
  writeFileSync(path.join(project, "build", "main.js"), "console.log('hello')\n");
  return project;
}

function environment(home = path.join(folder, "home")) {
  return { HERMES_HOME: home, HOME: folder, COLORTERM: "truecolor" };
}

function assignments(variables) {
  return Object.entries(variables).map(([key, value]) => `${key}=${value}`);
}

function open(project, args, { home, ...size } = usual) {
  const main = path.join(root, "dist", "cli", "main.js");
  start(project, ["env", ...assignments(environment(home)), process.execPath, main, ...args], size);
}

function start(project, words, { columns, rows }) {
  const quoted = words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  tmux("new-session", "-d", "-s", "hermes", "-x", String(columns), "-y", String(rows), "-c", project, quoted);
}

function say(line) {
  tmux("send-keys", "-t", "hermes", "-l", line);
  tmux("send-keys", "-t", "hermes", "Enter");
}

function screen() {
  return tmux("capture-pane", "-e", "-p", "-t", "hermes").trimEnd();
}

/** Waits until the screen shows this and has stopped changing. */
async function shows(pattern) {
  const giveUpAt = Date.now() + waitMs;
  let before;
  for (;;) {
    const now = tmux("capture-pane", "-p", "-t", "hermes")
      .trimEnd()
      .replace(/[─\s]+$/, "");
    if (pattern.test(now) && withoutClocks(now) === before) return;
    if (Date.now() > giveUpAt) throw new Error(`The screen never showed ${pattern}:\n${now}`);
    before = withoutClocks(now);
    await sleep(400);
  }
}

/** Seconds tick on every screen; they are no change. */
function withoutClocks(text) {
  return text.replace(/\d+(\.\d+)?\s?s\b/g, "");
}

async function ends() {
  const giveUpAt = Date.now() + waitMs;
  while (isRunning()) {
    if (Date.now() > giveUpAt) throw new Error("Hermes did not leave.");
    await sleep(100);
  }
}

function isRunning() {
  try {
    tmux("has-session", "-t", "hermes");
    return true;
  } catch {
    return false;
  }
}

async function takeAll(screens) {
  const executablePath = browsers.find((file) => file !== undefined && existsSync(file));
  if (executablePath === undefined) throw new Error("No Chromium found; set CHROMIUM to its path.");
  mkdirSync(images, { recursive: true });
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  try {
    const page = await browser.newPage({ deviceScaleFactor: 1.2, viewport: { width: 1200, height: 900 } });
    for (const [name, text] of Object.entries(screens)) {
      const file = path.join(images, `${name}.png`);
      await page.setContent(pageOf(text.replaceAll(folder, "/home/you")));
      await page.locator("#screen").screenshot({ path: file });
      const bytes = statSync(file).size;
      console.log(`docs/images/${name}.png: ${Math.round(bytes / 1000)} KB`);
      if (bytes > maxBytes) throw new Error(`${name}.png is larger than ${maxBytes} bytes`);
    }
  } finally {
    await browser.close();
  }
}
