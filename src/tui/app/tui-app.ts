import { defined } from "#foundation/defined";
import { describe, UserError } from "#foundation/errors";
import { type Logger, silentLogger } from "#foundation/files/logger";
import { Deferred } from "#foundation/lifecycle/deferred";
import { Scope } from "#foundation/lifecycle/disposal";
import { stopwatch } from "#foundation/text/figures";
import { newId } from "#foundation/text/ids";
import { type Clock, systemClock } from "#foundation/time/clock";
import type { SessionEvent } from "#session";
import type { TuiExtension } from "../extension.ts";
import { Completer } from "../input/completion.ts";
import { InputHistory } from "../input/history.ts";
import type { TerminalInput } from "../input/key-event.ts";
import { defaultTuiSettings } from "../settings.ts";
import type { UserAction } from "../state/action.ts";
import { completionLine } from "../state/editing/completing.ts";
import { actionFor } from "../state/keymap.ts";
import { reduce } from "../state/reduce.ts";
import { isAnimated } from "../state/select.ts";
import { initialState, type ViewState } from "../state/state.ts";
import { exitRows } from "../view/exit-summary.ts";
import { harmless } from "../view/paint/painted-line.ts";
import { contextOf, inputAreaOf } from "./context.ts";
import { type EffectDeps, runEffect } from "./effects.ts";
import { ExtensionHost } from "./extension-host.ts";
import { FrameTimer } from "./frame-timer.ts";
import { handleOf, KnownFacts } from "./handle.ts";
import { InputGate } from "./input-gate.ts";
import { Libraries } from "./libraries.ts";
import type { RunTuiOptions } from "./options.ts";
import { OwnApprovals } from "./own-approvals.ts";
import { PlainDialog } from "./plain-dialog.ts";
import { Screen } from "./screen.ts";
import { SessionLink } from "./session-link.ts";
import { ShellRunner } from "./shell-runner.ts";
import { TerminalHold } from "./terminal-hold.ts";
import { ThemeKeeper } from "./theme-keeper.ts";

/** After these other commands may run in the background than before. */
const processEvents: ReadonlySet<string> = new Set(["tool-end", "turn-end", "session-changed"]);
const titleEvents: ReadonlySet<string> = new Set(["turn-start", "turn-end", "session-changed"]);

/** The running UI: one state, one loop of actions, effects and frames. */
export class TuiApp {
  readonly #options: RunTuiOptions;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #ending = new AbortController();
  readonly #exit = new Deferred<number>();
  readonly #link: SessionLink;
  readonly #theme: ThemeKeeper;
  readonly #libraries: Libraries;
  readonly #screen: Screen;
  readonly #frames: FrameTimer;
  readonly #host: ExtensionHost;
  readonly #completer: Completer;
  readonly #effects: EffectDeps;
  readonly #gate: InputGate;
  readonly #hold: TerminalHold;
  readonly #approvals = new OwnApprovals((event) => this.#hear(event));
  readonly #facts: KnownFacts;
  /** Of a terminal that cannot be drawn on. */
  readonly #dialog: PlainDialog | undefined;
  #state: ViewState;
  #title = "";

