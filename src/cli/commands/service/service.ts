/** The gateway as a service of the machine's own manager. */
export interface Service {
  readonly manager: "systemd" | "launchd";
  readonly name: string;
  readonly file: string;
  readonly hints: readonly string[];
  isInstalled(): Promise<boolean>;
  /** What its manager says of it now; undefined where that does not answer. */
  state(): Promise<UnitState | undefined>;
  /** What is wrong with how it is installed, for a person to settle. */
  conflicts(): Promise<readonly string[]>;
  /** Its manager is set to end it with the last login of its user, as far as can be known. */
  endsWithLogin(): Promise<boolean>;
  install(): Promise<void>;
  /** Writes its file anew where that is not what this installation would write; says where the earlier one is kept. */
  refresh(): Promise<string | undefined>;
  uninstall(): Promise<void>;
  run(action: "start" | "stop"): Promise<void>;
}

export interface UnitState {
  /** In the manager's words: `active (running)`. */
  readonly text: string;
  /** The process it started and watches. */
  readonly pid: number | undefined;
}
