import type { ReadableStream } from "node:stream/web";
import { UserError } from "#foundation/errors";
import type { BackendDeps } from "../remote/backend.ts";
import { loadSdk, type Sdk } from "../remote/service/sdk.ts";
import lock from "./packages.json" with { type: "json" };

/** The official client of Modal. */
const modalSdk: Sdk = { ...lock, service: "Modal", entry: "dist/index.js", megabytes: 24 };

/** The part of the client that is used here. It is installed on demand, so its own types are not at hand. */
export interface ModalClient {
  readonly apps: { fromName(name: string, options: { readonly createIfMissing: boolean }): Promise<ModalApp> };
  readonly images: { fromRegistry(tag: string): ModalImage; fromId(id: string): Promise<ModalImage> };
  readonly sandboxes: {
    create(app: ModalApp, image: ModalImage, options: SandboxOptions): Promise<ModalSandbox>;
    fromId(id: string): Promise<ModalSandbox>;
  };
  close(): void;
}

export interface ModalApp {
  readonly appId: string;
}

export interface ModalImage {
  readonly imageId: string;
}

interface SandboxOptions {
  readonly command: readonly string[];
  readonly cpu: number;
  readonly memoryMiB: number;
  readonly timeoutMs: number;
  readonly tags: Readonly<Record<string, string>>;
}

export interface ModalSandbox {
  readonly sandboxId: string;
  exec(argv: readonly string[], options: { readonly mode: "binary"; readonly pty?: boolean }): Promise<ModalProgram>;
  snapshotFilesystem(options: { readonly timeoutMs: number; readonly ttlMs: null }): Promise<ModalImage>;
  terminate(): Promise<unknown>;
  detach(): void;
}

export interface ModalProgram {
  readonly stdin: { getWriter(): { write(bytes: Uint8Array): Promise<void>; close(): Promise<void> } };
  readonly stdout: ReadableStream<Uint8Array>;
  readonly stderr: ReadableStream<Uint8Array>;
  wait(): Promise<number>;
}

interface ModalModule {
  readonly ModalClient: new (options: {
    readonly tokenId?: string;
    readonly tokenSecret?: string;
    readonly logger: object;
  }) => ModalClient;
}

/** A client with the keys of Hermes' own files or variables, else those of `~/.modal.toml`. */
export async function modalClient(deps: BackendDeps, signal: AbortSignal): Promise<ModalClient> {
  const module = await loadSdk(modalSdk, deps, signal);
  if (!isModal(module)) throw new Error("the client of Modal is not what it was");
  const tokenId = deps.env["MODAL_TOKEN_ID"];
  const tokenSecret = deps.env["MODAL_TOKEN_SECRET"];
  try {
    return new module.ModalClient({
      ...(tokenId === undefined || tokenSecret === undefined ? {} : { tokenId, tokenSecret }),
      logger: quiet(deps),
    });
  } catch (error) {
    throw new UserError(`Modal cannot be used: ${error instanceof Error ? error.message : String(error)}`, {
      hint: "Set MODAL_TOKEN_ID and MODAL_TOKEN_SECRET, or run `modal setup`.",
    });
  }
}

function isModal(module: unknown): module is ModalModule {
  return typeof module === "object" && module !== null && "ModalClient" in module;
}

/** What the client would print goes to the log. */
function quiet({ logger }: BackendDeps): object {
  const say = (message: string, ...args: readonly unknown[]): void =>
    logger.debug(`modal: ${message}`, { args: args.map(String) });
  return { debug: () => undefined, info: say, warn: say, error: say };
}
