import { homedir } from "node:os";
import type { ReadStream, WriteStream } from "node:tty";
import type { Hermes } from "#app";
import { type Config, collectSecrets, editConfig, type LoadedConfig, watchConfig } from "#config";
import { defined } from "#foundation/defined";
import { describe, UserError } from "#foundation/errors";
import { readTextFile, safeJoin } from "#foundation/files/files";
import type { HermesHome } from "#foundation/files/paths";
import { Scope } from "#foundation/lifecycle/disposal";
import { thisMachine } from "#foundation/process/platform";
import { Redactor } from "#foundation/secrets/redact";
import type { OpenSession } from "#session";
import { ProcessTerminal, type RunTuiOptions, runTui } from "#tui";
import type { Invocation } from "../command.ts";
import { refusedByDisk } from "../output/disk-words.ts";
import { programName } from "../output/program-words.ts";
import { version } from "../version.ts";
import type { ChatRequest } from "./chat-request.ts";
import { gitBranch } from "./git-branch.ts";
import { LiveSettings, tuiSettings } from "./live-settings.ts";
import { pluginExtensions } from "./plugin-extensions.ts";
import { scannerWarning } from "./scanner-warning.ts";
import { openedFacts, updateNotice } from "./screen-facts.ts";
import { type ChatPrompter, type ConfirmTrust, ScreenPrompter } from "./screen-prompter.ts";
import { tipOfTheDay } from "./tips.ts";

export interface ScreenChat {
  readonly request: ChatRequest;
  readonly invocation: Invocation;
  readonly location: string;
  readonly loaded: LoadedConfig;
  readonly home: HermesHome;
  readonly warnings: readonly string[];
  /** Files and addresses given with `--image`. */
  readonly images: readonly string[];
  /** Opens everything; called after the first frame. */
  open(prompter: ChatPrompter, confirmTrust: ConfirmTrust): Promise<Opened>;
}

interface Opened {
  readonly hermes: Hermes;
  readonly session: OpenSession;
}

/** The interactive terminal. The prompt is there before the agent is: what is typed early waits for it. */
export async function chatOnScreen(chat: ScreenChat): Promise<number> {
  const { io } = chat.invocation;
  await using scope = new Scope();
  const prompter = new ScreenPrompter((text) => io.stderr.write(`! ${text}\n`));
  const [branch, update] = await Promise.all([gitBranch(chat.location), updateNotice(chat.home)]);
  const opened = afterFirstFrame(() => openBehind(chat, prompter, scope)).catch((error: unknown) => {
    throw refusedByDisk(error) ?? error;
  });
  // Whoever shows the session reports the failure; without a screen the screen's own failure is the one to report.
  opened.catch(() => undefined);
  const hintsSaved: Promise<void>[] = [];
  scope.defer(async () => void (await Promise.all(hintsSaved)));
  const terminal = new ProcessTerminal(
    { input: io.stdin as unknown as ReadStream, output: io.stdout as unknown as WriteStream },
    io.env,
  );
  try {
    const { exitCode } = await runTui({
      ...screenOptions(chat, prompter, opened),
      terminal,
      banner: bannerOf(chat, { branch, update }),
      ...defined({ branch }),
      onHintSeen: (hint) => void hintsSaved.push(rememberHint(hint, chat, opened)),
      onTurnEnd: () => void tellBranch(chat.location, prompter),
      signal: io.signal,
    });
    return exitCode;
  } finally {
    prompter.leave();
  }
}

/** Opens the program and tells the screen what became known with it, before the session takes the place of the wait. */
async function openBehind(chat: ScreenChat, prompter: ScreenPrompter, scope: Scope): Promise<Opened> {
  const { invocation, loaded, home, request } = chat;
  const all = await chat.open(prompter, prompter.confirmTrust);
  const { signal } = invocation.io;
  const offers = all.session.info.isDemo
    ? await (await import("../commands/local/offer.ts")).firstOffers(invocation)
    : undefined;
  const [screen, facts] = await Promise.all([prompter.screen, openedFacts(all.hermes, offers, signal)]);
  screen.tell(facts);
  const extensions = await pluginExtensions(all.hermes.plugins, prompter.onNotice);
  if (extensions.length > 0) screen.extend(extensions);
  if (request.ignoreUserConfig) return all;
  const settings = new LiveSettings(screen, loaded.config, request);
  scope.adopt(
    watchConfig(loaded, {
      home,
      env: invocation.io.env,
      cwd: chat.location,
      trusted: loaded.trust.forThisRun,
      signal: invocation.io.signal,
      onChange: ({ loaded: now }) => void settings.tell(now.config),
      onError: (error) => all.hermes.logger.warn("a changed configuration cannot be read", { error: describe(error) }),
    }),
  );
  return all;
}

