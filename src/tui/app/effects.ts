import { open } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { imageProblem } from "#conversation";
import { describe, systemErrorCode, UserError } from "#foundation/errors";
import { isAbort } from "#foundation/lifecycle/abort";
import { droppedPath } from "../input/dropped-path.ts";
import type { InputHistory } from "../input/history.ts";
import type { UserAction } from "../state/action.ts";
import type { Effect, OutsideEffect } from "../state/effect.ts";
import { harmless } from "../view/paint/painted-line.ts";
import { copyText } from "./copy-text.ts";
import type { RunTuiOptions } from "./options.ts";
import type { OwnApprovals } from "./own-approvals.ts";
import { savePaste } from "./saved-pastes.ts";
import type { SessionLink } from "./session-link.ts";
import type { ShellRunner } from "./shell-runner.ts";
import { type SubmitDeps, submitInput } from "./submit.ts";

export interface EffectDeps {
  readonly options: RunTuiOptions;
  readonly link: SessionLink;
  readonly submit: SubmitDeps;
  readonly shell: ShellRunner;
  readonly approvals: OwnApprovals;
  readonly history: InputHistory | undefined;
  readonly signal: AbortSignal;
  readonly nowMs: () => number;
  readonly dispatch: (action: UserAction) => void;
  readonly clearScreen: () => void;
  readonly setSkin: (name: string) => Promise<void>;
  /** Gives the terminal away while `use` runs. */
  readonly lend: <T>(use: () => Promise<T>) => Promise<T>;
  readonly exit: (code: number) => void;
}

/** Does what the reducer asked for. What fails is said on the screen; nothing fails silently. */
export function runEffect(effect: Effect, deps: EffectDeps): void {
  void perform(effect, deps).catch((error: unknown) => {
    if (deps.signal.aborted || isAbort(error)) return;
    const hint = error instanceof UserError && error.hint !== undefined ? ` ${error.hint}` : "";
    deps.dispatch({ type: "say", level: "error", text: `${describe(error)}${hint}` });
  });
}

async function perform(effect: Effect, deps: EffectDeps): Promise<void> {
  const { link, options, dispatch } = deps;
  switch (effect.do) {
    case "submit":
      return submitInput(effect, deps.submit);
    case "remember":
      deps.history?.add(effect.text, new Date(deps.nowMs()));
      return;
    case "approve":
      if (!deps.approvals.answer(effect.id, effect.answer)) link.current?.approve(effect.id, effect.answer);
      return;
    case "answer":
      link.current?.answer(effect.id, effect.text);
      return;
    case "interrupt":
      link.current?.interrupt();
      return;
    case "unqueue": {
      const text = link.current?.unqueue(effect.index);
      if (text !== undefined) dispatch({ type: "unqueued", text });
      return;
    }
    case "unqueue-all": {
      const waiting = link.current?.info.queued.length ?? 0;
      const texts = Array.from({ length: waiting }, () => link.current?.unqueue(0) ?? "");
      const text = texts.filter((one) => one !== "").join("\n");
      if (text !== "") dispatch({ type: "unqueued", text });
      return;
    }
    case "list-commands":
      dispatch({ type: "commands", items: (await link.current?.complete("/", deps.signal)) ?? [] });
      return;
    case "hint-seen":
      options.onHintSeen?.(effect.hint);
      return;
    case "voice":
      if (effect.act === "cancel") options.voice?.cancel();
      else options.voice?.toggle();
      return;
    case "exit":
      deps.exit(effect.code);
      return;
    default:
      return performOutside(effect, deps);
  }
}

/** Effects on files, other programs and the terminal itself. */
async function performOutside(effect: OutsideEffect, deps: EffectDeps): Promise<void> {
  const { options, dispatch } = deps;
  switch (effect.do) {
    case "save-paste":
      return savePaste(effect, options.pastesFolder);
    case "inspect-drop":
      return inspectDrop(effect.text, deps);
    case "paste-image":
      return pasteImage(deps);
    case "attach-image":
      return attachImage(effect.path, deps);
    case "open-editor":
      return editDraft(effect.text, deps);
    case "suspend":
      if (options.terminal.suspend !== undefined) await deps.lend(async () => options.terminal.suspend?.());
      return;
    case "clear-screen":
      deps.clearScreen();
      return;
    case "run-shell":
      return deps.shell.show(effect.command);
    case "stop-shell":
      deps.shell.stop();
      return;
    case "copy":
      dispatch({ type: "say", level: "info", text: await copyText(effect.text, options, deps.signal) });
      return;
    case "set-skin":
      return deps.setSkin(effect.name);
    case "connect":
      return connect(deps);
    case "switch-session":
      return switchSession(effect.id, deps);
    case "bell":
      options.terminal.write("\x07");
      return;
    case "notify":
      // OSC 9 is a notification where the terminal has them (iTerm2, kitty, WezTerm, Windows Terminal), and nothing elsewhere.
      options.terminal.write(`\x1b]9;${harmless(effect.text)}\x07`);
      return;
  }
}

