import { known, type Vocabulary } from "../fixtures/approval/vocabulary.ts";
import { heldOut } from "../fixtures/approval/vocabulary-held-out.ts";

export type Half = "known" | "held-out";

export interface HostileLine {
  readonly className: string;
  readonly line: string;
  /** Whether the command stands as it is, without disguise and carrier. */
  readonly isPlain: boolean;
}

const vocabularies: Readonly<Record<Half, Vocabulary>> = { known, "held-out": heldOut };

/**
 * Hostile command lines: every command of a class with every target, plain and then in combinations of disguise and
 * carrier drawn by the seed. The same seed gives the same lines.
 */
export function hostileLines(half: Half, { seed, perCommand }: { readonly seed: number; readonly perCommand: number }) {
  const vocabulary = vocabularies[half];
  const random = randomFrom(seed);
  const seen = new Map<string, HostileLine>();
  for (const [className, commands] of Object.entries(vocabulary.classes)) {
    for (const command of commands) {
      const add = (line: string, isPlain: boolean): void => {
        if (!seen.has(line)) seen.set(line, { className, line, isPlain });
      };
      for (const filled of fillings(command, vocabulary.slots)) add(filled, true);
      for (let count = 0; count < perCommand; count += 1) {
        const filled = fill(command, vocabulary.slots, random);
        const hidden = random() < 0.6 ? disguise(filled, pick(vocabulary.disguises, random)) : filled;
        add(random() < 0.6 ? pick(vocabulary.carriers, random)(hidden) : hidden, false);
      }
    }
  }
  return [...seen.values()];
}

const slotPattern = /\{(\w+)\}/g;

/** The command once for each value of its slots, all slots moving together. */
function fillings(command: string, slots: Vocabulary["slots"]): readonly string[] {
  const names = [...command.matchAll(slotPattern)].map((match) => match[1] ?? "").filter((name) => name in slots);
  const most = Math.max(1, ...names.map((name) => slots[name]?.length ?? 1));
  return Array.from({ length: most }, (_, at) => fill(command, slots, () => (at + 0.5) / most));
}

function fill(command: string, slots: Vocabulary["slots"], random: () => number): string {
  return command.replace(slotPattern, (whole, name: string) => {
    const values = slots[name];
    return values === undefined ? whole : pick(values, random);
  });
}

/** The first word is written differently where it is a plain name; otherwise the line stays as it is. */
function disguise(line: string, { word, line: whole }: Vocabulary["disguises"][number]): string {
  if (whole !== undefined) return whole(line);
  const [first = ""] = line.split(/[ \n]/, 1);
  if (word === undefined || !/^[a-z][\w.-]{1,}$/.test(first) || keywords.has(first)) return line;
  return word(first) + line.slice(first.length);
}

const keywords: ReadonlySet<string> = new Set(
  "if while until for case select function coproc time export alias read declare set trap".split(" "),
);

function pick<T>(values: readonly T[], random: () => number): T {
  const value = values[Math.min(values.length - 1, Math.floor(random() * values.length))];
  if (value === undefined) throw new Error("nothing to pick from");
  return value;
}

/** A small generator of numbers in [0, 1), the same for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
