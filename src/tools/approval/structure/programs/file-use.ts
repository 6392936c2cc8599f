import type { OptionStyle } from "../../../shell/programs/option-words.ts";
import {
  hasAny,
  isOption,
  type OptionWords,
  readOptions,
  valuesOf,
  wordSet,
} from "../../../shell/programs/option-words.ts";
import { type Argument, literal, type SimpleCommand, withText } from "../../../shell/simple-command.ts";
import { styleOf } from "./styles.ts";

/** What a command does to a file it names. */
export type Use =
  | "read"
  /** Written, created or changed; what it held before may stay. */
  | "write"
  /** Emptied, or filled with nothing that anybody would want. */
  | "empty"
  | "delete"
  /** Read and gone from where it was. */
  | "move";

export interface FileUse {
  readonly use: Use;
  readonly file: Argument;
}

interface FileProgram {
  /** What happens to the operands. */
  readonly operands?: Use;
  /** What happens to the last of several operands. */
  readonly last?: Use;
  /** Operands before the files: a mode, a script. */
  readonly skip?: number;
  /** Options that must be given for the operands to be written. */
  readonly when?: string;
  /** Options whose value is a file that is written. */
  readonly writes?: string;
  /** Options whose value is a folder that everything goes into. */
  readonly into?: string;
}

const archive = { operands: "read", last: "read" } as const;
const editor = { operands: "write" } as const;
const packer = { operands: "write", writes: "-o --output" } as const;

