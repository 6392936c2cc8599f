import type { SimpleCommand } from "../../shell/simple-command.ts";
import { keys } from "./keys.ts";
import { printsWords } from "./programs/speakers.ts";

/** Rules about what a command is given to say to something else: statements in an argument or on its input. */
const sqlRules: readonly (readonly [key: string, matches: (text: string) => boolean])[] = [
  [
    "SQL DROP",
    (text) =>
      /\bdrop\s+(?:table|database|schema|view|index|materialized|type|extension|function|trigger|sequence|keyspace|collection|role|user|owned|column)\b/i.test(
        text,
      ),
  ],
  [
    "SQL DELETE without WHERE",
    (text) => text.split(";").some((one) => /\bdelete\s+from\b/i.test(one) && !/\bwhere\b/i.test(one)),
  ],
  ["SQL TRUNCATE", (text) => /\btruncate\s+(?:table\s+|only\s+)*[a-z_"`[]/i.test(text)],
];

/** More that is asked about where it is sure that a database reads it. */
const statements: readonly (readonly [key: string, matches: (text: string) => boolean])[] = [
  [
    keys.database,
    (text) =>
      text.split(";").some((one) => /\bupdate\s+[\w."`[\]]+\s+set\b/i.test(one) && !/\bwhere\b/i.test(one)) ||
      /\bdelete\s+from\b[\s\S]*\bwhere\s+(?:1\s*=\s*1|true|1\b|''='')/i.test(text) ||
      /\b(?:grant|revoke)\s+[\s\S]*\b(?:to|from)\b|\b(?:alter|create)\s+(?:user|role)\b|\balter\s+(?:table|system|database)\b[\s\S]*\b(?:drop|set|owner|reset)\b|\bset\s+(?:global|password)\b|\bshutdown\b|\bkill\s+\d+|\bpg_terminate_backend|\bpg_drop_replication|\bdbcc\b|\breset\s+master\b/i.test(
        text,
      ) ||
      /\.(?:drop|dropDatabase|dropIndexes|deleteMany|deleteOne|remove|findOneAndDelete|renameCollection|dropUser|dropAllUsersFromDatabase|shutdownServer|dropRole)\s*\(/.test(
        text,
      ) ||
      /^\s*(?:flushall|flushdb|shutdown|config\s+set|debug|script\s+flush|slaveof|replicaof)\b/im.test(text),
  ],
  [
    keys.optionRuns,
    (text) =>
      /^\s*\\!|;\s*\\!|^\s*system\s|(?:^|;)\s*(?:source|\\\.|\\ir?|\.read|@@?)\s*["']?(?:[/~]|\.\.\/)|\\copy\b[\s\S]*\bprogram\b|\bcopy\b[\s\S]*\b(?:to|from)\s+program\b|\bxp_cmdshell\b|\bsys_(?:exec|eval)\b|\bload_extension\s*\(|\bcreate\s+(?:or\s+replace\s+)?function\b[\s\S]*\blanguage\s+['"]?(?:c|plpython\w*|plperlu?|plsh)/im.test(
        text,
      ) ||
      /^\s*\.(?:output|once|log)\s*["']?(?:[|/~]|\.\.)|^\s*\.(?:shell|system|load|import\s*\|?|excel|open|restore|save|backup|clone|cd|read)\b/im.test(
        text,
      ) ||
      /\bload_file\s*\(|\binto\s+(?:outfile|dumpfile)\b|\blo_(?:import|export)\s*\(|\bpg_(?:read|write)_file|\bpg_ls_dir|\bcopy\b[\s\S]*\bto\s+'(?:\/|~|\.\.)|\bexport\s+database\s+'(?:\/|~|\.\.)|\bload\s+data\s+(?:local\s+)?infile\b|\battach\s+database\b|\bwritefile\s*\(|\bedit\s*\(/i.test(
        text,
      ) ||
      /\\(?:o|out|g|w|s)\s+\|?[/~.\w]/.test(text),
  ],
];

/** Reads statements on its input. */
export const databases: ReadonlySet<string> = new Set(
  "psql mysql mariadb sqlite3 sqlite sqlcmd duckdb clickhouse-client clickhouse cockroach usql pgcli mycli litecli snowsql bq cqlsh mongosh mongo redis-cli isql tsql sqlplus influx cypher-shell trino presto beeline hive spark-sql".split(
    " ",
  ),
);

/** What a command tells a database, as far as somebody should be asked. */
export function dataKeys(command: SimpleCommand): readonly string[] {
  const texts = spokenTo(command);
  if (texts.length === 0) return [];
  const rules = databases.has(command.name ?? "") ? [...sqlRules, ...statements] : sqlRules;
  return rules.filter(([, matches]) => texts.some(matches)).map(([key]) => key);
}

/** Judges text that a running database client reads. */
export function statementKeys(text: string): readonly string[] {
  return [...sqlRules, ...statements].filter(([, matches]) => matches(text)).map(([key]) => key);
}

function spokenTo(command: SimpleCommand): readonly string[] {
  const name = command.name ?? "";
  if (databases.has(name)) {
    const words = command.args.map((arg) => arg.text);
    return [...words, words.join(" "), ...(command.input === undefined ? [] : [command.input])];
  }
  if (printsWords(name) || name === "" || command.wrappers.includes("substitution")) return [];
  return command.args.filter((arg) => arg.text.includes(" ")).map((arg) => arg.text);
}
