import { UserError } from "#foundation/errors";
import { silentLogger } from "#foundation/files/logger";
import { nearest } from "#foundation/text/text";
import {
  fireSample,
  type HookName,
  Hooks,
  hookNames,
  isHookName,
  registerShellHooks,
  type ShellHook,
  type ShellHookRun,
  samplePayload,
} from "#plugins";
import { exitCodes, type Invocation } from "../../command.ts";
import { argument, flagText, hasFlag } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { isTerminal, openAsker } from "../../support/ask.ts";
import { redactionOf } from "../../support/redactor.ts";
import { usageError } from "../../usage-error.ts";
import { type OpenHooks, openHooks } from "./open.ts";
import { readPayloadFile } from "./payload-file.ts";
import { printTest, type TestedHook, testDocument } from "./test-report.ts";

/** Fires one event at the configured hooks through the code the agent uses, and shows all of it. */
export async function hooksTest(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const event = eventOf(argument(invocation, 0));
  const opened = await openHooks(invocation);
  const configured = opened.reading.hooks.filter((hook) => hook.event === event);
  if (configured.length === 0)
    throw new UserError(`No shell hook is configured for ${event}.`, {
      code: "hook_missing",
      hint: "See them with: hermes hooks list",
    });
  const payload = await payloadOf(invocation, event);
  const { signal } = invocation.io;
  const runs: ShellHookRun[] = [];
  const hooks = new Hooks({ logger: silentLogger });
  const allowed = await register(invocation, opened, {
    hooks,
    configured,
    onRun: (run) => void runs.push(run),
  });
  const effect = await fireSample(hooks, { event, payload }, signal);
  const tested = configured.map((hook): TestedHook => {
    const run = runs.find((one) => one.hook === hook);
    if (run !== undefined) return { hook, run, kind: "ran" };
    return { hook, kind: allowed.has(hook) ? "not-asked" : "not-allowed" };
  });
  const report = { event, payload, tested, effect };
  const redaction = redactionOf(opened.loaded);
  out.document(redaction.redactValue(testDocument(report)) as Readonly<Record<string, unknown>>);
  printTest(out, report, redaction.redact);
  const isFine = tested.every((one) => one.kind === "not-asked" || one.run?.outcome.kind !== "failed");
  return isFine && !tested.some((one) => one.kind === "not-allowed") ? exitCodes.ok : exitCodes.failed;
}

function eventOf(name: string): HookName {
  if (isHookName(name)) return name;
  const meant = nearest(name, hookNames);
  throw usageError(
    `There is no event "${name}".${meant === undefined ? "" : ` Did you mean ${meant}?`}`,
    `The events are: ${hookNames.join(", ")}`,
  );
}

async function payloadOf(invocation: Invocation, event: HookName): Promise<Readonly<Record<string, unknown>>> {
  const tool = flagText(invocation, "for-tool");
  const file = flagText(invocation, "payload-file");
  const input = file === undefined ? {} : await readPayloadFile(file, invocation.io.cwd);
  const sample = samplePayload(event, tool ?? "terminal");
  return { ...sample, ...input, ...(tool !== undefined && "tool_name" in sample ? { tool_name: tool } : {}) };
}

/** One after the other, because each may have to be asked about; says which of them may run. */
async function register(
  invocation: Invocation,
  { consent, autoAccept, location }: OpenHooks,
  wanted: {
    readonly hooks: Hooks;
    readonly configured: readonly ShellHook[];
    onRun(run: ShellHookRun): void;
  },
): Promise<ReadonlySet<ShellHook>> {
  const { io, global } = invocation;
  using asker = isTerminal(io) && !global.isJson ? openAsker(io) : undefined;
  const deps = {
    logger: silentLogger,
    consent,
    autoAccept: autoAccept || hasFlag(invocation, "accept-hooks"),
    env: location.env,
    cwd: location.cwd,
    onRun: wanted.onRun,
    ...(asker === undefined
      ? {}
      : {
          ask: (event: string, command: string) =>
            asker.confirm(`Allow ${command} to run on every ${event}, until it or its script changes?`, false),
        }),
  };
  const allowed = new Set<ShellHook>();
  for (const hook of wanted.configured)
    if ((await registerShellHooks(wanted.hooks, [hook], { deps, signal: io.signal })).length > 0) allowed.add(hook);
  return allowed;
}