const programs: Readonly<Record<string, FileProgram>> = {
  rm: { operands: "delete" },
  rmdir: { operands: "delete" },
  unlink: { operands: "delete" },
  rimraf: { operands: "delete" },
  trash: { operands: "delete" },
  "trash-put": { operands: "delete" },
  "del-cli": { operands: "delete" },
  srm: { operands: "delete" },
  wipe: { operands: "delete" },
  shred: { operands: "empty" },
  truncate: { operands: "write" },
  tee: { operands: "write" },
  sponge: { operands: "write" },
  touch: { operands: "write" },
  mkdir: { operands: "write" },
  mkfifo: { operands: "write" },
  mknod: { operands: "write" },
  "7z": { operands: "read", into: "-o" },
  "7za": { operands: "read", into: "-o" },
  "7zr": { operands: "read", into: "-o" },
  unrar: { operands: "read", last: "write" },
  iconv: { operands: "read", writes: "-o --output" },
  shuf: { operands: "read", writes: "-o --output" },
  ld: { operands: "read", writes: "-o --output -Map" },
  logsave: { last: "write", operands: "read" },
  time: { writes: "-o --output" },
  "ssh-keyscan": {},
  setfattr: { operands: "write" },
  mkdosfs: { operands: "write" },
  chmod: { operands: "write", skip: 1 },
  chown: { operands: "write", skip: 1 },
  chgrp: { operands: "write", skip: 1 },
  chattr: { operands: "write", skip: 1 },
  setfacl: { operands: "write", skip: 1 },
  cp: { operands: "read", last: "write", into: "-t --target-directory" },
  mv: { operands: "move", last: "write", into: "-t --target-directory" },
  ln: { operands: "read", last: "write", into: "-t --target-directory" },
  link: { operands: "read", last: "write" },
  install: { operands: "read", last: "write", into: "-t --target-directory" },
  rsync: { operands: "read", last: "write", writes: "--log-file --backup-dir --partial-dir --temp-dir" },
  scp: { operands: "read", last: "write" },
  ditto: { operands: "read", last: "write" },
  dd: {},
  sed: { operands: "write", skip: 1, when: "-i --in-place" },
  gsed: { operands: "write", skip: 1, when: "-i --in-place" },
  perl: { operands: "write", when: "-i" },
  ruby: { operands: "write", when: "-i" },
  sort: { operands: "read", writes: "-o --output" },
  uniq: { operands: "read", last: "write" },
  split: { operands: "read", last: "write" },
  csplit: { operands: "read", writes: "-f --prefix" },
  xxd: { operands: "read", last: "write" },
  objcopy: { operands: "write" },
  strip: { operands: "write", writes: "-o" },
  patch: { operands: "write", writes: "-o -r -d --output --reject-file --directory" },
  ed: editor,
  ex: editor,
  vi: editor,
  vim: editor,
  nvim: editor,
  nano: editor,
  pico: editor,
  emacs: editor,
  micro: editor,
  joe: editor,
  code: editor,
  subl: editor,
  gzip: packer,
  gunzip: packer,
  bzip2: packer,
  bunzip2: packer,
  xz: packer,
  unxz: packer,
  zstd: packer,
  lz4: packer,
  compress: packer,
  zip: { operands: "read" },
  unzip: { operands: "read", into: "-d" },
  tar: archive,
  cpio: { into: "-D --directory", writes: "-O -F --file" },
  curl: {
    writes:
      "-o --output -D --dump-header -c --cookie-jar --trace --trace-ascii --stderr --hsts --alt-svc --etag-save --libcurl",
    into: "--output-dir",
  },
  wget: {
    writes: "-O --output-document -o --output-file -a --append-output --save-cookies --warc-file --rejected-log",
    into: "-P --directory-prefix",
  },
  gpg: { writes: "-o --output" },
  "ssh-keygen": {},
  tcpdump: { writes: "-w" },
  script: { operands: "write" },
  yq: { operands: "write", when: "-i --inplace --in-place" },
  dasel: { operands: "write", when: "-w --write" },
  xmlstarlet: { operands: "write", when: "-L --inplace" },
  sd: { operands: "write" },
  prettier: { operands: "write", when: "-w --write" },
  eslint: { operands: "write", when: "--fix" },
  biome: { operands: "write", when: "--write --fix" },
  ruff: { operands: "write", when: "--fix" },
  black: { operands: "write" },
  isort: { operands: "write" },
  autopep8: { operands: "write", when: "-i --in-place" },
  yapf: { operands: "write", when: "-i --in-place" },
  gofmt: { operands: "write", when: "-w" },
  goimports: { operands: "write", when: "-w" },
  shfmt: { operands: "write", when: "-w --write" },
  rustfmt: { operands: "write" },
  "clang-format": { operands: "write", when: "-i" },
  stylua: { operands: "write" },
  tidy: { operands: "write", when: "-m -modify" },
  exiftool: { operands: "write", when: "-overwrite_original" },
  jpegoptim: { operands: "write" },
  optipng: { operands: "write" },
  pngquant: { operands: "write", when: "-f --force" },
  expand: { operands: "read" },
  mogrify: { operands: "write" },
  dos2unix: { operands: "write" },
  unix2dos: { operands: "write" },
  crudini: { operands: "write", skip: 1 },
  psql: { writes: "-o --output -L --log-file" },
  pg_dump: { writes: "-f --file" },
  strace: { writes: "-o --output" },
  psexec: {},
};

/** Options that name an output wherever they occur. */
const outputOptions =
  "-o --output --out --outfile --out-file --output-file --outdir --out-dir --output-dir --output-directory --outDir --dest --destination --save --log-file --logfile --target-dir --export --prefix --report -out -outfile -oN -oX -oG -oA";

/** What a command does to the files its words name. Redirections are not its words. */
export function fileUses(command: SimpleCommand): readonly FileUse[] {
  const name = command.name ?? "";
  const program = Object.hasOwn(programs, name) ? programs[name] : undefined;
  const words = readOptions(command.args, outputStyle(name, program));
  return [
    ...(program === undefined ? [] : namedUses(program, words)),
    ...specialUses(name, words, command.args),
    ...valuesOf(words, outputOptions).map((file) => ({ use: "write", file }) as const),
  ];
}

