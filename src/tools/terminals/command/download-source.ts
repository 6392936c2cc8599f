/** Programs that fetch what strangers wrote; for terminals where nobody sees what is reached. */
const fetchers =
  /(?:^|[\s;&|(`])(?:curl|wget|http|https|xh|aria2c|lynx|w3m|links|ftp|sftp|scp|rsync|nc|ncat|socat|telnet|yt-dlp|gh|glab|git\s+(?:\S+\s+)*(?:clone|fetch|pull|ls-remote|submodule))(?:\s|$)/;

/** Only git itself talks to its hosts in these, and prints what it did. */
const plainGit = /^\s*git\s[^;&|`$()<>\n]*$/;

/** Where the output of a command may have words of strangers from; undefined when it reached nobody. */
export function downloadSource(command: string, reached: readonly string[] | undefined): string | undefined {
  if (reached === undefined) return fetchers.test(command) ? `the command ${command.slice(0, 80)}` : undefined;
  if (reached.length === 0 || plainGit.test(command)) return undefined;
  return `what a command got from ${reached.slice(0, 3).join(", ")}`;
}
