import { type Argument, literal } from "./simple-command.ts";

/** What a wrapper runs: the rest of its words as a command, or a text that a shell reads. */
export type Unwrapped =
  | { readonly kind: "command"; readonly words: readonly Argument[] }
  | { readonly kind: "script"; readonly text: Argument; readonly rest: readonly Argument[] }
  | undefined;

interface Wrapper {
  /** Options that take the next word as their value. */
  readonly valued?: readonly string[];
  /** Plain words before the command (`timeout 5 cmd`, `chroot /x cmd`). */
  readonly operands?: number;
  /** `NAME=value` words may stand before the command. */
  readonly assigns?: boolean;
  /** The option whose value is a script. */
  readonly script?: readonly string[];
  /** The words behind it are one script, as `watch` and `ssh` read them. */
  readonly joins?: boolean;
}

/** Commands that run another command. Looked through, so that the other one is judged. */
const wrappers: Readonly<Record<string, Wrapper>> = {
  sudo: {
    valued: [
      "-u",
      "-g",
      "-h",
      "-p",
      "-C",
      "-r",
      "-t",
      "-T",
      "-U",
      "-D",
      "-R",
      "--user",
      "--group",
      "--host",
      "--prompt",
      "--chdir",
    ],
    assigns: true,
  },
  doas: { valued: ["-u", "-C"], assigns: true },
  env: { valued: ["-u", "-C", "--unset", "--chdir"], assigns: true, script: ["-S", "--split-string"] },
  command: {},
  builtin: {},
  exec: { valued: ["-a"] },
  nohup: {},
  setsid: {},
  time: { valued: ["-o", "-f"] },
  nice: { valued: ["-n", "--adjustment"] },
  ionice: { valued: ["-c", "-n", "-p"] },
  timeout: { valued: ["-s", "-k", "--signal", "--kill-after"], operands: 1 },
  stdbuf: { valued: ["-i", "-o", "-e"] },
  busybox: {},
  chroot: { operands: 1 },
  unshare: {},
  setarch: { operands: 1 },
  strace: { valued: ["-o", "-e", "-p", "-s"] },
  flock: { operands: 1, valued: ["-w", "-E"], script: ["-c", "--command"] },
  xargs: {
    valued: [
      "-I",
      "-n",
      "-P",
      "-L",
      "-s",
      "-d",
      "-E",
      "-a",
      "--max-args",
      "--max-procs",
      "--delimiter",
      "--arg-file",
      "--replace",
    ],
  },
  parallel: { valued: ["-j", "--jobs", "-I"] },
  watch: { valued: ["-n", "--interval", "-d"], joins: true },
  su: { valued: ["-s", "-g"], script: ["-c", "--command"] },
  runuser: { valued: ["-u", "-s", "-g"], script: ["-c", "--command"] },
  script: { script: ["-c", "--command"] },
  ssh: {
    valued: ["-p", "-i", "-l", "-o", "-F", "-J", "-L", "-R", "-D", "-b", "-c", "-E", "-S", "-W"],
    operands: 1,
    joins: true,
  },
  caffeinate: {},
  proot: {},
  firejail: {},
};

const containerRunners: ReadonlySet<string> = new Set(["docker", "podman", "nerdctl"]);
const containerValued = [
  "-e",
  "-u",
  "-w",
  "--env",
  "--user",
  "--workdir",
  "--name",
  "-v",
  "--volume",
  "-p",
  "--network",
  "--entrypoint",
  "--env-file",
  "--detach-keys",
];

/** Takes one layer off; undefined when the command runs nothing else. */
export function unwrap(name: string, args: readonly Argument[]): Unwrapped {
  if (containerRunners.has(name)) return containerCommand(args);
  if (name === "kubectl" && args[0]?.text === "exec") return afterDashes(args);
  const wrapper = Object.hasOwn(wrappers, name) ? wrappers[name] : undefined;
  return wrapper === undefined ? undefined : unwrapWith(wrapper, args);
}

function unwrapWith(wrapper: Wrapper, args: readonly Argument[]): Unwrapped {
  let operands = wrapper.operands ?? 0;
  let index = 0;
  for (; index < args.length; index += 1) {
    const text = args[index]?.text ?? "";
    if (text === "--") {
      index += 1;
      break;
    }
    const [option = "", inline] = text.startsWith("--") ? text.split("=", 2) : [text];
    if (wrapper.script?.includes(option) === true) {
      const script = inline === undefined ? args[index + 1] : literal(inline);
      return script === undefined ? undefined : { kind: "script", text: script, rest: args.slice(index + 2) };
    }
    if (text.startsWith("-") && text !== "-") {
      if (inline === undefined && wrapper.valued?.includes(option) === true) index += 1;
      continue;
    }
    if (wrapper.assigns === true && /^[A-Za-z_]\w*=/.test(text)) continue;
    if (operands === 0) break;
    operands -= 1;
  }
  const words = args.slice(index);
  if (words.length === 0) return undefined;
  if (wrapper.joins !== true) return { kind: "command", words };
  return { kind: "script", text: joined(words), rest: [] };
}

/** `docker exec [options] container cmd…`, `docker run [options] image cmd…`. */
function containerCommand(args: readonly Argument[]): Unwrapped {
  const [action] = args;
  if (action === undefined || !["exec", "run"].includes(action.text)) return undefined;
  return unwrapWith({ valued: containerValued, operands: 1 }, args.slice(1));
}

function afterDashes(args: readonly Argument[]): Unwrapped {
  const at = args.findIndex((arg) => arg.text === "--");
  return at < 0 || at + 1 >= args.length ? undefined : { kind: "command", words: args.slice(at + 1) };
}

function joined(words: readonly Argument[]): Argument {
  return {
    text: words.map((word) => word.text).join(" "),
    isKnown: words.every((word) => word.isKnown),
    hasGlob: words.some((word) => word.hasGlob),
  };
}
