import { readOptions, valuesOf } from "../../../shell/programs/option-words.ts";
import type { SimpleCommand } from "../../../shell/simple-command.ts";

const powers: Readonly<Record<string, number>> = {
  "": 0,
  B: 0,
  C: 0,
  W: 0,
  K: 1,
  M: 2,
  G: 3,
  T: 4,
  P: 5,
  E: 6,
  Z: 7,
  Y: 8,
};
/** More than that in one go is no work of a project. */
const mostBytes = 2 * 1024 ** 3;

/** Bytes that a size such as `10T`, `+4GiB` or `1e12` stands for; nothing for other words. */
function sizeOf(text: string): number | undefined {
  const match = /^[+<>%/]?(\d+(?:\.\d+)?(?:e\d+)?)\s*([KMGTPEZYBCW]?)(?:i?B)?$/i.exec(text.trim());
  if (match === null) return undefined;
  return Number(match[1]) * 1024 ** (powers[(match[2] ?? "").toUpperCase()] ?? 0);
}

/** Options and words that say how much is written. */
const sized: Readonly<Record<string, string>> = {
  truncate: "-s --size",
  fallocate: "-l --length -o --offset",
  mkfile: "",
  xfs_mkfile: "",
  head: "-c --bytes -n --lines",
  shred: "-s --size",
  openssl: "",
  "qemu-img": "",
  seq: "",
  jot: "",
  pv: "-S -s --size",
  split: "",
  base64: "",
  iperf3: "-n --bytes",
  mktemp: "",
  stress: "--vm-bytes --hdd-bytes",
  lvcreate: "-L",
  ffmpeg: "-fs -t",
};

/** Whether a command would fill a disk or the memory by what its words say. */
export function fills(command: SimpleCommand): boolean {
  const name = command.name ?? "";
  if (name === "dd") return copiedBytes(command) > mostBytes;
  if (Object.hasOwn(sized, name)) {
    const listed = sized[name] ?? "";
    const words = readOptions(command.args, { valued: listed });
    const sizes = listed === "" ? words.operands : valuesOf(words, listed);
    if (sizes.some(({ text }) => (sizeOf(text.replace(/^-/, "")) ?? 0) > mostBytes)) return true;
  }
  return feedsItself(command) || takesEndless(command) || readsEndless(command);
}

const endless = /^\/dev\/(?:zero|full|u?random)$/;

/** `yes | tee x`: what never ends goes into a file. */
function takesEndless({ name, upstream, writes }: SimpleCommand): boolean {
  if (!/^(?:tee|sponge|cat|dd|gzip|xz|zstd|bzip2|base64|tr|sort|split|rev|od|xxd)$/.test(name ?? "")) return false;
  const isWriting = writes.some(({ target }) => target.text !== "/dev/null") || name === "tee" || name === "split";
  const isBounded = upstream.some((one) => /^(?:head|timeout|dd|pv)$/.test(one.name ?? ""));
  return (
    isWriting &&
    !isBounded &&
    upstream.some((one) => one.name === "yes" || [...one.args, ...one.reads].some(({ text }) => endless.test(text)))
  );
}

/** Whatever reads such a device to its end never comes to one. */
function readsEndless({ name, args }: SimpleCommand): boolean {
  if (!args.some(({ text }) => endless.test(text))) return false;
  if (
    /^(?:head|ls|stat|test|\[|\[\[|file|echo|printf|chmod|chown|mknod|shred|openssl|find|docker|podman|cp|ln|install|tee|rm|mv|truncate)$/.test(
      name ?? "",
    )
  )
    return false;
  return !args.some(({ text }) => /^-(?:[nNcl]|-bytes|-length|-read-bytes|-random-source)/.test(text));
}

function copiedBytes({ args }: SimpleCommand): number {
  const number = (key: string): number | undefined => {
    const found = args.find(({ text }) => text.startsWith(`${key}=`));
    return found === undefined ? undefined : sizeOf(found.text.slice(key.length + 1));
  };
  const block = number("bs") ?? number("obs") ?? 512;
  return block * Math.max(number("count") ?? 0, number("seek") ?? 0, number("oseek") ?? 0);
}

/** What is appended to the file it is read from never ends. */
function feedsItself({ writes, args, reads, name }: SimpleCommand): boolean {
  const isFollowing = name === "tail" && args.some(({ text }) => /^(?:-[a-zA-Z]*[fF]|--follow.*|--retry)$/.test(text));
  const isCopying = name === "cat" || name === "tee";
  if (!isFollowing && !isCopying) return false;
  const targets = [...writes.map(({ target }) => target), ...(name === "tee" ? args : [])];
  const sources = [...(name === "tee" ? [] : args), ...reads];
  return targets.some((target) => sources.some((source) => source.text === target.text && source.isKnown));
}