  constructor(options: RunTuiOptions) {
    this.#options = options;
    this.#facts = new KnownFacts(options.banner, options.settings?.toolEmojis);
    this.#clock = options.clock ?? systemClock;
    this.#log = options.log ?? silentLogger;
    const { profile } = options.banner;
    const settings = { ...defaultTuiSettings, ...defined({ profile }), ...options.settings };
    this.#state = initialState(settings);
    const { terminal } = options;
    this.#theme = new ThemeKeeper(terminal, options.readUserSkin);
    this.#theme.useBuiltIn(settings.skin);
    this.#link = new SessionLink((event) => this.#hear(event));
    this.#libraries = new Libraries(this.#log, () => this.#frames.soon());
    this.#screen = new Screen({
      terminal,
      theme: this.#theme,
      libraries: this.#libraries,
      banner: () => this.#facts.banner,
      state: () => this.#state,
      nowMs: () => this.#clock.now(),
      onPrinted: (count) => this.#step({ type: "printed", count }),
    });
    this.#frames = new FrameTimer({
      clock: this.#clock,
      signal: this.#ending.signal,
      paint: () => this.#paint(),
      tick: () => this.#step({ type: "tick" }),
      isAnimated: () => isAnimated(this.#state),
    });
    const context = contextOf(this.#contextDeps());
    this.#host = new ExtensionHost(options.extensions ?? [], context, (text) =>
      this.dispatch({ type: "say", level: "error", text }),
    );
    this.#completer = new Completer({
      clock: this.#clock,
      log: this.#log,
      complete: async (line, signal) => (await this.#link.current?.complete(line, signal)) ?? [],
      onItems: (line, items) => this.dispatch({ type: "completions", line, items }),
    });
    this.#effects = this.#effectDeps();
    this.#dialog = terminal.isTty ? undefined : this.#plainDialog();
    this.#gate = new InputGate({
      isTty: terminal.isTty,
      onInput: (input) => this.#take(input),
      onLine: (line) => this.#takeLine(line),
      onChunkEnd: () => this.#afterInput(),
    });
    this.#hold = new TerminalHold({
      terminal,
      gate: this.#gate,
      screen: this.#screen,
      paint: () => this.#frames.now(),
      onEnd: () => this.#endOfInput(),
    });
  }

  /** Runs until the person leaves; gives the exit code. */
  async run(): Promise<number> {
    await using scope = new Scope();
    scope.adopt(this.#link);
    this.#start(scope);
    const running = this.#frames.run().catch((error: unknown) => this.#exit.reject(error));
    try {
      const code = await this.#exit.promise;
      this.#finish();
      return code;
    } finally {
      this.#ending.abort();
      await running;
      await this.#effects.history?.flush();
    }
  }
  /** An action from a key, an effect or an extension; drawn at once. */
  dispatch(action: UserAction): void {
    this.#step(action);
    if (!this.#ending.signal.aborted) this.#frames.now();
  }

  /** The first frame comes before anything that takes time. */
  #start(scope: Scope): void {
    const { terminal, signal, voice } = this.#options;
    if (this.#state.settings.altScreen) terminal.write("\x1b[?1049h");
    scope.adopt(this.#hold).take();
    this.#host.registerKeys(inputAreaOf(this.#contextDeps()));
    this.#theme.restyle((base) => this.#host.styles(base));
    this.#build();
    if (this.#options.branch !== undefined) this.#step({ type: "facts", branch: this.#options.branch });
    this.#queueFirstMessage();
    this.#options.onOpen?.(
      handleOf({
        facts: this.#facts,
        approvals: this.#approvals,
        signal: this.#ending.signal,
        skinEmojis: () => this.#theme.skin.toolEmojis,
        dispatch: (action) => this.dispatch(action),
        extend: (extensions) => this.#extend(extensions),
      }),
    );
    this.#frames.now();
    scope.adopt(this.#gate);
    scope.adopt(this.#completer);
    if (voice !== undefined) scope.adopt(voice.subscribe((state) => this.dispatch({ type: "voice", voice: state })));
    const stop = (): void => this.#exit.resolve(130);
    signal?.addEventListener("abort", stop, { once: true });
    scope.defer(() => signal?.removeEventListener("abort", stop));
    void this.#prepare();
  }

  /** Everything that is loaded behind the first frame. */
  async #prepare(): Promise<void> {
    try {
      await Promise.all([
        this.#gate.load(),
        this.#libraries.load(),
        this.#loadHistory(),
        this.#applySkin(this.#state.settings.skin),
        this.#link.open(this.#options.session, {
          onReady: ({ info, history }) => {
            this.dispatch({ type: "session-ready", info, history });
            this.#promptInWords();
          },
          onRefused: (error) => this.#refuse(error),
        }),
      ]);
    } catch (error) {
      this.#log.error("The terminal could not be started.", { error: describe(error) });
      this.dispatch({ type: "say", level: "error", text: describe(error) });
      this.#exit.resolve(1);
    }
  }

  #refuse(error: unknown): void {
    const hint = error instanceof UserError && error.hint !== undefined ? `\n${error.hint}` : "";
    // Read in the shell, where the hint is to be followed.
    const text = `${describe(error)}${hint}`;
    this.dispatch({ type: "show", item: { kind: "notice", level: "error", text } });
    this.#exit.resolve(error instanceof UserError ? error.exitCode : 1);
  }

  async #loadHistory(): Promise<void> {
    const entries = (await this.#effects.history?.load()) ?? [];
    this.#step({ type: "history-loaded", entries });
  }

  async #applySkin(name: string): Promise<void> {
    const { skin, problems } = await this.#theme.use(name);
    this.#theme.restyle((base) => this.#host.styles(base));
    const toolEmojis = this.#facts.emojis(skin.toolEmojis);
    this.#step({ type: "settings", settings: { skin: skin.name, toolEmojis } });
    for (const text of problems) this.#step({ type: "say", level: "warn", text });
  }

  #queueFirstMessage(): void {
    const { firstMessage: first, draftImages = [] } = this.#options;
    for (const path of draftImages) this.#step({ type: "image-attached", path });
    if (first === undefined) return;
    this.#state = { ...this.#state, early: [{ text: first.text, images: first.images ?? [] }] };
  }

  #build(): void {
    this.#screen.build(this.#host.widgets(), (slots, base) => this.#host.layout(slots, base));
  }

  #extend(extensions: readonly TuiExtension[]): void {
    this.#host.add(extensions, inputAreaOf(this.#contextDeps()));
    this.#theme.restyle((base) => this.#host.styles(base));
    this.#build();
    if (!this.#ending.signal.aborted) this.#frames.now();
  }

  #afterInput(): void {
    this.#completer.update(completionLine(this.#state));
    if (!this.#ending.signal.aborted) this.#frames.now();
  }

  #takeLine(line: string): void {
    if (this.#dialog?.take(line) === true || line.trim() === "") return;
    this.#step({ type: "draft-edited", text: line });
    this.#step({ type: "enter" });
  }

  /** A window that was closed ends at once; a file is worked through first. */
  #endOfInput(): void {
    this.#gate.finish();
    const settled = this.#options.terminal.isTty ? undefined : this.#link.current?.settled();
    void Promise.resolve(settled).finally(() => this.#exit.resolve(0));
  }

  #take(input: TerminalInput): void {
    if (input.kind === "paste") {
      this.#step({ type: "paste", text: input.text });
      return;
    }
    if (input.kind === "background") {
      this.#theme.useBackground(input.background);
      this.#theme.restyle((base) => this.#host.styles(base));
      return;
    }
    const { event } = input;
    if (this.#host.press(event, "eager")) return;
    const action = actionFor(event, this.#state.settings.recordKey);
    if (action !== undefined) this.#step(action);
    this.#host.press(event, "late");
    this.#completer.update(completionLine(this.#state));
  }

  #hear(event: SessionEvent): void {
    this.#step(event);
    if (titleEvents.has(event.type)) this.#nameWindow();
    if (!this.#options.terminal.isTty) this.#tellInWords(event);
    if (event.type === "turn-end") this.#promptInWords();
    if (processEvents.has(event.type))
      this.#step({ type: "facts", processes: this.#link.current?.info.processes ?? [] });
    if (event.type === "turn-end") this.#options.onTurnEnd?.();
    if (!this.#ending.signal.aborted) this.#frames.soon();
  }

  /** The window says what this is, and whether it works. */
  #nameWindow(): void {
    const { terminal } = this.#options;
    const { session, turn } = this.#state;
    if (!terminal.isTty || session === undefined) return;
    const about = session.title ?? session.cwd.split(/[/\\]/).at(-1) ?? "";
    const title = harmless(`${turn === undefined ? "" : "⏳ "}Hermes${about === "" ? "" : ` · ${about}`}`);
    if (title !== this.#title) terminal.write(`\x1b]0;${title}\x07`);
    this.#title = title;
  }

  /** The prompt of a terminal that cannot be drawn on. */
  #promptInWords(): void {
    const { terminal } = this.#options;
    if (terminal.isTty || terminal.hasPerson !== true) return;
    this.#frames.now();
    terminal.write("> ");
  }

  /** What a spinner would show, as two lines: a file cannot be animated. */
  #tellInWords(event: SessionEvent): void {
    const verb = this.#theme.skin.spinner.thinkingVerbs[0] ?? "thinking";
    if (event.type === "turn-start") this.#step({ type: "show", item: { kind: "activity", text: `${verb}…` } });
    if (event.type !== "turn-end") return;
    const text = `done in ${stopwatch(this.#state.lastTurnMs ?? 0)}`;
    this.#step({ type: "show", item: { kind: "activity", text } });
  }

  #step(input: SessionEvent | UserAction): void {
    this.#orFail(() => {
      this.#state = reduce(this.#state, input, this.#clock.now());
    });
    const { effects } = this.#state;
    if (effects.length === 0) return;
    this.#state = { ...this.#state, effects: [] };
    for (const effect of effects) runEffect(effect, this.#effects);
  }

  #paint(): void {
    if (this.#gate.isClosed || this.#exit.isSettled) return;
    this.#orFail(() => {
      this.#screen.paint();
      this.#dialog?.update();
    });
  }

  /** A bug ends the UI in order: the terminal is given back before anyone reads about it. */
  #orFail(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.#exit.reject(error);
    }
  }

  #finish(): void {
    const { current } = this.#link;
    const isAtWork = this.#state.turn !== undefined;
    const rows = exitRows(current, this.#theme.skin, {
      nowMs: this.#clock.now(),
      isAtWork,
      program: this.#state.settings.program,
    });
    this.#screen.leave(rows);
    if (this.#state.settings.altScreen) this.#options.terminal.write("\x1b[?1049l");
  }

  #plainDialog(): PlainDialog {
    const { terminal } = this.#options;
    return new PlainDialog({
      hasPerson: terminal.hasPerson === true,
      columns: () => terminal.columns,
      state: () => this.#state,
      step: (action) => this.#step(action),
      write: (text) => terminal.write(text),
      queue: (text) => runEffect({ do: "submit", text: `/queue ${text}`, images: [], isTyped: false }, this.#effects),
    });
  }

  #contextDeps() {
    return {
      state: () => this.#state,
      link: this.#link,
      dispatch: (action: UserAction) => this.dispatch(action),
      setDraft: (text: string, cursor: number) => this.dispatch({ type: "draft-edited", text, cursor }),
      submit: (text: string) => runEffect({ do: "submit", text, images: [], isTyped: false }, this.#effects),
      invalidate: () => this.#frames.soon(),
    };
  }

  #effectDeps(): EffectDeps {
    const dispatch = (action: UserAction): void => this.dispatch(action);
    const signal = this.#ending.signal;
    const shell = new ShellRunner({ run: this.#options.runShell, signal, dispatch });
    return {
      options: this.#options,
      link: this.#link,
      submit: {
        session: () => this.#link.current,
        host: this.#host,
        shell,
        clock: this.#clock,
        signal,
        dispatch,
        newKey: () => newId("input"),
        pastesFolder: this.#options.pastesFolder,
      },
      shell,
      approvals: this.#approvals,
      history: historyOf(this.#options, this.#log),
      signal,
      nowMs: () => this.#clock.now(),
      dispatch,
      clearScreen: () => this.#screen.clear(),
      setSkin: async (name) => {
        await this.#applySkin(name);
        this.#frames.now();
      },
      lend: (use) => this.#hold.lend(use),
      exit: (code) => this.#exit.resolve(code),
    };
  }
}

function historyOf({ historyFile, isSecret }: RunTuiOptions, log: Logger): InputHistory | undefined {
  if (historyFile === undefined) return undefined;
  return new InputHistory({ file: historyFile, isSecret: isSecret ?? (() => false), log });
}
