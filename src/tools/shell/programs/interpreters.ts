import type { Argument, SimpleCommand } from "../simple-command.ts";
import { type OptionStyle, readOptions, valuesOf } from "./option-words.ts";

/** Which words of a language change something outside the program. */
export type Language =
  | "python"
  | "perl"
  | "ruby"
  | "javascript"
  | "php"
  | "lua"
  | "awk"
  | "sed"
  | "editor"
  | "database"
  | "other";

interface Interpreter extends OptionStyle {
  readonly language: Language;
  /** Options whose value is code. */
  readonly code: string;
  /** Options whose value names a file or module that runs first. */
  readonly loads?: string;
}

const python: Interpreter = {
  language: "python",
  code: "-c",
  valued: "-c -m -W -X -Q --check-hash-based-pycs",
  stopsAtOperand: true,
};
const perl: Interpreter = {
  language: "perl",
  code: "-e -E",
  valued: "-e -E -M -m -I -F -x -C -D",
  stopsAtOperand: true,
};
const ruby: Interpreter = {
  language: "ruby",
  code: "-e",
  valued: "-e -r -I -C -E -F -K -x --encoding",
  loads: "-r",
  stopsAtOperand: true,
};
const node: Interpreter = {
  language: "javascript",
  code: "-e -p --eval --print -pe",
  valued:
    "-e -p -r -C --eval --print --require --import --loader --experimental-loader --input-type --env-file --conditions --inspect-port --max-old-space-size --title --test-name-pattern --test-reporter --watch-path --stack-trace-limit",
  loads: "-r --require --import --loader --experimental-loader",
  stopsAtOperand: true,
};
const lisp = (code: string, more = ""): Interpreter => ({ language: "other", code, valued: `${code} ${more}` });

const interpreters: Readonly<Record<string, Interpreter>> = {
  python,
  pypy: python,
  ipython: python,
  jython: python,
  micropython: python,
  perl,
  raku: perl,
  ruby,
  jruby: ruby,
  irb: ruby,
  node,
  nodejs: node,
  tsx: node,
  "ts-node": node,
  qjs: { language: "javascript", code: "-e --eval", valued: "-e --eval -I --include", stopsAtOperand: true },
  gjs: { language: "javascript", code: "-c --command", valued: "-c --command -I", stopsAtOperand: true },
  jrunscript: { language: "javascript", code: "-e", valued: "-e -f -l -cp", stopsAtOperand: true },
  rhino: { language: "javascript", code: "-e", valued: "-e -f", stopsAtOperand: true },
  d8: { language: "javascript", code: "-e", valued: "-e", stopsAtOperand: true },
  deno: { language: "javascript", code: "", valued: "-c --config --import-map" },
  bun: {
    language: "javascript",
    code: "-e -p --eval --print",
    valued: "-e -p -r -c --eval --print --preload --cwd --config",
    loads: "-r --preload",
  },
  php: { language: "php", code: "-r -B -R -E", valued: "-r -B -R -E -F -f -d -c -S -t -z", stopsAtOperand: true },
  lua: { language: "lua", code: "-e", valued: "-e -l", loads: "-l", stopsAtOperand: true },
  luajit: { language: "lua", code: "-e", valued: "-e -l -b -j -O", loads: "-l", stopsAtOperand: true },
  awk: { language: "awk", code: "-e --source", valued: "-F -v -f -i -e -E -l --source --file" },
  tclsh: lisp(""),
  wanted: lisp(""),
  Rscript: lisp("-e"),
  R: lisp("-e", "-f --file"),
  julia: lisp("-e -E --eval --print", "-L --load -J --project -t -p --threads"),
  octave: lisp("--eval --eval-string"),
  matlab: { language: "other", code: "-batch -r", valued: "-batch -r -sd -logfile", isSingleDash: true },
  elixir: lisp("-e --eval --rpc-eval", "-r -pa -pz -S --name --sname --cookie"),
  iex: lisp("-e --eval", "-S -r"),
  erl: {
    language: "other",
    code: "-eval -run -s",
    valued: "-eval -run -s -pa -pz -name -sname -setcookie -config",
    isSingleDash: true,
  },
  escript: lisp(""),
  groovy: lisp("-e", "-cp"),
  scala: lisp("-e", "-cp -classpath"),
  amm: lisp("-c --code"),
  kotlin: lisp("-e", "-cp"),
  jshell: lisp("", "--class-path"),
  clojure: lisp("-e --eval", "-i -m -Sdeps"),
  clj: lisp("-e --eval", "-i -m -Sdeps"),
  bb: lisp("-e --eval", "-f -m"),
  ghc: lisp("-e", "-o -i"),
  ghci: lisp("-e"),
  runghc: lisp(""),
  runhaskell: lisp(""),
  ocaml: lisp("-e", "-I -init"),
  racket: lisp("-e --eval", "-l -t -f -r -u"),
  guile: lisp("-c -e", "-l -s -L"),
  sbcl: lisp("--eval", "--load --script --core"),
  clisp: lisp("-x", "-i -c"),
  ecl: lisp("--eval -eval", "--load --shell"),
  csi: lisp("-e -eval -p -print", "-s"),
  emacs: {
    language: "other",
    code: "--eval --execute -eval -execute",
    valued: "--eval --execute -eval -execute -l --load -f --funcall -q -u --script -d",
    loads: "-l --load -f --funcall --script",
  },
  emacsclient: lisp("-e --eval", "-a -s -f"),
  osascript: lisp("-e", "-l -s"),
  swift: { language: "other", code: "-e", valued: "-e -I -L -F -sdk -target -module-name", stopsAtOperand: true },
  hy: lisp("-c", "-m"),
  janet: lisp("-e", "-l"),
  fennel: lisp("-e --eval", "--load -l"),
  wolframscript: lisp("-code -c", "-file -f"),
  mathematica: lisp("-run"),
  sage: lisp("-c"),
  pharo: lisp("eval"),
  jimsh: lisp("-e"),
  yabasic: lisp("-e"),
  gimp: lisp("-b --batch"),
  "gimp-console": lisp("-b --batch"),
  blender: lisp("--python-expr", "-P --python -b -o -f -E"),
  scilab: lisp("-e", "-f"),
  "scilab-cli": lisp("-e", "-f"),
  swipl: lisp("-g -t", "-f -l -s -c -o"),
  gprolog: lisp("--query-goal --init-goal --entry-goal"),
  expect: lisp("-c", "-f"),
  pwsh: {
    language: "other",
    code: "-c -Command -EncodedCommand -e -enc",
    valued: "-c -Command -EncodedCommand -e -enc -File -f",
    isSingleDash: true,
  },
  powershell: {
    language: "other",
    code: "-c -Command -EncodedCommand -e -enc",
    valued: "-c -Command -EncodedCommand -e -enc -File -f",
    isSingleDash: true,
  },
  cmd: lisp(""),
  gnuplot: lisp("-e", "-c"),
  maxima: lisp("--batch-string", "-b -r"),
  gp: lisp(""),
  dc: lisp("-e --expression", "-f --file"),
  m4: lisp("", "-D -I -U"),
  nim: lisp("--eval", ""),
  crystal: lisp("", ""),
  dart: lisp(""),
  gst: lisp("-a"),
  pike: lisp("-e -x"),
  newlisp: lisp("-e"),
  picolisp: lisp("-"),
  gforth: lisp("-e --evaluate"),
  jq: lisp(""),
};

