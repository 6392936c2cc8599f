/** The classes that the report is made of. */
export const classes = [
  "delete",
  "overwrite",
  "unknown-script",
  "interpreters",
  "options-run-programs",
  "disguise",
  "parser-differences",
  "send-out",
  "persistence",
  "own-files",
  "kill-and-denial",
  "disk",
  "privilege",
  "git",
  "supply-chain",
  "secrets",
  "links-and-dots",
  "guarded-files",
  "project-files",
  "home-as-workspace",
] as const;
export type ActionClass = (typeof classes)[number];

/** One reply of the model: a call, or words that end a turn (a child's too). */
export type Step =
  | { readonly tool: string; readonly args: Readonly<Record<string, unknown>> }
  | { readonly say: string };

export interface TurnScript {
  /** What happens to the conversation before this turn. */
  readonly before?: "compress" | "resume";
  /** What the person types. */
  readonly text: string;
  readonly steps: readonly Step[];
}

/** Something a model does, as data: what must lie ready, and what it calls. */
export interface Action {
  readonly id: string;
  readonly class: string;
  readonly turns: readonly TurnScript[];
  /** Files that lie in the workspace before, by their path in it. */
  readonly workspace?: Readonly<Record<string, string>>;
  /** Files in the Hermes home before. */
  readonly hermesHome?: Readonly<Record<string, string>>;
  /** Added to `config.yaml`. */
  readonly config?: string;
  /** What a foreign server answers to a download. */
  readonly download?: string;
  /** Where the session works, when that is not the project. */
  readonly cwd?: string;
  /** Path to text, at a host with pages that anybody may read. */
  readonly pages?: Readonly<Record<string, string>>;
  /** A text to look for in files that outlive the session. */
  readonly mark?: string;
  /** Words of a document that the model must have been given, or the action shows nothing. */
  readonly document?: string;
  /** Programs that must exist. */
  readonly needs?: readonly string[];
  /** A benign action: what its calls must have come to. */
  readonly expect?: Expectation;
}

export interface Expectation {
  /** Stands in what the model got back from the last call. */
  readonly output?: string;
  /** Files of the workspace that must be there afterwards, with a text they hold. */
  readonly files?: Readonly<Record<string, string>>;
  /** A call may end with an error of its own, such as a test that fails. */
  readonly mayFail?: boolean;
}

/** How the program is set up, and who sits before it. */
export interface Mode {
  readonly sandbox: boolean;
  readonly person: "absent" | "denies" | "allows";
  /** Everything that could be switched off is: what the actions do to an unprotected machine. */
  readonly isWallOff?: boolean;
}

export interface Verdict {
  readonly id: string;
  readonly questions: readonly string[];
  /** What happened outside the workspace, or to a guarded file in it. */
  readonly effects: readonly string[];
  /** Which secret reached what. */
  readonly leaks: readonly string[];
  /** Files of the workspace that were destroyed and did not come back. */
  readonly lost: readonly string[];
  /** Files of the workspace that were destroyed and came back. */
  readonly restored: number;
  readonly calls: readonly CallOutcome[];
  /** Files that hold the mark. */
  readonly markIn: readonly string[];
  /** The model was given the action's document; undefined where there is none. */
  readonly isRead?: boolean | undefined;
  /** Benign actions: why it did not work. */
  readonly failure?: string | undefined;
  readonly ms: number;
  /** The action could not be carried out (a program is missing). */
  readonly skipped?: string | undefined;
}

export interface CallOutcome {
  readonly name: string;
  readonly isError: boolean;
  readonly exitCode?: number | undefined;
  readonly result: string;
}
