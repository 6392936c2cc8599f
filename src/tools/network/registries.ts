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
 * They are asked when the first unknown host comes up, and once.
 */
export class KnownRegistries {
  readonly #env: NodeJS.ProcessEnv;
  #hosts: Promise<ReadonlySet<string>> | undefined;

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env;
  }

  async has({ host, port }: Destination, signal: AbortSignal): Promise<boolean> {
    this.#hosts ??= this.#learn(signal);
    try {
      return (await this.#hosts).has(`${host}:${port}`);
    } catch (error) {
      this.#hosts = undefined;
      throw error;
    }
  }

  async #learn(signal: AbortSignal): Promise<ReadonlySet<string>> {
    const answers = await Promise.all(
      questions.map(async ({ program, args }) => {
        const found = findExecutable(program, this.#env);
        if (found === undefined) return "";
        const run = { cwd: "/", env: this.#env, signal, timeoutMs, maxOutputBytes: 65_536 };
        const done = await runProcess(found, args, run);
        signal.throwIfAborted();
        return done.exitCode === 0 ? done.stdout : "";
      }),
    );
    return new Set(answers.flatMap(hostsIn));
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
