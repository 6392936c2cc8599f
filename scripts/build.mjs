// Builds the program into dist/:
//   cli/main.js   the launcher: answers --version at once, else loads the program through a V8 code cache
//   program.js    the command line and the settings; agent.js, commands.js, screen.js and later.js what is loaded behind it, when it is needed
//   library.cjs   what `import { createHermes } from "hermes-ts"` gets
//   tui.cjs       what `import { runTui } from "hermes-ts/tui"` gets, for programs that wrap the terminal
//   store-worker.cjs   the thread that does slow work on the database
//   page-worker.cjs   the thread that turns web pages and PDFs into text
//   local-server.mjs   the process that runs models on this machine
//   dashboard-page/   the page that `hermes dashboard` serves
//   testing/model-server.mjs   the fake model provider, for the tests of users
// A few script files of lazily run parts, with a code cache, are the fastest start we measured (docs/decisions/0006).
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { writeToolIndex } from "./generate-tools.mjs";
import { packParts } from "./lib/parts.mjs";
import { root } from "./lib/run.mjs";
import { throughDoors } from "./lib/through-doors.mjs";

const manifest = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
const dist = path.join(root, "dist");

/**
 * Packages that stay outside the bundle. The first row carries native code or files of its own. The second
 * is heavy and seldom used: every byte in the bundle is read and checked on every start, whether it runs or not.
 */
const outside = [
  ...["@photostructure/sqlite", "@lydell/node-pty", "@vscode/ripgrep", "playwright-core", "pg", "pg-boss"],
  ...[
    "zod",
    "yaml",
    "@modelcontextprotocol/client",
    "@modelcontextprotocol/server",
    "highlight.js",
    "linkedom",
    "ws",
    "@clack/prompts",
    "imapflow",
    "nodemailer",
    "socks",
  ],
];
const external = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies })
  .filter((name) => outside.includes(name))
  .flatMap((name) => [name, `${name}/*`]);

const shared = {
  bundle: true,
  platform: "node",
  target: "node20",
  format: "cjs",
  minify: true,
  keepNames: true,
  legalComments: "none",
  // The launcher reads the bundle byte by byte (src/cli/code-cache.ts).
  charset: "ascii",
  conditions: ["hermes-source"],
  // import() inside a cached script has no loader; a require is what it means in one file anyway.
  supported: { "dynamic-import": false },
  define: { "import.meta.url": "__importMetaUrl", __HERMES_VERSION__: JSON.stringify(manifest.version) },
  banner: { js: 'const __importMetaUrl = require("node:url").pathToFileURL(__filename).href;' },
  external: ["node:*", ...external],
  logLevel: "warning",
};

/**
 * What is in which file of the program: these sources and whatever they import before they run. Everything that is
 * imported lazily and not named here is in the last file.
 */
const programFiles = {
  program: [
    "src/cli/program.ts",
    "src/cli/chat/chat.ts",
    "src/config/load/assemble.ts",
    // Tables of shell commands need it as well as the screen, which no shell command should load.
    "src/foundation/text/width.ts",
  ],
  agent: [
    "src/app/index.ts",
    "src/cli/chat/one-shot.ts",
    "src/store/sqlite/store.ts",
    "src/model/transport/sse.ts",
    "src/model/protocols/chat-completions/index.ts",
    "src/model/protocols/anthropic-messages/index.ts",
    "src/model/protocols/responses/index.ts",
    "src/tools/media/speech/choose.ts",
    "src/tools/web/choose.ts",
  ],
  // What the first command needs.
  commands: [
    "src/tools/approval/gate.ts",
    "src/tools/approval/unheld.ts",
    "src/tools/approval/held/engine-clients.ts",
    "src/tools/approval/permissions/rule-match.ts",
    "src/tools/approval/command-prefix.ts",
    "src/tools/approval/detector/read-only-command.ts",
    "src/tools/confinement/enforcer.ts",
    "src/tools/confinement/wall.ts",
    "src/tools/terminals/local/local-terminal.ts",
    "src/tools/terminals/command/run-foreground.ts",
    "src/tools/terminals/command/foreground-guidance.ts",
  ],
  screen: ["src/cli/chat/on-screen.ts", "src/tui/app/tui-app.ts"],
  later: [],
};

