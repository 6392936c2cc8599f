import type { HermesHome } from "#foundation/files/paths";
import type { Invocation } from "../../command.ts";
import type { Settings } from "../../support/settings.ts";
import type { OldHome } from "./old-home.ts";

export type Area = "character" | "notes" | "skills" | "settings" | "credentials" | "other";

/** What becomes of one item. Whatever is not taken says why. */
export type Step = { readonly area: Area; readonly item: string } & (
  | { readonly kind: "take"; readonly into: string; readonly note?: string; apply(signal: AbortSignal): Promise<void> }
  | { readonly kind: "archive"; readonly why: string; apply(signal: AbortSignal): Promise<void> }
  | { readonly kind: "conflict" | "skip"; readonly why: string }
);

export type Preset = "user-data" | "full";
export type SkillConflict = "skip" | "overwrite" | "rename";

export interface MigrationOptions {
  readonly preset: Preset;
  readonly overwrites: boolean;
  readonly takesSecrets: boolean;
  readonly workspaceTarget?: string;
  readonly skillConflict: SkillConflict;
}

/** Everything the parts of a migration look at. */
export interface Migration extends Settings {
  readonly invocation: Invocation;
  readonly old: OldHome;
  readonly home: HermesHome;
  readonly wanted: MigrationOptions;
  /** `<home>/migration/openclaw/<time>`: the report, and copies of what has no place here. */
  readonly folder: string;
  /** Masks what looks like a credential. */
  redact(text: string): string;
}

export type StepResult = Pick<Step, "area" | "item"> & {
  readonly outcome: "taken" | "archived" | "skipped" | "conflict" | "failed";
  readonly detail: string;
};

/** What a step would come to, or has come to when nothing went wrong. */
export function expectedResult(step: Step): StepResult {
  const { area, item } = step;
  switch (step.kind) {
    case "take":
      return { area, item, outcome: "taken", detail: [step.into, step.note].filter(Boolean).join("; ") };
    case "archive":
      return { area, item, outcome: "archived", detail: step.why };
    case "conflict":
      return { area, item, outcome: "conflict", detail: step.why };
    case "skip":
      return { area, item, outcome: "skipped", detail: step.why };
  }
}
