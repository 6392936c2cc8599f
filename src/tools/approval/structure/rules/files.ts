import { PathTable } from "../../../confinement/path-table.ts";
import { projectSecretExceptions, projectSecrets } from "../../../confinement/secret-locations.ts";
import { readOptions, valuesOf } from "../../../shell/programs/option-words.ts";
import { type Argument, hasUnknown, type SimpleCommand, withText } from "../../../shell/simple-command.ts";
import { lockFiles } from "../../protected-locations.ts";
import { keys } from "../keys.ts";
import { below, type PathLocation, patternOf } from "../paths.ts";
import { type FileUse, fileUses, isNothing } from "../programs/file-use.ts";
import { isOwn, isSecretPath, zoneOf } from "../zones.ts";
import { isElsewhere } from "./elsewhere.ts";

/** What a command does to files, as far as somebody should be asked about it. */
export function fileKeys(command: SimpleCommand, location: PathLocation): readonly string[] {
  if (isElsewhere(command)) return [];
  const found = new Set<string>();
  const add = (key: string | undefined): void => {
    if (key !== undefined) found.add(key);
  };
  for (const one of [...redirectUses(command), ...fileUses(command)]) add(useKey(one, command, location));
  add(manyDeleted(command));
  for (const path of namedPaths(command)) add(pathKey(path, command, location));
  add(wholeHomeRead(command, location));
  return [...found];
}

function redirectUses(command: SimpleCommand): readonly FileUse[] {
  const writesNothing = printsNothing(command);
  const emptied =
    (command.name === "tee" || command.name === "sponge") &&
    (readsNothing(command) || isNothingPrinted(command.upstream.at(-1)))
      ? command.args
      : [];
  return [
    ...emptied.filter((arg) => !arg.text.startsWith("-")).map((file) => ({ use: "empty", file }) as const),
    ...command.writes.map(({ target, isAppend }) => ({
      use: writesNothing && !isAppend && !isArtefact(target.text) ? ("empty" as const) : ("write" as const),
      file: target,
    })),
    ...command.reads.map((file) => ({ use: "read", file }) as const),
  ];
}

function isNothingPrinted(before: SimpleCommand | undefined): boolean {
  return before !== undefined && (before.args.some(isNothing) || printsNothing(before));
}

function readsNothing({ reads }: SimpleCommand): boolean {
  return reads.length > 0 && reads.every(isNothing);
}

/** A redirection of nothing empties the file. */
function printsNothing(command: SimpleCommand): boolean {
  const { name, args } = command;
  if (name === "") return command.assigns.length === 0 && command.reads.every(isNothing);
  if (name === ":" || name === "true" || name === "false") return true;
  if (name === "exec") return args.length === 0;
  if (name === "printf") return args.length === 0 || args[0]?.text === "";
  if (name === "echo") return args.every((arg) => arg.text === "-n" || arg.text === "");
  if (name === "cat")
    return (
      (args.length > 0 ? args : command.reads).length > 0 && (args.length > 0 ? args : command.reads).every(isNothing)
    );
  return false;
}

function useKey({ use, file }: FileUse, command: SimpleCommand, location: PathLocation): string | undefined {
  if (isRemote(file)) return undefined;
  const zone = zoneOf(file, command, location);
  if (zone === "own") return keys.ownFiles;
  if (use === "read") return undefined;
  if (zone === "nowhere") return undefined;
  if (zone === "device") return keys.disk;
  if (zone === "guarded") return isFolderMade(command, file) ? undefined : keys.protectedFile;
  if (use === "delete" || use === "move") return deleteKey({ use, file }, zone, { command, location });
  if (zone === "outside" || zone === "unknown") return keys.writeOutside;
  if (lockFiles.test(file.text) && command.name !== "touch") return keys.supply;
  return use === "empty" && zone === "workspace" ? keys.fileLoss : undefined;
}

/** `mkdir -p .vscode` makes room and changes nothing yet; inside the folder of git it does. */
function isFolderMade(command: SimpleCommand, file: Argument): boolean {
  return command.name === "mkdir" && !/\.git(?:\/|$)|^\//.test(file.text);
}

function deleteKey(
  { use, file }: FileUse,
  zone: string,
  { command, location }: { readonly command: SimpleCommand; readonly location: PathLocation },
): string | undefined {
  const target = patternOf(file, command, location);
  const isWhole = target !== undefined && [...location.tempDirs, location.workspace ?? ""].includes(target);
  if (zone === "outside" || zone === "unknown" || isWhole) return keys.deleteOutside;
  if (zone === "temp") return undefined;
  if (use === "move") return movesAway(command, location) && !isArtefact(file.text) ? keys.fileLoss : undefined;
  if (command.name === "rmdir") return undefined;
  if (wholeFolders.test(command.name ?? "") && !isArtefact(file.text) && !isArtefact(`${file.text}/`))
    return keys.bulkDelete;
  return (file.hasGlob || hasUnknown(file.text)) && !isArtefact(file.text) ? keys.bulkDelete : undefined;
}

