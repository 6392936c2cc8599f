import { type Argument, hasUnknown, type Input, unknownName, unknownNumber, unknownText } from "../simple-command.ts";

/** A command as far as what it prints depends on it. */
interface Printer {
  readonly name: string;
  readonly args: readonly Argument[];
  readonly input: Input;
  readonly cwd: string | undefined;
  readonly tempDir: string;
  /** The text of a file that the line itself wrote. */
  readFile(argument: Argument): string | undefined;
}

/** What a command prints where that is plain from its words and its input; undefined when it is not. */
export function printed(command: Printer): string | undefined {
  return printers.get(command.name)?.(command);
}

/** Whether a filter undoes an encoding, so that what comes out does not look like what went in. */
export function isDecoding(name: string, args: readonly Argument[]): boolean {
  if (name === "rev" || name === "tac") return true;
  return decoders.has(name) && args.some((arg) => /^-{1,2}(?:d|D|r|decode)|^-[a-z]*[dr]/.test(arg.text));
}

const decoders: ReadonlyMap<string, (text: string) => string> = new Map([
  ["base64", (text: string) => Buffer.from(text, "base64").toString("utf8")],
  ["base32", fromBase32],
  ["xxd", (text: string) => Buffer.from(text.replace(/\s+/g, ""), "hex").toString("utf8")],
]);

const printers: ReadonlyMap<string, (command: Printer) => string | undefined> = new Map(
  Object.entries<(command: Printer) => string | undefined>({
    ":": () => "",
    true: () => "",
    false: () => "",
    test: () => "",
    "[": () => "",
    cd: () => "",
    export: () => "",
    set: () => "",
    unset: () => "",
    shopt: () => "",
    alias: () => "",
    read: () => "",
    echo,
    printf: ({ args }) => formatted(args),
    pwd: ({ cwd }) => (cwd === undefined ? undefined : `${cwd}\n`),
    cat: passed,
    tee: ({ input }) => input,
    rev: ({ input, args }) =>
      input === undefined || args.length > 0 || hasUnknown(input)
        ? undefined
        : input
            .split("\n")
            .map((line) => [...line].reverse().join(""))
            .join("\n"),
    base64: decoded,
    base32: decoded,
    xxd: decoded,
    mktemp: madeName,
    basename: ({ args: [path, suffix] }) =>
      path === undefined ? undefined : `${lastPart(path.text, suffix?.text ?? "")}\n`,
    which: located,
    command: ({ args }) => (/^-[vV]$/.test(args[0]?.text ?? "") ? located({ args: args.slice(1) }) : undefined),
    nproc: () => unknownNumber,
    wc: () => unknownNumber,
    date: () => unknownName,
    hostname: () => unknownName,
    whoami: () => unknownName,
    uname: () => unknownName,
  }),
);

/** A new name: of its own below the temporary folder, or a template with its last letters replaced. */
function madeName({ args, tempDir }: Printer): string | undefined {
  const words = args.map((arg) => arg.text);
  const options = words.filter((word) => /^-[dqut]+$|^--directory$|^--tmpdir$/.test(word));
  const [template, ...more] = words.filter((word) => !options.includes(word));
  if (more.length > 0 || template?.startsWith("-") === true) return undefined;
  if (template === undefined) return `${tempDir}/tmp.${unknownName}\n`;
  const name = template.replace(/X{3,}(?=[^/X]*$)/, unknownName);
  if (name === template) return undefined;
  const isBelowTemp = options.some((word) => word.startsWith("--tmp") || /^-\w*t/.test(word));
  return `${isBelowTemp ? `${tempDir}/` : ""}${name}\n`;
}

function echo({ args }: Printer): string {
  const words = args.map((arg) => (arg.hasGlob ? unknownText : arg.text));
  let options = 0;
  while (/^-[neE]+$/.test(words[options] ?? "")) options += 1;
  const flags = words.slice(0, options).join("");
  const text = words.slice(options).join(" ");
  const last = /.*[eE]/.exec(flags)?.[0].at(-1);
  return `${last === "e" ? withEscapes(text, true) : text}${flags.includes("n") ? "" : "\n"}`;
}

function passed({ args, input, readFile }: Printer): string | undefined {
  const files = args.filter((arg) => !/^-[A-Za-z]/.test(arg.text));
  if (files.length < args.length) return undefined;
  if (files.length === 0) return input;
  const texts = files.map((file) => (file.text === "-" ? input : readFile(file)));
  return texts.some((text) => text === undefined) ? undefined : texts.join("");
}

