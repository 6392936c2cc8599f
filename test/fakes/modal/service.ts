import { randomBytes } from "node:crypto";
import path from "node:path";
import { Sandbox } from "../sandboxes/sandbox.ts";
import { type Call, GrpcError, type Method, status } from "./grpc.ts";
import { Programs } from "./programs.ts";
import { encode, type Message } from "./protobuf.ts";

const client = "/modal.client.ModalClient/";
const router = "/modal.task_command_router.TaskCommandRouter/";

/** Field numbers as in the published interface of Modal. */
export class ModalService {
  readonly #folder: string;
  readonly #token: { readonly id: string; readonly secret: string };
  readonly #sandboxes = new Map<string, Sandbox>();
  /** Folders with files, by the id of the image they are. */
  readonly #images = new Map<string, string>();
  readonly #programs = new Programs((task) => this.#running(task));
  readonly #methods: ReadonlyMap<string, Method>;
  readonly #key = randomBytes(8).toString("hex");
  /** Where programs are reached. */
  address = "";

  constructor(at: {
    readonly folder: string;
    readonly base: string;
    readonly token: { readonly id: string; readonly secret: string };
  }) {
    this.#folder = at.folder;
    this.#token = at.token;
    this.#images.set("im-base", at.base);
    this.#methods = new Map<string, Method>([
      [`${client}AuthTokenGet`, () => encode({ 1: jwt(this.#key) })],
      [
        `${client}EnvironmentGetOrCreate`,
        () => encode({ 1: "en-1", 2: encode({ 1: "main", 2: encode({ 1: "2025.06" }) }) }),
      ],
      [`${client}AppGetOrCreate`, ({ request }) => encode({ 1: `ap-${request.text(1)}` })],
      [`${client}ImageGetOrCreate`, ({ request }) => this.#buildImage(request)],
      [`${client}ImageFromId`, ({ request }) => encode({ 1: this.#image(request.text(1)) })],
      [`${client}SandboxCreateV2`, ({ request }) => this.#create(request.message(2))],
      [`${client}SandboxGetTaskIdV2`, ({ request }) => encode({ 1: taskOf(this.#running(request.text(1)).id) })],
      [`${client}SandboxGetCommandRouterAccess`, ({ request }) => this.#access(request.text(1))],
      [`${client}SandboxTerminateV2`, ({ request }) => this.#terminate(request.text(1))],
      [`${router}TaskExecStart`, ({ request }) => this.#programs.start(request)],
      [`${router}TaskExecStdioRead`, (call) => this.#programs.read(call)],
      [`${router}TaskExecStdinWrite`, ({ request }) => this.#programs.write(request)],
      [`${router}TaskExecWait`, ({ request }) => this.#programs.wait(request)],
      [`${router}TaskSnapshotFilesystem`, ({ request }) => this.#snapshot(request.text(1))],
    ]);
  }

  find(name: string): Method | undefined {
    const method = this.#methods.get(name);
    if (method === undefined) return undefined;
    return (call) => {
      this.#authorize(name, call);
      return method(call);
    };
  }

  get running(): number {
    return [...this.#sandboxes.values()].filter((one) => one.isRunning).length;
  }

  /** Takes away the sandbox that came last, as the end of its time would. */
  async destroy(): Promise<void> {
    await [...this.#sandboxes.values()]
      .filter((one) => one.isRunning)
      .at(-1)
      ?.stop();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sandboxes.values()].map((one) => one.remove()));
  }

  #authorize(name: string, { headers }: Call): void {
    const isKnown = name.startsWith(router)
      ? headers["authorization"] === `Bearer ${jwt(this.#key)}`
      : headers["x-modal-token-id"] === this.#token.id && headers["x-modal-token-secret"] === this.#token.secret;
    if (!isKnown) throw new GrpcError(status.unauthenticated, "Token missing or unknown");
  }

  #buildImage(request: Message): Buffer {
    const [from = ""] = request.message(2).texts(6);
    if (!from.startsWith("FROM ")) throw new GrpcError(status.failedPrecondition, "no base image");
    return encode({ 1: "im-base", 2: encode({ 1: 1 }) });
  }

  #image(id: string): string {
    if (!this.#images.has(id)) throw new GrpcError(status.notFound, `Could not find image with ID ${id}`);
    return id;
  }

  async #create(definition: Message): Promise<Buffer> {
    const files = this.#images.get(this.#image(definition.text(3))) ?? "";
    const sandbox = await Sandbox.start(newId("sb"), { files, folder: this.#folder });
    this.#sandboxes.set(sandbox.id, sandbox);
    return encode({ 1: sandbox.id, 3: taskOf(sandbox.id), 5: encode({ 1: jwt(this.#key), 2: this.address }) });
  }

  #access(id: string): Buffer {
    this.#running(id);
    return encode({ 1: jwt(this.#key), 2: this.address });
  }

  async #terminate(id: string): Promise<Buffer> {
    const sandbox = this.#running(id);
    await sandbox.remove();
    this.#sandboxes.delete(id);
    return encode({});
  }

  async #snapshot(task: string): Promise<Buffer> {
    const id = newId("im");
    const folder = path.join(this.#folder, id);
    await this.#running(task).copyFiles(folder);
    this.#images.set(id, folder);
    return encode({ 1: id });
  }

  /** By its own id or that of its task. */
  #running(id: string): Sandbox {
    const sandbox = this.#sandboxes.get(id.replace(/^ta-/, "sb-"));
    if (sandbox?.isRunning !== true) throw new GrpcError(status.notFound, `Sandbox ${id} is not running`);
    return sandbox;
  }
}

function newId(kind: string): string {
  // Ids of the second kind of sandboxes are longer than those of the first.
  return `${kind}-${randomBytes(16).toString("hex").slice(0, 26)}`;
}

function taskOf(sandbox: string): string {
  return sandbox.replace("sb-", "ta-");
}

function jwt(key: string): string {
  const piece = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${piece({ alg: "none" })}.${piece({ exp: 4_000_000_000, key })}.${key}`;
}
