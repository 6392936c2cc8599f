import { UserError } from "#foundation/errors";
import type { BackendDeps } from "../remote/backend.ts";

/** Whom to reach and how, as arguments of the person's own ssh; their configuration counts as always. */
export interface SshTarget {
  readonly destination: string;
  readonly args: readonly string[];
}

/** Options that would run a program here, or take the connection out of our hands. */
const refused =
  /^(?:ProxyCommand|LocalCommand|PermitLocalCommand|KnownHostsCommand|ControlMaster|ControlPath|ControlPersist|RemoteCommand|RequestTTY|BatchMode|StdinNull|ForkAfterAuthentication|Match|Include|SendEnv|SetEnv|.*Forward.*)$/i;

/** Checked before anything runs: each part ends up among the arguments of a program. */
export function sshTarget(settings: BackendDeps["settings"]): SshTarget {
  const { ssh_host: host, ssh_user: user, ssh_port: port, ssh_key: key } = settings;
  if (host === "" || user === "") {
    throw new UserError("The ssh terminal needs a host and a user.", {
      hint: "Run: hermes config set terminal.ssh_host <host> and hermes config set terminal.ssh_user <user>",
    });
  }
  for (const [name, value] of [
    ["terminal.ssh_host", host],
    ["terminal.ssh_user", user],
  ] as const) {
    if (/^-|[\s@\p{C}]/u.test(value)) throw new UserError(`${name} is "${value}", which is no name.`);
  }
  return {
    destination: `${user}@${host}`,
    args: [
      ...["-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "-o", "ServerAliveInterval=15"],
      ...["-o", `StrictHostKeyChecking=${settings.ssh_strict_host_key ? "yes" : "accept-new"}`],
      ...["-p", String(port)],
      ...(key === "" ? [] : ["-i", key, "-o", "IdentitiesOnly=yes"]),
      ...settings.ssh_options.flatMap((option) => ["-o", checked(option)]),
    ],
  };
}

function checked(option: string): string {
  const name = /^([A-Za-z]+)=[^\p{C}]+$/u.exec(option.trim())?.[1];
  if (name === undefined || refused.test(name)) {
    throw new UserError(`terminal.ssh_options has "${option}", which cannot be used here.`, {
      hint: "Write Name=value, for example ProxyJump=user@bastion. What needs more goes into ~/.ssh/config.",
    });
  }
  return option.trim();
}
