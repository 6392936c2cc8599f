import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Hermes } from "#app";
import { formatWarning, type LoadedConfig, loadConfig } from "#config";
import type { JsonSchema, SessionId } from "#conversation";
import { defined } from "#foundation/defined";
import { UserError } from "#foundation/errors";
import { never } from "#foundation/lifecycle/abort";
import { Scope } from "#foundation/lifecycle/disposal";
import { isRecord, parseJson } from "#foundation/text/json";
import type { OpenSession } from "#session";
import { exitCodes, type Invocation } from "../command.ts";
import { homeOf } from "../support/home.ts";
import { offerSending } from "../support/targets.ts";
import { version } from "../version.ts";
import { type ChatRequest, readChatRequest } from "./chat-request.ts";
import { checkedImage, questionWithImages } from "./images.ts";
import type { ChatPrompter } from "./screen-prompter.ts";

/** `hermes chat`, `hermes` alone and `hermes -z`. */
export async function runChat(invocation: Invocation): Promise<number> {
  const request = readChatRequest(invocation);
  const question = request.isWired ? undefined : await questionOf(request, invocation);
  await using scope = new Scope();
  const { location, note, loaded, settingsIn } = await workLocation(request, invocation, scope);
  if (request.isWired) {
    const { session } = await openAll({ request, invocation, location, note, scope, loaded }, true);
    const { runWireChat } = await import("./wire-chat.ts");
    return await runWireChat(session, invocation.io);
  }
  if (question !== undefined) return await answerOnce(question, { request, invocation, location, note, scope, loaded });
  if (!isTerminal(invocation)) {
    // A session that is not there is the more useful complaint.
    await sessionToResume(request, { location, tell: () => undefined }, () =>
      openProgram({ request, invocation, location, scope, loaded }),
    );
    throw new UserError("Nothing to do: there is no question, and this is not a terminal.", {
      hint: "Ask once with: hermes chat -q <text>, or pipe the text in.",
      exitCode: exitCodes.usage,
    });
  }
  const { chatOnScreen } = await import("./on-screen.ts");
  return await chatOnScreen({
    request,
    invocation,
    location,
    home: homeOf(invocation),
    loaded,
    images: await Promise.all(request.images.map((image) => checkedImage(image, location))),
    warnings: loaded.warnings.map(formatWarning),
    open: async (prompter, confirmTrust) => {
      const { settingsAfterTrust } = await import("./folder-trust.ts");
      const settings = await settingsAfterTrust({
        loaded,
        location,
        invocation,
        confirmTrust,
        reload: () => settingsIn(location),
      });
      return openAll({ request, invocation, location, note, scope, loaded: settings, prompter }, true);
    },
  });
}

export interface ChatRun {
  readonly request: ChatRequest;
  readonly invocation: Invocation;
  readonly location: string;
  /** What the model has to know about the location. */
  readonly note?: string | undefined;
  readonly scope: Scope;
  /** The configuration, where it was read already. */
  readonly loaded?: LoadedConfig;
  /** Who is told and asked; without anybody, notices go to standard error and nobody is asked. */
  readonly prompter?: ChatPrompter;
}

async function answerOnce(text: string, run: ChatRun): Promise<number> {
  const { request, invocation, location } = run;
  const asked = request.open.isPlanning === true ? (await import("#session")).planRequest(text) : text;
  const question = await questionWithImages(asked, { images: request.images, cwd: location });
  const schema = request.outputSchema === undefined ? undefined : await readSchemaFile(request.outputSchema, location);
  const { session } = await openAll(run, false);
  const { runOneShot } = await import("./one-shot.ts");
  const wanted = request.output === "screen" ? "text" : request.output;
  // Of an answer that another program reads, only the checked one is printed.
  const output = schema !== undefined && wanted === "text" ? "bare" : wanted;
  return runOneShot(session, { ...question, schema }, { io: invocation.io, output });
}

/** The JSON Schema in a file that was named on the command line. */
async function readSchemaFile(file: string, cwd: string): Promise<JsonSchema> {
  const text = await readFile(path.resolve(cwd, file), "utf8").catch((cause: unknown) => {
    throw new UserError(`The schema ${file} cannot be read.`, { exitCode: exitCodes.usage, cause });
  });
  const parsed = parseJson(text);
  if (parsed.ok && isRecord(parsed.value)) return parsed.value;
  throw new UserError(`${file} is not a JSON Schema.`, {
    exitCode: exitCodes.usage,
    hint: "It must be one JSON object.",
  });
}

