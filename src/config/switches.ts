/** What the environment says about this one run. Read once at the start; nothing writes it back. */
export interface ProcessSwitches {
  readonly useTui: boolean;
  readonly isYolo: boolean;
  readonly acceptHooks: boolean;
  readonly ignoreUserConfig: boolean;
  /** Undefined leaves the answer to the terminal. */
  readonly isInteractive: boolean | undefined;
  readonly isQuiet: boolean;
  readonly isHeadless: boolean;
  readonly traceOauth: boolean;
  readonly dumpRequests: boolean;
  readonly sigtermGraceMs: number;
  readonly noColor: boolean;
}

export function readSwitches(variables: Readonly<Record<string, string | undefined>>): ProcessSwitches {
  const isOn = (name: string) => isTruthy(variables[name]);
  const interactive = variables["HERMES_INTERACTIVE"];
  return {
    useTui: isOn("HERMES_TUI"),
    isYolo: isOn("HERMES_YOLO_MODE"),
    acceptHooks: isOn("HERMES_ACCEPT_HOOKS"),
    ignoreUserConfig: isOn("HERMES_IGNORE_USER_CONFIG"),
    isInteractive: interactive === undefined || interactive === "" ? undefined : isTruthy(interactive),
    isQuiet: isOn("HERMES_QUIET"),
    isHeadless: isOn("HERMES_HEADLESS"),
    traceOauth: isOn("HERMES_OAUTH_TRACE"),
    dumpRequests: isOn("HERMES_DUMP_REQUESTS"),
    sigtermGraceMs: seconds(variables["HERMES_SIGTERM_GRACE"], 1.5) * 1000,
    // By convention any value counts, also "0"; only an empty one does not.
    noColor: (variables["NO_COLOR"] ?? "") !== "",
  };
}

/** `1`, `true`, `yes`, `on`, in any case. */
export function isTruthy(value: string | undefined): boolean {
  return ["1", "true", "yes", "on"].includes((value ?? "").trim().toLowerCase());
}

function seconds(value: string | undefined, initial: number): number {
  const parsed = Number(value);
  return value === undefined || value.trim() === "" || !Number.isFinite(parsed) || parsed < 0 ? initial : parsed;
}
