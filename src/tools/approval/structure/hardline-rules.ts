import type { Argument, SimpleCommand } from "../../shell/simple-command.ts";
import { rootKind } from "./paths.ts";
import { type CommandRule, hasOption, isRecursive, onNames, operandsOf, type RuleContext, subcommand } from "./rule.ts";

const rawDevice = /^\/dev\/(?:sd[a-z]|nvme\d|hd[a-z]|mmcblk\d|vd[a-z]|xvd[a-z]|disk\d|mapper\/)/;
const isRaw = (argument: Argument): boolean => rawDevice.test(argument.text.replace(/\/+/g, "/"));

const targets =
  (kind: string) =>
  (command: SimpleCommand, { location }: RuleContext) =>
    operandsOf(command).some((arg) => rootKind(arg, command, location) === kind);

/** What never runs, whatever anyone says: it ends the machine, or all that is on it. */
export const hardlineRules: readonly CommandRule[] = [
  onNames(
    ["H01", "recursive delete of root filesystem"],
    ["rm"],
    (command, context) => targets("root")(command, context) || hasOption(command, /^--no-preserve-root$/),
  ),
  onNames(["H02", "recursive delete of system directory"], ["rm"], targets("system")),
  onNames(["H03", "recursive delete of home directory"], ["rm"], targets("home")),
  {
    id: "H04",
    key: "format filesystem (mkfs)",
    matches: (command) => /^mkfs(?:\.|$)/.test(command.name ?? ""),
  },
  onNames(["H05", "dd to raw block device"], ["dd"], (command) =>
    command.args.some((arg) => arg.text.startsWith("of=") && isRaw({ ...arg, text: arg.text.slice(3) })),
  ),
  {
    id: "H06",
    key: "redirect to raw block device",
    matches: (command) => command.writes.some((write) => isRaw(write.target)),
  },
  { id: "H07", key: "fork bomb", matches: (_command, { line }) => line.forkBombs.length > 0 },
  onNames(["H08", "kill all processes"], ["kill"], killsAll),
  {
    id: "H09",
    key: "system shutdown/reboot",
    matches: (command) => ["shutdown", "reboot", "halt", "poweroff"].includes(command.name ?? ""),
  },
  onNames(["H10", "init 0/6 (shutdown/reboot)"], ["init"], (command) =>
    ["0", "6"].includes(operandsOf(command)[0]?.text ?? ""),
  ),
  onNames(["H11", "systemctl poweroff/reboot"], ["systemctl"], (command) =>
    ["poweroff", "reboot", "halt", "kexec"].some((word) => subcommand(command, word)),
  ),
  onNames(["H12", "telinit 0/6 (shutdown/reboot)"], ["telinit"], (command) =>
    ["0", "6"].includes(operandsOf(command)[0]?.text ?? ""),
  ),
  onNames(["H13", "wipe of a disk"], ["wipefs", "blkdiscard"], () => true),
  onNames(["H14", "wipe of a disk"], ["sgdisk"], (command) => hasOption(command, /^(?:--zap-all|-Z|--zap)$/)),
  onNames(
    ["H15", "wipe of a disk"],
    ["cryptsetup"],
    (command) => subcommand(command, "luksFormat") || subcommand(command, "erase"),
  ),
  onNames(["H16", "recursive delete of system directory"], ["find"], (command, { location }) => {
    const isDeleting = command.args.some((arg) => arg.text === "-delete");
    const [start] = command.args;
    return (
      isDeleting && start !== undefined && rootKind(start, command, location) !== undefined && !isNarrowed(command)
    );
  }),
  onNames(
    ["H17", "permission change on the root filesystem"],
    ["chmod", "chown", "chgrp"],
    (command, context) =>
      isRecursive(command) && (targets("root")(command, context) || targets("system")(command, context)),
  ),
];

/** `kill -1` and `kill -9 -1`, but not `kill -1 1234`, where it is the signal. */
function killsAll(command: SimpleCommand): boolean {
  const words = command.args.map((arg) => arg.text).filter((text) => text !== "--");
  const last = words.at(-1);
  return last === "-1";
}

/** A search that names what it wants deletes that, not the whole tree. */
function isNarrowed(command: SimpleCommand): boolean {
  return command.args.some((arg) => /^-(?:i?name|i?path|i?regex|mtime|mmin|size|newer|empty)$/.test(arg.text));
}
