/** What a container is made of, decided before anything runs. */
export interface ContainerPlan {
  readonly name: string;
  readonly image: string;
  readonly cwd: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly cpus: number;
  readonly memoryMb: number;
  /** Undefined: the engine cannot limit it. */
  readonly diskMb: number | undefined;
  /** `none`, `bridge` or a name; empty: the engine's default. */
  readonly network: string;
  readonly isReadOnly: boolean;
  /** Folders of this machine that keep `/root` and `/workspace`; undefined: gone with the container. */
  readonly kept: { readonly home: string; readonly workspace: string } | undefined;
  /** Working directory of this machine, mounted as `/workspace`. */
  readonly mountedCwd: string | undefined;
  /** `host:container[:options]` as the user wrote them. */
  readonly volumes: readonly string[];
  /** Files and folders of this machine that can be read inside. */
  readonly readable: readonly { readonly host: string; readonly inside: string }[];
  /** File with fixed variables. */
  readonly envFile: string | undefined;
}

const addedCapabilities = ["DAC_OVERRIDE", "CHOWN", "FOWNER", "SETUID", "SETGID"];

/** The arguments of `docker run`. No value of a variable is among them. */
export function runArguments(plan: ContainerPlan): readonly string[] {
  return [
    ...["run", "-d", "--init", "--name", plan.name, "-w", plan.cwd],
    ...Object.entries(plan.labels).flatMap(([name, value]) => ["--label", `${name}=${value}`]),
    ...["--cap-drop", "ALL", ...addedCapabilities.flatMap((name) => ["--cap-add", name])],
    ...["--security-opt", "no-new-privileges", "--pids-limit", "256"],
    ...["--tmpfs", "/tmp:rw,nosuid,exec,size=512m"],
    ...["--tmpfs", "/var/tmp:rw,noexec,nosuid,size=256m"],
    ...["--tmpfs", "/run:rw,noexec,nosuid,size=64m"],
    ...(plan.cpus > 0 ? ["--cpus", String(plan.cpus)] : []),
    ...(plan.memoryMb > 0 ? ["--memory", `${plan.memoryMb}m`] : []),
    ...(plan.diskMb === undefined ? [] : ["--storage-opt", `size=${plan.diskMb}m`]),
    ...(plan.network === "" ? [] : ["--network", plan.network]),
    ...(plan.isReadOnly ? ["--read-only"] : []),
    ...mounts(plan),
    ...(plan.envFile === undefined ? [] : ["--env-file", plan.envFile]),
    ...[plan.image, "sleep", "infinity"],
  ];
}

function mounts(plan: ContainerPlan): readonly string[] {
  const own = plan.volumes.filter((one) => one.includes(":"));
  const taken = new Set(own.map((one) => one.split(":")[1]));
  const bind = (host: string, inside: string, options = ""): readonly string[] =>
    taken.has(inside) ? [] : ["-v", `${host}:${inside}${options}`];
  const memory = (inside: string, size: string): readonly string[] =>
    taken.has(inside) ? [] : ["--tmpfs", `${inside}:rw,exec,size=${size}`];
  const workspace = plan.mountedCwd ?? plan.kept?.workspace;
  return [
    ...own.flatMap((one) => ["-v", one]),
    ...(workspace === undefined ? memory("/workspace", "10g") : bind(workspace, "/workspace")),
    ...(plan.kept === undefined ? [...memory("/home", "1g"), ...memory("/root", "1g")] : bind(plan.kept.home, "/root")),
    ...plan.readable.flatMap(({ host, inside }) => bind(host, inside, ":ro")),
  ];
}
