import { hasAny, type OptionWords, readOptions, valuesOf } from "../../../shell/programs/option-words.ts";
import { type Argument, hasUnknown, type SimpleCommand } from "../../../shell/simple-command.ts";
import { keys } from "../keys.ts";
import { isInside, type PathLocation, patternOf } from "../paths.ts";
import { riskKeys } from "../programs/risks/match.ts";
import { styleOf } from "../programs/styles.ts";
import { isGuarded, isSecretPath } from "../zones.ts";

import { fills } from "./filling.ts";
import { killsOthers } from "./killing.ts";
import { isKnownName } from "./naming.ts";

/** Judgements that need more than a row of a table. */
export function particularKeys(command: SimpleCommand, location: PathLocation): readonly string[] {
  return [...(fills(command) ? [keys.exhaustion] : []), ...ownKeys(command, location)];
}

function ownKeys(command: SimpleCommand, location: PathLocation): readonly string[] {
  const name = command.name ?? "";
  const words = readOptions(command.args, styleOf(name));
  switch (name) {
    case "kill":
    case "pkill":
    case "killall":
      return killsOthers(command) ? [keys.kill] : [];
    case "make":
    case "gmake":
    case "ninja":
    case "meson":
      return installsHere(command) ? [keys.system] : [];
    case "find":
    case "gfind":
      return [
        ...(seeksRights(command) ? [keys.privilege] : []),
        ...(seeksOwn(command, location) ? [keys.ownFiles] : []),
      ];
    case "fd":
    case "fdfind":
    case "locate":
    case "plocate":
    case "mdfind":
      return seeksOwn(command, location) ? [keys.ownFiles] : [];
    case "openssl":
    case "gpg":
    case "gpg2":
    case "age":
      return locksAway(command) ? [keys.fileLoss] : [];
    case "ssh":
    case "mosh":
      return leadsBack(words) ? [keys.backdoor] : [];
    case "xargs":
    case "parallel":
      return startsTooMany(words) ? [keys.exhaustion] : [];
    case "nice":
    case "renice":
    case "chrt":
    case "ionice":
      return pushesAhead(command) ? [keys.privilege] : [];
    case "git":
      return gitKeys(words, command);
    case "docker":
    case "podman":
    case "nerdctl":
      return containerKeys(containerWords(command), command, location);
    case "dd":
      return command.args.some((arg) => /^if=\/dev\/(?:zero|u?random)$/.test(arg.text)) ? [keys.exhaustion] : [];
    case "yes":
      return command.writes.length > 0 ? [keys.exhaustion] : [];
    case "python":
    case "python3":
    case "php":
      return servesElsewhere(command, location) ? [keys.backdoor] : [];
    case "chmod":
      return isDeepLock(words) ? [keys.fileLoss] : [];
    default:
      return packageRunnerKeys(name, words);
  }
}

/** `make install` without a folder of its own goes into the system. */
function installsHere({ args, assigns }: SimpleCommand): boolean {
  const hasFolder = [...args.map(({ text }) => text), ...assigns.map(({ name }) => `${name}=`)].some((text) =>
    /^(?:DESTDIR|prefix|PREFIX|--destdir|-n$|--dry-run$)/.test(text),
  );
  return !hasFolder && args.some(({ text }) => /^(?:un)?install(?:-strip|-data|-exec|-all)?$/.test(text));
}

/** A search for programs that run with other rights. */
function seeksRights({ args }: SimpleCommand): boolean {
  return args.some(
    ({ text }, at) => /^-perm$/.test(args[at - 1]?.text ?? "") && /^[-/+]?(?:[2467]\d{3}|.*[ugoa]*[+=]\w*s)/.test(text),
  );
}

