import { numbersIn } from "./answers.ts";
import type { Crowd } from "./crowd.ts";

export interface Tally {
  /** Messages that no model saw. */
  readonly lostIn: number;
  /**
   * Of services that hand a message over once and are told nothing: the last ones that were written to a connection
   * before it ended. Nobody but the service had them.
   */
  readonly lostOnWire: number;
  /** Messages a model saw, and whose answer nobody did. */
  readonly lostOut: number;
  /** Messages that were given up, as people were told, because the process died in each of three attempts. */
  readonly givenUp: number;
  /** Answers shown again without saying so. */
  readonly doubled: number;
  /** Answers shown again and marked, where the platform cannot say whether the first arrived. */
  readonly resent: number;
  readonly resentBy: Readonly<Record<string, number>>;
  /** Chats in which an answer came before that of an earlier message, or that of another chat. */
  readonly outOfOrder: number;
  /** Some of those, to look at. */
  readonly disordered: readonly string[];
  /** Some messages without an answer. */
  readonly missing: readonly string[];
  readonly toolRuns: number;
  /** Tool calls that took effect twice. */
  readonly doubleToolRuns: number;
}

export interface Observed {
  readonly messages: number;
  readonly chats: number;
  readonly seen: ReadonlySet<number>;
  /** What tools wrote, from every machine. */
  readonly marks: string;
  /** The words of messages that the gateway has given up. */
  readonly givenUp: readonly string[];
}

export function tally(crowds: readonly Crowd[], { messages, chats, seen, marks, givenUp }: Observed): Tally {
  const shown = new Map<number, { plain: number; marked: number }>();
  const disordered = new Map<string, string>();
  const resentBy = new Map<string, number>();
  for (const [place, crowd] of crowds.entries()) {
    const lastIn = new Map<number, number>();
    for (const { chat, text } of crowd.shown()) {
      const isMarked = text.includes("(resent)");
      for (const number of numbersIn(text)) {
        const { plain, marked } = shown.get(number) ?? { plain: 0, marked: 0 };
        shown.set(number, isMarked ? { plain, marked: marked + 1 } : { plain: plain + 1, marked });
        if (isMarked) resentBy.set(crowd.platform, (resentBy.get(crowd.platform) ?? 0) + 1);
        if (isMarked) continue;
        const isElsewhere = number % chats !== chat || chat % crowds.length !== place;
        const isLate = crowd.keepsNoOrder !== true && number < (lastIn.get(chat) ?? -1);
        const why = isElsewhere ? "in another chat" : `after #${lastIn.get(chat)}`;
        if (isElsewhere || isLate) disordered.set(`${crowd.platform}:${chat}`, `#${number} ${why}`);
        lastIn.set(chat, number);
      }
    }
  }
  const counts = [...shown.values()];
  const runs = new Map<string, number>();
  for (const [mark] of marks.matchAll(/mark\d+/gu)) runs.set(mark, (runs.get(mark) ?? 0) + 1);
  const all = Array.from({ length: messages }, (_, number) => number);
  const onWire = lostOnWire(crowds, seen);
  const gone = new Set(givenUp.flatMap(numbersIn).filter((number) => !shown.has(number)));
  return {
    lostIn: all.filter((number) => !seen.has(number) && !onWire.has(number) && !gone.has(number)).length,
    lostOnWire: onWire.size,
    lostOut: all.filter((number) => seen.has(number) && !shown.has(number) && !gone.has(number)).length,
    givenUp: gone.size,
    doubled: counts.reduce((sum, { plain }) => sum + Math.max(0, plain - 1), 0),
    resent: counts.reduce((sum, { marked }) => sum + marked, 0),
    resentBy: Object.fromEntries(resentBy),
    outOfOrder: disordered.size,
    disordered: [...disordered].slice(0, 10).map(([chat, why]) => `${chat}: ${why}`),
    missing: all
      .filter((number) => !shown.has(number))
      .slice(0, 20)
      .map((number) => `${crowds[(number % chats) % crowds.length]?.platform}: #${number}`),
    toolRuns: runs.size,
    doubleToolRuns: [...runs.values()].filter((count) => count > 1).length,
  };
}

/** Messages are taken in one after the other, so what was on the way is the end of what a connection was given. */
function lostOnWire(crowds: readonly Crowd[], seen: ReadonlySet<number>): ReadonlySet<number> {
  const lost = new Set<number>();
  for (const connection of crowds.flatMap((crowd) => crowd.handedOver?.() ?? [])) {
    const numbers = connection.flatMap(numbersIn);
    const lastSeen = numbers.findLastIndex((number) => seen.has(number));
    for (const number of numbers.slice(lastSeen + 1)) lost.add(number);
  }
  return lost;
}
