import { cpus } from "node:os";

/**
 * How many threads the engine may use now. Its threads wait for each other after every layer, so one that shares its core
 * with another program holds up all of them: two threads on two busy cores are twenty times slower than one.
 */
export class ThreadPolicy {
  readonly #cores: number;
  #before = look();

  constructor(cores: number) {
    this.#cores = cores;
  }

  /** By what other programs used since the last time this was asked. */
  threads(): number {
    const now = look();
    const { wallMs, busyMs, ownMs } = now;
    const passedMs = (wallMs - this.#before.wallMs) / Math.max(1, now.count);
    if (passedMs < 50) return this.#last;
    const othersMs = Math.max(0, busyMs - this.#before.busyMs - (ownMs - this.#before.ownMs));
    this.#before = now;
    this.#last = threadsFor(this.#cores, othersMs / passedMs);
    return this.#last;
  }

  #last = 1;
}

/** A core that others use for more than a third of the time is theirs. */
export function threadsFor(cores: number, coresOfOthers: number): number {
  return Math.max(1, Math.min(cores, Math.floor(cores - coresOfOthers + 0.66)));
}

interface Look {
  readonly count: number;
  /** Summed over all cores. */
  readonly wallMs: number;
  readonly busyMs: number;
  readonly ownMs: number;
}

function look(): Look {
  const all = cpus();
  let wallMs = 0;
  let idleMs = 0;
  for (const { times } of all) {
    wallMs += times.user + times.nice + times.sys + times.idle + times.irq;
    idleMs += times.idle;
  }
  const { user, system } = process.cpuUsage();
  return { count: all.length, wallMs, busyMs: wallMs - idleMs, ownMs: (user + system) / 1000 };
}