/** A search for Hermes' own files, from a folder outside the work. */
function seeksOwn({ args, name }: SimpleCommand, location: PathLocation): boolean {
  if (!args.some(({ text }) => /hermes/i.test(text))) return false;
  if (/locate|mdfind/.test(name ?? "")) return true;
  return args.some(({ text }) => {
    const folder = text.replace(/^~(?=\/|$)/, location.home);
    return folder.startsWith("/") && !(location.workspace !== undefined && isInside(folder, location.workspace));
  });
}

/** What is encrypted in its own place is gone for whoever has no key. */
function locksAway({ args }: SimpleCommand): boolean {
  const targets = args.flatMap(({ text }, at) => {
    const inline = /^(?:--output|-o|-out)=(.+)$/.exec(text)?.[1];
    return inline !== undefined ? [inline] : /^(?:-out|-o|--output)$/.test(text) ? [args[at + 1]?.text ?? ""] : [];
  });
  return targets.some((target) => target !== "" && args.filter(({ text }) => text === target).length > 1);
}

/** By way of its own server a machine is outside of every sandbox. */
function leadsBack(words: OptionWords): boolean {
  const host = words.operands[0]?.text ?? "";
  return (
    /^(?:[^@]*@)?(?:localhost|127(?:\.\d+){1,3}|\[?::1\]?|0\.0\.0\.0|ip6-localhost)$/.test(host) && !hasAny(words, "-p")
  );
}

/** More at once than any machine has processors for. */
function startsTooMany(words: OptionWords): boolean {
  return valuesOf(words, "-P -j --max-procs --jobs").some(({ text }) => /^0+$|^\d{3,}%?$/.test(text));
}

/** Before everything else on the machine. */
function pushesAhead({ name, args }: SimpleCommand): boolean {
  const text = args.map((arg) => arg.text).join(" ");
  if (name === "chrt") return /(?:^|\s)(?:-[a-z]*[frd]|--(?:fifo|rr|deadline))\b/.test(text);
  if (name === "ionice") return /-c\s*(?:1|realtime)\b|--class[= ](?:1|realtime)/.test(text);
  return /(?:^|\s)(?:-n\s*-\d|--adjustment[= ]-\d|--\d|-n-\d)/.test(text);
}

const usualRemotes: ReadonlySet<string> = new Set(
  "origin upstream fork mine my gh github gitlab heroku dokku production staging".split(" "),
);

function gitKeys(words: OptionWords, command: SimpleCommand): readonly string[] {
  const [action, ...rest] = words.operands.map((one) => one.text);
  const found: string[] = [];
  if (action === "push" && rest[0] !== undefined && !usualRemotes.has(rest[0]) && !/[:/@]/.test(rest[0]))
    found.push(keys.send);
  if (action === "checkout" || action === "restore") {
    const at = command.args.findIndex((arg) => arg.text === "--");
    const isStaged = action === "restore" && hasAny(words, "--staged -S") && !hasAny(words, "--worktree -W");
    const paths = action === "restore" ? rest : at < 0 ? [] : command.args.slice(at + 1).map((arg) => arg.text);
    if (!isStaged && paths.some((path) => isManyFiles(path))) found.push(keys.git);
  }
  if (command.args.some((arg) => /^(?:--[\w-]+=)?(?:ext|fd)::/.test(arg.text))) found.push(keys.optionRuns);
  return found;
}

