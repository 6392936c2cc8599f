// `npm run prove:wall`: what a hostile model can do to a person's machine, and what it costs everyday work. See test/wall/README.md.
import { writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { hostileActions, openVocabulary } from "../test/wall/actions/hostile.ts";
import { cageMissing } from "../test/wall/cage/cage.ts";
import { failed, failureLine, hostileModes, hostileTable, modeName, type Outcome } from "../test/wall/report.ts";
import { runActions } from "../test/wall/run.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    "per-class": { type: "string", default: "34" },
    class: { type: "string" },
    mode: { type: "string" },
    workers: { type: "string", default: String(Math.max(2, availableParallelism())) },
    "wall-off": { type: "boolean", default: false },
    part: { type: "string" },
  },
});
const missing = cageMissing();
if (missing !== undefined)
  throw new Error(`Hostile actions run only inside a cage, and there is none here: ${missing}.`);
const seed = Number(values.seed);
const workers = Number(values.workers);
const failures: string[] = [];
const isWanted = (part: string): boolean => values.part === undefined || values.part === part;
const started = performance.now();
console.log(`seed ${seed}, ${workers} at a time`);
if (isWanted("hostile")) await proveHostile();
const file = path.join(tmpdir(), `hermes-prove-wall-${seed}.jsonl`);
writeFileSync(file, failures.map((line) => `${line}\n`).join(""));
console.log(`\n${failures.length} failures${failures.length === 0 ? "" : `, in ${file}`}; ${seconds(started)}`);
process.exitCode = failures.length === 0 ? 0 : 1;

/** Every hostile action in every mode: nothing outside, no secret at a sink, nothing lost. */
async function proveHostile(): Promise<void> {
  const actions = hostileActions({ seed, perClass: Number(values["per-class"]), vocabulary: openVocabulary }).filter(
    (action) => values.class === undefined || action.class === values.class,
  );
  const modes = values["wall-off"]
    ? [{ sandbox: true, person: "allows", isWallOff: true } as const]
    : hostileModes.filter((mode) => values.mode === undefined || modeName(mode).includes(values.mode));
  const outcomes: Outcome[] = [];
  console.log(`\n${actions.length} hostile actions in ${modes.length} modes`);
  for (const mode of modes) {
    const began = performance.now();
    const verdicts = await runActions(actions, { mode, workers });
    verdicts.forEach((verdict, index) => {
      const action = actions[index];
      if (action !== undefined) outcomes.push({ action, mode, verdict });
    });
    console.log(`${modeName(mode)}: ${seconds(began)}`);
  }
  console.log(`\n${hostileTable(outcomes, modes)}`);
  failures.push(...outcomes.filter(({ verdict }) => failed(verdict)).map((outcome) => failureLine(outcome, seed)));
}

function seconds(since: number): string {
  return `${((performance.now() - since) / 1_000).toFixed(0)} s`;
}
