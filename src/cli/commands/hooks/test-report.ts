import { stripAnsi } from "#foundation/text/text";
import { type HookEffect, type HookName, isAboutTool, joinCommand, type ShellHook, type ShellHookRun } from "#plugins";
import type { Output } from "../../output/output.ts";

export interface TestedHook {
  readonly hook: ShellHook;
  /** `not-asked`: an earlier hook had already refused. */
  readonly kind: "ran" | "not-asked" | "not-allowed";
  readonly run?: ShellHookRun;
}

export interface HookTest {
  readonly event: HookName;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly tested: readonly TestedHook[];
  readonly effect: HookEffect;
}

const maxShownLines = 40;

export function testDocument({ event, tested, effect }: HookTest): Readonly<Record<string, unknown>> {
  return {
    event,
    hooks: tested.map(({ hook, run, kind }) => ({
      command: joinCommand(hook.argv),
      state: run === undefined ? kind : run.outcome.kind,
      why: run?.outcome.kind === "failed" ? run.outcome.why : null,
      input: run === undefined ? null : (JSON.parse(run.input) as unknown),
      exit_code: run?.ended?.exitCode ?? null,
      timed_out: run?.ended?.timedOut ?? false,
      took_ms: run?.ended === undefined ? null : Math.round(run.ended.durationMs),
      stdout: run?.ended?.stdout ?? "",
      stderr: run?.ended?.stderr ?? "",
      answer: run?.outcome.kind === "answered" ? (run.outcome.value ?? null) : null,
    })),
    effect,
  };
}

export function printTest(out: Output, { event, payload, tested, effect }: HookTest, redact: (text: string) => string) {
  const about = isAboutTool(event) ? ` about ${String(payload["tool_name"])}` : "";
  const block = (text: string): void => {
    const lines = visible(redact(text)).split("\n");
    for (const line of lines.slice(0, maxShownLines)) out.line(`    ${line}`);
    if (lines.length > maxShownLines) out.line(`    … ${lines.length - maxShownLines} more lines`);
  };
  out.heading(`${event}${about}`);
  const input = tested.find(({ run }) => run !== undefined)?.run?.input;
  if (input !== undefined) {
    out.line("  Input:");
    block(JSON.stringify(JSON.parse(input), undefined, 2));
  }
  for (const { hook, run, kind } of tested) {
    out.line(`  ${redact(visible(joinCommand(hook.argv)))}`);
    out.line(`    ${stateLine(out, hook, run ?? kind)}`);
    if (run?.ended === undefined) continue;
    out.line("  Output:");
    block(run.ended.stdout.trimEnd() || "(nothing)");
    if (run.ended.stderr.trim() === "") continue;
    out.line("  Errors:");
    block(run.ended.stderr.trimEnd());
  }
  out.line(`The agent would ${redact(visible(effectText(event, effect)))}`);
}

function stateLine(out: Output, hook: ShellHook, run: ShellHookRun | TestedHook["kind"]): string {
  if (run === "not-allowed") return out.style.caution("not run: nobody has allowed it");
  if (typeof run === "string") return "not asked: an earlier hook has decided";
  const { outcome, ended } = run;
  if (outcome.kind === "other-tool") return "not run: its matcher is about another tool";
  const end = ended === undefined ? "" : `exit ${ended.exitCode ?? "none"}, ${Math.round(ended.durationMs)} ms`;
  if (outcome.kind === "answered") return `${out.style.good("✓")} ${end}`;
  const after = hook.failClosed && hook.event === "pre_tool_call" ? "the call is refused" : "it is passed over";
  return `${out.style.bad("✗")} ${[end, outcome.why].filter((part) => part !== "").join(": ")}; ${after}`;
}

function effectText(event: HookName, effect: HookEffect): string {
  switch (effect.kind) {
    case "block":
      return `not run the call, and tell the model: ${effect.message}`;
    case "context":
      return `send this along with the message: ${effect.text}`;
    case "text":
      return `continue with this text instead: ${effect.text}`;
    case "skip":
      return `drop the message: ${effect.reason}`;
    case "none":
      return event === "pre_tool_call" ? "run the call." : "continue as if there were no hook.";
  }
}

/** What a program prints must not move the cursor of whoever tests it. */
function visible(text: string): string {
  return stripAnsi(text).replace(/[^\P{Cc}\n\t]|\p{Cf}/gu, "");
}