/** A turn may have changed the branch. */
async function tellBranch(location: string, prompter: ScreenPrompter): Promise<void> {
  const branch = await gitBranch(location);
  if (branch !== undefined) (await prompter.screen).tell({ branch });
}

function bannerOf(
  { location, warnings, home, loaded, invocation }: ScreenChat,
  { branch, update }: { readonly branch: string | undefined; readonly update: string | undefined },
): RunTuiOptions["banner"] {
  const scanner = scannerWarning(loaded, invocation.io.env);
  return {
    version,
    cwd: shownFolder(location),
    warnings: scanner === undefined ? warnings : [...warnings, scanner],
    tip: tipOfTheDay(Date.now()),
    ...defined({ branch, updateNotice: update }),
    ...(home.profileName === "default" ? {} : { profile: home.profileName }),
  };
}

function screenOptions(
  chat: ScreenChat,
  prompter: ScreenPrompter,
  opened: Promise<Opened>,
): Omit<RunTuiOptions, "terminal" | "banner"> {
  const { invocation, home, loaded, request, location, images } = chat;
  const { env } = invocation.io;
  return {
    session: opened.then(({ session }) => session),
    settings: { ...tuiSettings(loaded.config, request), program: programName(env) },
    historyFile: home.inputHistory,
    pastesFolder: home.pastes,
    readUserSkin: (name) => readTextFile(safeJoin(home.skins, `${name}.yaml`), { maxBytes: 256 * 1024 }),
    openSession: async (id) => {
      const { hermes } = await opened;
      return hermes.sessions.open({ ...request.open, cwd: location, isInteractive: true, resume: id });
    },
    runShell: async (command, signal) => {
      const { hermes, session } = await opened;
      const ran = await hermes.toolbox.runForPerson(command, session.info.rootId, signal);
      await tellBranch(location, prompter);
      return ran;
    },
    readClipboardImage: async (signal) => {
      const [{ readClipboardImage }, { childEnvironment }] = await Promise.all([
        import("./clipboard/clipboard-image.ts"),
        import("#tools"),
      ]);
      const safe = childEnvironment(env, { policy: "inherit" });
      return readClipboardImage({ machine: thisMachine(env), env: safe, folder: home.images }, signal);
    },
    connect: async () => {
      const [{ connectModel }, { Output }] = await Promise.all([
        import("../commands/model/connect.ts"),
        import("../output/output.ts"),
      ]);
      try {
        return await connectModel(invocation, new Output(invocation));
      } catch (error) {
        if (error instanceof UserError && error.code === "interrupted") return undefined;
        throw error;
      }
    },
    ...(request.message === undefined ? { draftImages: images } : { firstMessage: { text: request.message, images } }),
    isSecret: secretIn(loaded.config),
    onOpen: (handle) => prompter.enter(handle),
  };
}

/** Shown once in a person's life; a file that cannot be written shows it again, and that is all. */
async function rememberHint(hint: string, { request, home, invocation }: ScreenChat, opened: Promise<Opened>) {
  if (request.ignoreUserConfig) return;
  try {
    const { env, signal } = invocation.io;
    await editConfig([{ kind: "set", path: ["onboarding", "seen", hint], value: true }], { home, env, signal });
  } catch (error) {
    const { hermes } = await opened;
    hermes.logger.warn("a hint could not be marked as seen", { hint, error: describe(error) });
  }
}

/** Opening everything takes a moment; the prompt does not wait for it. */
async function afterFirstFrame<T>(work: () => Promise<T>): Promise<T> {
  await new Promise<void>((resolve) => setTimeout(resolve, 0));
  return work();
}

/** Lines that hold a known secret, or something of the shape of one, are not written to the history. */
function secretIn(config: Config): (text: string) => boolean {
  const redactor = new Redactor();
  for (const secret of collectSecrets(config)) redactor.add(secret);
  return (text) => redactor.redact(text) !== text;
}

function shownFolder(folder: string): string {
  const home = homedir();
  return folder === home || folder.startsWith(`${home}/`) ? `~${folder.slice(home.length)}` : folder;
}
