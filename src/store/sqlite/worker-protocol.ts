import type { WorkName } from "../work/table.ts";
import type { TaskName } from "./tasks.ts";

/** What the two threads say to each other. */
export type WorkerRequest =
  | { readonly type: "call"; readonly id: number; readonly name: WorkName | TaskName; readonly input: unknown }
  | { readonly type: "abort"; readonly id: number }
  | { readonly type: "close" };

export type WorkerReply =
  | { readonly type: "done"; readonly id: number; readonly value: unknown }
  | { readonly type: "failed"; readonly id: number; readonly error: CarriedError }
  | {
      readonly type: "log";
      readonly level: "debug" | "info" | "warn" | "error";
      readonly message: string;
      readonly fields: unknown;
    };

/** An error as it crosses a thread: classes do not, so a user's error is told apart by its hint. */
export interface CarriedError {
  readonly message: string;
  readonly stack?: string | undefined;
  readonly code?: string | undefined;
  readonly hint?: string | undefined;
  readonly isForUser: boolean;
}

export interface WorkerStart {
  readonly path: string;
}
