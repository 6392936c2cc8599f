import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { describe } from "#foundation/errors";
import { ensureDir } from "#foundation/files/files";
import type { Logger } from "#foundation/files/logger";
import { deadline, linkSignals, raceAbort } from "#foundation/lifecycle/abort";
import { killGroup } from "#foundation/process/run";
import type { Clock } from "#foundation/time/clock";
import type { SessionScope } from "../../contract/session-scope.ts";
import type { Terminal } from "../../contract/terminal.ts";
import { BackgroundProcess, type ProcessFacts } from "./background-process.ts";
import { OutputFile, readOutputTail } from "./output-file.ts";
import type { ProcessEvent } from "./process-event.ts";
import { RecordKeeper } from "./record-keeper.ts";
import { isAlive } from "./same-process.ts";
import { Watch, type WatchSignal } from "./watch.ts";
import { breakerSilenceMs, WatchBreaker } from "./watch-breaker.ts";

export interface ProcessTableDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  /** `processes.json`. */
  readonly recordFile: string;
  /** Folder for the outputs. */
  readonly outputDir: string;
  /** Masks secrets in whatever is stored or reported. */
  redact(text: string): string;
  /** `scope` is undefined for what concerns no session, or one of an earlier run. */
  onEvent(event: ProcessEvent, scope: SessionScope | undefined): void;
}

export interface StartRequest {
  readonly terminal: Terminal;
  readonly command: string;
  readonly cwd?: string;
  readonly pty: boolean;
  readonly taskId: string;
  readonly scope: SessionScope;
  readonly notifyOnComplete: boolean;
  readonly watchPatterns: readonly string[];
  /** Outside the wall, because a person agreed to exactly this. */
  readonly isUnconfined?: boolean | undefined;
  /** Written to its input at once, and nowhere else. */
  readonly firstInput?: string;
}

const maxTracked = 64;
const keptAfterExitMs = 30 * 60_000;
const killGraceMs = 5_000;
const detachedPollMs = 5_000;
const disposalLimitMs = 10_000;
const reportedChars = 2_000;

/**
 * The background processes of all tasks.
 *
 * 1. At most 64 are tracked; ended ones go first, the running ones never.
 * 2. The end of a process is reported at most once, and not to somebody who has seen it.
 * 3. Nothing is reported about a process that has ended, except that it has.
 */
export class ProcessTable implements AsyncDisposable {
  readonly #deps: ProcessTableDeps;
  readonly #processes = new Map<string, BackgroundProcess>();
  readonly #breaker = new WatchBreaker();
  readonly #ending = new AbortController();
  readonly #records: RecordKeeper;
  readonly #work = new Set<Promise<void>>();
  #recovery: Promise<void> | undefined;
  /** Those that end with this program although somebody waits for them: a later run tells of their end. */
  #cut: readonly BackgroundProcess[] = [];
  /** Starts that are under way; they count, so that many at once cannot pass the limit. */
  #starting = 0;

  constructor(deps: ProcessTableDeps) {
    this.#deps = deps;
    this.#records = new RecordKeeper(deps.recordFile, deps.clock);
  }

