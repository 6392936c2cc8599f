import { hasAny, type OptionWords, readOptions, valuesOf } from "../../../shell/programs/option-words.ts";
import { type Argument, hasUnknown, type SimpleCommand } from "../../../shell/simple-command.ts";
import { keys } from "../keys.ts";
import { styleOf } from "../programs/styles.ts";
import { isArtefact } from "./files.ts";

const secretName = /KEY|TOKEN|SECRET|PASS|CRED|AUTH|SESSION|COOKIE|PRIVATE/i;
/** Commands whose output says nothing that is not public. */
const plainSources: ReadonlySet<string> = new Set(
  "date seq nproc uuidgen shuf echo printf basename dirname".split(" "),
);
const connecting: ReadonlySet<string> = new Set(
  "nc ncat netcat socat telnet ftp lftp tftp sftp openssl gnutls-cli websocat wscat".split(" "),
);
const asking: ReadonlySet<string> = new Set(
  "hurl grpcurl grpc_cli evans newman httpyac restish curlie dig nslookup host drill kdig dog doggo ping ping6 traceroute tracepath mtr whois getent resolvectl curl wget http https xh httpie lynx w3m links elinks aria2c axel open xdg-open sensible-browser firefox chromium google-chrome chrome brave redis-cli psql mysql mongosh websocat grpcurl notify-send yt-dlp git gh".split(
    " ",
  ),
);

