/**
 * Patterns over the text of a command, for what the structural pass cannot read: a line that does not
 * parse, a command whose name is made at run time. They know nothing of quoting and flag too much
 * rather than too little; the structural pass decides wherever it can see.
 */
interface TextRule {
  readonly id: string;
  readonly key: string;
  readonly pattern: RegExp;
}

/** Start of a command, with the usual words that may stand before it. */
const commandStart =
  "(?:^|[;&|\\n`]|\\$\\()\\s*(?:sudo\\s+(?:-\\S+\\s+)*)?(?:env\\s+(?:\\w+=\\S*\\s+)*)?(?:(?:exec|nohup|setsid|time)\\s+)*";
const rm = "\\brm\\s+(?:-\\S+\\s+)*";
const wordEnd = "(?=\\s|$)";
const sensitive =
  "(?:/etc/|/dev/sd|(?:~|\\$home|\\$\\{home\\})/\\.ssh(?:/|$)|(?:~/\\.hermes|\\$home/\\.hermes|\\$hermes_home)/\\.env)";
const project = "(?:/|\\.{1,2}/)?(?:[^\\s/;&|]+/)*(?:\\.env(?:\\.[^/\\s;&|]+)?|config\\.yaml)\\s*(?:$|&&|\\|\\||;)";
const rule = (id: string, key: string, source: string): TextRule => ({ id, key, pattern: new RegExp(source, "is") });

const hardline: readonly TextRule[] = [
  rule("H01", "recursive delete of root filesystem", `${rm}/\\*?${wordEnd}`),
  rule(
    "H02",
    "recursive delete of system directory",
    `${rm}/(?:home|root|etc|usr|var|bin|sbin|boot|lib)(?:/\\*)?${wordEnd}`,
  ),
  rule("H03", "recursive delete of home directory", `${rm}(?:~|\\$home)/?\\*?${wordEnd}`),
  rule("H04", "format filesystem (mkfs)", "\\bmkfs(?:\\.\\w+)?\\b"),
  rule("H05", "dd to raw block device", "\\bdd\\b[^\\n]*\\bof=/dev/(?:sd|nvme|hd|mmcblk|vd|xvd)"),
  rule("H06", "redirect to raw block device", ">\\s*/dev/(?:sd|nvme|hd|mmcblk|vd|xvd)"),
  rule("H07", "fork bomb", ":\\s*\\(\\s*\\)\\s*\\{\\s*:\\s*\\|\\s*:\\s*&\\s*\\}\\s*;\\s*:"),
  rule("H08", "kill all processes", `\\bkill\\s+(?:-\\S+\\s+)*-1${wordEnd}`),
  rule("H09", "system shutdown/reboot", `${commandStart}(?:shutdown|reboot|halt|poweroff)\\b`),
  rule("H10", "init 0/6 (shutdown/reboot)", `${commandStart}init\\s+[06]\\b`),
  rule("H11", "systemctl poweroff/reboot", `${commandStart}systemctl\\s+(?:poweroff|reboot|halt|kexec)\\b`),
  rule("H12", "telinit 0/6 (shutdown/reboot)", `${commandStart}telinit\\s+[06]\\b`),
];

