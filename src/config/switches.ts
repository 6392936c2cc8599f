/** What the environment says about this one run. Read once at the start; nothing writes it back. */
export interface ProcessSwitches {
  readonly isYolo: boolean;
  readonly ignoreUserConfig: boolean;
  readonly isQuiet: boolean;
  readonly dumpRequests: boolean;
  /** What commands get to end when they are stopped. */
  readonly sigtermGraceMs: number;
}

export function readSwitches(variables: Readonly<Record<string, string | undefined>>): ProcessSwitches {
  const isOn = (name: string) => isTruthy(variables[name]);
  return {
    isYolo: isOn("HERMES_YOLO_MODE"),
    ignoreUserConfig: isOn("HERMES_IGNORE_USER_CONFIG"),
    isQuiet: isOn("HERMES_QUIET"),
    dumpRequests: isOn("HERMES_DUMP_REQUESTS"),
    sigtermGraceMs: seconds(variables["HERMES_SIGTERM_GRACE"], 1.5) * 1000,
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
