/** The gateway as a service of the machine's own manager. */
export interface Service {
  readonly name: string;
  readonly file: string;
  readonly hints: readonly string[];
  isInstalled(): Promise<boolean>;
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
