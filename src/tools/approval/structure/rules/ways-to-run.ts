import { type OptionWords, readOptions, valuesOf } from "../../../shell/programs/option-words.ts";
import { hasUnknown, type SimpleCommand } from "../../../shell/simple-command.ts";
import { isKnownName } from "./naming.ts";

/** Words behind which a program takes code: `wp eval`, `rails runner`, `manage.py shell -c`. */
const codeVerb =
  /^(?:--?)?(?:[\w.]+[:-])*(?:eval|evaluate|exec|execute|runner|run-script|tinker|repl|code|expression|expr|script|call|invoke)(?:[:=].*)?$|^-[ceE]$/;
const consoles = /^(?:shell|console|c|dbshell|dbconsole|db|tinker|repl|psysh|irb|iex|shell_plus)$/;
/** A call, a statement, a backquote: no path and no name. */
const codeText =
  /[\w\])]\s*\([^)]*\)|\w\s*\{\s*["'\w]|^\s*(?:set|let|call|run)\s|;\s*\S|\bimport\s+\w|`[^`]+`|=>|\w+\.\w+\s*=|^\s*\w+\s+['"]/;
const ownTexts =
  /^(?:echo|printf|grep|egrep|rg|sed|awk|jq|yq|git|gh|test|\[|\[\[|psql|mysql|mariadb|sqlite3|duckdb|mongosh|redis-cli|curl|docker|podman|kubectl|find|vim?|nvim|ssh|perl|python[\d.]*|node|ruby|php|jest|vitest|mocha|pytest|playwright|cypress|bc|dc|xmllint|xmlstarlet|hyperfine|tmux|export|declare|read|commitlint|claude|codex|hermes|llm|aider)$/;

/** Whatever program it is: code stands behind a word that takes some, or is spoken to a console of it. */
function takesCode({ name = "", args, input, hasHereText, upstream }: SimpleCommand): boolean {
  const isManaged = args
    .slice(0, 1)
    .some(({ text }) => /(?:^|\/)(?:manage\.py|artisan|bin\/(?:rails|console|spring)|wp-cli\.phar)$/.test(text));
  if (ownTexts.test(name) && !isManaged) return false;
  const hasCode = args.some(({ text }, at) => {
    const inline = /^(--?[\w-]*(?:eval|exec\w*|code|script))[:=](.+)$/s.exec(text)?.[2];
    if (inline !== undefined) return codeText.test(inline);
    const before = args[at - 1]?.text ?? "";
    if (/^(?:[\w.]+:)?runner$/.test(before)) return !/^[\w./-]+\.rb$|^-/.test(text);
    return at > 0 && codeVerb.test(before) && codeText.test(text);
  });
  const isSpoken = hasHereText || (input !== undefined && upstream.length > 0);
  return (
    hasCode ||
    (isSpoken &&
      args.slice(0, 2).some(({ text }) => consoles.test(text)) &&
      (isManaged || /^(?:rails|flask|jupyter|django-admin|wp|drush|symfony|mix|heroku|fly|hanami|iex)$/.test(name)))
  );
}

/** Ways to run a program that are no option with a value: a word, an address, an input. */
export function otherwiseRuns(name: string, words: OptionWords, command: SimpleCommand): boolean {
  if (takesCode(command)) return true;
  const texts = command.args.map((arg) => arg.text);
  switch (name) {
    case "git":
      return (
        texts.some((text) => /^ext::|^fd::/.test(text)) ||
        /^(?:-p|--paginate)$/.test(texts[0] ?? "") ||
        texts.includes("--ext-diff") ||
        (texts.includes("clone") && texts.includes("-u"))
      );
    case "vim":
    case "vi":
    case "nvim":
    case "view":
    case "vimdiff":
    case "gvim":
      return editorRuns(texts);
    case "ed":
    case "ex":
      return command.input !== undefined && hasUnknown(command.input);
    case "strace":
    case "ltrace":
      return valuesOf(words, "-o --output").some((one) => /^[|!]/.test(one.text));
    case "gs":
    case "ghostscript":
      return texts.some((text) => /%pipe%|^-dNOSAFER|^-dDELAYSAFER/.test(text));
    case "mvn":
    case "mvnw":
      return texts.some((text) => /^-Dexec\.|^exec:|^antrun:|^-Dmaven\.(?:ext|repo\.remote)/.test(text));
    case "fzf":
    case "sk":
      return texts.some((text, at) => {
        if (!/^--(?:preview|bind)(?:=|$)/.test(text)) return false;
        const value = text.includes("=") ? text.slice(text.indexOf("=") + 1) : (texts[at + 1] ?? "");
        const isProgram = text.startsWith("--preview") && !isKnownName(/^\s*(\S*)/.exec(value)?.[1] ?? "");
        return isProgram || /execute|become|reload|[;&|`$<>()]|rm |sh /.test(value);
      });
    case "ftp":
    case "telnet":
    case "mail":
    case "mailx":
    case "lftp":
      return /^\s*[!~]/m.test(command.input ?? "");
    case "cmake":
      return texts.some((text) =>
        /^-DCMAKE_\w*(?:COMPILER|LAUNCHER|LINKER|TOOLCHAIN_FILE|RULE|INCLUDE)\w*(?::\w+)?=(?:\.{0,2}\/|sh\b|\/tmp)/.test(
          text,
        ),
      );
    case "ninja":
      return valuesOf(readOptions(command.args, { valued: "-f -C" }), "-f").some(
        (one) => one.text !== "build.ninja" && !/build/.test(one.text),
      );
    case "tex":
    case "latex":
    case "pdftex":
    case "pdflatex":
    case "xelatex":
    case "lualatex":
      return texts.some((text) => /write18|directlua|\\input\s*\|/.test(text));
    case "less":
    case "more":
    case "most":
      return texts.some((text) => /^\+.*[!|]|^\+:?[es]/.test(text));
    case "make":
    case "gmake":
      return makeRuns(texts, words);
    case "java":
      return texts.some((text) =>
        /^-(?:javaagent|agentpath|agentlib):|^-XX:(?:OnError|OnOutOfMemoryError|\+?.*ErrorFile)=|^-Djava\.(?:library|ext)/.test(
          text,
        ),
      );
    case "php":
      return valuesOf(words, "-d").some((one) =>
        /auto_(?:prepend|append)_file|disable_functions|extension|allow_url/.test(one.text),
      );
    case "convert":
    case "magick":
    case "identify":
    case "composite":
    case "montage":
      return texts.some((text) =>
        /^\||^(?:msl|ephemeral|mvg|text|label|caption):@?|^(?:https?|ftp):.*[|;`]/.test(text),
      );
    default:
      return startsOthers(name, words, command);
  }
}

/** Plugins that are fetched, scripts that are sourced, and start files of somebody's own. */
function editorRuns(texts: readonly string[]): boolean {
  return texts.some((text, at) =>
    /^\+?:?(?:Plug|Plugin|Packer|Lazy|Pack|Vundle|Dein|Mason|TS|Jetpack|Minpac|Rocks|Coc)\w*(?:Install|Update|Sync|Upgrade|Clean)|^\+?:?(?:Lazy|Rocks)[!]? \w|^\+?:?(?:so|source|luafile|pyfile|runtime)\b/.test(
      text,
    )
      ? true
      : /^-[a-zA-Z]*[uUS]$/.test(text)
        ? !/^(?:NONE|NORC|DEFAULTS)$/.test(texts[at + 1] ?? "")
        : text === "-s" && !texts.some((one) => /^-[a-zA-Z]*[eE]/.test(one)),
  );
}

/** Another shell, text that a shell reads, or a file of rules that does not look like one. */
function makeRuns(texts: readonly string[], words: OptionWords): boolean {
  return (
    texts.some((text) =>
      /^(?:SHELL|\.SHELLFLAGS|MAKE|MAKEFLAGS)=|^[A-Z_]+=.*(?:\$\(shell|`|;|&&|\bsh -c)/.test(text),
    ) ||
    valuesOf(words, "-f --file --makefile").some(
      (one) => !/(?:^|\/)(?:GNU|BSD)?[Mm]akefile[\w.-]*$|\.(?:mk|mak|make)$/.test(one.text) || hasUnknown(one.text),
    )
  );
}

/** Programs that exist to start others. */
function startsOthers(name: string, words: OptionWords, command: SimpleCommand): boolean {
  const texts = command.args.map((arg) => arg.text);
  switch (name) {
    case "run-parts":
    case "logrotate":
      return words.operands.length > 0;
    case "gnome-terminal":
    case "xterm":
    case "konsole":
    case "x-terminal-emulator":
      return words.operands.length > 0 || texts.some((text) => /^-[ex]$|^--$/.test(text));
    case "ld.so":
    case "ld-linux-x86-64.so.2":
    case "ld-linux-aarch64.so.1":
      return true;
    case "w3m":
    case "lynx":
      return texts.some((text) => /^-(?:o|cmd_script)$/.test(text));
    default:
      return false;
  }
}
