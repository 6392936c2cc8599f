import { defined } from "#foundation/defined";
import type { LayoutSlots, Widget } from "../extension.ts";
import { isListening } from "../state/answering.ts";
import { spinnerText, stuckWords } from "../state/select.ts";
import type { ViewState } from "../state/state.ts";
import { statusBar } from "../state/status-bar.ts";
import { rule } from "../text/box.ts";
import { cutLine, cutText, type Line } from "../text/styled.ts";
import { inputRows } from "./input-area.ts";
import type { Look } from "./item-rows.ts";
import { keyRows } from "./key-help.ts";
import { liveRows } from "./live-rows.ts";
import { completionRows, listRows } from "./menu-rows.ts";
import { approvalPromptRows, type PromptLook, questionPromptRows, secretPromptRows } from "./prompt-rows.ts";

/** What the built-in widgets draw from, read anew for every frame. */
export interface ViewSource {
  state(): ViewState;
  look(): Look;
  nowMs(): number;
  rows(): number;
}

const spinnerIndent = "  ";

/** Below this many columns the frame is reduced to what is needed. */
const narrowColumns = 64;

function waitsLong(source: ViewSource): boolean {
  return stuckWords(source.state(), source.nowMs()) !== undefined;
}

export function builtInSlots(source: ViewSource, extra: readonly Widget[]): LayoutSlots {
  const isNarrow = (): boolean => source.look().columns < narrowColumns;
  const prompt = () => source.state().prompts[0];
  const promptLook = (): PromptLook => ({
    columns: source.look().columns,
    rows: source.rows(),
    nowMs: source.nowMs(),
    waiting: source.state().prompts.length - 1,
    isListening: isListening(source.state(), source.nowMs()),
  });
  const spinner = () => {
    const { skin, columns } = source.look();
    return spinnerText(source.state(), { skin, columns: columns - spinnerIndent.length }, source.nowMs());
  };
  return {
    anchor: widget("anchor", () => liveRows(source.state(), source.look(), source.nowMs())),
    sudo: widget(
      "sudo",
      () => secretRows(source, "sudo", promptLook()),
      () => prompt()?.kind === "sudo",
    ),
    secret: widget(
      "secret",
      () => secretRows(source, "secret", promptLook()),
      () => prompt()?.kind === "secret",
    ),
    approval: widget(
      "approval",
      () => {
        const asked = prompt();
        return asked?.kind === "approval" ? approvalPromptRows(asked, promptLook()) : [];
      },
      () => prompt()?.kind === "approval",
    ),
    clarify: widget(
      "clarify",
      () => {
        const asked = prompt();
        return asked?.kind === "question" ? questionPromptRows(asked, promptLook()) : [];
      },
      () => prompt()?.kind === "question",
    ),
    modelPicker: widget(
      "modelPicker",
      (columns) =>
        source.state().isHelpOpen ? keyRows({ columns, rows: source.rows() }) : pickerRows(source, columns),
      () => source.state().picker !== undefined || source.state().isHelpOpen,
    ),
    spinner: widget(
      "spinner",
      (columns) => [[{ text: cutText(`${spinnerIndent}${spinner() ?? ""}`, columns), style: "accent" }]],
      // A narrow window has no row for faces, but nobody waits in it without knowing what for.
      () => spinner() !== undefined && (!isNarrow() || source.state().phase === "starting" || waitsLong(source)),
    ),
    spacer: widget(
      "spacer",
      () => [[]],
      () => !isNarrow() && !source.look().settings.isCompact,
    ),
    extra,
    ...bottomSlots(source, isNarrow),
  };
}

type BottomSlots = Pick<
  LayoutSlots,
  "statusBar" | "inputRuleTop" | "imageBar" | "inputArea" | "inputRuleBottom" | "voiceStatus" | "completions"
>;