const flagged: readonly TextRule[] = [
  rule("D01", "delete in root path", `${rm}/`),
  rule("D02", "recursive delete", "\\brm\\s+-[^\\s-]*r"),
  rule("D03", "recursive delete (long flag)", "\\brm\\s+--recursive\\b"),
  rule("D04", "world/other-writable permissions", "\\bchmod\\s+(?:-\\S+\\s+)*(?:777|666|o\\+\\w*w|a\\+\\w*w)"),
  rule(
    "D05",
    "recursive world/other-writable (long flag)",
    "\\bchmod\\s+--recursive\\b.*(?:777|666|o\\+\\w*w|a\\+\\w*w)",
  ),
  rule("D06", "recursive chown to root", "\\bchown\\s+-\\S*r\\s+root"),
  rule("D07", "recursive chown to root (long flag)", "\\bchown\\s+--recursive\\b.*root"),
  rule("D08", "format filesystem", "\\bmkfs\\b"),
  rule("D09", "disk copy", "\\bdd\\s.*if="),
  rule("D10", "write to block device", ">\\s*/dev/sd"),
  rule("D11", "SQL DROP", "\\bdrop\\s+(?:table|database)\\b"),
  rule("D12", "SQL DELETE without WHERE", "\\bdelete\\s+from\\b(?!.*\\bwhere\\b)"),
  rule("D13", "SQL TRUNCATE", "\\btruncate\\s+(?:table\\s+)?[a-z_]"),
  rule("D14", "overwrite system config", ">\\s*/etc/"),
  rule("D15", "stop/restart system service", "\\bsystemctl\\s+(?:-\\S+\\s+)*(?:stop|restart|disable|mask)\\b"),
  rule("D17", "force kill processes", "\\bpkill\\s+-9\\b"),
  rule("D19", "shell command via -c/-lc flag", "\\b(?:bash|sh|zsh|ksh)\\s+-\\w*c\\b"),
  rule("D20", "script execution via -e/-c flag", "\\b(?:python[23]?|perl|ruby|node)\\s+-[ec]\\b"),
  rule("D21", "pipe remote content to shell", "\\b(?:curl|wget)\\b.*\\|\\s*(?:ba)?sh\\b"),
  rule(
    "D22",
    "execute remote script via process substitution",
    "\\b(?:bash|sh|zsh|ksh)\\s+(?:<\\s*)?<\\(\\s*(?:curl|wget)",
  ),
  rule("D23", "overwrite system file via tee", `\\btee\\b.*${sensitive}`),
  rule("D24", "overwrite system file via redirection", `>>?\\s*${sensitive}`),
  rule("D25", "overwrite project env/config via tee", `\\btee\\b.*\\s${project}`),
  rule("D26", "overwrite project env/config via redirection", `>>?\\s*${project}`),
  rule("D27", "xargs with rm", "\\bxargs\\b.*\\brm\\b"),
  rule("D28", "find -exec rm", "\\bfind\\b.*-exec\\s+(?:\\S*/)?rm\\b"),
  rule("D29", "find -delete", "\\bfind\\b.*-delete\\b"),
  rule("D30", "stop/restart hermes gateway (kills running agents)", "\\bhermes\\s+gateway\\s+(?:stop|restart)\\b"),
  rule("D31", "hermes update (restarts gateway, kills running agents)", "\\bhermes\\s+update\\b"),
  rule(
    "D32",
    "start gateway outside systemd (use 'systemctl --user restart hermes-gateway')",
    "\\bgateway\\s+run\\b.*(?:&\\s*;?\\s*$|disown|setsid)|\\bnohup\\b.*\\bgateway\\s+run\\b",
  ),
  rule("D34", "kill hermes/gateway process (self-termination)", "\\b(?:pkill|killall)\\b.*(?:hermes|gateway|cli\\.py)"),
  rule("D35", "kill process via pgrep expansion (self-termination)", "\\bkill\\b.*\\$\\(\\s*pgrep\\b"),
  rule("D36", "kill process via backtick pgrep expansion (self-termination)", "\\bkill\\b.*`\\s*pgrep\\b"),
  rule("D37", "copy/move file into /etc/", "\\b(?:cp|mv|install)\\b.*\\s/etc/"),
  rule("D38", "overwrite project env/config file", `\\b(?:cp|mv|install)\\b.*\\s${project}`),
  rule("D39", "in-place edit of system config", "\\bsed\\s+-\\S*i.*\\s/etc/"),
  rule("D41", "script execution via heredoc", "\\b(?:python[23]?|perl|ruby|node)\\b[^|;&]*<<"),
  rule("D42", "git reset --hard (destroys uncommitted changes)", "\\bgit\\s+reset\\s+--hard\\b"),
  rule("D43", "git force push (rewrites remote history)", "\\bgit\\s+push\\b.*--force"),
  rule("D44", "git force push short flag (rewrites remote history)", "\\bgit\\s+push\\b.*-f\\b"),
  rule("D45", "git clean with force (deletes untracked files)", "\\bgit\\s+clean\\s+-\\S*f"),
  rule("D46", "git branch force delete", "\\bgit\\s+branch\\s+-d\\b"),
  rule("D47", "chmod +x followed by immediate execution", "\\bchmod\\s+\\+x\\b.*[;&|].*\\./"),
];

export function hardlineByText(text: string): string | undefined {
  return hardline.find((one) => one.pattern.test(text))?.key;
}

/** The key of the first pattern that matches; the text layer names one finding only. */
export function flaggedByText(text: string): readonly string[] {
  const first = flagged.find((one) => one.pattern.test(text));
  return first === undefined ? [] : [first.key];
}
