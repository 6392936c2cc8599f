import type { Finding } from "../../contract/approval-request.ts";

interface ScanRule {
  readonly id: string;
  readonly description: string;
  readonly matches: (command: string) => boolean;
}

const urlHosts = (command: string): readonly string[] =>
  [...command.matchAll(/https?:\/\/([^\s/'"<>|;&)]+)/gi)].map((match) => match[1] ?? "");

/** What a command is made of, beyond what it does: tricks on the eye, on names and on the environment. */
const scanRules: readonly ScanRule[] = [
  {
    id: "homograph-host",
    description: "an address whose letters imitate another alphabet's",
    matches: (command) =>
      urlHosts(command).some(
        (host) => /xn--/i.test(host) || (/[a-z]/i.test(host) && /[\u0370-\u03ff\u0400-\u04ff\u0530-\u058f]/.test(host)),
      ),
  },
  {
    id: "userinfo-host",
    description: "an address that names one host and leads to another",
    matches: (command) => urlHosts(command).some((host) => /@/.test(host) && /\./.test(host.split("@")[0] ?? "")),
  },
  {
    id: "terminal-escape",
    description: "terminal control sequences that can rewrite what you see",
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these very characters are looked for
    matches: (command) => /\u001b[[\]PX^_]|\u009b/.test(command),
  },
  {
    id: "invisible-characters",
    description: "characters that cannot be seen",
    matches: (command) => /[\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]/.test(command),
  },
  {
    id: "environment-manipulation",
    description: "a change of what programs load or where they are found",
    matches: (command) =>
      /(?:^|[\s;&|])(?:export\s+)?(?:LD_PRELOAD|LD_LIBRARY_PATH|DYLD_INSERT_LIBRARIES|BASH_ENV|PROMPT_COMMAND|GIT_SSH_COMMAND|NODE_OPTIONS=\S*--require)=?/.test(
        command,
      ) || /(?:^|[\s;&|])PATH=(?!\S*\$PATH)(?!\S*\$\{PATH\})\S+\s+\S/.test(command),
  },
];

/** The built-in content scanner: needs no other program. Its findings can be approved, but not for good. */
export function scanCommand(command: string): readonly Finding[] {
  return scanRules
    .filter((rule) => rule.matches(command))
    .map((rule) => ({ key: `scan:${rule.id}`, description: rule.description, severity: "ask", source: "scanner" }));
}
