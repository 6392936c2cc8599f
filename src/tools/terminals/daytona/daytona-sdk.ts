import type { Readable } from "node:stream";
import { defined } from "#foundation/defined";
import { UserError } from "#foundation/errors";
import type { BackendDeps } from "../remote/backend.ts";
import { loadSdk, type Sdk } from "../remote/service/sdk.ts";
import lock from "./packages.json" with { type: "json" };

/** The official client of Daytona. */
const daytonaSdk: Sdk = { ...lock, service: "Daytona", entry: "esm/index.js", megabytes: 100 };

/** The part of the client that is used here. It is installed on demand, so its own types are not at hand. */
export interface DaytonaClient {
  create(
    options: {
      readonly name: string;
      readonly image: string;
      readonly labels: Readonly<Record<string, string>>;
      readonly resources: { readonly cpu: number; readonly memory: number; readonly disk: number };
      /** Minutes; 0 is never. */
      readonly autoStopInterval: number;
    },
    limit: { readonly timeout: number },
  ): Promise<DaytonaSandbox>;
  get(idOrName: string): Promise<DaytonaSandbox>;
}

export interface DaytonaSandbox {
  readonly id: string;
  readonly state?: string;
  readonly process: {
    createSession(session: string): Promise<void>;
    deleteSession(session: string): Promise<void>;
    executeSessionCommand(
      session: string,
      request: { readonly command: string; readonly runAsync: boolean },
    ): Promise<{ readonly cmdId: string }>;
    getSessionCommandLogs(
      session: string,
      command: string,
      onStdout: (text: string) => void,
      onStderr: (text: string) => void,
    ): Promise<void>;
    sendSessionCommandInput(session: string, command: string, data: string): Promise<void>;
  };
  readonly fs: {
    uploadFile(bytes: Buffer, path: string): Promise<void>;
    deleteFile(path: string): Promise<void>;
    downloadFileStream(path: string, options: { readonly signal: AbortSignal }): Promise<Readable>;
  };
  start(seconds: number): Promise<void>;
  stop(seconds: number): Promise<void>;
  delete(seconds: number): Promise<void>;
}

interface DaytonaModule {
  readonly Daytona: new (options: {
    readonly apiKey: string;
    readonly apiUrl: string;
    readonly target?: string;
    /** Asks for states instead of keeping a second connection open for them. */
    readonly useDeprecatedPolling: boolean;
  }) => DaytonaClient;
}

/** Where Daytona is. */
export function daytonaAddress(env: NodeJS.ProcessEnv): string {
  const named = env["DAYTONA_API_URL"];
  return named === undefined || named === "" ? "https://app.daytona.io/api" : named.replace(/\/$/, "");
}

export async function daytonaClient(deps: BackendDeps, signal: AbortSignal): Promise<DaytonaClient> {
  const apiKey = deps.env["DAYTONA_API_KEY"];
  if (apiKey === undefined || apiKey === "") {
    throw new UserError("The daytona terminal needs a key.", { hint: "Run: hermes config set DAYTONA_API_KEY <key>" });
  }
  const module = await loadSdk(daytonaSdk, deps, signal);
  if (!isDaytona(module)) throw new Error("the client of Daytona is not what it was");
  const target = deps.env["DAYTONA_TARGET"];
  return new module.Daytona({
    apiKey,
    apiUrl: daytonaAddress(deps.env),
    ...defined({ target }),
    useDeprecatedPolling: true,
  });
}

function isDaytona(module: unknown): module is DaytonaModule {
  return typeof module === "object" && module !== null && "Daytona" in module;
}