/** Programs for which `-o` is a switch, or names something else than a file. */
const switchO =
  /^(?:ls|eza|exa|ps|shopt|set|test|\[|\[\[|find|gfind|grep|egrep|fgrep|rg|ag|ack|zgrep|unzip|cpio|ss|netstat|od|who|jobs|lsof|df|ssh|scp|sftp|sshfs|mount|umount|kubectl|oc|helm|journalctl|lsblk|pgrep|pkill|killall|screen|useradd|usermod|apt|apt-get|restic|mosh|autossh|tar|gtar|bsdtar|chown|id|nm|compgen|complete|bind|diff|cmp|tail|less|column|patchelf|zip|zipinfo|tmux|systemctl|aws|gcloud|az|gh|docker|podman|terraform|top|sar|iostat|pytest|py\.test|git|fd|sudo|bash|sh|zsh|dash|ksh)$/;

/** How a program reads its options, with every one that names an output taking a value. */
function outputStyle(name: string, program: FileProgram | undefined): OptionStyle {
  const style = styleOf(name);
  const more = [style.valued, program?.writes, program?.into, switchO.test(name) ? undefined : "-o"];
  return { ...style, valued: more.filter((one) => one !== undefined).join(" ") };
}

function namedUses(program: FileProgram, words: OptionWords): readonly FileUse[] {
  const found: FileUse[] = [];
  const into = valuesOf(words, program.into ?? "");
  for (const file of [...valuesOf(words, program.writes ?? ""), ...into]) found.push({ use: "write", file });
  const isOn = program.when === undefined || hasAny(words, program.when) || clusterHas(words, program.when);
  if (program.operands === undefined) return found;
  const skip = program.skip === undefined || hasScriptOption(words) || isDashedMode(words) ? 0 : program.skip;
  const files = words.operands.slice(skip);
  files.forEach((file, index) => {
    const isLast = index === files.length - 1 && files.length > 1 && into.length === 0;
    const use = isLast && program.last !== undefined ? program.last : (program.operands ?? "read");
    found.push({ use: isOn ? use : "read", file });
  });
  return found;
}

/** `sed -i.bak` and `perl -pi` carry more in the same word. */
function clusterHas(words: OptionWords, when: string): boolean {
  const letters = [...wordSet(when)].filter((one) => /^-[a-z]$/.test(one));
  return words.options.some(({ name }) => letters.some((letter) => isOption(name, letter)));
}

/** `chmod -x file`: the mode looks like an option. */
function isDashedMode(words: OptionWords): boolean {
  return words.operands.length === 1 && words.options.some(({ name }) => /^-[rwxXst]$/.test(name));
}

function hasScriptOption(words: OptionWords): boolean {
  return hasAny(words, "-e -f --expression --file");
}

/** Programs whose files do not stand where others have them. */
function specialUses(name: string, words: OptionWords, args: readonly Argument[]): readonly FileUse[] {
  switch (name) {
    case "dd":
    case "dcfldd":
      return args.flatMap((arg) => {
        const match = /^(of|if)=(.*)$/s.exec(arg.text);
        if (match === null) return [];
        return [{ use: match[1] === "of" ? "empty" : "read", file: withText(arg, match[2] ?? "") } as const];
      });
    case "truncate":
      return valuesOf(words, "-s --size").some((size) => /^0+[a-zA-Z]*$/.test(size.text))
        ? words.operands.map((file) => ({ use: "empty", file }) as const)
        : [];
    case "cp":
    case "install":
    case "ln":
      return words.operands.length > 1 && words.operands.slice(0, -1).some(isNothing)
        ? words.operands.slice(-1).map((file) => ({ use: "empty", file }) as const)
        : [];
    case "sed":
    case "gsed":
      return emptiesBySed(words) ? words.operands.slice(-1).map((file) => ({ use: "empty", file }) as const) : [];
    case "tar":
    case "gtar":
    case "bsdtar":
      return tarUses(words, args);
    // Without the option it writes names from the archive as they are, absolute ones too.
    case "cpio":
      return (hasAny(words, "-i --extract") || clusterHas(words, "-i")) &&
        !hasAny(words, "-t --list --no-absolute-filenames") &&
        !clusterHas(words, "-t")
        ? [{ use: "write", file: literal("/") }]
        : [];
    case "unzip":
      return args.some(({ text }) => /^-\w*:/.test(text)) ? [{ use: "write", file: literal("/") }] : [];
    case "zip":
      return words.operands.slice(0, 1).map((file) => ({ use: "write", file }) as const);
    case "awk":
    case "gawk":
      return valuesOf(words, "-i --include").some(({ text }) => text === "inplace")
        ? words.operands.slice(1).map((file) => ({ use: "write", file }) as const)
        : [];
    case "ssh-keygen":
      return hasAny(words, "-l -y -B -e -F -L -Y")
        ? []
        : valuesOf(words, "-f").map((file) => ({ use: "write", file }) as const);
    case "exiftool":
      return args.some(({ text }) => /^-[\w:]+[+-]?=/.test(text))
        ? words.operands.map((file) => ({ use: "write", file }) as const)
        : [];
    case "python":
    case "python3":
      return args.some(({ text }) => /^(?:zipfile|tarfile)$/.test(text)) &&
        args.some(({ text }) => /^(?:-e|--extract)$/.test(text))
        ? args.slice(-1).map((file) => ({ use: "write", file }) as const)
        : [];
    case "git":
      return gitUses(words);
    case "ffmpeg":
    case "convert":
    case "magick":
    case "rsvg-convert":
      return words.operands.slice(-1).map((file) => ({ use: "write", file }) as const);
    case "find":
    case "gfind":
      return valuesAfter(args, /^-f(?:print0?|printf|ls)$/).map((file) => ({ use: "write", file }) as const);
    case "docker":
    case "podman":
      return words.operands[0]?.text === "cp"
        ? words.operands.slice(2).map((file) => ({ use: "write", file }) as const)
        : [];
    case "openssl":
      return valuesAfter(args, /^-(?:out|keyout|writerand|CAserial)$/).map((file) => ({ use: "write", file }) as const);
    default:
      return [];
  }
}

/** `sed -i d file`: every line goes. */
function emptiesBySed(words: OptionWords): boolean {
  if (!hasAny(words, "-i --in-place") && !clusterHas(words, "-i")) return false;
  const scripts = [...valuesOf(words, "-e --expression"), ...words.operands.slice(0, 1)];
  return scripts.some((one) =>
    /^\s*(?:[01]?,?\$?|\d+,\$|\/\.?\*?\/|\/\^\/|\/\$\/)?\s*[dQ]\s*;?$|^s(.)\^?\.\*\$?\1\1g?$/.test(one.text),
  );
}

export function isNothing(argument: Argument): boolean {
  return /^\/dev\/(?:null|zero|u?random|full)$/.test(argument.text);
}

/** The first word of tar may hold its letters without a dash. */
function tarUses(words: OptionWords, args: readonly Argument[]): readonly FileUse[] {
  const [first] = args;
  const letters = first !== undefined && /^[A-Za-z]+$/.test(first.text) ? first.text : "";
  const has = (letter: string, long: string): boolean =>
    letters.includes(letter) || hasAny(words, `-${letter} ${long}`);
  const makes = has("c", "--create") || has("r", "--append") || has("u", "--update");
  const extracts = has("x", "--extract") || hasAny(words, "--get");
  const files = letters.includes("f") ? words.operands.slice(1, 2) : valuesOf(words, "-f --file");
  const folders = valuesOf(words, "-C --directory");
  return [
    ...(makes ? files.map((file) => ({ use: "write", file }) as const) : []),
    ...(extracts ? folders.map((file) => ({ use: "write", file }) as const) : []),
    ...(extracts && has("P", "--absolute-names") ? [{ use: "write", file: literal("/") } as const] : []),
  ];
}

function gitUses(words: OptionWords): readonly FileUse[] {
  const [action, ...rest] = words.operands;
  if (action?.text === "clone") return rest.slice(1, 2).map((file) => ({ use: "write", file }) as const);
  if (action?.text === "init") return rest.slice(0, 1).map((file) => ({ use: "write", file }) as const);
  if (action?.text === "mv" || action?.text === "rm") return [];
  return [];
}

function valuesAfter(args: readonly Argument[], option: RegExp): readonly Argument[] {
  return args.flatMap((arg, index) => {
    const next = args[index + 1];
    return option.test(arg.text) && next !== undefined ? [next] : [];
  });
}
