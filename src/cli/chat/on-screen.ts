import { homedir } from "node:os";
import type { ReadStream, WriteStream } from "node:tty";
import type { Hermes } from "#app";
import { type Config, collectSecrets } from "#config";
import { readTextFile, safeJoin } from "#foundation/files";
import type { HermesHome } from "#foundation/paths";
import { Redactor } from "#foundation/redact";
import type { OpenSession } from "#session";
import { ProcessTerminal, runTui, type TuiSettings } from "#tui";
import type { Invocation } from "../command.ts";
import { version } from "../version.ts";
import type { ChatWish } from "./chat-wish.ts";

export interface ScreenChat {
  readonly wish: ChatWish;
  readonly invocation: Invocation;
  readonly place: string;
  readonly config: Config;
  readonly home: HermesHome;
  readonly warnings: readonly string[];
  /** Opens everything; called after the first frame. */
  open(): Promise<{ readonly hermes: Hermes; readonly session: OpenSession }>;
}

/** The interactive terminal. The prompt is there before the agent is: what is typed early waits for it. */
export async function chatOnScreen(chat: ScreenChat): Promise<number> {
  const { invocation, home, config, wish } = chat;
  const { io } = invocation;
  const opened = afterFirstFrame(() => chat.open());
  const terminal = new ProcessTerminal(
    { input: io.stdin as unknown as ReadStream, output: io.stdout as unknown as WriteStream },
    io.env,
  );
  const { exitCode } = await runTui({
    session: opened.then(({ session }) => session),
    terminal,
    banner: {
      version,
      cwd: shownFolder(chat.place),
      warnings: chat.warnings,
      ...(home.profileName === "default" ? {} : { profile: home.profileName }),
    },
    settings: tuiSettings(config, wish),
    historyFile: home.inputHistory,
    pastesFolder: home.pastes,
    readUserSkin: (name) => readTextFile(safeJoin(home.skins, `${name}.yaml`), { maxBytes: 256 * 1024 }),
    openSession: async (id) => {
      const { hermes } = await opened;
      return hermes.sessions.open({ ...wish.open, cwd: chat.place, isInteractive: true, resume: id });
    },
    isSecret: secretIn(config),
    signal: io.signal,
  });
  return exitCode;
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

function tuiSettings(
  { display, approvals, clarify, onboarding }: Config,
  { isVerbose }: ChatWish,
): Partial<TuiSettings> {
  const { sections } = display;
  return {
    skin: display.skin,
    isCompact: display.compact,
    toolProgress: isVerbose ? "verbose" : display.tool_progress,
    toolPreviewLength: display.tool_preview_length,
    showReasoning: display.show_reasoning,
    showCost: display.show_cost,
    markdown: display.final_response_markdown,
    streaming: display.streaming,
    bellOnComplete: display.bell_on_complete,
    inlineDiffs: display.inline_diffs,
    resumeDisplay: display.resume_display,
    busyInputMode: display.busy_input_mode,
    details: {
      thinking: sections.thinking,
      tools: sections.tools,
      subagents: sections.subagents ?? display.details_mode,
      activity: sections.activity,
    },
    userPreview: {
      firstLines: display.user_message_preview.first_lines,
      lastLines: display.user_message_preview.last_lines,
    },
    altScreen: display.alt_screen,
    approvalTimeoutMs: approvals.timeout * 1000,
    clarifyTimeoutMs: clarify.timeout * 1000,
    seenHints: Object.keys(onboarding.seen),
  };
}