/** The whole program and the session that was asked for; both end with the scope. */
export async function openAll(
  run: ChatRun,
  isInteractive: boolean,
): Promise<{ readonly hermes: Hermes; readonly session: OpenSession }> {
  try {
    return await openOnce(run, isInteractive);
  } catch (error) {
    const { isStoreDamaged } = await import("#store");
    if (!isStoreDamaged(error)) throw error;
    await rebuildStore(run);
    return await openOnce(run, isInteractive);
  }
}

/** A damaged database does not keep anybody from starting: it is rebuilt, and the old one is kept. */
async function rebuildStore({ invocation, prompter }: ChatRun): Promise<void> {
  const [{ salvageStore }, { systemClock }, { silentLogger }] = await Promise.all([
    import("#store"),
    import("#foundation/time/clock"),
    import("#foundation/files/logger"),
  ]);
  const file = homeOf(invocation).stateDb;
  const { messages, setAside } = await salvageStore(file, { clock: systemClock, log: silentLogger });
  const text = `The session database was damaged and has been rebuilt; ${messages} messages could be read. The old file is ${setAside}.`;
  if (prompter?.onNotice === undefined) invocation.io.stderr.write(`! ${text}\n`);
  else prompter.onNotice(text);
}

async function openOnce(
  run: ChatRun,
  isInteractive: boolean,
): Promise<{ readonly hermes: Hermes; readonly session: OpenSession }> {
  const { request, location, note, scope, invocation } = run;
  const hermes = await openProgram(run);
  const { warnings } = hermes.loaded;
  // Said before anything can fail: what is wrong with the file is often why.
  if (!isInteractive) for (const warning of warnings) invocation.io.stderr.write(`! ${formatWarning(warning)}\n`);
  if (!isInteractive && hermes.loaded.trust.isUndecided(location))
    invocation.io.stderr.write(
      "! This folder is not trusted: its files are information, not instructions. See: hermes trust add\n",
    );
  const tell = run.prompter?.onNotice ?? ((text: string) => void invocation.io.stderr.write(`! ${text}\n`));
  const resume = await sessionToResume(request, { location, tell }, () => hermes);
  try {
    const session = await hermes.sessions.open({
      ...request.open,
      cwd: location,
      isInteractive,
      ...defined({ resume, systemMessage: note }),
    });
    scope.adopt(session);
    return { hermes, session };
  } catch (error) {
    throw blameOf(error, warnings);
  }
}

/** No provider, and a file that cannot be read: the file is what has to be put right. */
function blameOf(error: unknown, warnings: LoadedConfig["warnings"]): unknown {
  const broken = warnings.find(({ kind }) => kind === "syntax" || kind === "unreadable");
  const isUnset = error instanceof UserError && error.code === "no_provider_configured";
  if (broken === undefined || !isUnset) return error;
  return new UserError("No model provider is known, because the settings cannot be read.", {
    code: "config_parse_error",
    exitCode: exitCodes.badConfig,
    cause: error,
    ...defined({ hint: broken.hint }),
  });
}

async function openProgram({ request, invocation, location, scope, loaded, prompter }: ChatRun): Promise<Hermes> {
  const { io, global } = invocation;
  // The agent and its tools are loaded behind the first prompt, not before it.
  const { openHermes } = await import("#app");
  const hermes = scope.adopt(
    await openHermes({
      env: io.env,
      cwd: location,
      version,
      yolo: request.yolo,
      acceptHooks: request.acceptHooks,
      ignoreUserConfig: request.ignoreUserConfig,
      ...defined({ loaded }),
      ...(prompter ?? { onNotice: (text) => io.stderr.write(`! ${text}\n`) }),
      ...defined({ profile: global.profile }),
    }),
  );
  const sending = await offerSending(hermes, { env: io.env, cwd: location });
  if (sending !== undefined) scope.adopt(sending);
  return hermes;
}

