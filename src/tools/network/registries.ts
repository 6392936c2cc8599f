import { raceAbort } from "#foundation/lifecycle/abort";
import { findExecutable } from "#foundation/process/platform";
import { runProcess } from "#foundation/process/run";
import type { Destination } from "./host-rules.ts";

/** Asks a package manager of this machine where it fetches from; `/` is its folder, so that no project can answer for it. */
const questions: readonly { readonly program: string; readonly args: readonly string[] }[] = [
  { program: "npm", args: ["config", "get", "registry"] },
  { program: "pip", args: ["config", "list"] },
  { program: "go", args: ["env", "GOPROXY", "GOSUMDB"] },
  {
    program: "python3",
    args: [
      "-I",
      "-c",
      "from pip._internal.models.index import PyPI as p; print(p.url, 'https://' + p.file_storage_domain)",
    ],
  },
];

const timeoutMs = 5_000;

/**
 * The registries that the person's own package managers are set up with, mirrors included: reached without a question.
 * They are asked when the first unknown host comes up, and once, for every connection that waits meanwhile.
 */
export class KnownRegistries implements AsyncDisposable {
  readonly #env: NodeJS.ProcessEnv;
  readonly #closing = new AbortController();
  #hosts: Promise<ReadonlySet<string>> | undefined;

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env;
  }

  async has({ host, port }: Destination, signal: AbortSignal): Promise<boolean> {
    const { signal: closing } = this.#closing;
    closing.throwIfAborted();
    this.#hosts ??= this.#learn(closing);
    return (await raceAbort(this.#hosts, signal)).has(`${host}:${port}`);
  }

  /** Package managers that were asked have ended then. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new Error("the registries are not needed any more"));
    await this.#hosts?.catch(() => undefined);
  }

  async #learn(signal: AbortSignal): Promise<ReadonlySet<string>> {
    // All of them have ended before this does; one that cannot be started has no registry to tell.
    const answers = await Promise.allSettled(
      questions.map(async ({ program, args }) => {
        const found = findExecutable(program, this.#env);
        if (found === undefined) return "";
        const run = { cwd: "/", env: this.#env, signal, timeoutMs, maxOutputBytes: 65_536 };
        const done = await runProcess(found, args, run);
        return done.exitCode === 0 ? done.stdout : "";
      }),
    );
    signal.throwIfAborted();
    return new Set(answers.flatMap((answer) => (answer.status === "fulfilled" ? hostsIn(answer.value) : [])));
  }
}

/** The `host:port` of every web address in a text. */
export function hostsIn(text: string): readonly string[] {
  return [...text.matchAll(/https?:\/\/[^\s'"|,]+/g)].flatMap(([address]) => {
    if (!URL.canParse(address)) return [];
    const { hostname, port, protocol } = new URL(address);
    return [`${hostname}:${port === "" ? (protocol === "https:" ? "443" : "80") : port}`];
  });
}
