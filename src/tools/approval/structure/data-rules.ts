import { operandsOf } from "./rule.ts";
import type { SimpleCommand } from "./simple-command.ts";

/** Rules about what a command is given to say to something else: SQL in an argument or on its input. */
const sqlRules: readonly (readonly [id: string, key: string, matches: (text: string) => boolean])[] = [
  ["D11", "SQL DROP", (text) => /\bdrop\s+(?:table|database|schema|view|index)\b/i.test(text)],
  [
    "D12",
    "SQL DELETE without WHERE",
    (text) => text.split(";").some((one) => /\bdelete\s+from\b/i.test(one) && !/\bwhere\b/i.test(one)),
  ],
  ["D13", "SQL TRUNCATE", (text) => /\btruncate\s+(?:table\s+)?[a-z_"`[]/i.test(text)],
];

/** Commands whose words are only text to print, look for or write down. */
const speakers: ReadonlySet<string> = new Set([
  "echo",
  "printf",
  "grep",
  "egrep",
  "fgrep",
  "rg",
  "ag",
  "ack",
  "man",
  "info",
  "apropos",
  "whatis",
  "help",
  "cat",
  "less",
  "head",
  "tail",
  "sed",
  "awk",
  "diff",
  "jq",
  "wc",
  "sort",
  "find",
  "ls",
  "touch",
  "mkdir",
  "hermes",
  "true",
  ":",
  "test",
  "[",
  "read",
  "export",
  "tee",
  "code",
  "vim",
  "nano",
  "git",
  "gh",
  "glab",
  "hub",
  "truncate",
]);

/** Reads statements on its input. */
const databases: ReadonlySet<string> = new Set([
  "psql",
  "mysql",
  "mariadb",
  "sqlite3",
  "sqlcmd",
  "duckdb",
  "clickhouse-client",
  "clickhouse",
  "cockroach",
  "usql",
  "pgcli",
  "mycli",
  "snowsql",
  "bq",
  "cqlsh",
  "mongosh",
  "mongo",
  "redis-cli",
]);

export function dataFindings(command: SimpleCommand): readonly (readonly [id: string, key: string])[] {
  const texts = spokenTo(command);
  const found = sqlRules.filter(([, , matches]) => texts.some(matches)).map(([id, key]) => [id, key] as const);
  if (command.name === "redis-cli" && operandsOf(command).some((arg) => /^flush(?:all|db)$/i.test(arg.text)))
    found.push(["D11", "SQL DROP"]);
  return found;
}

function spokenTo(command: SimpleCommand): readonly string[] {
  const name = command.name ?? "";
  if (databases.has(name)) {
    const piped = command.upstream.flatMap((one) =>
      one.name === "echo" || one.name === "printf"
        ? [one.args.map((arg) => arg.text).join(" ")]
        : one.input === undefined
          ? []
          : [one.input],
    );
    return [...command.args.map((arg) => arg.text), ...(command.input === undefined ? [] : [command.input]), ...piped];
  }
  if (speakers.has(name) || name === "" || command.wrappers.includes("substitution")) return [];
  return command.args.filter((arg) => arg.text.includes(" ")).map((arg) => arg.text);
}
