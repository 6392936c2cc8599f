import { codeUse, interpreterOf } from "../../shell/programs/interpreters.ts";
import { shells } from "../../shell/reading/scripts.ts";
import { hasUnknown, type SimpleCommand } from "../../shell/simple-command.ts";
import { isInside, isProjectConfig, isSensitive, pathOf } from "./paths.ts";
import { type CommandRule, hasOption, isRecursive, onNames, operandsOf, type RuleContext, subcommand } from "./rule.ts";

const downloaders = new Set(["curl", "wget", "fetch", "http", "https", "aria2c", "lwp-request"]);
const worldWritable = /^(?:0?777|0?666|[0-7]?[0-7][0-7][2367]|(?:[ugo]*[oa][ugo]*)?[+=][rwxXst]*w[rwxXst]*)$/;

const isShell = (name: string | undefined): boolean => shells.has(name ?? "");
const isInterpreter = (name: string | undefined): boolean => {
  const known = interpreterOf(name ?? "");
  // What filters data takes none of it for code.
  return known !== undefined && known.language !== "awk" && name !== "jq";
};
const destination = (command: SimpleCommand) => operandsOf(command).at(-1);
const copies = ["cp", "mv", "install", "rsync", "ln"];

/** What needs a person's word. In order; the first that matches names the finding. */
export const flaggedRules: readonly CommandRule[] = [
  {
    id: "B14",
    key: "obfuscated command",
    matches: (command) => command.wrappers.includes("decoded") || command.nameFrom === "substitution",
  },
  onNames(["D01", "delete in root path"], ["rm"], deletesRootPath),
  onNames(
    ["D02", "recursive delete"],
    ["rm"],
    (command) => !command.wrappers.includes("xargs") && isRecursive(command),
  ),
  {
    id: "D04",
    key: "world/other-writable permissions",
    matches: (command) => command.name === "chmod" && givesWrite(command),
  },
  onNames(
    ["D06", "recursive chown to root"],
    ["chown"],
    (command) => isRecursive(command) && /^root(?::|$)/.test(operandsOf(command)[0]?.text ?? ""),
  ),
  onNames(["D09", "disk copy"], ["dd"], (command) => command.args.some((arg) => arg.text.startsWith("if="))),
  {
    id: "D14",
    key: "overwrite system config",
    matches: (command, { location }) => writesTo(command, (target) => isInside(target, "/etc"), location.home),
  },
  onNames(["D15", "stop/restart system service"], ["systemctl"], (command) =>
    ["stop", "restart", "disable", "mask", "kill"].some((word) => subcommand(command, word)),
  ),
  onNames(
    ["D17", "force kill processes"],
    ["pkill"],
    (command) => !killsHermes(command) && hasOption(command, /^-(?:9|KILL|SIGKILL)$/),
  ),
  { id: "D22", key: "execute remote script via process substitution", matches: runsDownloadedSubstitution },
  { id: "D21", key: "pipe remote content to shell", matches: pipesDownload },
  {
    id: "D19",
    key: "shell command via -c/-lc flag",
    matches: (command) => isShell(command.name) && command.args.some((arg) => /^-[a-zA-Z]*c$/.test(arg.text)),
  },
  { id: "D20", key: "script execution via -e/-c flag", matches: runsInlineCode },
  onNames(["D23", "overwrite system file via tee"], ["tee"], (command, { location }) =>
    operandsOf(command).some((arg) => isSensitive(arg, command, location)),
  ),
  {
    id: "D24",
    key: "overwrite system file via redirection",
    matches: (command, { location }) => command.writes.some((write) => isSensitive(write.target, command, location)),
  },
  onNames(["D25", "overwrite project env/config via tee"], ["tee"], (command) =>
    operandsOf(command).some(isProjectConfig),
  ),
  {
    id: "D26",
    key: "overwrite project env/config via redirection",
    matches: (command) => command.writes.some((write) => isProjectConfig(write.target)),
  },
  {
    id: "D27",
    key: "xargs with rm",
    matches: (command) => ["rm", "unlink", "shred"].includes(command.name ?? "") && command.wrappers.includes("xargs"),
  },
  {
    id: "D28",
    key: "find -exec rm",
    matches: (command) => ["rm", "unlink", "shred"].includes(command.name ?? "") && command.wrappers.includes("find"),
  },
  onNames(["D29", "find -delete"], ["find", "gfind", "bfs"], (command) =>
    command.args.some((arg) => arg.text === "-delete"),
  ),
  onNames(["D30", "stop/restart hermes gateway (kills running agents)"], ["hermes"], (command) =>
    ["stop", "restart"].some((word) => subcommand(command, "gateway", word)),
  ),
  onNames(["D31", "hermes update (restarts gateway, kills running agents)"], ["hermes"], (command) =>
    subcommand(command, "update"),
  ),
  onNames(
    ["D32", "start gateway outside systemd (use 'systemctl --user restart hermes-gateway')"],
    ["hermes"],
    (command) =>
      subcommand(command, "gateway", "run") &&
      (command.isBackground || command.wrappers.some((one) => ["nohup", "setsid"].includes(one))),
  ),
  { id: "D34", key: "kill hermes/gateway process (self-termination)", matches: killsHermes },
  { id: "D35", key: "kill process via pgrep expansion (self-termination)", matches: killsByPgrep },
  onNames(["D37", "copy/move file into /etc/"], copies, (command, { location }) => {
    const target = destination(command);
    const resolved = target === undefined ? undefined : pathOf(target, command, location);
    return resolved !== undefined && isInside(resolved, "/etc");
  }),
  onNames(["D38", "overwrite project env/config file"], copies, (command) => {
    const target = destination(command);
    return target !== undefined && operandsOf(command).length > 1 && isProjectConfig(target);
  }),
  onNames(
    ["D39", "in-place edit of system config"],
    ["sed", "perl"],
    (command, { location }) =>
      hasOption(command, /^-[a-zA-Z]*i|^--in-place/) &&
      operandsOf(command).some((arg) => isInside(pathOf(arg, command, location) ?? "", "/etc")),
  ),
  {
    id: "D41",
    key: "script execution via heredoc",
    matches: (command) => command.hasHereText && codeUse(command)?.readsInput === true,
  },
  ...gitRules(),
  { id: "D47", key: "chmod +x followed by immediate execution", matches: makesAndRuns },
  onNames(["B05", "destructive file operation"], ["mv"], (command) => operandsOf(command).at(-1)?.text === "/dev/null"),
  onNames(["B17", "force kill processes"], ["killall"], (command) => hasOption(command, /^-(?:9|KILL|SIGKILL)$/)),
  onNames(["B17", "force kill processes"], ["kill"], (command) => {
    const words = command.args.map((arg) => arg.text);
    return words.includes("0") && words.some((word) => /^-(?:9|KILL|SIGKILL)$/.test(word));
  }),
  { id: "B13", key: "secret exposure", matches: sendsEnvironment },
];

