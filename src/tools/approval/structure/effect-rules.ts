import { isInside, isSecretFile, type PathPlace, pathOf } from "./paths.ts";
import { type CommandRule, hasOption, onNames, operandsOf, type RuleContext, subcommand } from "./rule.ts";
import type { SimpleCommand } from "./simple-command.ts";

const networkTools = ["curl", "wget", "nc", "ncat", "netcat", "socat", "ssh", "scp", "ftp", "http", "telnet"];
const containerTools = ["docker", "podman", "nerdctl", "docker-compose"];

/** Further effects that need a person's word, judged by what a command does. */
export const effectRules: readonly CommandRule[] = [
  onNames(["B05", "destructive file operation"], ["shred", "srm"], () => true),
  onNames(["B05", "destructive file operation"], ["truncate"], (command) =>
    command.args.some(
      (arg, at) =>
        /^(?:-s0|--size=0)$/.test(arg.text) || (/^(?:-s|--size)$/.test(arg.text) && command.args[at + 1]?.text === "0"),
    ),
  ),
  onNames(["B05", "destructive file operation"], ["rsync"], (command) =>
    hasOption(command, /^--(?:delete|remove-source-files)/),
  ),
  onNames(["B05", "destructive file operation"], ["unlink"], (command, { place }) =>
    operandsOf(command).some((arg) => {
      const target = pathOf(arg, command, place);
      return (
        target !== undefined &&
        ![...place.tempDirs, place.workspace ?? command.cwd ?? "/nowhere"].some((folder) => isInside(target, folder))
      );
    }),
  ),
  onNames(["B05", "destructive file operation"], ["mv"], (command) => operandsOf(command).at(-1)?.text === "/dev/null"),
  onNames(["B07", "container data removal"], containerTools, removesContainerData),
  onNames(
    ["B08", "cloud resource deletion"],
    ["kubectl", "oc"],
    (command) => subcommand(command, "delete") || subcommand(command, "drain"),
  ),
  onNames(["B08", "cloud resource deletion"], ["helm"], (command) =>
    ["uninstall", "delete"].some((word) => subcommand(command, word)),
  ),
  onNames(
    ["B08", "cloud resource deletion"],
    ["terraform", "tofu", "pulumi"],
    (command) =>
      subcommand(command, "destroy") ||
      ((subcommand(command, "apply") || subcommand(command, "up")) &&
        hasOption(command, /^--?(?:auto-approve|yes|destroy)$|^-y$/)),
  ),
  onNames(
    ["B08", "cloud resource deletion"],
    ["aws", "gcloud", "az", "doctl", "gsutil", "heroku", "fly", "flyctl", "vercel", "eksctl"],
    (command) =>
      operandsOf(command).some((arg) =>
        /^(?:delete|terminate|destroy|remove|rm|rb|purge)(?:-|$)|:destroy$/.test(arg.text),
      ),
  ),
  onNames(["D15", "stop/restart system service"], ["service", "rc-service", "initctl"], (command) =>
    operandsOf(command).some((arg) => ["stop", "restart"].includes(arg.text)),
  ),
  onNames(["B09", "stop/restart system service"], ["launchctl"], (command) =>
    ["unload", "bootout", "remove", "kill"].some((word) => subcommand(command, word)),
  ),
  onNames(["B09", "stop/restart system service"], ["crontab"], (command) => hasOption(command, /^-[a-z]*r/)),
  onNames(
    ["B09", "stop/restart system service"],
    ["at", "atrm"],
    (command) => command.name === "atrm" || hasOption(command, /^-[rd]$/),
  ),
  onNames(
    ["B10", "user account change"],
    [
      "useradd",
      "userdel",
      "usermod",
      "groupdel",
      "adduser",
      "deluser",
      "passwd",
      "chpasswd",
      "visudo",
      "chsh",
      "gpasswd",
    ],
    (command) => !hasOption(command, /^(?:--help|-S|--status|-h)$/),
  ),
  onNames(["B11", "firewall or policy change"], ["iptables", "ip6tables"], (command) =>
    hasOption(command, /^(?:-F|--flush|-X|-P|--policy)$/),
  ),
  onNames(["B11", "firewall or policy change"], ["nft"], (command) =>
    ["flush", "delete"].some((word) => subcommand(command, word)),
  ),
  onNames(["B11", "firewall or policy change"], ["ufw"], (command) =>
    ["disable", "reset"].some((word) => subcommand(command, word)),
  ),
  onNames(["B11", "firewall or policy change"], ["setenforce"], (command) => operandsOf(command)[0]?.text === "0"),
  onNames(
    ["B11", "firewall or policy change"],
    ["csrutil", "spctl"],
    (command) => operandsOf(command).some((arg) => arg.text === "disable") || hasOption(command, /--master-disable/),
  ),
  { id: "B13", key: "secret exposure", matches: exposesSecret },
  { id: "B15", key: "network backdoor", matches: opensBackdoor },
  onNames(
    ["B16", "supply-chain action"],
    ["npm", "pnpm", "yarn"],
    (command) => subcommand(command, "publish") || subcommand(command, "unpublish"),
  ),
  onNames(
    ["B16", "supply-chain action"],
    ["pip", "pip3", "uv", "pipx"],
    (command) =>
      operandsOf(command).some((arg) => /^(?:git\+)?https?:\/\//.test(arg.text)) &&
      operandsOf(command).some((arg) => arg.text === "install"),
  ),
  onNames(
    ["B16", "supply-chain action"],
    ["brew"],
    (command) => hasOption(command, /^--force$/) || subcommand(command, "uninstall"),
  ),
  onNames(["B16", "supply-chain action"], ["twine", "cargo", "gem"], (command) =>
    ["upload", "publish", "push", "yank"].some((word) => subcommand(command, word)),
  ),
  onNames(["B17", "force kill processes"], ["killall"], (command) => hasOption(command, /^-(?:9|KILL|SIGKILL)$/)),
  onNames(["B17", "force kill processes"], ["kill"], (command) => {
    const words = command.args.map((arg) => arg.text);
    return words.includes("0") && words.some((word) => /^-(?:9|KILL|SIGKILL)$/.test(word));
  }),
  onNames(
    ["B18", "package removal"],
    ["apt", "apt-get", "dnf", "yum", "pacman", "zypper"],
    (command) =>
      operandsOf(command).some((arg) => ["purge", "autoremove", "remove"].includes(arg.text)) ||
      hasOption(command, /^-R/),
  ),
];

function removesContainerData(command: SimpleCommand): boolean {
  const words = operandsOf(command).map((arg) => arg.text);
  if (words.includes("prune")) return true;
  if (words[0] === "volume" || words[0] === "network") return words[1] === "rm" || words[1] === "remove";
  const isCompose = words[0] === "compose" || command.name === "docker-compose";
  if (isCompose) return words.includes("down") && hasOption(command, /^(?:-v|--volumes|--rmi)/);
  return words[0] === "rmi" && hasOption(command, /^-[a-z]*f/);
}

function exposesSecret(command: SimpleCommand, { place }: RuleContext): boolean {
  const name = command.name ?? "";
  const readers = [
    "cat",
    "less",
    "more",
    "head",
    "tail",
    "base64",
    "xxd",
    "od",
    "strings",
    "bat",
    "nl",
    "tac",
    "dd",
    "cp",
    "scp",
    "rsync",
    "tar",
    "zip",
    "gpg",
    "awk",
    "sed",
    "grep",
  ];
  const isReader = readers.includes(name) || networkTools.includes(name);
  if (isReader && touchesSecret(command, place)) return true;
  const dumpsEnvironment = (one: SimpleCommand): boolean =>
    one.name === "printenv" ||
    (one.name === "env" && operandsOf(one).length === 0) ||
    (one.name === "set" && one.args.length === 0);
  return networkTools.includes(name) && command.upstream.some(dumpsEnvironment);
}

function opensBackdoor(command: SimpleCommand): boolean {
  const name = command.name ?? "";
  if (
    [...command.writes.map((write) => write.target), ...command.reads, ...command.args].some((arg) =>
      /^\/dev\/(?:tcp|udp)\//.test(arg.text),
    )
  )
    return true;
  if (["nc", "ncat", "netcat"].includes(name)) return hasOption(command, /^-[a-zA-Z]*[lec]|^--(?:listen|exec|sh-exec)/);
  if (name === "socat") return command.args.some((arg) => /EXEC:|SYSTEM:|TCP-LISTEN|TCP4-LISTEN/i.test(arg.text));
  if (name === "ssh") return hasOption(command, /^-[a-zA-Z]*[RD]$/);
  return ["ngrok", "cloudflared", "chisel", "frpc"].includes(name);
}

function touchesSecret(command: SimpleCommand, place: PathPlace): boolean {
  const isNamed = command.args.some((arg) =>
    isSecretFile(
      { ...arg, text: arg.text.replace(/^(?:if=|--\w[\w-]*=|@)/, "").replace(/^[^=@]*=@/, "") },
      command,
      place,
    ),
  );
  return isNamed || command.reads.some((arg) => isSecretFile(arg, command, place));
}
