/** A process of the gateway that runs now. */
export interface GatewayProcess {
  readonly pid: number;
  readonly state: string;
  /** What it does; empty for one that does everything. */
  readonly roles: readonly string[];
  readonly runningTurns: number;
  readonly platforms: readonly {
    readonly id: string;
    readonly state: string;
    readonly problem: string | undefined;
  }[];
}