function deletesRootPath(command: SimpleCommand, { location }: RuleContext): boolean {
  if (command.wrappers.includes("xargs") || command.wrappers.includes("find")) return false;
  const absolutes = operandsOf(command).filter((arg) => arg.text.startsWith("/") && !isInside(arg.text, location.home));
  return absolutes.some((arg) => {
    if (isRecursive(command)) return true;
    const target = pathOf(arg, command, location) ?? arg.text;
    const isHarmless = [...location.tempDirs, ...(location.workspace === undefined ? [] : [location.workspace])].some(
      (folder) => isInside(target, folder) && target !== folder,
    );
    return !isHarmless;
  });
}

function givesWrite(command: SimpleCommand): boolean {
  const mode = command.args.find((arg) => !/^-[a-zA-Z]+$|^--/.test(arg.text) || /^-[rwx]+$/.test(arg.text));
  if (mode === undefined || /^[ug]+[+=]/.test(mode.text)) return false;
  return mode.text.split(",").some((part) => worldWritable.test(part));
}

function writesTo(command: SimpleCommand, accepts: (target: string) => boolean, home: string): boolean {
  const location = { home, tempDirs: [], workspace: undefined, hermesHome: home };
  return command.writes.some((write) => accepts(pathOf(write.target, command, location) ?? ""));
}

function pipesDownload(command: SimpleCommand, { line, index }: RuleContext): boolean {
  const runs =
    isShell(command.name) || isInterpreter(command.name) || ["source", ".", "eval"].includes(command.name ?? "");
  if (!runs) return false;
  const isEvaluated = command.name === "eval" && command.args.some((arg) => !arg.isKnown);
  const isDownload = (one: SimpleCommand): boolean =>
    downloaders.has(one.name ?? "") && one.wrappers.includes("substitution");
  if (isEvaluated && line.commands.some(isDownload)) return true;
  const readsInput =
    !operandsOf(command).some((arg) => !arg.text.startsWith("-") && arg.text !== "-") || isShell(command.name);
  if (readsInput && command.upstream.some((one) => downloaders.has(one.name ?? ""))) return true;
  return runsDownloadedFile(command, line.commands.slice(0, index));
}

/** `curl -o x.sh …; sh x.sh` */
function runsDownloadedFile(command: SimpleCommand, earlier: readonly SimpleCommand[]): boolean {
  const files = earlier
    .filter((one) => downloaders.has(one.name ?? ""))
    .flatMap((one) => [
      ...one.args.flatMap((arg, at) =>
        /^(?:-o|-O|--output|--output-document)$/.test(arg.text) ? [one.args[at + 1]?.text ?? ""] : [],
      ),
      ...one.writes.map((write) => write.target.text),
    ]);
  const script = operandsOf(command)[0]?.text;
  return script !== undefined && files.some((file) => file !== "" && strip(file) === strip(script));
}