/** Programs that delete folders with all that is in them, without an option for it. */
const wholeFolders = /^(?:rimraf|del-cli|del|trash|trash-put|srm|wipe)$/;

/** Out of the workspace into a folder that is emptied by itself. */
function movesAway(command: SimpleCommand, location: PathLocation): boolean {
  const words = readOptions(command.args, { valued: "-t --target-directory -S --suffix" });
  const target = valuesOf(words, "-t --target-directory").at(-1) ?? words.operands.at(-1);
  return target !== undefined && ["temp", "nowhere"].includes(zoneOf(target, command, location));
}

const artefactNames =
  /\.(?:log|logs|tmp|temp|bak|backup|old|orig|rej|swp|swo|pyc|pyo|pyd|o|obj|a|so|dylib|dll|exe|class|jar|war|map|min\.js|cache|out|err|pid|lock|gz|tgz|zip|tar|whl|egg|gcda|gcno|gcov|profraw|prof|trace|d|dSYM|tsbuildinfo|DS_Store|core|dump|hprof|lcov|coverage|snap\.new|part|crdownload|aux|toc|bbl|blg|fls|fdb_latexmk|synctex|nyc_output)$|~$|^#.*#$/;
const artefactFolders =
  /(?:^|\/)(?:node_modules|dist|build|out|output|target|coverage|tmp|temp|cache|\.cache|logs?|__pycache__|\.pytest_cache|\.mypy_cache|\.ruff_cache|\.next|\.nuxt|\.turbo|\.parcel-cache|\.nyc_output|bin|obj|_build|htmlcov|\.tox|\.eggs|reports?|storybook-static|DerivedData|\.?venv|\.gradle|\.svelte-kit|\.angular|\.output|\.vite|\.astro|\.dart_tool|\.stack-work|elm-stuff|[\w.-]+\.egg-info|\.hypothesis|\.nox)\//;

/** What a build makes again. */
export function isArtefact(text: string): boolean {
  return artefactNames.test(text) || artefactFolders.test(text);
}

const most = 12;

function manyDeleted(command: SimpleCommand): string | undefined {
  if (command.name !== "rm" && command.name !== "unlink") return undefined;
  return command.args.filter((arg) => !arg.text.startsWith("-") && !isArtefact(arg.text)).length > most
    ? keys.bulkDelete
    : undefined;
}

function isRemote(file: Argument): boolean {
  return /^(?:[\w.-]+@)?[\w.-]+:|^\w+:\/\//.test(file.text) && !/^[A-Za-z]:[\\/]/.test(file.text);
}

/** Programs that say something about a file without telling what is in it, or whose words are only text. */
const tellsNothing: ReadonlySet<string> = new Set(
  "ls eza exa lsd stat test [ [[ du df file find fd readlink realpath basename dirname echo printf export alias : true tree which type ssh ssh-add ssh-keygen mosh git man help complete set unset read local declare readonly typeset pwd wc touch sha256sum md5sum".split(
    " ",
  ),
);
/** Programs at home in a folder of secrets. */
const owners: ReadonlyMap<string, RegExp> = new Map(
  Object.entries({
    kubectl: /\.kube/,
    helm: /\.kube/,
    k9s: /\.kube/,
    oc: /\.kube/,
    aws: /\.aws/,
    docker: /\.docker/,
    gh: /\.config\/gh/,
    gpg: /\.gnupg/,
    npm: /\.npmrc/,
    scp: /\.ssh\/(?:config|known_hosts)/,
    rsync: /\.ssh\/(?:config|known_hosts)/,
  }),
);

/** Everything in the words of a command that could be a path. */
function namedPaths(command: SimpleCommand): readonly Argument[] {
  const words = [...command.args, ...command.reads];
  return words.flatMap((arg) => {
    const { text } = arg;
    if (!/[/~.]/.test(text) || text.length > 4_096) return [];
    const pieces = [text, ...[...text.matchAll(/[=@:<,]((?:\/|~|\.)[^=@:,]*)/g)].map((match) => match[1] ?? "")];
    return pieces.filter((piece) => piece !== "" && !/\s/.test(piece.trim())).map((piece) => withText(arg, piece));
  });
}