async function sessionToResume(
  request: ChatRequest,
  { location, tell }: { readonly location: string; readonly tell: (text: string) => void },
  open: () => Hermes | Promise<Hermes>,
): Promise<SessionId | undefined> {
  const { resume, continueFrom } = request;
  if (resume === undefined && continueFrom === undefined) return undefined;
  const { sessions } = await open();
  const name = resume ?? continueFrom?.title;
  const newest = name === undefined ? await sessions.newest(request.open.source, location) : undefined;
  if (newest?.folder !== undefined && newest.folder !== location)
    tell(`No session in this folder yet; resuming the most recent one, from ${newest.folder}.`);
  const found = name === undefined ? newest?.id : await sessions.find(name);
  if (found !== undefined) return found;
  throw new UserError(
    name === undefined ? "There is no session to continue yet." : `There is no session ${JSON.stringify(name)}.`,
    { hint: "List them with: hermes sessions list", exitCode: exitCodes.failed },
  );
}

/** The question of a one-shot run, with what was piped in behind it; undefined when somebody wants to chat. */
async function questionOf(request: ChatRequest, { io }: Invocation): Promise<string | undefined> {
  const { message } = request;
  const words = request.query !== undefined && request.query !== "-" ? request.query : message;
  if (io.stdin.isTTY === true && request.query !== "-") return isTerminal({ io }) ? request.query : words;
  const piped = (await (words === undefined ? readAll(io.stdin) : readSoon(io))).trim();
  if (piped !== "") return words === undefined ? piped : `${words}\n\n${piped}`;
  if (request.query === "-")
    throw new UserError("Standard input was empty.", {
      exitCode: exitCodes.usage,
      hint: "Pipe the text in.",
    });
  return words;
}

const firstByteMs = 3_000;

/** What is piped in beside a question. A pipe that nobody writes to or closes does not hold the question up for ever. */
async function readSoon(io: Invocation["io"]): Promise<string> {
  const { stdin } = io;
  const begun = new Promise<boolean>((resolve) => {
    const done = (): void => resolve(true);
    for (const event of ["readable", "end", "error", "close"]) stdin.once(event, done);
    setTimeout(() => resolve(false), firstByteMs).unref();
  });
  if (await begun) return readAll(stdin);
  io.stderr.write(`! Nothing arrived on standard input within ${firstByteMs / 1000} s; continuing without it.\n`);
  stdin.destroy();
  return "";
}

const maxPiped = 4 * 1024 * 1024;

async function readAll(stream: AsyncIterable<unknown>): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of stream) {
    const bytes = Buffer.from(part as Uint8Array | string);
    size += bytes.length;
    if (size > maxPiped)
      throw new UserError("Standard input is larger than 4 MB.", {
        hint: "Save it to a file and mention the file instead.",
      });
    parts.push(bytes);
  }
  return Buffer.concat(parts).toString("utf8");
}

interface WorkLocation {
  readonly location: string;
  readonly note?: string;
  readonly loaded: LoadedConfig;
  /** The settings as they count in a folder now. */
  settingsIn(folder: string): Promise<LoadedConfig>;
}

/** The folder at hand, or with `-w` and `worktree: true` a worktree of its own, and the settings that count there. */
async function workLocation(request: ChatRequest, invocation: Invocation, scope: Scope): Promise<WorkLocation> {
  const { io } = invocation;
  const { ignoreUserConfig, settings: flags } = request;
  const home = homeOf(invocation);
  const trusted = (cwd: string) => (invocation.global.trustsFolder ? [io.cwd, cwd] : undefined);
  const settingsIn = (cwd: string) =>
    loadConfig({ home, env: io.env, cwd, trusted: trusted(cwd), ignoreUserConfig, flags });
  const loaded = await settingsIn(io.cwd);
  if (!request.isWorktree && !loaded.config.worktree) return { location: io.cwd, loaded, settingsIn };
  const { openWorktree } = await import("./worktree.ts");
  const worktree = await openWorktree(io.cwd, { env: io.env, isTrusted: loaded.trust.isTrusted(io.cwd) }, io.signal);
  scope.defer(async () => {
    const why = await worktree.close(never);
    if (why !== undefined) io.stderr.write(`${why}\n`);
  });
  return { location: worktree.path, note: worktree.note, loaded: await settingsIn(worktree.path), settingsIn };
}

function isTerminal({ io }: Pick<Invocation, "io">): boolean {
  return io.stdin.isTTY === true && io.stdout.isTTY === true;
}
