import type { TurnResult } from "#conversation";
import { describe } from "#foundation/errors";
import { isAbort, linkSignals } from "#foundation/lifecycle/abort";
import type { Clock } from "#foundation/time/clock";
import type { CommandView, OpenSession, Submission } from "#session";
import type { UserAction } from "../state/action.ts";
import type { ExtensionHost } from "./extension-host.ts";
import { withSavedPastes } from "./saved-pastes.ts";
import type { ShellRunner } from "./shell-runner.ts";

export interface SubmitDeps {
  readonly session: () => OpenSession | undefined;
  readonly host: ExtensionHost;
  readonly shell: ShellRunner;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly dispatch: (action: UserAction) => void;
  readonly newKey: () => string;
  /** Where long pastes are kept. */
  readonly pastesFolder: string | undefined;
}

/** A command that takes longer locks the input and shows a spinner. */
const slowCommandMs = 300;

/** Hands input to the session and shows at once what came back; everything else arrives as events. */
export async function submitInput(
  input: { readonly text: string; readonly images: readonly string[] },
  deps: SubmitDeps,
): Promise<void> {
  const { dispatch, host } = deps;
  if (input.text.startsWith("/")) {
    const answer = await host.command(input.text);
    if (answer === true) return;
    if (answer === false) {
      dispatch({ type: "leave", code: 0 });
      return;
    }
  }
  const session = deps.session();
  if (session === undefined) {
    dispatch({ type: "say", level: "error", text: "There is no session to send this to." });
    return;
  }
  const written = await filled(input, deps);
  if (written === undefined) return;
  const text = await withSavedPastes(written, deps.pastesFolder);
  const supplied = { text, key: deps.newKey(), ...(input.images.length === 0 ? {} : { images: input.images }) };
  const submission = text.startsWith("/")
    ? await whileBusy(session.submit(supplied), text, deps)
    : await session.submit(supplied);
  dispatch({ type: "submitted", text: input.text, images: input.images.length, submission });
  showSubmission(submission, deps);
}

/** The words with what their commands printed; when one of those did not come to an end, the draft is there again. */
async function filled(
  { text, images }: { readonly text: string; readonly images: readonly string[] },
  { shell, dispatch, signal }: SubmitDeps,
): Promise<string | undefined> {
  try {
    return await shell.fill(text);
  } catch (error) {
    if (signal.aborted) throw error;
    const submission = { kind: "refused", message: describe(error) } as const;
    dispatch({ type: "submitted", text, images: images.length, submission });
    dispatch({ type: "draft-edited", text });
    for (const path of images) dispatch({ type: "image-attached", path });
    return undefined;
  }
}

async function whileBusy(work: Promise<Submission>, text: string, deps: SubmitDeps): Promise<Submission> {
  const done = new AbortController();
  const slow = deps.clock.sleep(slowCommandMs, linkSignals(done.signal, deps.signal)).then(
    () => deps.dispatch({ type: "command-start", label: text.split("\n")[0] ?? text }),
    (error: unknown) => {
      if (!isAbort(error) && !done.signal.aborted && !deps.signal.aborted) throw error;
    },
  );
  try {
    return await work;
  } finally {
    done.abort();
    await slow;
    deps.dispatch({ type: "command-end" });
  }
}

function showSubmission(submission: Submission, deps: SubmitDeps): void {
  if (submission.kind === "turn") watch(submission.ended, deps);
  if (submission.kind === "command") showView(submission.view, deps);
}

function showView(view: CommandView, deps: SubmitDeps): void {
  switch (view.kind) {
    case "text":
    case "markdown":
    case "table":
      deps.dispatch({ type: "show-view", view });
      return;
    case "picker":
      deps.dispatch({ type: "open-picker", view });
      return;
    case "surface":
      deps.dispatch({ type: "surface", action: view.action });
      return;
    case "turn":
      watch(view.ended, deps);
      return;
    case "nothing":
      return;
  }
}

/** How a turn ends is told by its events; a promise that fails is a fault nobody else would report. */
function watch(ended: Promise<TurnResult>, deps: SubmitDeps): void {
  ended.catch((error: unknown) => {
    if (!isAbort(error)) deps.dispatch({ type: "say", level: "error", text: describe(error) });
  });
}
