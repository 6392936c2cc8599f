import { isRecord } from "#foundation/text/json";
import type { SharedGroups } from "../env/shared-groups.ts";

export interface Served {
  readonly sent: number;
  readonly skipped: number;
  readonly unsent: number;
}

/** A group that somebody is to work on. */
export interface WantedGroup {
  readonly key: string;
  readonly item: unknown;
}

/** What the machine that talks to the trainer tells the others, and whoever takes its place. */
export interface Board {
  readonly wanted: readonly WantedGroup[];
  /** How many groups were begun so far. */
  readonly begun: number;
  readonly counts: Served;
  /** As whom the trajectory API knows this run. */
  readonly envId: number;
  readonly isOver: boolean;
}

/** The right to talk to the trainer. */
export interface Lead extends AsyncDisposable {
  /** Fails when another machine leads by now. */
  post(board: Board): Promise<void>;
}

/** Where machines that feed one trainer meet: one of them leads, all of them work. */
export interface SharedServe {
  readonly groups: SharedGroups;
  /** Undefined while another machine leads. */
  lead(onLost: () => void): Promise<Lead | undefined>;
  /** Some machine leads. */
  isLed(): Promise<boolean>;
  board(): Promise<Board | undefined>;
  /** Counts this machine among those that work, until it is disposed. */
  help(): Promise<AsyncDisposable>;
  helpers(): Promise<number>;
}

export function isBoard(value: unknown): value is Board {
  return isRecord(value) && Array.isArray(value["wanted"]) && isRecord(value["counts"]);
}