async function buildParts() {
  const built = await build({
    ...shared,
    entryPoints: { program: path.join(root, "src/cli/program.ts") },
    absWorkingDir: root,
    outdir: dist,
    format: "esm",
    splitting: true,
    plugins: [throughDoors(root, manifest)],
    metafile: true,
    write: false,
    supported: {},
    banner: {},
    // A name for every function costs more at start than it tells: errors carry names of their own.
    keepNames: false,
  });
  for (const [name, script] of Object.entries(packParts(built, programFiles))) {
    writeFileSync(path.join(dist, `${name}.js`), script);
  }
}

/** What browsers get; each import() is a file that is fetched when it is needed. */
async function buildPage() {
  const source = path.join(root, "src/dashboard/page");
  const target = path.join(dist, "dashboard-page");
  const { metafile } = await build({
    bundle: true,
    format: "esm",
    splitting: true,
    metafile: true,
    minify: true,
    target: "es2023",
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "none",
    logLevel: "warning",
    entryPoints: { main: path.join(root, "src/dashboard/page/main.tsx"), "main-style": path.join(source, "main.css") },
    chunkNames: "[name]-[hash]",
    // Its package names a module that it does not hold.
    alias: { "@xterm/headless": "@xterm/headless/lib-headless/xterm-headless.mjs" },
    outdir: target,
  });
  copyFileSync(path.join(source, "icon.svg"), path.join(target, "icon.svg"));
  // What the script imports is fetched beside it and not after it.
  const [, script] = Object.entries(metafile.outputs).find(([name]) => path.basename(name) === "main.js");
  const preloads = script.imports
    .filter(({ kind }) => kind === "import-statement")
    .map((one) => `<link rel="modulepreload" href="${path.basename(one.path)}" />\n    `);
  const page = readFileSync(path.join(source, "index.html"), "utf8");
  writeFileSync(path.join(target, "index.html"), page.replace("<script", `${preloads.join("")}<script`));
}

export async function buildProgram() {
  writeToolIndex();
  rmSync(dist, { recursive: true, force: true });
  mkdirSync(dist, { recursive: true });
  await build({ ...shared, entryPoints: { "cli/main": path.join(root, "src/cli/main.ts") }, outdir: dist, banner: {} });
  await buildParts();
  await buildPage();
  await build({
    ...shared,
    entryPoints: { library: path.join(root, "src/app/library.ts"), tui: path.join(root, "src/tui/index.ts") },
    outdir: dist,
    outExtension: { ".js": ".cjs" },
  });
  await build({
    ...shared,
    entryPoints: {
      "store-worker": path.join(root, "src/store/sqlite/worker.ts"),
      "page-worker": path.join(root, "src/tools/web/reader/worker.ts"),
    },
    outdir: dist,
    outExtension: { ".js": ".cjs" },
  });
  // A module of its own, since the engine it loads is one, too.
  await build({
    ...shared,
    entryPoints: { "local-server": path.join(root, "src/local-model/server/main.ts") },
    outdir: dist,
    outExtension: { ".js": ".mjs" },
    format: "esm",
    supported: {},
    banner: {},
    define: {},
  });
  await build({
    ...shared,
    entryPoints: { "testing/model-server": path.join(root, "test/fakes/model-server/index.ts") },
    outdir: dist,
    outExtension: { ".js": ".mjs" },
    format: "esm",
    minify: false,
    supported: {},
    banner: {},
    define: {},
  });
  writeFileSync(path.join(dist, "package.json"), '{ "type": "commonjs" }\n');
  chmodSync(path.join(dist, "cli/main.js"), 0o755);
}

if (process.argv[1]?.endsWith("build.mjs")) await buildProgram();
