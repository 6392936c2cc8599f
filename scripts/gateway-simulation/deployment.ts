import type { SessionId, TurnId } from "#conversation";
import type { Fence, Store } from "#store";
import { TokenBucket } from "../../src/gateway/delivery/token-bucket.ts";
import { Intake } from "../../src/gateway/intake/intake.ts";
import type { Agenda } from "./agenda.ts";
import { type Arrival, randomFrom } from "./day.ts";
import type { Figures } from "./figures.ts";

export interface DeploymentOptions {
  readonly workers: number;
  /** Chats one worker serves at a time. */
  readonly slots: number;
  /** How long a turn takes, in the middle of all. */
  readonly turnSeconds: number;
  /** What a platform lets one account send. */
  readonly perAccount: number;
  readonly perChat: number;
  readonly seed: number;
}

interface Surroundings {
  readonly store: Store;
  readonly agenda: Agenda;
  readonly figures: Figures;
}

interface Pace {
  readonly account: TokenBucket;
  readonly chats: Map<string, TokenBucket>;
}

const leaseMs = 120_000;
/** As many as a worker looks at when it has room again. */
const lookedAt = 8;

/**
 * Intake, workers and senders over the real inbox, leases, turns and outbox. Only two things are made up: how long a
 * model takes, and how long a platform takes to accept a message.
 */
export class SimulatedDeployment {
  readonly store: Store;
  readonly agenda: Agenda;
  readonly figures: Figures;
  readonly options: DeploymentOptions;
  readonly #intake: Intake;
  readonly #random: () => number;
  readonly #busy: number[];
  readonly #paces = new Map<string, Pace>();
  readonly #lastOf = new Map<string, number>();
  #turns = 0;

