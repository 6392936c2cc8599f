// `npm run figures:hops`: through which files a message goes from Enter to the first byte of its request.
//
// Turns are run against the fake model server, and V8 counts the functions that ran between `submit` and the arrival of the
// request. A file is on the path when a function in it that can wait (`async`) ran then: the message waited for that file. Not on it are
// files whose functions only computed, `src/foundation`, which decides nothing, and the two watches below. `--all` lists everything that ran.
// The first message also opens what is opened once (prompt, skills, agents); the third is like every later one.
import { mkdtemp, rm } from "node:fs/promises";
import { Session } from "node:inspector/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createHermes } from "../src/app/library.ts";
import { says, startModelServer } from "../test/fakes/model-server/index.ts";

interface Ran {
  readonly file: string;
  readonly functions: readonly string[];
  readonly waits: boolean;
}

/** They start with the message and sleep beside it; nothing awaits them. */
const watches = ["agent/turn/activity-watch.ts", "model/transport/watchdog.ts"];
const source = path.join(import.meta.dirname, "..", "src");

async function filesBetween(profiler: Session, work: () => Promise<unknown>): Promise<readonly Ran[]> {
  await profiler.post("Profiler.takePreciseCoverage");
  await work();
  const { result } = await profiler.post("Profiler.takePreciseCoverage");
  const ran: Ran[] = [];
  for (const { url, scriptId, functions } of result) {
    const file = url.startsWith("file:") ? path.relative(source, new URL(url).pathname) : "..";
    if (file.startsWith("..")) continue;
    const { scriptSource } = await profiler.post("Debugger.getScriptSource", { scriptId });
    const called = functions.filter(
      ({ ranges: [whole], functionName }) => functionName !== "" && (whole?.count ?? 0) > 0,
    );
    const textOf = (one: (typeof called)[number]): string =>
      scriptSource.slice(one.ranges[0]?.startOffset, (one.ranges[0]?.startOffset ?? 0) + 40);
    const waiting = functions
      .filter(({ ranges: [whole] }) => (whole?.count ?? 0) > 0)
      .filter((one) => /^(?:static\s+)?async\b/.test(textOf(one)));
    if (called.length > 0)
      ran.push({ file, functions: called.map(({ functionName }) => functionName), waits: waiting.length > 0 });
  }
  return ran.toSorted((left, right) => (left.file < right.file ? -1 : 1));
}

const home = await mkdtemp(path.join(tmpdir(), "hermes-hops-"));
const profiler = new Session();
try {
  await using server = await startModelServer({ strict: true });
  server.otherwise(says("Good morning."));
  profiler.connect();
  await profiler.post("Debugger.enable");
  await profiler.post("Profiler.enable");
  await profiler.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  await using hermes = await createHermes({
    home,
    cwd: home,
    env: { PATH: process.env["PATH"], HOME: home },
    baseUrl: server.chatBaseUrl,
    model: "test-model",
    apiKey: "sk-hops",
    settings: { "auxiliary.title_generation.enabled": false },
  });
  const { session } = hermes;
  for (const which of [1, 2, 3] as const) {
    const ended: Promise<unknown>[] = [];
    const ran = await filesBetween(profiler, async () => {
      const submission = session.submit({ text: "Good morning." });
      await server.received(which);
      ended.push(submission.then(async (one) => (one.kind === "turn" ? void (await one.ended) : undefined)));
    });
    await Promise.all(ended);
    if (which === 2) continue;
    const onPath = ran.filter(({ file, waits }) => waits && !file.startsWith("foundation/") && !watches.includes(file));
    for (const { file, functions } of process.argv.includes("--all") ? ran : onPath)
      console.log(`  ${file}: ${functions.slice(0, 6).join(", ")}`);
    console.log(
      `Message ${which}: ${onPath.length} files are waited for on the way to the wire; code of ${ran.length} ran\n`,
    );
  }
} finally {
  profiler.disconnect();
  await rm(home, { recursive: true, force: true });
}
