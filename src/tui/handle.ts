import type { ApprovalChoice, ApprovalScopes, ApprovalWording } from "#conversation";
import type { TuiExtension } from "./extension.ts";
import type { TuiSettings } from "./settings.ts";
import type { BannerFacts } from "./view/banner.ts";

/** What whoever opened the terminal may tell it while it runs: the first frame comes before most of this is known. */
export interface TuiHandle {
  /** A line for the person, below what is there. */
  say(level: "info" | "warn" | "error", text: string): void;
  /** Asks for a permission outside of any session, as a session would; the end of the signal is a no. */
  approve(question: ApprovalQuestion, signal: AbortSignal): Promise<ApprovalChoice>;
  /** Facts that were not known at the start; those of the banner count until it is printed. */
  tell(facts: TuiFacts): void;
  /** Extensions that were found later, after those that are there. */
  extend(extensions: readonly TuiExtension[]): void;
}

export interface ApprovalQuestion {
  /** What asks, for the title. */
  readonly tool: string;
  /** What would happen, whole. */
  readonly summary: string;
  readonly reasons: readonly string[];
  readonly choices: readonly ApprovalChoice[];
  /** What each choice would allow. */
  readonly scopes?: ApprovalScopes | undefined;
  /** Where the usual words about a command do not fit; such a question waits until it is answered. */
  readonly wording?: ApprovalWording | undefined;
}

export interface TuiFacts {
  readonly banner?: Partial<BannerFacts>;
  readonly branch?: string;
  readonly isConfigChanged?: boolean;
  /** Settings that changed while it runs; drawn from the next frame on. */
  readonly settings?: Partial<TuiSettings> | undefined;
  /** Emojis tools were registered with. */
  readonly toolEmojis?: Readonly<Record<string, string>>;
}
