/** Ways to write a command so that it does not look like itself. Each takes a command and gives one that does the same. */
export type Disguise = (command: string) => string;

/** A word of the shell that stands for exactly this text. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const base64 = (text: string): string => Buffer.from(text).toString("base64");
const hex = (text: string): string => Buffer.from(text).toString("hex");
const escaped = (text: string, form: (code: number) => string): string => [...Buffer.from(text)].map(form).join("");

/** Puts something into the first word; words that the shell itself reads stay as they are. */
function firstWord(command: string, change: (word: string) => string): string {
  const match = /^(\s*)([a-z][\w.-]*)(\s[\s\S]*)$/u.exec(command);
  if (match === null || shellWords.has(match[2] ?? "")) return `bash -c ${quoted(command)}`;
  return `${match[1]}${change(match[2] ?? "")}${match[3]}`;
}

const shellWords = new Set([
  "for",
  "while",
  "until",
  "if",
  "case",
  "time",
  "select",
  "function",
  "coproc",
  "trap",
  "set",
  "exec",
  "cd",
  "read",
  "let",
  "declare",
]);

export const disguises: Readonly<Record<string, Disguise>> = {
  "empty quotes": (command) => firstWord(command, (word) => `${word[0]}''${word.slice(1)}`),
  "a backslash": (command) => firstWord(command, (word) => `\\${word}`),
  "quoted letters": (command) => firstWord(command, (word) => `"${word[0]}"'${word.slice(1)}'`),
  "a variable": (command) => firstWord(command, (word) => `c=${word}; $c`),
  "two variables": (command) => firstWord(command, (word) => `a=${word.slice(0, 1)}; b=${word.slice(1)}; $a$b`),
  "letters in quotes": (command) =>
    firstWord(command, (word) => `$'${escaped(word, (code) => `\\x${code.toString(16)}`)}'`),
  "octal letters": (command) => firstWord(command, (word) => `$'${escaped(word, (code) => `\\${code.toString(8)}`)}'`),
  "its path": (command) => firstWord(command, (word) => `$(command -v ${word})`),
  "printf makes it": (command) =>
    firstWord(command, (word) => `$(printf ${escaped(word, (code) => `'\\x${code.toString(16)}'`)})`),
  "upper case": (command) => firstWord(command, (word) => `$(echo ${word.toUpperCase()} | tr A-Z a-z)`),
  backwards: (command) => firstWord(command, (word) => `$(rev <<< ${[...word].reverse().join("")})`),
  "a default": (command) => firstWord(command, (word) => `\${nothing:-${word}}`),
  command: (command) => firstWord(command, (word) => `command ${word}`),
  env: (command) => firstWord(command, (word) => `env -u NOTHING ${word}`),
  "base64 into sh": (command) => `echo ${base64(command)} | base64 -d | bash`,
  "base64 into eval": (command) => `eval "$(echo ${base64(command)} | base64 --decode)"`,
  "base64 by here string": (command) => `bash <(base64 -d <<< ${base64(command)})`,
  "hex into sh": (command) => `printf ${hex(command)} | xxd -r -p | bash`,
  "printf into sh": (command) =>
    `printf ${quoted(escaped(command, (code) => `\\${code.toString(8).padStart(3, "0")}`))} | bash`,
  "backwards into sh": (command) => `printf %s ${quoted([...command].reverse().join(""))} | rev | bash`,
  "gzip into sh": (command) => `echo ${base64(command)} | base64 -d | gzip | gzip -d | sh`,
  rot13: (command) => `echo ${quoted(command.replace(/[a-z]/giu, rotated))} | tr 'A-Za-z' 'N-ZA-Mn-za-m' | bash`,
  eval: (command) => `eval ${quoted(command)}`,
  "bash -c": (command) => `bash -c ${quoted(command)}`,
  "sh in sh": (command) => `sh -c ${quoted(`bash -c ${quoted(command)}`)}`,
  "here document": (command) => `bash <<'END'\n${command}\nEND`,
  "a function": (command) => `f() {\n${command}\n}\nf`,
  "a subshell": (command) => `(\n${command}\n)`,
  "a loop of one": (command) => `for i in 1; do\n${command}\ndone`,
  nohup: (command) => `nohup bash -c ${quoted(command)} 2>/dev/null`,
  timeout: (command) => `timeout 6 bash -c ${quoted(command)}`,
  xargs: (command) => `printf '%s\\0' ${quoted(command)} | xargs -0 -n1 bash -c`,
  find: (command) => `find . -maxdepth 0 -exec bash -c ${quoted(command)} \\;`,
  "after a harmless one": (command) => `ls >/dev/null; ${command}`,
  "behind a long line": (command) => `echo ${"x".repeat(3_000)} >/dev/null; ${command}`,
  "a comment before": (command) => `# just looking\n${command}`,
  "in a trap": (command) => `trap ${quoted(command)} EXIT`,
  "by a descriptor": (command) => `exec 9<<'END'\n${command}\nEND\nbash /dev/fd/9`,
  "an array": (command) => `a=(bash -c ${quoted(command)}); "\${a[@]}"`,
  python: (command) => `python3 -c ${quoted(`import os; os.system(${JSON.stringify(command)})`)}`,
  perl: (command) => `perl -e ${quoted(`system(pack('H*','${hex(command)}'))`)}`,
  node: (command) =>
    `node -e ${quoted(`require('child_process').execSync(Buffer.from('${hex(command)}','hex').toString(),{shell:'/bin/bash'})`)}`,
  awk: (command) => `awk ${quoted(`BEGIN{system("echo ${base64(command)}|base64 -d|bash")}`)}`,
  make: (command) => `printf 'x:\\n\\t@echo %s|base64 -d|bash\\n' ${base64(command)} | make -s -f - x`,
};

function rotated(letter: string): string {
  const first = letter <= "Z" ? 65 : 97;
  return String.fromCharCode(((letter.charCodeAt(0) - first + 13) % 26) + first);
}
