import { readCommandLine } from "../../shell/read-line.ts";
import type { SimpleCommand } from "../../shell/simple-command.ts";

/** What only looks, whatever its arguments are. */
const lookers: ReadonlySet<string> = new Set(
  (
    "ls cat head tail wc grep egrep fgrep zgrep stat file du df pwd echo true false test [ which whoami id uname " +
    "basename dirname realpath readlink nl cut tr tac rev fold paste comm cmp diff md5sum sha1sum sha256sum sha512sum " +
    "cksum strings od hexdump jq ps printenv seq sleep cd type free uptime nproc getconf groups tty"
  ).split(" "),
);

/** What only looks unless it is told otherwise. */
const lookersUnless: ReadonlyMap<string, RegExp> = new Map([
  ["find", /^-(exec|execdir|ok|okdir|delete|fprint|fprint0|fprintf|fls)$/],
  ["rg", /^--(pre|pre-glob|hostname-bin)(=|$)/],
  ["sort", /^(-[a-zA-Z]*[oT]|--(o|c|t|f))/],
  ["tree", /^(-[a-zA-Z]*[oR]|--o)/],
  ["date", /^(-[a-zA-Z]*s|--s)/],
]);

const gitLooks: ReadonlySet<string> = new Set(
  (
    "status log diff show blame annotate describe shortlog grep ls-files ls-tree rev-parse rev-list cat-file merge-base " +
    "name-rev whatchanged show-ref for-each-ref count-objects version help"
  ).split(" "),
);
const gitActs = /^(-O|--(output|open-files-in-pager|ext-diff|textconv|no-index|refresh|exec|paginate)(=|$))/;

/** Options of git itself that change nothing; `-C` has a value. */
const gitOptions: ReadonlySet<string> = new Set(["--no-pager", "--no-optional-locks", "--literal-pathspecs"]);

/** Names given anew, or variables that decide which program a name means. */
const meansElse = /(^|[\s;&|(`])[A-Za-z_]\w*(\[[^\]]*\])?\+?=|\(\s*\)|\b(function|alias|eval|source)\b/;

/** A program called by a path may be any program. */
const calledByPath = /(^|[;&|(`{!\n]|\b(do|then|else|elif|if|while|until|time)\s)\s*["'\\]?[^\s;&|()<>"']*\//;

/** Whether a command is known to change nothing. When in doubt it is not. */
export function isReadOnlyCommand(
  command: string,
  location: { readonly cwd: string | undefined; readonly home: string },
): boolean {
  if (meansElse.test(command) || calledByPath.test(command)) return false;
  const { commands, forkBombs, problems } = readCommandLine(command, location);
  if (problems.length > 0 || forkBombs.length > 0 || commands.length === 0) return false;
  return commands.every(onlyLooks);
}

function onlyLooks(command: SimpleCommand): boolean {
  const { name, args, writes, wrappers, nameFrom, substituted } = command;
  if (name === undefined || nameFrom !== "literal" || wrappers.length > 0) return false;
  if (!writes.every(({ target }) => target.isKnown && target.text === "/dev/null")) return false;
  if (!substituted.every(onlyLooks)) return false;
  if (lookers.has(name)) return true;
  if (!args.every((arg) => arg.isKnown && !arg.hasGlob)) return false;
  const words = args.map(({ text }) => text);
  const unless = lookersUnless.get(name);
  if (unless !== undefined) return !words.some((word) => unless.test(word));
  return name === "git" && gitOnlyLooks(words);
}

function gitOnlyLooks(words: readonly string[]): boolean {
  let at = 0;
  while (words[at]?.startsWith("-") === true) {
    if (words[at] === "-C") at += 2;
    else if (gitOptions.has(words[at] ?? "")) at += 1;
    else return false;
  }
  const rest = words.slice(at + 1);
  return gitLooks.has(words[at] ?? "") && !rest.some((word) => gitActs.test(word));
}
