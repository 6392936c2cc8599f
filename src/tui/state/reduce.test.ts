import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SessionId, TurnId } from "#conversation";
import type { SessionEvent } from "#session";
import { defaultTuiSettings, type TuiSettings } from "../settings.ts";
import { sessionInfo } from "../testing/fake-session.ts";
import type { UserAction } from "./action.ts";
import { echo } from "./events/echo.ts";
import { reduce } from "./reduce.ts";
import { placeholder } from "./select.ts";
import { initialState, type ViewState } from "./state.ts";
import type { TranscriptItem } from "./transcript-item.ts";

const id = fc.constantFrom("c1", "c2", "c3");
const words = fc.constantFrom(
  "a",
  "line\n",
  "**b**",
  "<think>",
  "</think>",
  "```js\n",
  "```\n",
  "- x\n",
  "\n\n",
  "日本",
);
const tool = fc.constantFrom("terminal", "read_file", "todo", "mystery");

const agentEvent: fc.Arbitrary<SessionEvent> = fc.oneof(
  fc.constant<SessionEvent>({ type: "turn-start", sessionId: "s" as SessionId, turnId: "t" as TurnId }),
  fc.constant<SessionEvent>({ type: "turn-end", exitReason: "text_response", text: "" }),
  fc.constant<SessionEvent>({ type: "turn-end", exitReason: "interrupted_by_user", text: "", error: "oops" }),
  words.map((text): SessionEvent => ({ type: "text-delta", text })),
  fc.constant<SessionEvent>({ type: "text-end" }),
  words.map((text): SessionEvent => ({ type: "reasoning-delta", text })),
  fc.tuple(id, tool).map(([callId, name]): SessionEvent => ({ type: "tool-input-start", callId, name })),
  fc
    .tuple(id, tool)
    .map(([callId, name]): SessionEvent => ({ type: "tool-start", callId, name, args: {}, preview: "" })),
  id.map((callId): SessionEvent => ({ type: "tool-update", callId, text: "…" })),
  fc.tuple(id, tool).map(
    ([callId, name]): SessionEvent => ({
      type: "tool-end",
      callId,
      name,
      isError: false,
      durationMs: 1,
      preview: "",
    }),
  ),
  id.map((one): SessionEvent => ({ type: "question-request", id: one, question: "?", choices: ["a", "b"] })),
  id.map(
    (one): SessionEvent => ({
      type: "approval-request",
      id: one,
      tool: "terminal",
      summary: "rm",
      reasons: [],
      choices: ["once", "deny"],
      isDestructive: true,
    }),
  ),
  id.map((one): SessionEvent => ({ type: "secret-request", id: one, what: "sudo", prompt: "pw" })),
  id.map((one): SessionEvent => ({ type: "approval-response", id: one, choice: "deny" })),
  words.map((text): SessionEvent => ({ type: "notice", level: "info", text })),
  words.map((text): SessionEvent => ({ type: "input-admitted", messageId: "m" as never, text })),
  fc.constant<SessionEvent>({ type: "queue-changed", queued: ["later"] }),
  fc.constant<SessionEvent>({ type: "session-changed", info: sessionInfo() }),
  fc.constant<SessionEvent>({ type: "background-start", id: "b", prompt: "p" }),
  fc.constant<SessionEvent>({ type: "background-end", id: "b", prompt: "p", text: "t" }),
);
const keyAction: fc.Arbitrary<UserAction> = fc.oneof(
  fc.constantFrom<UserAction>(
    { type: "enter" },
    { type: "newline" },
    { type: "tab" },
    { type: "escape" },
    { type: "previous" },
    { type: "next" },
    { type: "undo" },
    { type: "yank" },
    { type: "tick" },
    { type: "remove", motion: "word-left" },
    { type: "move", motion: "left" },
    { type: "session-ready", info: sessionInfo(), history: [] },
    { type: "open-picker", view: { kind: "picker", title: "T", command: "/x", items: [] } },
  ),
  words.map((text): UserAction => ({ type: "insert", text })),
  fc.string({ maxLength: 40 }).map((text): UserAction => ({ type: "paste", text })),
);
const childEvent = agentEvent
  .filter(
    (event) =>
      !["secret-request", "session-changed", "queue-changed", "background-start", "background-end"].includes(
        event.type,
      ),
  )
  .map((event) => ({ type: "child-event", childId: "k", task: "look", event }) as SessionEvent);
