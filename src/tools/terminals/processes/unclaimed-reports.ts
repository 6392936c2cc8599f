import { disposable } from "#foundation/lifecycle/disposal";

/** What a background process reports to a session that is not open here. */
export interface UnclaimedReport {
  /** Of the session that started it. */
  readonly sessionKey: string;
  readonly processId: string;
  readonly text: string;
}

const mostKept = 100;

/** Reports for sessions that are not open: after a restart, processes of the run before. Kept until somebody takes them. */
export class UnclaimedReports {
  readonly #kept: UnclaimedReport[] = [];
  #take: ((report: UnclaimedReport) => void) | undefined;

  add(report: UnclaimedReport): void {
    if (this.#take === undefined) this.#kept.push(report);
    else this.#take(report);
    if (this.#kept.length > mostKept) this.#kept.shift();
  }

  /** Those that are kept, and from now on each that comes. */
  listen(take: (report: UnclaimedReport) => void): Disposable {
    this.#take = take;
    for (const report of this.#kept.splice(0)) take(report);
    return disposable(() => {
      this.#take = undefined;
    });
  }
}
