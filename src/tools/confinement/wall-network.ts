import { rmSync } from "node:fs";
import { describe } from "#foundation/errors";
import { makePrivateFolder } from "#foundation/files/private-folder";
import type { ProxySettings } from "#foundation/http/proxy";
import type { Scope } from "#foundation/lifecycle/disposal";
import { EgressProxy } from "../network/proxy.ts";
import { type HostDecisions, proxyEnvironment, SessionNetwork } from "../network/session-network.ts";
import type { ProgramCall } from "../terminals/local/local-terminal.ts";
import type { seatbeltProfile } from "./seatbelt.ts";
import type { WallOptions } from "./wall.ts";

/** How the programs of a session reach the world. */
export interface WallNetwork {
  readonly environment: Readonly<Record<string, string>>;
  readonly isOffline: boolean;
  /** Replaces `/etc/resolv.conf` inside; undefined where names are resolved as outside. */
  readonly resolver?: string | undefined;
  /** Files of ours that programs inside need. */
  readonly readable: readonly string[];
  readonly seatbelt: Parameters<typeof seatbeltProfile>[1]["network"];
  enter(call: ProgramCall): ProgramCall;
  settle(): Promise<readonly string[]>;
  /** Hosts that were reached since the last call. */
  takeReached(): readonly string[];
}

const sharedNetwork: WallNetwork = {
  environment: {},
  isOffline: false,
  readable: [],
  seatbelt: { kind: "open" },
  enter: (call) => call,
  settle: () => Promise.resolve([]),
  takeReached: () => [],
};

/** The network of one wall. Nothing of it stays when the scope ends. */
export async function openWallNetwork(
  options: WallOptions,
  { hosts, scope }: { readonly hosts: HostDecisions; readonly scope: Scope },
  signal: AbortSignal,
): Promise<WallNetwork> {
  const { enforcer, network: rules, logger } = options;
  if (enforcer.kind === "none" || rules.mode === "open") return sharedNetwork;
  if (enforcer.kind === "seatbelt") return proxyOnLoopback(hosts, { scope, upstream: options.upstream });
  const none: WallNetwork = { ...sharedNetwork, isOffline: true, seatbelt: { kind: "none" } };
  if (enforcer.nsenter === undefined) {
    logger.warn("commands have no network: nsenter is not installed");
    return none;
  }
  const folder = await makePrivateFolder(options.tempDir, "net");
  scope.defer(() => rmSync(folder, { recursive: true, force: true }));
  try {
    const opened = scope.adopt(
      await SessionNetwork.open(
        {
          hosts,
          upstream: options.upstream,
          folder,
          bwrap: enforcer.program,
          nsenter: enforcer.nsenter,
          env: options.env,
          ports: options.ports,
          watch: (pid) => options.watch?.(pid) ?? { [Symbol.dispose]: () => undefined },
        },
        signal,
      ),
    );
    return {
      environment: opened.environment,
      isOffline: false,
      resolver: opened.resolverFile,
      readable: [opened.sshHelper],
      seatbelt: { kind: "none" },
      enter: (call) => opened.enter(call),
      takeReached: () => opened.takeReached(),
      settle: async () => {
        opened.commandEnded();
        const forwarded = await opened.forwardServers();
        return [...opened.takeRefusals().map(refusedNote), ...forwarded.map(forwardedNote)];
      },
    };
  } catch (error) {
    signal.throwIfAborted();
    logger.warn("commands have no network", { error: describe(error) });
    return none;
  }
}

async function proxyOnLoopback(
  decisions: HostDecisions,
  { scope, upstream }: { readonly scope: Scope; readonly upstream: ProxySettings | undefined },
): Promise<WallNetwork> {
  const proxy = scope.adopt(new EgressProxy({ decide: (to, signal) => decisions.decide(to, signal), upstream }));
  const port = (await proxy.listen({ port: 0 })) ?? 0;
  return {
    environment: proxyEnvironment(port),
    isOffline: false,
    readable: [],
    seatbelt: { kind: "proxy", port },
    enter: (call) => call,
    takeReached: () => decisions.takeReached(),
    settle: () => {
      decisions.forgetOnce();
      return Promise.resolve(decisions.takeRefusals().map(refusedNote));
    },
  };
}

function refusedNote(reason: string): string {
  return `[network: not connected, ${reason}]`;
}

function forwardedNote({ port, localPort }: { readonly port: number; readonly localPort: number }): string {
  return port === localPort
    ? `[network: the server on port ${port} is reachable from this machine at http://127.0.0.1:${port}]`
    : `[network: the server on port ${port} is reachable from this machine at http://127.0.0.1:${localPort} (port ${port} is taken there)]`;
}