  constructor({ store, agenda, figures }: Surroundings, options: DeploymentOptions) {
    this.store = store;
    this.agenda = agenda;
    this.figures = figures;
    this.options = options;
    this.#random = randomFrom(options.seed);
    this.#busy = Array.from({ length: options.workers }, () => 0);
    this.#intake = new Intake({
      mostPending: () => 200,
      refuse: async () => undefined,
      store,
      clock: agenda.clock,
      keyRules: () => ({ groupPerUser: true, threadPerUser: false }),
      splitLength: () => 4_000,
    });
  }

  async arrive({ user, account, isHot, atMs }: Arrival, number: number): Promise<void> {
    const id = isHot ? "hot" : String(user);
    const source = {
      platform: "telegram",
      account: `bot${account}`,
      chatId: id,
      chatType: "dm" as const,
      userId: id,
    };
    const dedupKey = `telegram:bot${account}:${number}`;
    const text = "How is the weather in the mountains, and what should I take with me?";
    if (!(await this.#intake.admit({ source, text, dedupKey, atMs, attachments: [] }))) return;
    this.figures.arrived(isHot);
    await this.#offer(`agent:main:telegram:dm:${id}`);
  }

  /** A worker with room takes the chat, if nobody has it. */
  async #offer(key: string): Promise<void> {
    const worker = this.#busy.findIndex((count) => count < this.options.slots);
    if (worker >= 0) await this.#serve(key, worker);
  }

  async #serve(key: string, worker: number): Promise<boolean> {
    const { store, agenda } = this;
    const outcome = await store.leases.acquire(`chat:${key}`, `worker${worker}/${this.#turns}`, leaseMs);
    if (outcome.kind === "busy") return false;
    const entries = await store.inbox.pending(key);
    if (entries.length === 0) {
      await store.leases.release(outcome.lease);
      return false;
    }
    this.#turns += 1;
    const turnId = `trn_${this.#turns}` as TurnId;
    const claimed = await store.inbox.claim(
      entries.map(({ id }) => id),
      turnId,
    );
    for (const { id, receivedAtMs } of entries) {
      this.figures.began(key, agenda.clock.now() - receivedAtMs);
      if (id < (this.#lastOf.get(key) ?? 0)) this.figures.outOfOrder += 1;
      this.#lastOf.set(key, id);
    }
    const nowMs = agenda.clock.now();
    await store.gatewayTurns.start({
      id: turnId,
      sessionKey: key,
      sessionId: `s_${key}` as SessionId,
      inboxIds: claimed,
      fence: outcome.lease.fence,
      status: "running",
      step: "model",
      startedAtMs: nowMs,
      heartbeatAtMs: nowMs,
      attempts: 1,
    });
    this.#busy[worker] = (this.#busy[worker] ?? 0) + 1;
    this.figures.running(this.#busy.reduce((sum, count) => sum + count, 0));
    const [first] = entries;
    const account = first?.account ?? "";
    const endsAtMs = nowMs + this.#turnMs();
    this.#keep(outcome.lease, endsAtMs);
    agenda.at(endsAtMs, async () => {
      await this.#end({ key, turnId, claimed, account, fence: outcome.lease });
      this.#busy[worker] = (this.#busy[worker] ?? 1) - 1;
      await this.#look(worker);
    });
    return true;
  }

  /** A long turn renews its lease until it ends. */
  #keep(lease: Fence, untilMs: number): void {
    const nextMs = this.agenda.clock.now() + leaseMs / 3;
    if (nextMs >= untilMs) return;
    this.agenda.at(nextMs, async () => {
      if (!(await this.store.leases.renew(lease, leaseMs))) throw new Error(`${lease.name} was lost`);
      this.#keep(lease, untilMs);
    });
  }

  /** The answer is owed, the messages are done and the turn is over in one transaction, as in the gateway. */
  async #end(turn: {
    readonly key: string;
    readonly turnId: TurnId;
    readonly claimed: readonly number[];
    readonly account: string;
    readonly fence: Fence;
  }): Promise<void> {
    const { key, turnId, claimed, account, fence } = turn;
    const chatId = key.split(":").at(-1) ?? "";
    await this.store.transaction(
      async (tx) => {
        await tx.outbox.owe([
          {
            idempotencyKey: `${turnId}:0`,
            sessionKey: key,
            platform: "telegram",
            account,
            chatId,
            kind: "send",
            payload: { text: "Take a coat." },
          },
        ]);
        await tx.inbox.finish(claimed, "done");
        await tx.gatewayTurns.finish(turnId, "done");
      },
      { fence },
    );
    await this.store.leases.release(fence);
    this.figures.answered += claimed.length;
    await this.#send(account);
  }

  async #look(worker: number): Promise<void> {
    for (const key of await this.store.inbox.waitingSessions(lookedAt)) {
      if ((this.#busy[worker] ?? 0) >= this.options.slots) return;
      await this.#serve(key, worker);
    }
  }

  /** What is owed leaves at the pace of the platform; what must wait comes back. */
  async #send(account: string): Promise<void> {
    const { store, agenda } = this;
    const pace = this.#paceOf(account);
    for (const entry of await store.outbox.due({ platform: "telegram", account }, { limit: 50 })) {
      const chat =
        pace.chats.get(entry.chatId) ?? new TokenBucket({ perSecond: this.options.perChat, burst: 1 }, agenda.clock);
      pace.chats.set(entry.chatId, chat);
      if (!pace.account.has() || !chat.has()) {
        agenda.at(agenda.clock.now() + 250, () => this.#send(account));
        return;
      }
      pace.account.take();
      chat.take();
      if (!(await store.outbox.startSending(entry.id))) continue;
      await store.outbox.markSent(entry.id, String(entry.id));
      this.figures.sent(agenda.clock.now() - entry.createdAtMs);
    }
  }

  #paceOf(account: string): Pace {
    const known = this.#paces.get(account);
    if (known !== undefined) return known;
    const { perAccount } = this.options;
    const pace = {
      account: new TokenBucket({ perSecond: perAccount, burst: perAccount }, this.agenda.clock),
      chats: new Map<string, TokenBucket>(),
    };
    this.#paces.set(account, pace);
    return pace;
  }

  /** Most turns are short, some take minutes. */
  #turnMs(): number {
    const [one, other] = [this.#random(), this.#random()];
    const normal = Math.sqrt(-2 * Math.log(1 - one)) * Math.cos(2 * Math.PI * other);
    return Math.min(600, this.options.turnSeconds * Math.exp(0.8 * normal)) * 1000;
  }
}
