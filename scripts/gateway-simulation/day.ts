/** A day of people who write: who, when, to which of our accounts. The same seed gives the same day. */
export interface DayOptions {
  readonly users: number;
  /** Share of them that write at all on this day. */
  readonly active: number;
  /** Messages of one who writes, on average. */
  readonly messagesEach: number;
  readonly accounts: number;
  /** Messages of one chat that runs hot for an hour. */
  readonly hot: number;
  readonly seed: number;
}

export interface Arrival {
  readonly atMs: number;
  readonly user: number;
  readonly account: number;
  readonly isHot: boolean;
}

const hourMs = 3_600_000;
/** Where people are, as hours away from the clock of the server, and how many of all. */
const zones = [
  { hours: -7, share: 0.2 },
  { hours: -4, share: 0.2 },
  { hours: 1, share: 0.35 },
  { hours: 8, share: 0.25 },
] as const;
/** How much is written in each hour of a person's own day. */
const wakefulness = [1, 1, 1, 1, 1, 2, 4, 8, 10, 10, 9, 9, 10, 9, 8, 8, 8, 9, 10, 12, 12, 10, 6, 3];
const hotHour = 14;

export function arrivalsOf(options: DayOptions): readonly Arrival[] {
  const random = randomFrom(options.seed);
  const arrivals: Arrival[] = [];
  for (let user = 0; user < options.users; user += 1) {
    if (random() > options.active) continue;
    const account = user % options.accounts;
    const zone = pick(zones, random());
    let left = 1 + Math.floor(-Math.log(1 - random()) * (options.messagesEach - 1));
    while (left > 0) {
      // People write in bursts: a few messages within minutes, then nothing for hours.
      const burst = Math.min(left, 1 + Math.floor(random() * 3));
      let atMs = (((hourOf(random()) - zone.hours + 24) % 24) + random()) * hourMs;
      for (let one = 0; one < burst; one += 1) {
        arrivals.push({ atMs, user, account, isHot: false });
        atMs += 2_000 + random() * 180_000;
      }
      left -= burst;
    }
  }
  for (let one = 0; one < options.hot; one += 1)
    arrivals.push({ atMs: (hotHour + random()) * hourMs, user: options.users, account: 0, isHot: true });
  return arrivals.sort((left, right) => left.atMs - right.atMs);
}

function pick<T extends { readonly share: number }>(from: readonly T[], at: number): T {
  let sum = 0;
  for (const one of from) {
    sum += one.share;
    if (at < sum) return one;
  }
  return from[from.length - 1] as T;
}

function hourOf(at: number): number {
  const total = wakefulness.reduce((sum, share) => sum + share, 0);
  let sum = 0;
  return Math.max(
    0,
    wakefulness.findIndex((share) => {
      sum += share / total;
      return at < sum;
    }),
  );
}

/** Mulberry32: small, and good enough for a day. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
