import fc from "fast-check";
import * as words from "../fixtures/approval/shell-words.ts";

/** Programs that stand in the sandbox as recorders: known names whose words are not commands again. */
export const recorders = ["rm", "ls", "cp", "mv", "touch", "ln", "git", "tar"] as const;

type Text = fc.Arbitrary<string>;

const of = (values: readonly string[]): Text => fc.constantFrom(...values);
const all = (values: fc.Arbitrary<string[]>, between: string): Text => values.map((list) => list.join(between));
const one = (...choices: readonly Text[]): Text => fc.oneof({ depthSize: "small", withCrossShrink: true }, ...choices);
const made = (format: (parts: readonly string[]) => string, ...parts: readonly Text[]): Text =>
  fc.tuple(...parts).map((values) => format(values));

const variable = of(["x", "y", "z"]);
const number = of(words.numbers);
const expansions = one(
  made(([v]) => `$${v}`, variable),
  made(([v]) => `\${${v}}`, variable),
  made(([v, o, w]) => `\${${v}${o}${w}}`, variable, of([":-", "-", ":=", "=", ":+", "+"]), of(words.operands)),
  made(([v, o, p]) => `\${${v}${o}${p}}`, variable, of(["#", "##", "%", "%%"]), of(words.patterns)),
  made(
    ([v, o, p, w]) => `\${${v}${o}${p}/${w}}`,
    variable,
    of(["/", "//", "/#", "/%"]),
    of(words.patterns),
    of(words.operands),
  ),
  made(([v, o]) => `\${${v}${o}}`, variable, of(words.suffixes)),
  of(words.parameters),
);

type Grammar = {
  readonly word: string;
  readonly inQuotes: string;
  readonly simple: string;
  readonly pipeline: string;
  readonly list: string;
  readonly compound: string;
};

const { list: line } = fc.letrec<Grammar>((tie) => {
  const word = tie("word");
  const simple = tie("simple");
  const pipeline = tie("pipeline");
  const list = tie("list");
  const few = (most: number): Text => all(fc.array(word, { maxLength: most }), " ");
  return {
    inQuotes: one(
      of(words.quotedPieces),
      expansions,
      made(([inner]) => `$(${inner})`, pipeline),
      made(([inner]) => `$((${inner}))`, number),
    ),
    word: one(
      of(words.plainWords),
      all(
        fc.array(one(of(words.plainWords), of(words.oddPieces), of(words.ansiWords), expansions), {
          minLength: 1,
          maxLength: 3,
        }),
        "",
      ),
      expansions,
      of(words.ansiWords),
      made(([inner]) => `"${inner}"`, all(fc.array(tie("inQuotes"), { maxLength: 3 }), "")),
      of(words.quotedWords),
      made(([inner]) => `$(${inner})`, pipeline),
      of(words.printedWords),
      made(([inner]) => `$((${inner}))`, number),
      made(([a, b]) => `${a}${b}`, word, word),
      made(([a, b]) => `{${a},${b}}`, word, word),
    ),
    simple: one(
      made(([name, rest]) => `${name} ${rest}`, of(recorders), few(3)),
      made(([name, rest]) => `${name} ${rest}`, word, few(2)),
      made(([v, w]) => `${v}=${w}`, variable, word),
      made(([v, w]) => `${v}=(${w})`, variable, few(3)),
      made(([v, w, rest]) => `${v}=${w} ${rest}`, variable, word, simple),
      made(([v, w]) => `${v}+=${w}`, variable, word),
      made(
        ([d, v, w]) => `${d} ${v}=${w}`,
        of(["export", "declare", "readonly", "declare -l", "declare -u", "typeset"]),
        variable,
        word,
      ),
      made(([rest]) => `set -- ${rest}`, few(3)),
      made(([w, rest]) => `eval ${w} ${rest}`, word, few(2)),
      made(([inner = ""]) => `eval '${inner.replaceAll("'", "'\\''")}'`, list),
      made(([c, s]) => `${c} ${s}`, of(["command", "builtin echo", "exec", "time", "!", "command --"]), simple),
      made(([v, w]) => `read ${v} <<< ${w}`, variable, word),
      made(([v, w]) => `printf -v ${v} %s ${w}`, variable, word),
      made(([s, r]) => `${s} ${r}`, simple, of(words.redirections)),
      made(([s, w]) => `${s} <<< ${w}`, simple, word),
      made(
        ([s, body, end]) => `${s} <<${end}\n${body}\nE\n`,
        simple,
        all(fc.array(tie("inQuotes"), { maxLength: 2 }), ""),
        of(["E", "'E'", "\\E"]),
      ),
      of(words.wholeCommands),
      made(([a, w]) => `${a}\nq ${w}`, of(["alias q=rm", "alias q='ls a'", "alias rm=ls", "alias q='rm '"]), word),
      made(([rest]) => `ls <(rm ${rest})`, few(2)),
    ),
    pipeline: one(
      simple,
      made(([a, b]) => `${a} | ${b}`, simple, simple),
      made(([a, o, b]) => `${a} ${o} ${b}`, pipeline, of(["&&", "||"]), pipeline),
      tie("compound"),
      made(([p, w]) => `${p} ${w} | while read x; do rm "$x"; done`, of(["echo", "printf '%s\\n'"]), word),
    ),
    compound: one(
      made(([inner]) => `( ${inner}\n)`, list),
      made(([inner]) => `{ ${inner}\n}`, list),
      made(([c, a, b]) => `if ${c}\nthen ${a}\nelse ${b}\nfi`, pipeline, list, list),
      made(([v, w, b]) => `for ${v} in ${w}; do ${b}\ndone`, variable, few(3), list),
      made(([c, b]) => `while ${c}\ndo ${b}\nbreak; done`, pipeline, list),
      made(([w, p, b]) => `case ${w} in ${p}) ${b}\n;; *) ls;; esac`, word, of(["a", "*", "$x", "r*|b", "?"]), list),
      made(([f, b]) => `${f}() { ${b}\n}`, of(["f", "g"]), list),
      made(([n, b]) => `if ((${n})); then ${b}\nfi`, number, list),
      made(([w, b]) => `[[ ${w} == a ]] || { ${b}\n}`, word, list),
      made(([w]) => `bash -c ${w}`, word),
    ),
    list: one(
      pipeline,
      made(([a, s, b]) => `${a}${s}${b}`, pipeline, of(["; ", "\n", " & ", " # c\n"]), list),
    ),
  };
});

/** Command lines of many kinds, made of programs that only note how they were called. */
export const commandLines: Text = line.filter((text) => text.length < 240);