  /** Undefined when 64 processes run already. */
  async start(request: StartRequest): Promise<BackgroundProcess | undefined> {
    this.#prune();
    if (this.#running().length + this.#starting >= maxTracked) return undefined;
    this.#starting += 1;
    try {
      return await this.#start(request);
    } finally {
      this.#starting -= 1;
    }
  }

  /** Settles when what an earlier run left alive was taken over, which is tried once. */
  recovered(): Promise<void> {
    this.#recovery ??= this.#recoverOnce();
    return this.#recovery;
  }

  /** Takes over what an earlier run left alive; a number that means another process by now is left alone. */
  async recover(signal: AbortSignal): Promise<number> {
    const records = await this.#records.claim(signal);
    for (const { facts, notifyOnComplete } of records) {
      const process = new BackgroundProcess(facts, { notifyOnComplete });
      if (facts.outputFile !== undefined) process.output.push(await readOutputTail(facts.outputFile));
      this.#processes.set(facts.id, process);
      this.#background(this.#followDetached(process));
    }
    return records.length;
  }

  /** Reports what ended together with an earlier run, where its end was to be reported. */
  async tellEnded(): Promise<void> {
    await this.recovered();
    if (!existsSync(this.#deps.recordFile)) return;
    for (const { facts, notifyOnComplete } of await this.#records.claimEnded(this.#ending.signal)) {
      const process = new BackgroundProcess(facts, { notifyOnComplete });
      if (facts.outputFile !== undefined) process.output.push(await readOutputTail(facts.outputFile));
      this.#processes.set(facts.id, process);
      await this.#finish(process, null);
    }
  }

  find(id: string, sessionKey: string): BackgroundProcess | undefined {
    this.#prune();
    const process = this.#processes.get(id);
    return process?.facts.sessionKey === sessionKey ? process : undefined;
  }

  /** Those of a session, or of one of its tasks only. */
  list(sessionKey: string, taskId?: string): readonly BackgroundProcess[] {
    this.#prune();
    return [...this.#processes.values()].filter(
      ({ facts }) => facts.sessionKey === sessionKey && (taskId === undefined || facts.taskId === taskId),
    );
  }

  /** Nothing of a session that has ended is listed, reported or still running. */
  async endSession(sessionKey: string): Promise<void> {
    await this.killAll(sessionKey);
    for (const process of this.list(sessionKey)) this.#drop(process);
  }

  /** Waits for the end; undefined when the time ran out first. Rejects when the signal fires. */
  async wait(process: BackgroundProcess, timeoutMs: number, signal: AbortSignal): Promise<"exited" | undefined> {
    using limit = deadline(timeoutMs);
    process.waiters += 1;
    try {
      await raceAbort(process.ended, linkSignals(signal, limit.signal));
      process.isConsumed = true;
      return "exited";
    } catch (error) {
      if (signal.aborted || !limit.signal.aborted) throw error;
      return undefined;
    } finally {
      process.waiters -= 1;
    }
  }

  async kill(process: BackgroundProcess): Promise<void> {
    process.isConsumed = true;
    if (process.child !== undefined) await process.child.kill(killGraceMs);
    else {
      if (process.facts.pid !== undefined && (await isSameProcess(process.facts, this.#ending.signal))) {
        await killGroup(process.facts.pid, { graceMs: killGraceMs });
      }
      await this.#finish(process, null);
    }
    await process.ended;
    await this.#save();
  }

  /** Ends what a session has started, its children included; how many that were. */
  async killAll(sessionKey: string): Promise<number> {
    const running = this.#running().filter((process) => process.facts.sessionKey === sessionKey);
    await Promise.all(running.map((process) => this.kill(process)));
    return running.length;
  }

  hasActiveProcesses(taskId: string): boolean {
    return this.#running().some((process) => process.facts.taskId === taskId);
  }

  /** Ends every process that this run started; those taken over are left, as they were found. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort(new Error("the table of processes is being closed"));
    using limit = deadline(disposalLimitMs);
    const own = this.#running().filter((process) => !process.isDetached);
    this.#cut = own.filter(({ notifyOnComplete }) => notifyOnComplete);
    const all = Promise.allSettled([...own.map((process) => process.child?.[Symbol.asyncDispose]()), ...this.#work]);
    try {
      await raceAbort(all, limit.signal);
    } catch (error) {
      if (!limit.signal.aborted) throw error;
      this.#deps.logger.warn("some background processes did not end in time");
    }
    await this.#save();
  }

  async #recoverOnce(): Promise<void> {
    if (!existsSync(this.#deps.recordFile)) return;
    try {
      await this.recover(this.#ending.signal);
    } catch (error) {
      this.#deps.logger.warn("processes of an earlier run were not looked for", { error: describe(error) });
    }
  }

  async #start(request: StartRequest): Promise<BackgroundProcess> {
    await ensureDir(this.#deps.outputDir, 0o700);
    const id = `proc_${randomBytes(6).toString("hex")}`;
    const cwd = request.cwd ?? request.terminal.cwd;
    const signal = this.#ending.signal;
    const child = await request.terminal.spawn(request.command, {
      cwd,
      pty: request.pty,
      signal,
      isUnconfined: request.isUnconfined,
    });
    const outputFile = path.join(this.#deps.outputDir, `${id}.log`);
    const facts: ProcessFacts = {
      id,
      command: this.#deps.redact(request.command),
      cwd,
      taskId: request.taskId,
      sessionKey: request.scope.key,
      route: { platform: request.scope.source },
      pidScope: request.terminal.kind === "local" ? "host" : "sandbox",
      pid: child.pid,
      startedAtMs: this.#deps.clock.now(),
      systemStartMs: child.startedAtMs,
      watchPatterns: request.watchPatterns,
      outputFile,
    };
    const watch = new Watch(request.watchPatterns);
    const process = new BackgroundProcess(facts, {
      scope: request.scope,
      child,
      watch,
      isPty: request.pty,
      notifyOnComplete: request.notifyOnComplete,
    });
    this.#processes.set(id, process);
    this.#background(this.#follow(process, new OutputFile(outputFile, this.#deps.logger)));
    if (request.firstInput !== undefined) await child.write(request.firstInput);
    await this.#save();
    return process;
  }

  async #follow(process: BackgroundProcess, file: OutputFile): Promise<void> {
    const { child } = process;
    if (child === undefined) return;
    child.onData((text) => {
      process.output.push(text);
      file.write(text);
      if (process.isRunning) this.#report(process, process.watch?.feed(text, this.#deps.clock.now()) ?? []);
    });
    const exitCode = await child.exit;
    await file.close();
    await this.#finish(process, exitCode);
  }

  async #followDetached(process: BackgroundProcess): Promise<void> {
    const { signal } = this.#ending;
    try {
      while (await isSameProcess(process.facts, signal)) await this.#deps.clock.sleep(detachedPollMs, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
      return;
    }
    await this.#finish(process, null);
  }

  async #finish(process: BackgroundProcess, exitCode: number | null): Promise<void> {
    if (!process.isRunning) return;
    process.end(exitCode, this.#deps.clock.now());
    if (process.waiters > 0) process.isConsumed = true;
    if (process.notifyOnComplete && !process.isConsumed && !this.#ending.signal.aborted) {
      const output = this.#deps.redact(process.output.text()).slice(-reportedChars);
      this.#deps.onEvent({ type: "completion", ...this.#named(process), exit_code: exitCode, output }, process.scope);
    }
    await this.#save();
  }

  #report(process: BackgroundProcess, signals: readonly WatchSignal[]): void {
    for (const signal of signals) {
      if (signal.kind === "disabled") {
        process.notifyOnComplete = true;
        this.#deps.onEvent(
          { type: "watch_disabled", ...this.#named(process), suppressed: signal.suppressed },
          process.scope,
        );
        continue;
      }
      const verdict = this.#breaker.admit(this.#deps.clock.now());
      if (verdict === "pass") {
        const { pattern, suppressed } = signal;
        const output = this.#deps.redact(signal.output);
        this.#deps.onEvent(
          { type: "watch_match", ...this.#named(process), pattern, output, suppressed },
          process.scope,
        );
      }
      if (verdict === "trip") {
        this.#deps.onEvent({ type: "watch_overflow_tripped" }, undefined);
        this.#background(this.#releaseLater());
      }
    }
  }

  async #releaseLater(): Promise<void> {
    try {
      await this.#deps.clock.sleep(breakerSilenceMs, this.#ending.signal);
    } catch (error) {
      if (!this.#ending.signal.aborted) throw error;
      return;
    }
    this.#deps.onEvent({ type: "watch_overflow_released", suppressed: this.#breaker.release() }, undefined);
  }

  #named(process: BackgroundProcess) {
    const { id, sessionKey, command, route } = process.facts;
    return { session_id: id, session_key: sessionKey, command, route };
  }

  #running(): readonly BackgroundProcess[] {
    return [...this.#processes.values()].filter((process) => process.isRunning);
  }

  #prune(): void {
    const oldest = this.#deps.clock.now() - keptAfterExitMs;
    const ended = [...this.#processes.values()]
      .flatMap((process) => (process.state.kind === "exited" ? [{ process, atMs: process.state.atMs }] : []))
      .sort((a, b) => a.atMs - b.atMs);
    let excess = this.#processes.size - (maxTracked - 1);
    for (const { process, atMs } of ended) {
      if (atMs >= oldest && excess <= 0) break;
      excess -= 1;
      this.#drop(process);
    }
  }

  #drop({ facts }: BackgroundProcess): void {
    this.#processes.delete(facts.id);
    if (facts.outputFile !== undefined) this.#background(rm(facts.outputFile, { force: true }));
  }

  #background(work: Promise<void>): void {
    const guarded = work
      .catch((error: unknown) =>
        this.#deps.logger.error("work on a background process failed", { error: describe(error) }),
      )
      .finally(() => this.#work.delete(guarded));
    this.#work.add(guarded);
  }

  #save(): Promise<void> {
    return this.#records.save(() => [...new Set([...this.#running(), ...this.#cut])]);
  }
}

async function isSameProcess(facts: ProcessFacts, signal: AbortSignal): Promise<boolean> {
  return facts.pidScope === "host" && (await isAlive({ pid: facts.pid, startedAtMs: facts.systemStartMs }, signal));
}
