import { codeUse, interpreterOf, type Language } from "../../../shell/programs/interpreters.ts";
import { readOptions, valuesOf } from "../../../shell/programs/option-words.ts";
import { hasUnknown, literal, type SimpleCommand } from "../../../shell/simple-command.ts";
import { codeEffects } from "../code/effects.ts";
import { lex } from "../code/lexer.ts";
import { keys } from "../keys.ts";
import { type PathLocation, patternOf } from "../paths.ts";
import { styleOf } from "../programs/styles.ts";
import { isOwn, isSecretPath, zoneOf } from "../zones.ts";
import { isElsewhere } from "./elsewhere.ts";

/** What code in the words or on the input of a command does outside itself, when somebody should be asked. */
export function codeKeys(command: SimpleCommand, location: PathLocation): readonly string[] {
  const { language, sources } = codesOf(command);
  if (language === undefined) return [];
  return [
    ...(sources.some((source) => hasEffects(source, language, { command, location })) ? [keys.code] : []),
    ...(isElsewhere(command) ? [] : sources.flatMap((source) => namedInCode(source, language, { command, location }))),
  ];
}

/** Paths that code names in its texts, when they lead to secrets or to files of Hermes itself. */
function namedInCode(
  source: string,
  language: Language,
  { command, location }: { readonly command: SimpleCommand; readonly location: PathLocation },
): readonly string[] {
  if (language === "sed" || language === "editor" || language === "database") return [];
  const named = lex(source, language).texts.filter(
    (text) => /^(?:\/|~|\.{1,2}\/|\.\w)\S*$/.test(text) && text.length < 1_000,
  );
  // `HOME + "/.ssh"` and `HOME, ".ssh"` name a file of the home folder.
  const paths = named.flatMap((text) => [text, ...(/^\/?\.\w/.test(text) ? [`~/${text.replace(/^\//, "")}`] : [])]);
  return paths.flatMap((text) => {
    const target = patternOf(literal(text.replace(/^~(?=\/|$)/, location.home)), command, location);
    if (target === undefined) return [];
    if (isOwn(target, location)) return [keys.ownFiles];
    return isSecretPath(target, false, location) ? [keys.secret] : [];
  });
}

export interface Codes {
  readonly language: Language | undefined;
  readonly sources: readonly string[];
}

export function codesOf(command: SimpleCommand): Codes {
  const name = command.name ?? "";
  const words = readOptions(command.args, styleOf(name));
  if (name === "sed" || name === "gsed") {
    const supplied = valuesOf(words, "-e --expression");
    return {
      language: "sed",
      sources: (supplied.length > 0 || valuesOf(words, "-f --file").length > 0
        ? supplied
        : words.operands.slice(0, 1)
      ).map((one) => one.text),
    };
  }
  if (/^(?:vim?|nvim|view|ex|vimdiff)$/.test(name)) {
    const plus = command.args.filter((arg) => /^\+[^\d]/.test(arg.text)).map((arg) => arg.text.slice(1));
    return { language: "editor", sources: [...valuesOf(words, "-c --cmd").map((one) => one.text), ...plus] };
  }
  if (name === "ed") return { language: "editor", sources: [command.input ?? ""] };
  const use = codeUse(command);
  if (use === undefined) return namedByFirstLine(command.scriptText);
  const inWords =
    use.language === "awk" && use.codes.length === 0 && valuesOf(words, "-f --file").length === 0
      ? use.file === undefined
        ? []
        : [use.file]
      : use.codes;
  return {
    language: use.language,
    sources: [
      ...inWords.map((one) => one.text),
      ...(use.readsInput ? [command.input ?? ""] : []),
      ...(use.language === "awk" || command.scriptText === undefined ? [] : [command.scriptText]),
    ],
  };
}

/** A script that is called by its path says itself which language it is in. */
function namedByFirstLine(text: string | undefined): Codes {
  const program = /^#!\s*(?:\S*\/)?(?:env\s+(?:-S\s+)?)?([\w.-]+)/.exec(text ?? "")?.[1];
  const language = program === undefined ? undefined : interpreterOf(program)?.language;
  return { language, sources: language === undefined ? [] : [text ?? ""] };
}

/** Judges code as text, also for input to a running interpreter. */
export function hasEffects(
  source: string,
  language: Language,
  { command, location }: { readonly command: SimpleCommand; readonly location: PathLocation },
): boolean {
  const effects = codeEffects(source, language);
  if (effects.runs || effects.deletes || effects.connects || effects.isDynamic) return true;
  if (isElsewhere(command)) return false;
  return effects.writes.some((path) => {
    if (path === undefined || path === "" || hasUnknown(path)) return language !== "awk" && language !== "other";
    const zone = zoneOf(literal(path), command, location);
    return zone !== "workspace" && zone !== "temp" && zone !== "nowhere";
  });
}
