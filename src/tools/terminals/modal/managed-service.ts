import { randomUUID } from "node:crypto";
import { defined } from "#foundation/defined";
import { UserError } from "#foundation/errors";
import { httpRequest } from "#foundation/http/request";
import { never, onAbort, sleep } from "#foundation/lifecycle/abort";
import type { Secret } from "#foundation/secrets/secret";
import { isRecord } from "#foundation/text/json";
import { TerminalGone } from "../terminal-gone.ts";

/** The way to a service that the subscription pays for. */
export interface SubscriptionAccess {
  readonly origin: string;
  readonly token: Secret;
}

export interface ManagedSandboxRequest {
  readonly image: string;
  readonly cwd: string;
  readonly cpu: number;
  readonly memoryMiB: number;
  readonly diskMiB: number;
  readonly timeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly persistentFilesystem: boolean;
  /** Sandboxes that keep their files find them again by this. */
  readonly logicalKey: string;
}

/** How a command of the service ended: everything it printed, as text. */
export interface ManagedEnd {
  readonly output: string;
  readonly exitCode: number;
}

/** A command that runs; polling it tells its end, or that it still runs. */
export interface ManagedExec {
  poll(): Promise<ManagedEnd | undefined>;
  cancel(): Promise<void>;
}

const requestTimeoutMs = 30_000;
const createTimeoutMs = 300_000;
const terminateTimeoutMs = 120_000;
const maxAnswerBytes = 16 * 1_048_576;
const firstPollMs = 20;
const pollMs = 250;
const ends: ReadonlySet<unknown> = new Set(["completed", "failed", "cancelled", "timeout"]);

/** Modal behind the subscription: sandboxes and their commands over REST. */
export class ManagedModal {
  readonly #access: SubscriptionAccess;

  constructor(access: SubscriptionAccess) {
    this.#access = access;
  }

  /** Asked twice with the same words because an answer was lost, the service makes one sandbox. */
  async create(request: ManagedSandboxRequest, signal: AbortSignal): Promise<string> {
    const key = randomUUID();
    const ask = () => this.#ask("/v1/sandboxes", { body: request, key, timeoutMs: createTimeoutMs, signal });
    const answer = await ask().catch((error: unknown) => {
      if (signal.aborted || !(error instanceof TerminalGone)) throw error;
      return ask();
    });
    const { id } = answer;
    if (typeof id !== "string" || id === "") throw new Error("Managed Modal made a sandbox without an id.");
    return id;
  }

  /** Starts a command; `stdin` is text. */
  async start(
    sandbox: string,
    request: { readonly command: string; readonly timeoutMs: number; readonly stdin?: string | undefined },
    signal: AbortSignal,
  ): Promise<ManagedExec> {
    const execId = randomUUID();
    const { command, timeoutMs, stdin } = request;
    const route = `/v1/sandboxes/${encodeURIComponent(sandbox)}/execs`;
    const body = { execId, command, cwd: "/", timeoutMs, ...defined({ stdinData: stdin }) };
    let end = endOf(await this.#ask(route, { body, signal }));
    return {
      poll: async () => {
        end ??= endOf(await this.#ask(`${route}/${execId}`, { signal: never }));
        return end;
      },
      cancel: async () => {
        if (end === undefined) await this.#ask(`${route}/${execId}/cancel`, { body: {}, signal: never });
      },
    };
  }

  /** A command from its start to its end. */
  async run(
    sandbox: string,
    request: { readonly command: string; readonly timeoutMs: number; readonly stdin?: string | undefined },
    signal: AbortSignal,
  ): Promise<ManagedEnd> {
    const exec = await this.start(sandbox, request, signal);
    using _stop = onAbort(signal, () => void exec.cancel().catch(() => undefined));
    for (let waitMs = firstPollMs; ; waitMs = Math.min(pollMs, waitMs * 2)) {
      const end = await exec.poll();
      if (end !== undefined) return end;
      await sleep(waitMs, signal);
    }
  }

  async terminate(sandbox: string, snapshotBeforeTerminate: boolean): Promise<void> {
    const route = `/v1/sandboxes/${encodeURIComponent(sandbox)}/terminate`;
    await this.#ask(route, { body: { snapshotBeforeTerminate }, timeoutMs: terminateTimeoutMs, signal: never });
  }

  async #ask(
    route: string,
    {
      body,
      key,
      timeoutMs = requestTimeoutMs,
      signal,
    }: {
      readonly body?: object;
      readonly key?: string;
      readonly timeoutMs?: number;
      readonly signal: AbortSignal;
    },
  ): Promise<Readonly<Record<string, unknown>>> {
    const { origin, token } = this.#access;
    const answer = await httpRequest(`${origin}${route}`, {
      method: body === undefined ? "GET" : "POST",
      headers: {
        authorization: `Bearer ${token.reveal()}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...defined({ "x-idempotency-key": key }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal,
      timeoutMs,
      totalTimeoutMs: timeoutMs,
      maxBodyBytes: maxAnswerBytes,
      redirect: "error",
    });
    const text = answer.kind === "failure" ? answer : await answer.text();
    signal.throwIfAborted();
    if (text.kind === "failure") throw lost(text.failure.message, true);
    const status = answer.kind === "response" ? answer.status : 0;
    const value = parsed(text.text);
    if (status >= 200 && status < 300 && value !== undefined) return value;
    const why = reasonOf(value) ?? `it answered ${status}`;
    if (status === 404 || status >= 500) throw lost(why, status !== 404);
    throw new UserError(`Managed Modal refused the request: ${why}.`, { hint: hintFor(status) });
  }
}

function hintFor(status: number): string {
  if (status === 401) return "Log in again with: hermes auth add nous";
  if (status === 402 || status === 403)
    return "Check the subscription, or set terminal.modal_mode to direct and use a key of your own.";
  return "Set terminal.modal_mode to direct to use Modal with a key of your own.";
}

function lost(why: string, mayHaveRun: boolean): TerminalGone {
  return new TerminalGone(`the managed Modal terminal was lost: ${why}`, { mayHaveRun });
}

function endOf(answer: Readonly<Record<string, unknown>>): ManagedEnd | undefined {
  const { status, output, returncode } = answer;
  if (!ends.has(status)) return undefined;
  return {
    output: typeof output === "string" ? output : "",
    exitCode: typeof returncode === "number" ? returncode : 1,
  };
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = text === "" ? {} : JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function reasonOf(value: Readonly<Record<string, unknown>> | undefined): string | undefined {
  for (const name of ["error", "message", "code"]) {
    const text = value?.[name];
    if (typeof text === "string" && text !== "") return text.slice(0, 500);
  }
  return undefined;
}