function bottomSlots(source: ViewSource, isNarrow: () => boolean): BottomSlots {
  const hasStatus = (): boolean => source.state().settings.showStatusBar && source.state().picker === undefined;
  return {
    statusBar: widget("statusBar", (columns) => [statusBar(source.state(), columns, source.nowMs())], hasStatus),
    inputRuleTop: widget(
      "inputRuleTop",
      (columns) => [rule(columns, "input-rule")],
      () => hasInput(source.state()),
    ),
    imageBar: widget(
      "imageBar",
      (columns) => [imageBar(source.state(), columns)],
      () => source.state().editor.images.length > 0,
    ),
    inputArea: widget(
      "inputArea",
      (columns) => inputRows(source.state(), source.look().skin, columns),
      () => hasInput(source.state()),
    ),
    inputRuleBottom: widget(
      "inputRuleBottom",
      (columns) => [rule(columns, "input-rule")],
      () => !isNarrow() && hasInput(source.state()),
    ),
    voiceStatus: widget(
      "voiceStatus",
      (columns) => [voiceBar(source.state(), columns)],
      () => source.state().voice !== undefined,
    ),
    completions: widget(
      "completions",
      (columns) => {
        const offered = source.state().editor.completions;
        return offered === undefined ? [] : completionRows(offered, columns);
      },
      () => source.state().editor.completions !== undefined && source.state().prompts.length === 0,
    ),
  };
}

/** Choices need no input line, unless a text is being written or waits in it. */
function hasInput({ prompts, editor, picker }: ViewState): boolean {
  const [prompt] = prompts;
  if (picker !== undefined) return false;
  return prompt?.kind !== "approval" || prompt.reason !== undefined || editor.buffer.text !== "";
}

/** The order the slots have unless an extension says otherwise. */
export function baseLayout(slots: LayoutSlots): readonly Widget[] {
  return [
    slots.anchor,
    slots.sudo,
    slots.secret,
    slots.approval,
    slots.clarify,
    ...(slots.modelPicker === undefined ? [] : [slots.modelPicker]),
    slots.spinner,
    slots.spacer,
    ...slots.extra,
    slots.statusBar,
    slots.inputRuleTop,
    slots.imageBar,
    slots.inputArea,
    slots.inputRuleBottom,
    slots.voiceStatus,
    slots.completions,
  ];
}

function widget(id: string, render: (columns: number) => readonly Line[], visible?: () => boolean): Widget {
  return { id, render, ...defined({ visible }) };
}

function secretRows(source: ViewSource, kind: "sudo" | "secret", look: PromptLook): Line[] {
  const asked = source.state().prompts[0];
  return asked?.kind === kind ? secretPromptRows(asked, look) : [];
}

function pickerRows(source: ViewSource, columns: number): Line[] {
  const { picker } = source.state();
  return picker === undefined ? [] : listRows(picker, { columns, rows: source.rows() });
}

function imageBar(state: ViewState, columns: number): Line {
  const { images } = state.editor;
  const badges = images.map((_, index) => `[📎 Image #${index + 1}]`).join(" ");
  const name = images.length === 1 ? (images[0]?.split(/[/\\]/).at(-1) ?? "") : `${images.length} images`;
  const text = columns < narrowColumns ? `📎 ${name}` : badges;
  return cutLine([{ text: ` ${text}`, style: "image" }], columns);
}

function voiceBar(state: ViewState, columns: number): Line {
  const { voice } = state;
  if (voice === undefined) return [];
  if (voice.mode === "recording") return cutLine([{ text: " ● REC", style: "voice-recording" }], columns);
  if (voice.mode === "transcribing") return cutLine([{ text: " ◉ Transcribing", style: "voice" }], columns);
  const extras = `${voice.isSpeechOn ? " | TTS on" : ""}${voice.isContinuous ? " | Continuous" : ""}`;
  return cutLine([{ text: ` 🎤 Voice mode${extras}`, style: "voice" }], columns);
}
