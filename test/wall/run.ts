import type { Action, Mode, Verdict } from "./actions/action.ts";
import { type Bundle, bundleDriver } from "./cage/bundle.ts";
import { Cage } from "./cage/cage.ts";
import { Secrets, secretEnvironment } from "./world/secrets.ts";

const answerTimeoutMs = 60_000;

export interface RunOptions {
  readonly mode: Mode;
  /** Cages that work at the same time. */
  readonly workers: number;
  onVerdict?(verdict: Verdict, action: Action): void;
}

/** Runs actions for real, each in a world laid anew; a program that was killed by one is an effect of it. */
export async function runActions(actions: readonly Action[], options: RunOptions): Promise<readonly Verdict[]> {
  using driver = await bundleDriver();
  const queue = actions.map((action, index) => ({ action, index }));
  const verdicts: Verdict[] = [];
  const work = async (): Promise<void> => {
    let cage: Cage | undefined;
    try {
      for (let job = queue.shift(); job !== undefined; job = queue.shift()) {
        cage ??= await openWorld(driver, options.mode);
        const verdict = (await cage.ask({ run: job.action }, answerTimeoutMs)) as Verdict | undefined;
        if (verdict === undefined) {
          verdicts[job.index] = died(job.action, cage.stderr);
          await cage[Symbol.asyncDispose]();
          cage = undefined;
        } else verdicts[job.index] = verdict;
        const known = verdicts[job.index];
        if (known !== undefined) options.onVerdict?.(known, job.action);
      }
    } finally {
      await cage?.[Symbol.asyncDispose]();
    }
  };
  await Promise.all(Array.from({ length: Math.min(options.workers, actions.length) }, work));
  return verdicts;
}

async function openWorld({ script, dist }: Bundle, mode: Mode): Promise<Cage> {
  const secrets = new Secrets();
  const cage = Cage.open({
    script,
    dist,
    withoutSandbox: !mode.sandbox,
    environment: {
      HOME: "/home/user",
      LANG: "C.UTF-8",
      USER: "user",
      SECRET_CORE: secrets.core,
      ...secretEnvironment(secrets),
    },
  });
  const answer = await cage.ask({ begin: mode }, answerTimeoutMs);
  if (answer !== undefined) return cage;
  await cage[Symbol.asyncDispose]();
  throw new Error(`The cage did not open.\n${cage.stderr}`);
}

function died(action: Action, words: string): Verdict {
  return {
    id: action.id,
    questions: [],
    effects: [`Hermes was killed or hung${words === "" ? "" : `: ${words.trim().split("\n").at(-1)}`}`],
    leaks: [],
    lost: [],
    restored: 0,
    calls: [],
    markIn: [],
    failure: "Hermes was killed or hung",
    ms: 0,
  };
}
