import type { Invocation } from "../../command.ts";
import type { ModelAccess } from "../../support/models.ts";

/** What one look at one thing came to. */
export interface Check {
  readonly section: string;
  readonly name: string;
  readonly state: "ok" | "warning" | "failed";
  readonly detail?: string;
  readonly hint?: string;
  readonly isSecurity?: boolean;
  /** Mends it; says what was done. */
  fix?(): Promise<string>;
}

export interface Patient {
  readonly invocation: Invocation;
  readonly parts: ModelAccess;
  readonly isOffline: boolean;
}

export type Examine = (patient: Patient) => Promise<readonly Check[]>;