function decoded({ name, args, input }: Printer): string | undefined {
  const decode = decoders.get(name);
  if (decode === undefined || input === undefined || hasUnknown(input) || !isDecoding(name, args)) return undefined;
  if (args.some((arg) => !arg.text.startsWith("-"))) return undefined;
  const text = decode(input);
  return hasUnknown(text) ? undefined : text;
}

function located({ args }: Pick<Printer, "args">): string | undefined {
  const [only, ...more] = args;
  return only?.isKnown === true && more.length === 0 && /^[\w.+-]+$/.test(only.text)
    ? `/usr/bin/${only.text}\n`
    : undefined;
}

function lastPart(path: string, suffix: string): string {
  const last = path.replace(/\/+$/, "").split("/").at(-1) ?? "";
  return suffix !== "" && last.endsWith(suffix) ? last.slice(0, -suffix.length) : last;
}

/** What `printf` prints; the format is used again while values are left. */
export function formatted(args: readonly Argument[]): string | undefined {
  const words = args.filter((arg, index) => !(index === 0 && arg.text === "--"));
  const [format, ...values] = words.map((arg) => arg.text);
  if (format === undefined || words.some((arg) => arg.mayBeMany || arg.hasGlob)) return undefined;
  const specs = [...format.matchAll(/%[-+ #0]*[\d*]*(?:\.[\d*]+)?([a-zA-Z%])|%\(/g)];
  if (specs.some(([whole, kind]) => kind === undefined || (whole.length > 2 && kind !== "%"))) return undefined;
  if (specs.some(([, kind = ""]) => !"sbdicuxoX%".includes(kind))) return undefined;
  const taken = specs.filter(([, kind]) => kind !== "%").length;
  const rounds = taken === 0 ? 1 : Math.max(1, Math.ceil(values.length / taken));
  let next = 0;
  let text = "";
  for (let round = 0; round < rounds && round < 200; round += 1) {
    text += withEscapes(
      format.replace(/%([a-zA-Z%])/g, (_, kind: string) => (kind === "%" ? "\u0003" : value(kind))),
      false,
    );
  }
  return text.replaceAll("\u0003", "%").replaceAll("\u0004", "\\");

  function value(kind: string): string {
    const supplied = values[next] ?? "";
    next += 1;
    const shown =
      kind === "b"
        ? withEscapes(supplied, true)
        : kind === "c"
          ? supplied.slice(0, 1)
          : kind === "s"
            ? supplied
            : numberShown(supplied, kind);
    return shown.replaceAll("\\", "\u0004");
  }
}

function numberShown(supplied: string, kind: string): string {
  if (hasUnknown(supplied)) return unknownNumber;
  const number = supplied === "" ? 0 : /^['"]/.test(supplied) ? (supplied.codePointAt(1) ?? 0) : Number(supplied);
  if (!Number.isInteger(number)) return unknownText;
  const shown = number.toString(kind === "x" || kind === "X" ? 16 : kind === "o" ? 8 : 10);
  return kind === "X" ? shown.toUpperCase() : shown;
}

const escapes: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  a: "\u0007",
  b: "\b",
  e: "\u001b",
  E: "\u001b",
  f: "\f",
  v: "\v",
  "\\": "\\",
  '"': '"',
  "'": "'",
};

/** Backslash escapes of `printf` and `echo -e`; after a leading zero the latter takes three more digits. */
function withEscapes(text: string, isValue: boolean): string {
  const octal = isValue ? "0[0-7]{0,3}|[1-7][0-7]{0,2}" : "[0-7]{1,3}";
  const pattern = new RegExp(
    `\\\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|(${octal})|([\\s\\S]))`,
    "g",
  );
  return text.replace(pattern, (...match: readonly unknown[]) => {
    const [whole, hex, short, long, digits, letter] = match.map((one) => (typeof one === "string" ? one : undefined));
    if (letter !== undefined) return escapes[letter] ?? whole ?? "";
    const code = digits === undefined ? Number.parseInt(hex ?? short ?? long ?? "", 16) : Number.parseInt(digits, 8);
    const isByte = hex !== undefined || digits !== undefined;
    if (Number.isNaN(code) || (isByte && (code & 255) > 127) || code > 0x10ffff) return unknownText;
    return (code & 255) === 0 && isByte ? "" : String.fromCodePoint(isByte ? code & 255 : code);
  });
}

function fromBase32(text: string): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  let bits = "";
  for (const one of text.replace(/[=\s]/g, "")) bits += Math.max(0, alphabet.indexOf(one)).toString(2).padStart(5, "0");
  const bytes = bits.match(/.{8}/g) ?? [];
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2))).toString("utf8");
}