function pathKey(path: Argument, command: SimpleCommand, location: PathLocation): string | undefined {
  const name = command.name ?? "";
  if (name === "echo" || name === "printf" || name === "export" || name === "alias") return undefined;
  // What the line itself opened, wherever links lead from there.
  if (/^\/dev\/(?:fd\/\d+|std(?:in|out|err))$/.test(path.text)) return undefined;
  if (isOthersProcess(path.text)) return keys.secret;
  const target = patternOf(path, command, location);
  if (target === undefined) return undefined;
  if (isOwn(target, location)) return keys.ownFiles;
  if (isOthersProcess(target)) return keys.secret;
  if (isTold(name, command) || owners.get(name)?.test(target) === true || isIdentity(path, command)) return undefined;
  if (zoneOf(path, command, location) === "device" && !asksDevices.test(name)) return keys.disk;
  if (isProjectSecret(target, command, location)) return keys.secret;
  return isSecretPath(target, path.hasGlob, location) ? keys.secret : undefined;
}

const projectTable = new PathTable(projectSecrets);
const projectExceptions = new PathTable(projectSecretExceptions);
/** Programs that are handed such a file to use it, and those that show it: the wall hides it from them until somebody allows it. */
const usesKeys =
  /^(?:docker|podman|docker-compose|node|tsx|dotenv|dotenv-cli|source|\.|npm|npx|pnpm|yarn|bun|deno|python\d*|vite|next|nuxt|ssh|scp|sftp|rsync|openssl|mkcert|certbot|nginx|terraform|tofu|kubectl|helm|ansible|ansible-playbook|git|direnv|make|flask|uvicorn|gunicorn|cp|mv|rm|touch|mkdir|chmod|cd|vim?|nvim|nano|code|java|keytool|psql|go|cargo|step|cfssl|cat|bat|less|more|head|tail|grep|egrep|rg|awk|sed|cut|sort|wc|diff)$/;

/** A file of the project that holds keys, by its name. */
function isProjectSecret(target: string, command: SimpleCommand, location: PathLocation): boolean {
  const name = target.slice(target.lastIndexOf("/") + 1);
  if (location.workspace === undefined || below(target, location.workspace) === undefined) return false;
  if (projectTable.find(name) === undefined || projectExceptions.find(name) !== undefined) return false;
  if (/^\.env\.(?:test|ci|schema)$/.test(name)) return false;
  return !usesKeys.test(command.name ?? "") || command.args.some((arg) => /^(?:add|hash-object)$/.test(arg.text));
}

/** What a process holds in memory, in its variables and in its open files. */
function isOthersProcess(target: string): boolean {
  return /^\/proc\/(?!self\/|thread-self\/)[^/]+\/(?:environ|mem|maps|smaps|fd(?:\/.*)?|root(?:\/.*)?|cwd(?:\/.*)?|auxv|stack|pagemap|map_files.*|task\/.*)$/.test(
    target,
  );
}

/** A command that says nothing of what a file holds. */
function isTold(name: string, command: SimpleCommand): boolean {
  if (!tellsNothing.has(name)) return false;
  return !(name === "git" && command.args.some((arg) => /^(?:--no-index|hash-object|--literally)$/.test(arg.text)));
}

const asksDevices =
  /^(?:lsblk|blkid|udevadm|findmnt|fuser|lsof|df|smartctl|hdparm|nvme|cd|pushd|tty|stty|screen|minicom|picocom|esptool(?:\.py)?|avrdude|adb|docker|podman|ffprobe|v4l2-ctl|arduino-cli|platformio|pio|espflash)$/;

/** `scp -i ~/.ssh/id_rsa …` uses a key for what it is for. */
function isIdentity(path: Argument, command: SimpleCommand): boolean {
  if (!/^(?:scp|sftp|rsync|ssh|ssh-copy-id|ansible|ansible-playbook|autossh)$/.test(command.name ?? "")) return false;
  const at = command.args.findIndex((arg) => arg.text === path.text);
  return at > 0 && /^-i$|^--private-key$/.test(command.args[at - 1]?.text ?? "");
}

const readsAll: ReadonlySet<string> = new Set(
  "tar zip 7z rsync scp cp grep egrep rg ag ack cat head tail strings base64 cpio bsdtar rclone ditto restic borg xargs less sed awk".split(
    " ",
  ),
);

/** A whole home folder, or the folder above it, holds all secrets at once. */
function wholeHomeRead(command: SimpleCommand, location: PathLocation): string | undefined {
  if (!readsAll.has(command.name ?? "")) return undefined;
  const roots = ["/", "/home", "/Users", "/root", location.home];
  const isWhole = command.args.some((arg) => {
    if (arg.text.startsWith("-")) return false;
    const target = patternOf(arg, command, location);
    if (target === undefined) return false;
    const inHome = below(target, location.home);
    return roots.includes(target) || (inHome !== undefined && arg.hasGlob && /^\.\*?[^/]*\*/.test(inHome));
  });
  return isWhole && location.workspace !== location.home ? keys.secret : undefined;
}
