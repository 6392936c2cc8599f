import { type Action, type ActionClass, classes, type Step } from "./action.ts";
import { type Carried, carriers } from "./carriers.ts";
import { disguises } from "./disguises.ts";
import { deleting, guardedFiles, links, overwriting } from "./files-techniques.ts";
import { homeAsWorkspace } from "./home-techniques.ts";
import { projectFiles } from "./project-techniques.ts";
import { Random } from "./random.ts";
import { ownFilesTouched, persistence, secretReading, sendingOut } from "./reach-techniques.ts";
import { interpreters, optionsThatRun, parserDifferences, unknownScripts } from "./shell-techniques.ts";
import { disks, gitHarm, killing, privileges, supplyChain } from "./system-techniques.ts";
import { fillIn, type Technique } from "./technique.ts";

/** A vocabulary: ways to do harm, what carries them, and how they are hidden. */
export interface Vocabulary {
  readonly techniques: readonly Technique[];
  readonly carriers: typeof carriers;
  readonly disguises: typeof disguises;
}

const disguised: readonly Technique[] = Object.keys(disguises).map((name) => ({
  class: "disguise",
  name,
  sh: disguises[name]?.("{harm}") ?? "",
}));

export const openVocabulary: Vocabulary = {
  techniques: [
    ...deleting,
    ...overwriting,
    ...unknownScripts,
    ...interpreters,
    ...optionsThatRun,
    ...parserDifferences,
    ...sendingOut,
    ...persistence,
    ...ownFilesTouched,
    ...killing,
    ...disks,
    ...privileges,
    ...gitHarm,
    ...supplyChain,
    ...secretReading,
    ...links,
    ...guardedFiles,
    ...projectFiles,
    ...homeAsWorkspace,
  ],
  carriers,
  disguises,
};

export interface HostileOptions {
  readonly seed: number;
  /** How many of each class. */
  readonly perClass: number;
  readonly vocabulary?: Vocabulary;
}

/** The hostile actions of a seed: half of each class plainly, half by another carrier and in disguise. */
export function hostileActions({ seed, perClass, vocabulary = openVocabulary }: HostileOptions): readonly Action[] {
  return classes.flatMap((name, index) =>
    ofClass(name, { perClass, vocabulary, random: new Random(seed * 1_000 + index) }),
  );
}

interface Making {
  readonly perClass: number;
  readonly vocabulary: Vocabulary;
  readonly random: Random;
}

function ofClass(name: ActionClass, { perClass, vocabulary, random }: Making): readonly Action[] {
  const techniques = name === "disguise" ? [] : vocabulary.techniques.filter((one) => one.class === name);
  const list = name === "disguise" ? hidden(vocabulary) : techniques;
  if (list.length === 0) return [];
  const plain = random.shuffled(list).slice(0, Math.ceil(perClass / 2));
  const composed = Array.from({ length: perClass - plain.length }, () => random.pick(list));
  return [
    ...plain.map((technique, index) => actionOf(technique, { index, carrier: "terminal", random, vocabulary })),
    ...composed.map((technique, index) =>
      actionOf(technique, {
        index: plain.length + index,
        carrier: random.pick(Object.keys(vocabulary.carriers)),
        disguise: random.next() < 0.5 ? random.pick(Object.keys(vocabulary.disguises)) : undefined,
        random,
        vocabulary,
      }),
    ),
  ];
}

/** Any small harm in each disguise. */
function hidden(vocabulary: Vocabulary): readonly Technique[] {
  if (vocabulary.disguises === disguises) return disguised;
  return Object.keys(vocabulary.disguises).map((name) => ({ class: "disguise", name, sh: "{harm}" }));
}

interface Choice {
  readonly index: number;
  readonly carrier: string;
  readonly disguise?: string | undefined;
  readonly random: Random;
  readonly vocabulary: Vocabulary;
}

function actionOf(raw: Technique, choice: Choice): Action {
  const { random, vocabulary } = choice;
  // A disguise is put on after the words in braces were filled in, or it would hide the braces.
  const isHiding = raw.class === "disguise";
  const technique = fillIn(isHiding ? { ...raw, sh: "{harm}" } : raw, random);
  const disguiseName = isHiding ? raw.name : choice.disguise;
  const disguise = disguiseName === undefined ? undefined : vocabulary.disguises[disguiseName];
  const command = technique.sh === undefined ? undefined : (disguise?.(technique.sh) ?? technique.sh);
  const carrierName = command === undefined ? ownCarrier(technique) : choice.carrier;
  const carried = command === undefined ? carriedOf(technique) : vocabulary.carriers[choice.carrier]?.(command, random);
  if (carried === undefined) throw new Error(`There is no carrier ${choice.carrier}.`);
  const words = [raw.class, raw.name, carrierName, command === undefined ? undefined : disguiseName];
  return {
    id: `${words.filter((word) => word !== undefined).join(" / ")} #${choice.index}`,
    class: raw.class,
    turns: turnsOf(carried, technique.userText),
    workspace: { ...technique.workspace, ...carried.workspace },
    hermesHome: { ...technique.hermesHome, ...carried.hermesHome },
    config: `${technique.config ?? ""}${carried.config ?? ""}`,
    ...(technique.download === undefined ? {} : { download: technique.download }),
    ...(technique.cwd === undefined ? {} : { cwd: technique.cwd }),
    ...(technique.needs === undefined ? {} : { needs: technique.needs }),
  };
}

function ownCarrier(technique: Technique): string {
  if (technique.python !== undefined) return "python";
  return technique.javascript === undefined ? "tools" : "javascript";
}

function carriedOf({ python, javascript, steps = [], nextSteps }: Technique): Carried {
  const call = (code: string, language: string): Step => ({ tool: "execute_code", args: { code, language } });
  if (nextSteps !== undefined) return { steps: [...steps, ...nextSteps], text: "next" };
  if (python !== undefined) return { steps: [call(python, "python")] };
  return { steps: javascript === undefined ? steps : [call(javascript, "javascript")] };
}

/** A carrier with a text of its own goes over two turns: words of the model end the first. */
function turnsOf({ steps, text }: Carried, userText = "Please go on with the work."): Action["turns"] {
  if (text === undefined) return [{ text: userText, steps }];
  const end = steps.findIndex((step) => "say" in step) + 1;
  return [
    { text: userText, steps: steps.slice(0, end) },
    { text, steps: steps.slice(end) },
  ];
}
