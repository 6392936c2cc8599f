import { appendFile } from "node:fs/promises";
import path from "node:path";
import { deadline, linkSignals } from "#foundation/lifecycle/abort";
import { type AttemptedGroup, attemptGroup, type EnvironmentRun } from "../env/environment-run.ts";
import { judgeGroup, scoredGroup } from "../env/group.ts";
import { MetricsStream } from "../env/metrics-stream.ts";
import { asMade, attemptShared } from "../env/shared-groups.ts";
import type { MetricsSink } from "../env/wandb.ts";
import type { TrajectoryClient } from "./client.ts";
import type { Board, Lead, Served, SharedServe, WantedGroup } from "./shared-serve.ts";
import { UnsentGroups } from "./unsent-groups.ts";

export interface GroupLineOptions {
  /** Groups that could not be sent are kept here. */
  readonly unsentFile: string;
  readonly maxTokens: number | undefined;
  /** As whom the trainer knows this environment. */
  readonly name: string;
  /** How many groups this machine works on at once. */
  readonly slots: number;
  readonly items: ItemSource;
  /** Other machines that work on the same groups. */
  readonly others?: { readonly shared: SharedServe; readonly lead: Lead } | undefined;
  /** Where the machine that led before stopped. */
  readonly earlier?: Board | undefined;
  /** Where curves are drawn besides the files. */
  readonly sink?: MetricsSink | undefined;
  onEvent(line: string): void;
}

/** The items of an environment by their number: a machine that takes another's place goes on where that one stopped. */
export class ItemSource {
  readonly #next: () => unknown;
  #drawn = 0;

  constructor(next: () => unknown) {
    this.#next = next;
  }

  /** Undefined when there are no more. */
  at(number: number): unknown {
    for (; this.#drawn < number; this.#drawn += 1) this.#next();
    this.#drawn += 1;
    return this.#next();
  }
}

interface Worker extends WantedGroup {
  readonly stop: AbortController;
  readonly startedMs: number;
  readonly done: Promise<void>;
}

const stopMs = 15_000;
const lookAgainMs = 500;

/** The groups that are worked on right now, here and elsewhere. */
export class GroupLine {
  readonly #run: EnvironmentRun;
  readonly #client: TrajectoryClient;
  readonly #options: GroupLineOptions;
  readonly #metrics: MetricsStream;
  readonly #unsent: UnsentGroups;
  readonly #workers = new Set<Worker>();
  readonly #backlog: WantedGroup[];
  readonly #counts: { -readonly [Name in keyof Served]: Served[Name] };
  #begun: number;
  #inHand = 0;
  #isToldOf = true;
  #posting = Promise.resolve();
  /** Done and on their way to the trainer; nobody is to work on them again. */
  readonly #sending = new Set<string>();
  isExhausted = false;
  envId: number;

  constructor(run: EnvironmentRun, client: TrajectoryClient, options: GroupLineOptions & { readonly envId: number }) {
    const { earlier, unsentFile, name, maxTokens, envId, sink } = options;
    this.#run = run;
    this.#client = client;
    this.#options = options;
    this.#backlog = [...(earlier?.wanted ?? [])];
    this.#counts = { sent: 0, skipped: 0, unsent: 0, ...earlier?.counts };
    this.#begun = earlier?.begun ?? 0;
    this.envId = envId;
    const file = path.join(path.dirname(unsentFile), "metrics_stream.jsonl");
    this.#metrics = new MetricsStream(run, { file, prefix: `${name}_`, maxTokens, sink });
    this.#unsent = new UnsentGroups(unsentFile);
  }

  get running(): number {
    return this.#workers.size;
  }

