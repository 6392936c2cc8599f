import type { Hermes } from "#app";
import { describe } from "#foundation/errors";
import { readTextFile } from "#foundation/files/files";
import { onAbort } from "#foundation/lifecycle/abort";

export interface BootDeps {
  readonly hermes: Pick<Hermes, "home" | "store" | "sessions" | "logger">;
  readonly cwd: string;
  /** This is the process that does it, where a gateway has several. */
  readonly isHere: boolean;
}

const maxBytes = 256 * 1024;
/** A gateway that is started again and again does not do its errands each time. */
const againAfterMs = 60_000;
const maxSteps = 20;
const lastKey = "gateway.boot.started_at_ms";
const guidance = [
  "You carry out BOOT.md, the list of what the owner wants done whenever the gateway starts.",
  "Nobody reads your answer: whom it concerns is told with send_message, if the list says so.",
  "If there is nothing to report, answer with [SILENT].",
].join("\n");

/** `BOOT.md` of the home: carried out in a session of its own when the gateway starts, while it serves already. */
export class BootFile implements AsyncDisposable {
  readonly #deps: BootDeps;
  readonly #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(deps: BootDeps) {
    this.#deps = deps;
  }

  /** As one of the gateway's hooks; it waits for nothing. */
  get hook() {
    const start = (): void => {
      const { logger } = this.#deps.hermes;
      this.#running = this.#run().catch((error: unknown) => {
        if (!this.#stop.signal.aborted) logger.error("BOOT.md could not be carried out", { error: describe(error) });
      });
    };
    return { name: "boot-md", events: ["gateway:startup"], handle: start };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { hermes, cwd, isHere } = this.#deps;
    const { home, sessions, logger } = hermes;
    const task = ((await readTextFile(home.at("BOOT.md"), { maxBytes })) ?? "").trim();
    if (!isHere || task === "" || !(await this.#isOurs())) return;
    await using session = await sessions.open({
      source: "boot",
      systemMessage: guidance,
      ignoreRules: true,
      usesMemory: false,
      maxSteps,
      cwd,
      isInteractive: false,
    });
    using _stop = onAbort(this.#stop.signal, () => session.interrupt());
    const submission = await session.submit({ text: task, isPlain: true });
    if (submission.kind !== "turn") throw new Error("the session did not take it");
    const { text, error } = await submission.ended;
    if (error !== undefined) throw new Error(error);
    const isSilent = text === undefined || text === "" || /\[SILENT\]/iu.test(text);
    logger.info("BOOT.md was carried out", { session: session.info.id, ...(isSilent ? {} : { answer: text }) });
  }

  /** Of all processes that start now, one does it; and not again within a minute. */
  async #isOurs(): Promise<boolean> {
    const { meta } = this.#deps.hermes.store;
    const last = await meta.get(lastKey);
    const nowMs = Date.now();
    if (nowMs - Number(last ?? 0) < againAfterMs) return false;
    return await meta.compareAndSet(lastKey, last, String(nowMs));
  }
}