const strip = (file: string): string => file.replace(/^\.\//, "");

function runsDownloadedSubstitution(command: SimpleCommand): boolean {
  const runs = isShell(command.name) || isInterpreter(command.name) || ["source", "."].includes(command.name ?? "");
  return runs && command.substituted.some((one) => downloaders.has(one.name ?? ""));
}

function runsInlineCode(command: SimpleCommand): boolean {
  const code = codeUse(command);
  if (code === undefined || code.language === "awk") return false;
  return code.codes.length > 0 || (code.readsInput && !command.hasHereText && !hasUnknown(command.input ?? ""));
}

function killsHermes(command: SimpleCommand): boolean {
  return (
    ["pkill", "killall"].includes(command.name ?? "") &&
    command.args.some((arg) => /hermes|gateway|cli\.py/i.test(arg.text))
  );
}

function killsByPgrep(command: SimpleCommand, { line }: RuleContext): boolean {
  if (command.name !== "kill") return false;
  const isFed =
    command.args.some((arg) => !arg.isKnown) &&
    line.commands.some((one) => one.name === "pgrep" && one.wrappers.includes("substitution"));
  return isFed || (command.wrappers.includes("xargs") && command.upstream.some((one) => one.name === "pgrep"));
}

function makesAndRuns(command: SimpleCommand, { line, index }: RuleContext): boolean {
  if (
    command.name !== "chmod" ||
    !command.args.some((arg) => /^[ugoa]*\+[rwx]*x|^[0-7]?[1357][0-7][0-7]$/.test(arg.text))
  )
    return false;
  const made = operandsOf(command)
    .slice(1)
    .map((arg) => strip(arg.text));
  return line.commands
    .slice(index + 1)
    .some((one) => one.nameFrom === "literal" && made.some((file) => file.split("/").at(-1) === one.name));
}

/** Everything in the environment, on its way to another machine. */
function sendsEnvironment(command: SimpleCommand): boolean {
  const dumps = (one: SimpleCommand): boolean =>
    one.name === "printenv" ||
    (one.name === "env" && operandsOf(one).length === 0) ||
    (/^(?:set|export|declare)$/.test(one.name ?? "") && operandsOf(one).length === 0);
  const network = ["curl", "wget", "nc", "ncat", "netcat", "socat", "ssh", "scp", "ftp", "http", "telnet"];
  return network.includes(command.name ?? "") && command.upstream.some(dumps);
}

function gitRules(): readonly CommandRule[] {
  const git = (id: string, key: string, matches: (command: SimpleCommand) => boolean): CommandRule =>
    onNames([id, key], ["git"], (command) => matches(withoutGlobalOptions(command)));
  return [
    git(
      "D42",
      "git reset --hard (destroys uncommitted changes)",
      (one) => subcommand(one, "reset") && hasOption(one, /^--hard$/),
    ),
    git(
      "D43",
      "git force push (rewrites remote history)",
      (one) => subcommand(one, "push") && hasOption(one, /^--force/),
    ),
    git(
      "D44",
      "git force push short flag (rewrites remote history)",
      (one) => subcommand(one, "push") && hasOption(one, /^-[a-zA-Z]*f[a-zA-Z]*$/),
    ),
    git(
      "D45",
      "git clean with force (deletes untracked files)",
      (one) => subcommand(one, "clean") && hasOption(one, /^-[a-zA-Z]*f|^--force/),
    ),
    git(
      "D46",
      "git branch force delete",
      (one) =>
        subcommand(one, "branch") &&
        (hasOption(one, /^-[a-zA-Z]*D/) || (hasOption(one, /^-d$|^--delete$/) && hasOption(one, /^--force$|^-f$/))),
    ),
    git("B06", "git history or worktree loss", losesHistory),
  ];
}

/** `git -C dir push` is a push. */
function withoutGlobalOptions(command: SimpleCommand): SimpleCommand {
  let at = 0;
  while (command.args[at]?.text.startsWith("-") === true) at += /^-(?:C|c)$/.test(command.args[at]?.text ?? "") ? 2 : 1;
  return { ...command, args: command.args.slice(at) };
}

function losesHistory(one: SimpleCommand): boolean {
  const words = operandsOf(one).map((arg) => arg.text);
  if (words[0] === "push")
    return (
      words.slice(1).some((word) => word.startsWith("+") || /^:\w/.test(word)) ||
      hasOption(one, /^--(?:mirror|delete|prune)$|^-d$/)
    );
  // Taking files out of the index leaves them as they are.
  if (words[0] === "restore" && hasOption(one, /^(?:-S|--staged)$/) && !hasOption(one, /^(?:-[A-Z]*W|--worktree)/))
    return false;
  if (words[0] === "checkout" || words[0] === "restore")
    return words.includes(".") || hasOption(one, /^(?:-f|--force)$/);
  if (words[0] === "stash") return ["drop", "clear"].includes(words[1] ?? "");
  if (words[0] === "reflog") return ["expire", "delete"].includes(words[1] ?? "");
  if (words[0] === "update-ref") return hasOption(one, /^-d$/);
  return (
    ["filter-branch", "filter-repo"].includes(words[0] ?? "") ||
    (words[0] === "gc" && hasOption(one, /^--prune=(?:now|all)/))
  );
}