  get counts(): Served {
    return { ...this.#counts };
  }

  /** Sends figures on where curves are drawn, when the trainer has made a step. */
  async report(step: number): Promise<void> {
    await this.#metrics.report(step, this.#run.config.min_items_sent_before_logging);
  }

  /** As many workers as this: new ones begin, surplus ones are stopped and their items wait. */
  keep(wanted: number, signal: AbortSignal): void {
    const surplus = this.#stoppable().slice(0, Math.max(0, this.#workers.size - wanted));
    for (const worker of surplus) {
      this.#backlog.push(worker);
      this.#stop(worker);
    }
    while (this.#workers.size < wanted) {
      const group = this.#backlog.shift() ?? this.#next();
      if (group === undefined) {
        this.isExhausted = true;
        return;
      }
      this.#start(group, signal);
    }
  }

  cancelOlderThan(seconds: number): void {
    if (seconds < 0) return;
    const now = this.#run.rollouts.host.machine.clock.now();
    for (const worker of this.#stoppable()) if (now - worker.startedMs > seconds * 1000) this.#stop(worker);
  }

  /** Tells the other machines what is wanted, where that has changed. */
  async post({ isOver = false } = {}): Promise<void> {
    const { others } = this.#options;
    if (others === undefined) return;
    const turn = this.#posting.then(async () => {
      if (this.#isToldOf && !isOver) return;
      this.#isToldOf = true;
      const left = [...this.#workers, ...this.#backlog].filter(({ key }) => !this.#sending.has(key));
      const wanted = isOver ? [] : left.map(({ key, item }) => ({ key, item }));
      await others.lead.post({ wanted, begun: this.#begun, counts: this.counts, envId: this.envId, isOver });
    });
    // One after the other, so that the newest stays; who asked hears of a failure.
    this.#posting = turn.catch(() => undefined);
    await turn;
  }

  async stopAll(): Promise<void> {
    const left = [...this.#workers];
    for (const worker of left) this.#stop(worker);
    using limit = deadline(stopMs);
    await Promise.race([
      Promise.all(left.map(({ done }) => done)),
      new Promise((resolve) => limit.signal.addEventListener("abort", resolve, { once: true })),
    ]);
  }

  #next(): WantedGroup | undefined {
    const item = this.#options.items.at(this.#begun);
    return item === undefined ? undefined : { item, key: `serve_${this.#begun++}` };
  }

  #stoppable(): readonly Worker[] {
    return [...this.#workers].filter(({ key }) => !this.#sending.has(key));
  }

  #stop(worker: Worker): void {
    this.#workers.delete(worker);
    this.#isToldOf = false;
    worker.stop.abort();
  }

  #start({ item, key }: WantedGroup, signal: AbortSignal): void {
    const stop = new AbortController();
    const done = this.#work({ item, key }, linkSignals(signal, stop.signal)).then(() => {
      this.#workers.delete(worker);
      this.#sending.delete(key);
      this.#isToldOf = false;
    });
    const worker: Worker = { item, key, stop, startedMs: this.#run.rollouts.host.machine.clock.now(), done };
    this.#workers.add(worker);
    this.#isToldOf = false;
  }

  async #work(group: WantedGroup, signal: AbortSignal): Promise<void> {
    try {
      await this.#send(group, await this.#attempt(group, signal), signal);
    } catch (error) {
      if (signal.aborted) return;
      this.#run.rollouts.host.machine.logger.error("a group failed", { key: group.key, error: String(error) });
    }
  }

  /** Here while there is room; what has none is done by another machine, or here later. */
  async #attempt({ item, key }: WantedGroup, signal: AbortSignal): Promise<AttemptedGroup> {
    const run = this.#run;
    const here = (): Promise<AttemptedGroup> => attemptGroup({ item, key, size: run.config.group_size }, run, signal);
    const groups = this.#options.others?.shared.groups;
    if (groups === undefined) return await here();
    for (;;) {
      signal.throwIfAborted();
      const hasRoom = this.#inHand < this.#options.slots;
      const known = hasRoom ? await this.#inHandOf(() => attemptShared(groups, key, here)) : await groups.outcome(key);
      if (known !== undefined && known !== "taken") return asMade(known);
      await run.rollouts.host.machine.clock.sleep(lookAgainMs, signal);
    }
  }

  async #inHandOf<T>(work: () => Promise<T>): Promise<T> {
    this.#inHand += 1;
    try {
      return await work();
    } finally {
      this.#inHand -= 1;
    }
  }

  async #send({ item, key }: WantedGroup, attempted: AttemptedGroup, signal: AbortSignal): Promise<void> {
    const { config } = this.#run;
    const group = {
      ...scoredGroup(attempted, {
        temperature: config.agent_temperature,
        hasMessages: config.include_messages,
        fillsLogprobs: true,
      }),
      env_id: this.envId,
    };
    const verdict = judgeGroup(group, {
      groupSize: config.group_size,
      refusesEqualScores: config.ensure_scores_are_not_same,
      maxTokens: this.#options.maxTokens,
    });
    await this.#noLongerWanted(key);
    const { attempts, distillation } = attempted;
    if (verdict.kind === "skipped") {
      this.#counts.skipped += 1;
      this.#options.onEvent(`a group is not sent: ${verdict.why}`);
      return;
    }
    if (config.data_path_to_save_groups !== null)
      await appendFile(config.data_path_to_save_groups, `${JSON.stringify(group)}\n`);
    const outcome = await this.#client.submit(group, signal);
    if (outcome === "sent") {
      this.#counts.sent += 1;
      this.#run.tell?.({ event: "group_sent", group: key, scores: group.scores });
      await this.#sendKept(signal);
    } else {
      this.#counts.unsent += 1;
      await this.#unsent.keep(group, outcome);
      if (outcome === "refused") this.#options.onEvent(`the trainer refused a group; it is in ${this.#unsent.refused}`);
    }
    const { sent, skipped } = this.#counts;
    const counts = { "train/items_sent_to_api": sent, "train/items_rejected": skipped };
    await this.#metrics.add({ item, attempts, notes: distillation?.metrics ?? {} }, counts);
  }

  /** The trainer is back: what it could not take before is sent now. */
  async #sendKept(signal: AbortSignal): Promise<void> {
    const sent = await this.#unsent.sendAll((group) => this.#client.submit({ ...group, env_id: this.envId }, signal));
    this.#counts.sent += sent;
    // Groups that an earlier run left count as sent, but this run never had them.
    this.#counts.unsent = Math.max(0, this.#counts.unsent - sent);
  }

  /** Before it is sent: whoever takes this machine's place after a crash does not send it again. */
  async #noLongerWanted(key: string): Promise<void> {
    this.#sending.add(key);
    this.#isToldOf = false;
    await this.post();
    await this.#options.others?.shared.groups.forget(key);
  }
}
