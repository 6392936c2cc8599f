import type { ChildProcess } from "node:child_process";
import type { Sandbox } from "../sandboxes/sandbox.ts";

/** The service keeps no more of what a command prints. */
const mostOutput = 8 * 1_048_576;

/** A command of a sandbox: both outputs are one text, which is told when it has ended. */
export class Exec {
  readonly #id: string;
  readonly #child: ChildProcess;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  #status = "running";
  #code = 1;

  constructor(
    sandbox: Sandbox,
    asked: {
      readonly execId: string;
      readonly command: string;
      readonly cwd: string;
      readonly stdinData?: string | undefined;
    },
  ) {
    this.#id = asked.execId;
    this.#child = sandbox.exec(["bash", "-c", asked.command], asked.cwd);
    this.#child.stdin?.on("error", () => undefined);
    this.#child.stdin?.end(asked.stdinData ?? "");
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on("data", (chunk: Buffer) => {
        if (this.#bytes < mostOutput) this.#chunks.push(chunk);
        this.#bytes += chunk.length;
      });
    this.#child.once("close", (code) => {
      if (this.#status !== "running") return;
      this.#status = code === 0 ? "completed" : "failed";
      this.#code = code ?? 137;
    });
  }

  get facts(): object {
    if (this.#status === "running") return { execId: this.#id, status: "running" };
    const output = Buffer.concat(this.#chunks).toString("utf8");
    return { execId: this.#id, status: this.#status, output, returncode: this.#code };
  }

  cancel(): void {
    if (this.#status !== "running") return;
    this.#status = "cancelled";
    this.#code = 130;
    try {
      process.kill(-(this.#child.pid ?? 0), "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  }
}