/** Where a machine in a cloud is told its own keys. */
const metadataHost =
  /(?:^|[/@[.])(?:169\.254\.(?:169\.254|169\.253|170\.2|170\.23)|2852039166|0xa9fea9fe|100\.100\.100\.200|168\.63\.129\.16|fd00:ec2::254|metadata\.google\.internal|metadata\.goog|metadata\.azure\.internal|instance-data)(?:[\]:/?#]|$)/i;

/** What leaves this machine with a command, when somebody should be asked. */
export function sendingKeys(command: SimpleCommand): readonly string[] {
  const name = command.name ?? "";
  const found: string[] = [];
  if (isSocket(command)) found.push(keys.backdoor);
  const words = readOptions(command.args, styleOf(name));
  if (uploads(name, words, command) && !isHere(words)) found.push(keys.send);
  if (connecting.has(name)) found.push(...connectionKeys(name, words, command));
  if (asking.has(name) && !isHere(words) && command.args.some((arg) => carriesData(arg, words))) found.push(keys.send);
  if (!found.includes(keys.send) && tellsAddress(command)) found.push(keys.send);
  if ((asking.has(name) || connecting.has(name)) && command.args.some((arg) => metadataHost.test(arg.text)))
    found.push(keys.secret);
  if (name === "ssh" && (hasInput(command) || command.upstream.length > 0) && !isHere(words)) found.push(keys.send);
  return found;
}

/** Whatever program it is: it is given an address of another machine, and words that a command printed or that hold a secret. */
function tellsAddress({ name = "", args }: SimpleCommand): boolean {
  if (
    asking.has(name) ||
    /^(?:echo|printf|export|test|\[|\[\[|grep|sed|jq|docker|podman|kubectl|helm|terraform|aws|az|gcloud|gh|git|claude|codex|hermes)$/.test(
      name,
    )
  )
    return false;
  const isAddress = ({ text }: Argument): boolean =>
    /^(?:--?[\w-]+=)?\w+:\/\/(?!localhost|127\.|\[::1|0\.0\.0\.0|\/)/.test(text);
  return args.some(isAddress) && args.some(isTold);
}

function isSocket(command: SimpleCommand): boolean {
  return [...command.writes.map((write) => write.target), ...command.reads, ...command.args].some((arg) =>
    /^\/dev\/(?:tcp|udp)\//.test(arg.text),
  );
}

function hasInput(command: SimpleCommand): boolean {
  return (
    command.reads.some(({ text }) => text !== "/dev/null") ||
    command.hasHereText ||
    (command.input !== undefined && command.upstream.length > 0)
  );
}

/** Only this machine is talked to. */
function isHere(words: OptionWords): boolean {
  const hosts = words.operands.filter((one) => /^(?:\w+:\/\/|[\w.-]+(?::\d+)?(?:\/|$)|\[)/.test(one.text));
  const isLocal = (text: string): boolean =>
    /^(?:\w+:\/\/)?(?:[^/@]*@)?(?:localhost|127(?:\.\d+){3}|\[?::1\]?|0\.0\.0\.0|[\w-]+\.localhost|host\.docker\.internal)(?::\d+)?(?:[/:?#]|$)/.test(
      text,
    );
  const urls = hosts.filter((one) => one.text.includes("://"));
  const judged = urls.length > 0 ? urls : hosts;
  return judged.length > 0 && judged.some((one) => isLocal(one.text)) && urls.every((one) => isLocal(one.text));
}

function uploads(name: string, words: OptionWords, command: SimpleCommand): boolean {
  switch (name) {
    case "curl":
      return curlUploads(words);
    case "wget":
    case "wget2":
      return (
        valuesOf(words, "--post-file --body-file").length > 0 ||
        valuesOf(words, "--post-data --body-data --header").some((one) => isTold(one))
      );
    case "http":
    case "https":
    case "xh":
    case "httpie":
      return (
        hasInput(command) ||
        words.operands.some((one) => /(?:=|:=|)@|^(?:DELETE|PUT|PATCH)$/.test(one.text)) ||
        words.operands.some((one) => isTold(one))
      );
    case "scp":
    case "rsync":
      return copiesOut(words, command);
    case "ssh-copy-id":
      return true;
    default:
      return false;
  }
}

const dataOptions = "-d --data --data-raw --data-binary --data-urlencode --data-ascii --json -F --form --url-query";

function curlUploads(words: OptionWords): boolean {
  if (valuesOf(words, "-T --upload-file").length > 0) return true;
  if (hasAny(words, "--mail-from --mail-rcpt")) return true;
  // What these ask for changes what another machine keeps.
  if (valuesOf(words, "-X --request").some(({ text }) => /^(?:DELETE|PUT|PATCH)$/i.test(text))) return true;
  const data = valuesOf(words, dataOptions);
  if (data.some((one) => /^@|=[@<]|^[\w.-]+@[^=]*$/.test(one.text) && !/^@?-?$/.test(one.text.replace("@", ""))))
    return true;
  if (data.some((one) => /^@-$|=@-/.test(one.text))) return true;
  const headers = valuesOf(words, "-H --header -A --user-agent -e --referer -b --cookie");
  return [...data, ...headers.filter((one) => !isLogin(one))].some((one) => isTold(one)) || data.some(isTold);
}

/** A login is what such a header is for. */
function isLogin(header: Argument): boolean {
  return (
    /^(?:authorization|private-token|x-api-key|api-key|apikey|x-auth-token|x-[\w-]*token|cookie)\s*:/i.test(
      header.text,
    ) && header.sources.every((one) => one.startsWith("$"))
  );
}

/** Whether a word holds what a command printed, or a secret out of a variable. */
function isTold(argument: Argument): boolean {
  if (!hasUnknown(argument.text)) return false;
  return argument.sources.some((one) => (one.startsWith("$") ? secretName.test(one) : !plainSources.has(one)));
}

/** The name asked for carries what a command printed, or a secret out of a variable. */
function carriesData(argument: Argument, words: OptionWords): boolean {
  const login = valuesOf(words, "-H --header -u --user --oauth2-bearer -K --cert --key");
  if (login.some((one) => one.text === argument.text && (isLogin(one) || !/:/.test(one.text)))) return false;
  return isTold(argument);
}

/** `scp a host:b` sends a; one file that a build made is an everyday release, unless this line made it. */
function copiesOut(words: OptionWords, command: SimpleCommand): boolean {
  const target = words.operands.at(-1);
  if (target === undefined || words.operands.length < 2 || !/^(?:[^/:]+@)?[^/:]+:|^\w+:\/\//.test(target.text))
    return false;
  const sources = words.operands.slice(0, -1);
  const isRelease = sources.every(
    (one) =>
      one.isKnown &&
      /^[\w./-]+$/.test(one.text) &&
      !one.text.startsWith("/") &&
      !one.text.startsWith("..") &&
      (isArtefact(one.text) || isArtefact(`${one.text.replace(/\/$/, "")}/`)),
  );
  return !isRelease || command.upstream.length > 0;
}

function connectionKeys(name: string, words: OptionWords, command: SimpleCommand): readonly string[] {
  const texts = command.args.map((arg) => arg.text);
  if (name === "socat" || name === "websocat") {
    const isRunning = texts.some(
      (text) => /(?:exec|system|shell)\b:|(?:listen|recv)\b/i.test(text) || /^(?:exec|sh-c):/i.test(text),
    );
    return isRunning
      ? [keys.backdoor]
      : texts.every((text) => !/:/.test(text) || /localhost|127\.0\.0\.1|^unix|^-/i.test(text))
        ? []
        : [keys.send];
  }
  if (name === "openssl")
    return /^s_(?:client|server|time)$/.test(texts[0] ?? "") && (hasInput(command) || texts[0] === "s_server")
      ? [keys.send]
      : [];
  if (/^n/.test(name)) {
    if (hasAny(words, "-l -e -c --listen --exec --sh-exec --lua-exec -L")) return [keys.backdoor];
    if (hasAny(words, "-z") || isHere(words)) return [];
    return words.operands.length > 0 ? [keys.send] : [];
  }
  return words.operands.length > 0 && !isHere(words) ? [keys.send] : [];
}