/** Names that read their script from the words or a file only, never from what is piped in. */
const neverReadsInput: ReadonlySet<string> = new Set([
  "jq",
  "awk",
  "emacs",
  "emacsclient",
  "deno",
  "bun",
  "crystal",
  "nim",
  "ghc",
  "erl",
  "elixir",
  "dart",
  "gnuplot",
  "matlab",
  "cmd",
]);

export function interpreterOf(name: string): Interpreter | undefined {
  const plain = name.replace(/-?\d+(?:\.\d+)*$/, "").replace(/^(?:m|n|g)awk$/, "awk");
  if (Object.hasOwn(interpreters, name)) return interpreters[name];
  return Object.hasOwn(interpreters, plain) ? interpreters[plain] : undefined;
}

/** What an interpreter is given to run. */
export interface CodeUse {
  readonly language: Language;
  /** Code in the words. */
  readonly codes: readonly Argument[];
  /** The script file, or a module by name. */
  readonly file: Argument | undefined;
  /** Files that run before it. */
  readonly loads: readonly Argument[];
  /** True when the script comes from standard input. */
  readonly readsInput: boolean;
}

export function codeUse(command: SimpleCommand): CodeUse | undefined {
  const interpreter = interpreterOf(command.name ?? "");
  if (interpreter === undefined || command.name === "jq") return undefined;
  const words = readOptions(command.args, interpreter);
  const isModule = words.options.some(({ name }) => name === "-m") && interpreter.language === "python";
  const codes = [
    ...valuesOf(words, interpreter.code),
    ...evalOperand(command, words.operands),
    ...(isModule && runsWords.test(valuesOf(words, "-m")[0]?.text ?? "") ? words.operands : []),
  ];
  const module = isModule ? (valuesOf(words, "-m")[0]?.text ?? "") : undefined;
  const file =
    module === undefined
      ? words.operands[0]
      : runsFile.test(module)
        ? words.operands.find(({ text }) => /\.pyz?$|^[/~]|^\.\.?\//.test(text))
        : undefined;
  const isInput = file === undefined || /^(?:-|\/dev\/(?:stdin|fd\/0))$/.test(file.text);
  const asks = words.options.some(({ name }) =>
    /^(?:--version|--help|-V|-v|-h|--v8-options|-i|--interactive)$/.test(name),
  );
  return {
    language: interpreter.language,
    codes,
    file: isInput ? undefined : file,
    loads: valuesOf(words, interpreter.loads ?? ""),
    readsInput:
      isInput &&
      codes.length === 0 &&
      !isModule &&
      !asks &&
      !neverReadsInput.has(command.name ?? "") &&
      command.input !== undefined,
  };
}

/** Modules of Python that run their words as code. */
const runsWords = /^(?:timeit|pdb|bdb|code|trace|asyncio|doctest)$/;
/** Modules of Python that run the file they are given. */
const runsFile =
  /^(?:runpy|trace|pdb|bdb|cProfile|profile|coverage|memory_profiler|kernprof|line_profiler|viztracer|debugpy|scalene|pyinstrument|IPython|idlelib|pudb|ipdb|torch\.distributed\.(?:run|launch)|accelerate\.commands\.launch|streamlit|gunicorn|uvicorn|celery|locust|behave|doctest|zipapp)$/;

/** `deno eval code`, `bun eval code`. */
function evalOperand(command: SimpleCommand, operands: readonly Argument[]): readonly Argument[] {
  if (command.name !== "deno" && command.name !== "bun" && command.name !== "crystal") return [];
  return operands[0]?.text === "eval" ? operands.slice(1, 2) : [];
}
