import type { Language } from "../../shell/programs/interpreters.ts";
import { literal, type SimpleCommand } from "../../shell/simple-command.ts";
import { codeEffects } from "../structure/code/effects.ts";
import type { PathLocation } from "../structure/paths.ts";
import { zoneOf } from "../structure/zones.ts";
import { startedCommands } from "./started-commands.ts";

/** Longer code is read by nobody. */
const maxCodeChars = 20_000;

/** Words by which code hides what it does, also from a reader of its calls. A language that is not here is not read. */
const hiding: Readonly<Partial<Record<Language, RegExp>>> = {
  python:
    /__(?!(?:name|main|init|file|doc|version|all|str|repr|len|iter|next|enter|exit|eq|lt|hash|call|future)__)\w+__|\b(?:chr|bytes|bytearray|urlopen|urlretrieve|chdir|setattr|base64|binascii|zlib|bz2|lzma|signal|resource|fcntl|sys\s*\.\s*modules)\b|\.\s*decode\s*\(|\\x[0-9a-f]{2}|\\u[0-9a-f]{4}|\\[0-7]{3}|\b(?:os|subprocess|shutil)\s+as\b|\bfrom\s+(?:subprocess|shutil)\b|=\s*os\b(?!\.)|\.\s*(?:system|popen|exec[lv]\w*|spawn\w*|fork\w*|remove|unlink|rmdir|rmtree|truncate|kill\w*)\b/i,
  javascript:
    /\bfromCharCode|\bfromCodePoint|\bBuffer\b|\bconstructor\b|\bprototype\b|\bproxy\b|\bmainModule\b|\bgetBuiltinModule\b|\bchdir\b|\bglobalThis\b|\bglobal\b|\]\s*\(|\\x[0-9a-f]{2}|\\u|\bprocess\s*\.\s*env\b|\bworker|\b(?:rm|rmdir|unlink|truncate)(?:Sync)?\b|\brimraf\b|\bkill\b/i,
  perl: /[@$]\{|\bchr\b|\bord\b|\bhex\b|\bopen\b|&\s*[{$]|->\s*[$(]|\\x|\bchdir\b|\bqw?x\b|<[^>\s=]*\||%ENV|\$ENV|\bs([^\w\s])(?:(?!\1).)*\1(?:(?!\1).)*\1[a-z]*e|\bs\s*[{(<[]/i,
  ruby: /#\{|\bchr\b|\bpack\b|\bmethod\b|\bopen\b|\bload\b|\bObject\b|\bENV\b|\\x|\bchdir\b|\btap\b|\b__\w+__/i,
  awk: /\bENVIRON\b|\bgetline\b/,
  sed: /(?!)/,
};

/** What is known of code that may run without a question inside a sandbox. */
export interface ReadCode {
  /** Command lines that it starts: it is as harmless as they are. */
  readonly commands: readonly string[];
}

/**
 * Reads code that a sandbox holds. Undefined when it needs a person's word all the same: it is not to be read, deletes,
 * talks to machines it does not name, makes code as it runs, or writes elsewhere than in the workspace and temporary folders.
 */
export function readCode(
  source: string,
  language: Language,
  { command, location }: { readonly command: SimpleCommand; readonly location: PathLocation },
): ReadCode | undefined {
  const hides = hiding[language];
  if (hides === undefined || source.length > maxCodeChars || source.normalize("NFKC") !== source) return undefined;
  const started = startedCommands(source, language);
  // Letters that look like others belong into texts at most.
  if (started === undefined || /[^\t\n\r\u0020-\u007e]/.test(started.rest)) return undefined;
  const effects = codeEffects(source, language);
  // What stands in a text may be code too, where texts begin and end elsewhere than it looks.
  for (const text of [started.rest, ...started.texts]) {
    if (hides.test(text)) return undefined;
    const { runs, deletes, connects, isDynamic } = codeEffects(text, language);
    if (runs || deletes || connects || isDynamic) return undefined;
  }
  if (effects.deletes || effects.isDynamic) return undefined;
  const isInside = effects.writes.every((file) => {
    if (file === undefined || file === "") return false;
    const zone = zoneOf(literal(file), command, location);
    return zone === "workspace" || zone === "temp" || zone === "nowhere";
  });
  return isInside ? { commands: started.commands } : undefined;
}