const settings: fc.Arbitrary<Partial<TuiSettings>> = fc.record({
  toolProgress: fc.constantFrom("off", "new", "all", "verbose"),
  showReasoning: fc.boolean(),
});

function run(inputs: readonly (SessionEvent | UserAction)[], supplied: Partial<TuiSettings> = {}): ViewState {
  let nowMs = 1_000;
  let state = initialState({ ...defaultTuiSettings, ...supplied });
  for (const input of inputs) {
    nowMs += 500;
    state = reduce(state, input, nowMs);
  }
  return state;
}

const countOf = (state: ViewState, kind: TranscriptItem["kind"]): number =>
  state.pending.filter((item) => item.kind === kind).length;

describe("the reducer", () => {
  it("takes any events and keys in any order [20:R10.46]", () => {
    const input = fc.oneof(agentEvent, keyAction, childEvent);
    fc.assert(
      fc.property(fc.array(input, { maxLength: 60 }), settings, (inputs, supplied) => {
        const state = run(inputs, supplied);
        // What is opened is closed before the next one is opened.
        const boxes = state.pending.map((item) => item.kind).filter((kind) => kind.startsWith("answer-"));
        for (const [index, kind] of boxes.entries()) expect(kind).toBe(index % 2 === 0 ? "answer-start" : "answer-end");
        expect(new Set(state.prompts.map((prompt) => prompt.id)).size).toBe(state.prompts.length);
        expect(state.prompts.slice(1).every((prompt) => prompt.shownAtMs === undefined)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it("gives every tool that starts a line, whatever happens to its turn [20:R10.9]", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat({ max: 20 }), fc.boolean()), { maxLength: 20 }), (calls) => {
        const starts = new Map(calls.map(([call, ends]) => [`c${call}`, ends]));
        const events: SessionEvent[] = [{ type: "turn-start", sessionId: "s" as SessionId, turnId: "t" as TurnId }];
        for (const callId of starts.keys())
          events.push({ type: "tool-start", callId, name: "x", args: {}, preview: "" });
        for (const [callId, ends] of starts) {
          if (ends) events.push({ type: "tool-end", callId, name: "x", isError: false, durationMs: 5, preview: "" });
        }
        events.push({ type: "turn-end", exitReason: "interrupted_by_user", text: "" });
        expect(countOf(run(events), "tool")).toBe(starts.size);
      }),
    );
  });

  it.each([
    ["off", 0],
    ["new", 2],
    ["all", 3],
    ["verbose", 3],
  ] as const)("shows tools in mode %s [20:R10.10]", (toolProgress, lines) => {
    const end = (name: string): SessionEvent => ({
      type: "tool-end",
      callId: name,
      name,
      isError: false,
      durationMs: 1,
      preview: "result",
    });
    const state = run([end("a"), end("a"), end("b")], { toolProgress });
    expect(countOf(state, "tool")).toBe(lines);
    const full = state.pending.some((item) => item.kind === "tool" && item.full?.result === "result");
    expect(full).toBe(toolProgress === "verbose");
  });

  it("folds collapsed tools into one line [20:R10.13]", () => {
    const details = { ...defaultTuiSettings.details, tools: "collapsed" as const };
    const end = (callId: string): SessionEvent => ({
      type: "tool-end",
      callId,
      name: "read_file",
      isError: false,
      durationMs: 1,
      preview: "",
    });
    const state = run([end("1"), end("2"), { type: "text-delta", text: "x" }], { details });
    expect(state.pending[0]).toEqual({ kind: "tool-summary", names: ["read_file", "read_file"] });
  });

  it("tells the hint about busy input once in a lifetime [20:R10.32]", () => {
    const busy: (SessionEvent | UserAction)[] = [
      { type: "session-ready", info: sessionInfo(), history: [] },
      { type: "turn-start", sessionId: "s" as SessionId, turnId: "t" as TurnId },
      { type: "insert", text: "x" },
      { type: "enter" },
      { type: "insert", text: "y" },
      { type: "enter" },
    ];
    const first = run(busy);
    expect(countOf(first, "hint")).toBe(1);
    expect(first.effects).toContainEqual({ do: "hint-seen", hint: "busy-input" });
    expect(countOf(run(busy, { seenHints: ["busy-input"] }), "hint")).toBe(0);
  });

  it("tells that a tool can take long, once, in mode all [20:R10.32]", () => {
    const slow: SessionEvent = {
      type: "tool-end",
      callId: "1",
      name: "x",
      isError: false,
      durationMs: 31_000,
      preview: "",
    };
    expect(countOf(run([slow, slow]), "hint")).toBe(1);
    expect(countOf(run([slow], { toolProgress: "new" }), "hint")).toBe(0);
  });

  it("asks what to do instead of a stopped turn, unless words stopped it that say so", () => {
    const started = run([{ type: "turn-start", sessionId: "s" as SessionId, turnId: "t" as TurnId }]);
    const stopped: SessionEvent = { type: "turn-end", exitReason: "interrupted_during_api_call", text: "" };
    const ended = (state: ViewState) => reduce(state, stopped, 2_000).pending;
    expect(ended(started)).toMatchObject([{ kind: "notice", text: "Stopped. What should Hermes do instead?" }]);
    expect(ended(echo(started, "do this", 0))).toMatchObject([{ kind: "user", text: "do this" }]);
  });

  it("says when the steps are used up, and rings when asked to [20:R10.14]", () => {
    const state = run([{ type: "turn-end", exitReason: "max_iterations_reached", text: "" }], { bellOnComplete: true });
    expect(state.pending[0]).toMatchObject({ kind: "notice", level: "warn" });
    expect(state.effects).toEqual([{ do: "bell" }]);
  });

  it("cuts reasoning that came in one piece to ten lines [20:R10.8]", () => {
    const reasoning = Array.from({ length: 14 }, (_, index) => `t${index}`).join("\n");
    const event: SessionEvent = {
      type: "message-end",
      message: { role: "assistant", content: "", reasoning },
      wasStreamed: false,
    };
    const state = run([event], { showReasoning: true });
    expect(state.pending[1]).toMatchObject({
      kind: "reasoning",
      lines: expect.toSatisfy((lines: string[]) => lines.length === 10),
    });
    expect(state.pending[2]).toEqual({ kind: "reasoning-end", hiddenLines: 4 });
  });

  it("shows what children do as much as is wished [20:R10.13]", () => {
    const news = (event: SessionEvent): SessionEvent =>
      ({ type: "child-event", childId: "k", task: "look around", event }) as SessionEvent;
    const events = [
      news({ type: "turn-start", sessionId: "s" as SessionId, turnId: "t" as TurnId }),
      news({ type: "tool-end", callId: "1", name: "x", isError: false, durationMs: 1, preview: "" }),
      news({ type: "turn-end", exitReason: "text_response", text: "" }),
    ];
    const shown = (subagents: "hidden" | "collapsed" | "expanded") =>
      run(events, { details: { ...defaultTuiSettings.details, subagents } }).pending.map((item) => item.kind);
    expect(shown("hidden")).toEqual([]);
    expect(shown("collapsed")).toEqual(["activity"]);
    expect(shown("expanded")).toEqual(["tool", "activity"]);
  });

  it("cancels in the order of what is on top [20:R10.19]", () => {
    const ready: UserAction = { type: "session-ready", info: sessionInfo(), history: [] };
    const turn: SessionEvent = { type: "turn-start", sessionId: "s" as SessionId, turnId: "t" as TurnId };
    const voice: UserAction = {
      type: "voice",
      voice: { mode: "recording", level: 0, isSpeechOn: false, isContinuous: false },
    };
    const sudo: SessionEvent = { type: "secret-request", id: "s", what: "sudo", prompt: "" };
    const question: SessionEvent = { type: "question-request", id: "q", question: "?", choices: [] };
    const picker: UserAction = { type: "open-picker", view: { kind: "picker", title: "", command: "", items: [] } };
    const cancel: UserAction = { type: "cancel" };
    const effects = (...inputs: readonly (SessionEvent | UserAction)[]) => run([ready, ...inputs, cancel]).effects;
    expect(effects(turn, sudo, voice)).toEqual([{ do: "voice", act: "cancel" }]);
    expect(effects(turn, picker, sudo)).toEqual([{ do: "answer", id: "s", text: "" }]);
    expect(run([ready, turn, picker, question, cancel]).picker).toBeUndefined();
    expect(effects(turn, question)).toEqual([{ do: "answer", id: "q", text: undefined }]);
    expect(effects(turn, { type: "insert", text: "draft" })).toEqual([{ do: "interrupt" }]);
    expect(run([ready, { type: "insert", text: "draft" }, cancel]).editor.buffer.text).toBe("");
    expect(effects()).toEqual([]);
    expect(effects(cancel)).toEqual([{ do: "exit", code: 0 }]);
    expect(effects(cancel, { type: "insert", text: "x" }, { type: "remove", motion: "left" })).toEqual([]);
  });

  it("never leaves by a Ctrl-C that came just after the turn had ended [20:R10.19]", () => {
    const turn: SessionEvent = { type: "turn-start", sessionId: "s" as SessionId, turnId: "t" as TurnId };
    const end: SessionEvent = { type: "turn-end", exitReason: "interrupted_by_user", text: "" };
    const state = run([turn, { type: "cancel" }, end, { type: "cancel" }]);
    expect(state.effects).toEqual([{ do: "interrupt" }]);
    expect(placeholder(state)).toBe("press Ctrl-C again to quit");
  });

  it("stops the turn by Esc once, and takes back what waits into the draft [20:R10.19]", () => {
    const turn: SessionEvent = { type: "turn-start", sessionId: "s" as SessionId, turnId: "t" as TurnId };
    const queued: SessionEvent = { type: "queue-changed", queued: ["later"] };
    const esc: UserAction = { type: "escape" };
    const typed: UserAction = { type: "insert", text: "mine" };
    const state = run([turn, queued, typed, esc, esc, { type: "unqueued", text: "later" }]);
    expect(state.effects).toEqual([{ do: "unqueue-all" }, { do: "interrupt" }]);
    expect(state.editor.buffer.text).toBe("later\nmine");
  });

  it("closes the answer before it says that it stops, and shows no more of it [20:R10.19][20:R10.28]", () => {
    const turn: SessionEvent = { type: "turn-start", sessionId: "s" as SessionId, turnId: "t" as TurnId };
    const state = run([
      turn,
      { type: "text-delta", text: "One line.\n\nHalf of" },
      { type: "cancel" },
      { type: "text-delta", text: " the next." },
      { type: "turn-end", exitReason: "interrupted_during_api_call", text: "" },
    ]);
    const kinds = state.pending.map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind !== "answer")).toEqual(["answer-start", "answer-end", "notice"]);
    expect(JSON.stringify(state.pending)).not.toContain("the next");
  });

  it("names an answer again below what was shown in the middle of it [20:R10.28]", () => {
    const turn: SessionEvent = { type: "turn-start", sessionId: "s" as SessionId, turnId: "t" as TurnId };
    const view: UserAction = { type: "show-view", view: { kind: "text", text: "Queued." } };
    const early = run([turn, { type: "text-delta", text: "Half of " }, view, { type: "text-delta", text: "it." }]);
    expect(early.pending.map(({ kind }) => kind)).toEqual(["view"]);
    const state = run([turn, { type: "text-delta", text: "One.\n\nHalf " }, view, { type: "text-end" }]);
    expect(state.pending.map((item) => ("form" in item ? item.form : item.kind))).toEqual([
      "first",
      "answer",
      "answer-end",
      "view",
      "again",
      "answer",
      "answer-end",
    ]);
  });

  it("says in plain words what went wrong and what is done about it [20:R10.46]", () => {
    const told = (problem: string, remedy: string, waitMs: number) =>
      run([{ type: "recovery-start", problem, remedy, waitMs }]).pending.at(-1);
    expect(told("rate_limit: Slow down.", "wait-and-retry", 2_100)).toMatchObject({
      text: "The provider is limiting requests: Slow down. – trying again in 3 s",
    });
    expect(told("truncated-text", "continue-truncated", 0)).toMatchObject({
      text: "The answer was cut at its length limit – asking for the rest",
    });
    expect(told("Never heard of: this", "no-such-remedy", 0)).toMatchObject({
      text: "Never heard of: this – trying again",
    });
  });

  it("takes Escape and Enter as a new line only when nothing was typed between them [20:R10.18]", () => {
    const ready: UserAction = { type: "session-ready", info: sessionInfo(), history: [] };
    const typed = (text: string): UserAction => ({ type: "insert", text });
    const both = run([ready, typed("a"), { type: "escape" }, { type: "enter" }, typed("b")]);
    expect(both.editor.buffer.text).toBe("a\nb");
    const sent = run([ready, { type: "escape" }, typed("/help"), { type: "enter" }]);
    expect(sent.editor.buffer.text).toBe("");
    expect(sent.effects).toContainEqual(expect.objectContaining({ do: "submit", text: "/help" }));
  });

  it("shows what a background task found below the answer that is being written [20:R10.14]", () => {
    const turn: SessionEvent = { type: "turn-start", sessionId: "s" as SessionId, turnId: "t" as TurnId };
    const done: SessionEvent = { type: "background-end", id: "bg1", prompt: "look", text: "Found." };
    const state = run([
      turn,
      { type: "text-delta", text: "Half of " },
      done,
      { type: "text-delta", text: "it." },
      { type: "text-end" },
    ]);
    const kinds = state.pending.map(({ kind }) => kind);
    expect(kinds).toEqual(["answer-start", "answer", "answer-end", "panel"]);
    expect(run([done]).pending.map(({ kind }) => kind)).toEqual(["panel"]);
  });

  it("shows a message that stops an answer below that answer [20:R10.28]", () => {
    const ready: UserAction = { type: "session-ready", info: sessionInfo(), history: [] };
    const turn: SessionEvent = { type: "turn-start", sessionId: "s" as SessionId, turnId: "t" as TurnId };
    const submission = { kind: "turn", ended: new Promise<never>(() => undefined) } as never;
    const state = run(
      [
        ready,
        turn,
        { type: "text-delta", text: "One line.\n\nHalf of" },
        { type: "insert", text: "stop" },
        { type: "enter" },
        { type: "submitted", text: "stop", images: 0, submission },
        { type: "turn-end", exitReason: "interrupted_during_api_call", text: "" },
      ],
      { seenHints: ["busy-input"] },
    );
    const kinds = state.pending.map(({ kind }) => kind).filter((kind) => kind !== "answer");
    expect(kinds.slice(-3)).toEqual(["answer-start", "answer-end", "user"]);
  });

  it("does not leave by Ctrl-D while images are attached [20:R10.19]", () => {
    const state = run([{ type: "image-attached", path: "/a.png" }, { type: "end-of-input" }]);
    expect(state.effects).toEqual([]);
    expect(state.editor.images).toEqual(["/a.png"]);
  });

  it("keeps a draft that starts with a slash as it is when something is pasted [20:R10.22]", () => {
    const state = run([
      { type: "insert", text: "/note " },
      { type: "paste", text: "1\n2\n3\n4\n5\n6\n7" },
    ]);
    expect(state.editor.buffer.text).toBe("/note 1\n2\n3\n4\n5\n6\n7");
    expect(run([{ type: "paste", text: "" }]).effects).toEqual([{ do: "paste-image" }]);
  });
});