/** A folder, everything, or a pattern: not one file with a name and an ending. */
function isManyFiles(path: string): boolean {
  return (
    /[*?[\ufdd0\ufdd1]|^:|\/$|^\.{0,2}$/.test(path) ||
    !/[^/]\.[\w-]+$|^\.\w+|(?:^|\/)(?:Makefile|Dockerfile|LICENSE|README|Gemfile|Rakefile|Procfile|go\.\w+)$/.test(path)
  );
}

const officialImage = /^(?:docker\.io\/(?:library\/)?)?[a-z0-9_.-]+(?::[\w.-]+)?(?:@sha256:\w+)?$/;
const knownImages =
  /^(?:(?:docker\.io\/)?(?:bitnami|grafana|prom|hashicorp|jenkins|sonarsource|elastic|confluentinc|amazon|google|microsoft|nvidia|pytorch|tensorflow|jupyter|apache|minio|mcp|cypress|selenium|playwright|gitlab|circleci|rust|swift|dart|cirrusci|koalaman|hadolint|aquasec|anchore|returntocorp|semgrep|alpine|curlimages|mikefarah|linuxserver|portainer|traefik|caddy|ollama|qdrant|chromadb|timescale|postgis|supabase|mailhog|axllent|localstack|wiremock|mockserver|swaggerapi|openapitools|squidfunk|asciidoctor|pandoc|texlive|dpage|adminer|phpmyadmin|nodered|eclipse-temurin|oven|denoland|astral-sh|golangci|goreleaser|tonistiigi|moby|docker|library)\/|mcr\.microsoft\.com\/|gcr\.io\/|[\w-]+\.gcr\.io\/|[\w-]+-docker\.pkg\.dev\/|ghcr\.io\/|quay\.io\/|registry\.k8s\.io\/|public\.ecr\.aws\/|registry\.gitlab\.com\/|nvcr\.io\/|lscr\.io\/|localhost(?::\d+)?\/)/;

/** `-it` of a run takes no value, `-t` of a build does. */
function containerWords({ name = "", args }: SimpleCommand): OptionWords {
  const isRun = args.slice(0, 3).some(({ text }) => /^(?:run|exec|create)$/.test(text));
  const kept = isRun ? args.filter(({ text }) => !/^-[itd]+$/.test(text)) : args;
  return readOptions(kept, styleOf(name));
}

function containerKeys(words: OptionWords, command: SimpleCommand, location: PathLocation): readonly string[] {
  const found: string[] = [];
  const [action, image] = words.operands.map((one) => one.text);
  for (const volume of valuesOf(words, "-v --volume --mount")) {
    const source = /(?:^|,)(?:source|src)=([^,]*)/.exec(volume.text)?.[1] ?? volume.text.split(":")[0] ?? "";
    if (mountsTooMuch({ ...volume, text: source }, command, location)) found.push(keys.privilege);
  }
  if (
    (action === "run" || action === "create" || action === "pull") &&
    image !== undefined &&
    !officialImage.test(image) &&
    !knownImages.test(image)
  )
    found.push(keys.supply);
  return found;
}

function mountsTooMuch(source: Argument, command: SimpleCommand, location: PathLocation): boolean {
  if (!/[/~.]/.test(source.text) && !hasUnknown(source.text)) return false;
  const target = patternOf(source, command, location);
  if (target === undefined) return !source.sources.every((one) => one === "pwd" || one === "$PWD");
  if (/docker\.sock$|podman\.sock$|containerd\.sock$/.test(target)) return true;
  if (isSecretPath(target, source.hasGlob, location) || isGuarded(target, source.hasGlob)) return true;
  return (
    !(location.workspace !== undefined && isInside(target, location.workspace)) &&
    !location.tempDirs.some((one) => isInside(target, one))
  );
}

/** A server over files that are not the work. */
function servesElsewhere(command: SimpleCommand, location: PathLocation): boolean {
  const isServer = command.args.some((arg) => /^(?:http\.server|SimpleHTTPServer|pyftpdlib|-S)$/.test(arg.text));
  if (!isServer) return false;
  const serving = readOptions(command.args, { valued: "-d -t -b -p --directory --bind --protocol -m" });
  const folders = [...valuesOf(serving, "-d --directory -t")].map((one) => patternOf(one, command, location));
  const served = folders.length > 0 ? folders : [command.cwd];
  return served.some(
    (one) => one !== undefined && location.workspace !== undefined && !isInside(one, location.workspace),
  );
}

/** `chmod -R 000 .` locks everybody out. */
function isDeepLock(words: OptionWords): boolean {
  const mode = words.operands[0]?.text ?? "";
  return (
    (hasAny(words, "-R --recursive") && (/^[0-7]?0[0-7]{2}$|^a?-rwx|^u?-[rwx]*r/.test(mode) || /^a?=$/.test(mode))) ||
    /^0?000$/.test(mode)
  );
}

const runners: Readonly<Record<string, string>> = {
  npx: "",
  bunx: "",
  pnpx: "",
  uvx: "",
  pnpm: "dlx create",
  yarn: "dlx create",
  npm: "exec x create init",
  bun: "x create",
  pipx: "run",
  uv: "tool",
};
/** Starters of projects that people use every day. */
const starters =
  /^(?:@?(?:create-|init-)?(?:vite|next-app|next|react-app|react-router|remix|svelte|vue|nuxt|nuxi|astro|expo|expo-app|t3-app|solid|qwik|electron-app|turbo|nx-workspace|preact|hono|payload-app|docusaurus|strapi-app|medusa-app|gatsby|eslint|eslint\/config|playwright|storybook|tauri-app|elysia|fastify|nest|typescript-app|prisma|tsconfig|jest|vitest)|@(?:angular|nestjs|vue|yarnpkg|sveltejs|ionic|capacitor|redwoodjs|shopify|react-native-community|tailwindcss|types|biomejs|playwright|changesets|openapitools|redocly|storybook|vitejs|eslint|typescript-eslint|stoplight|graphql-codegen|aws-amplify|cloudflare|modelcontextprotocol|anthropic-ai|google|openai|expo|sanity|electron-forge|commitlint|svgr|swc|babel|microsoft|prisma|trpc|trivago|tanstack|astrojs|nuxt|nrwl|nx|lhci|axe-core|percy|sentry|vercel|netlify|datadog|cypress)\/[\w.-]+|shadcn|shadcn-ui|degit|tiged|npm-check-updates|sort-package-json|taze|publint|attw|serve|http-server|json-server|rimraf|mkdirp|kill-port|husky|lint-staged|concurrently|dotenv-cli|cross-env|tsc-watch|tsc-alias|tsup|envinfo|license-checker|source-map-explorer|webpack-bundle-analyzer|cost-of-modules|depcheck|bundle-phobia-cli|cowsay|skills|repomix|ccusage|pyright|mcp-remote|supabase|gitignore|license|typedoc)$/;

/** A package that is fetched and run at once: known tools may, anything else is asked about. */
function packageRunnerKeys(name: string, words: OptionWords): readonly string[] {
  if (!Object.hasOwn(runners, name)) return [];
  const actions = runners[name] ?? "";
  const [first, second] = words.operands;
  const isRun = actions === "" || actions.split(" ").includes(first?.text ?? "");
  if (!isRun) return [];
  const named = valuesOf(words, "-p --package --from --spec");
  const input =
    actions === "" ? first : name === "uv" ? (second?.text === "run" ? words.operands[2] : undefined) : second;
  const packages = named.length > 0 ? named : input === undefined ? [] : [input];
  return packages.some((one) => !isKnownPackage(one) || opensDoor(one)) ? [keys.supply] : [];
}

/** Known for letting others in, whoever starts it. */
function opensDoor({ text }: Argument): boolean {
  return riskKeys(text.replace(/(?<=.)@[^/]*$/, ""), []).includes(keys.backdoor);
}

function isKnownPackage(argument: Argument): boolean {
  if (!argument.isKnown) return false;
  const { text } = argument;
  if (/^(?:\.{0,2}\/|https?:|git|github:|file:)|\.t?gz$/.test(text)) return false;
  const bare = text
    .replace(/(?<=.)@[^/]*$/, "")
    .replace(/[=<>~!].*$/, "")
    .replace(/\[.*\]$/, "");
  return isKnownName(bare) || starters.test(bare) || starters.test(bare.replace(/^create-/, ""));
}