/** A dragged file is attached when it is there; otherwise the text was text. */
async function inspectDrop(text: string, deps: EffectDeps): Promise<void> {
  const path = droppedPath(text);
  const full = path === undefined ? undefined : fullPath(path, deps);
  if (full === undefined) {
    deps.dispatch({ type: "insert", text });
    return;
  }
  const problem = await attachmentProblem(full);
  if (problem === undefined) deps.dispatch({ type: "image-attached", path: full });
  else if (problem === "missing") deps.dispatch({ type: "insert", text });
  else throw new UserError(`${full} is not attached: ${problem}.`);
}

async function attachImage(path: string, deps: EffectDeps): Promise<void> {
  const full = fullPath(droppedPath(path) ?? path, deps);
  const problem = await attachmentProblem(full);
  if (problem === "missing") throw new UserError(`There is no file ${full}.`, { hint: "Give the path of an image." });
  if (problem !== undefined) throw new UserError(`${full} is not attached: ${problem}.`);
  deps.dispatch({ type: "image-attached", path: full });
}

async function pasteImage(deps: EffectDeps): Promise<void> {
  const path = await deps.options.readClipboardImage?.(deps.signal);
  if (path !== undefined) deps.dispatch({ type: "image-attached", path });
  else deps.dispatch({ type: "say", level: "info", text: "There is no image on the clipboard." });
}

function fullPath(path: string, deps: EffectDeps): string {
  const home = path.startsWith("~") ? join(homedir(), path.slice(1)) : path;
  return resolve(deps.link.current?.info.cwd ?? deps.options.banner.cwd, home);
}

/** Why a file cannot be attached; undefined when it is an image that models take. */
async function attachmentProblem(path: string): Promise<string | undefined> {
  try {
    await using file = await open(path, "r");
    if (!(await file.stat()).isFile()) return "missing";
    const head = Buffer.alloc(512);
    const { bytesRead } = await file.read(head, 0, head.length, 0);
    return imageProblem(head.subarray(0, bytesRead));
  } catch (error) {
    return systemErrorCode(error) === "ENOENT" ? "missing" : describe(error);
  }
}

async function editDraft(text: string, deps: EffectDeps): Promise<void> {
  const edit =
    deps.options.editText ??
    (async (draft: string, signal: AbortSignal) => {
      const { editOutside } = await import("../input/external-editor.ts");
      return editOutside(draft, deps.options.terminal.env, signal);
    });
  const written = await deps.lend(() => edit(text, deps.signal));
  if (written !== undefined) deps.dispatch({ type: "draft-edited", text: written });
}

async function switchSession(
  id: Parameters<NonNullable<RunTuiOptions["openSession"]>>[0],
  deps: EffectDeps,
): Promise<void> {
  const open = deps.options.openSession;
  if (open === undefined)
    throw new UserError("Sessions cannot be changed here.", { hint: `Run: hermes --resume ${id}` });
  const session = await open(id);
  await deps.link.attach(session, true);
  deps.dispatch({ type: "session-ready", info: session.info, history: session.history });
}

/** The questions have the terminal for themselves; what was chosen is used at once. */
async function connect(deps: EffectDeps): Promise<void> {
  const ask = deps.options.connect;
  if (ask === undefined) throw new UserError("Models cannot be connected here.", { hint: "Run: hermes setup" });
  const chosen = await deps.lend(() => ask(deps.signal));
  if (chosen === undefined) deps.dispatch({ type: "say", level: "info", text: "Cancelled; the model is unchanged." });
  else await submitInput({ text: `/model ${chosen}`, images: [] }, deps.submit);
}
