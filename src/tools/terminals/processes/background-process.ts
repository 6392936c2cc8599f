import { Deferred } from "#foundation/lifecycle/deferred";
import type { SessionScope } from "../../contract/session-scope.ts";
import type { TerminalProcess } from "../../contract/terminal.ts";
import type { ProcessRoute } from "./process-event.ts";
import { RollingText } from "./rolling-text.ts";
import type { Watch } from "./watch.ts";

/** What is known of a background process from its start. */
export interface ProcessFacts {
  /** `proc_` and 12 hexadecimal digits. */
  readonly id: string;
  readonly command: string;
  readonly cwd: string;
  readonly taskId: string;
  readonly sessionKey: string;
  readonly route: ProcessRoute;
  /** Where the number means something: on this machine, or only inside a container. */
  readonly pidScope: "host" | "sandbox";
  readonly pid: number | undefined;
  /** By our clock. */
  readonly startedAtMs: number;
  /** By the system; together with the number it names the process for good. */
  readonly systemStartMs: number | undefined;
  readonly watchPatterns: readonly string[];
  readonly outputFile: string | undefined;
}

export type ProcessState =
  | { readonly kind: "running" }
  /** The code is unknown when the process was taken over from an earlier run. */
  | { readonly kind: "exited"; readonly exitCode: number | null; readonly atMs: number };

/** One background process in the table. */
export class BackgroundProcess {
  readonly facts: ProcessFacts;
  /** Whom it reports to; undefined when it was taken over from an earlier run. */
  readonly scope: SessionScope | undefined;
  /** Undefined: taken over after a crash; status and kill work, input does not. */
  readonly child: TerminalProcess | undefined;
  readonly output = new RollingText();
  readonly watch: Watch | undefined;
  /** What Enter is for it: a terminal sends a carriage return, a pipe carries lines. */
  readonly enter: "\r" | "\n";
  notifyOnComplete: boolean;
  /** Somebody has seen that it ended, so nobody needs to be told. */
  isConsumed = false;
  waiters = 0;
  readonly #ended = new Deferred<void>();
  #state: ProcessState = { kind: "running" };

  constructor(
    facts: ProcessFacts,
    rest: {
      readonly scope?: SessionScope;
      readonly child?: TerminalProcess;
      readonly watch?: Watch;
      readonly isPty?: boolean;
      readonly notifyOnComplete: boolean;
    },
  ) {
    this.facts = facts;
    this.scope = rest.scope;
    this.child = rest.child;
    this.watch = rest.watch;
    this.enter = rest.isPty === true ? "\r" : "\n";
    this.notifyOnComplete = rest.notifyOnComplete;
  }

  get state(): ProcessState {
    return this.#state;
  }

  /** Settles when the end is known and all output is in. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  end(exitCode: number | null, atMs: number): void {
    this.#state = { kind: "exited", exitCode, atMs };
    this.#ended.resolve();
  }

  get isRunning(): boolean {
    return this.#state.kind === "running";
  }

  get isDetached(): boolean {
    return this.child === undefined;
  }
}
