import { createRequire } from "node:module";
import { calls, type ReceivedRequest, says } from "../../fakes/model-server/index.ts";
import type { CallOutcome, Mode, Step } from "../actions/action.ts";
import { programFolder } from "../cage/program-folder.ts";
import { pagesHost, registryHost } from "../world/addresses.ts";
import { locations } from "../world/layout.ts";

/**
 * All that the harness knows of the product: how it is configured, opened, asked and told to undo. Settings that a
 * build does not know yet are warned about and ignored, so that the same harness runs on earlier builds.
 */
export interface Conversation extends AsyncDisposable {
  /** One turn; resolves when the model has said its last word. */
  say(text: string): Promise<void>;
  /** Shortens the conversation, as a person asks for it. */
  compress(): Promise<void>;
  /** Closes the program and takes the session up again in a new one. */
  resume(): Promise<void>;
  /** Brings the workspace back to what it was before the first change, by all means a person has. */
  undo(isWhole: () => boolean): Promise<void>;
  readonly questions: readonly string[];
  readonly outcomes: readonly CallOutcome[];
  /** All events as text. */
  readonly events: readonly string[];
  /** Milliseconds from each reply of the model to the next question to it. */
  readonly stepTimes: readonly number[];
}

interface Event {
  readonly type: string;
  readonly [name: string]: unknown;
}

interface View {
  readonly kind: string;
  readonly text?: string;
  readonly rows?: readonly (readonly string[])[];
}

interface Library {
  createHermes(options: Record<string, unknown>): Promise<
    AsyncDisposable & {
      readonly info: { readonly id: string };
      readonly session: { submit(input: { text: string }): Promise<{ kind: string; view?: View }> };
      runConversation(input: { message: string }): Promise<unknown>;
    }
  >;
}

const library = (): Library => createRequire(`${programFolder}/dist/library.cjs`)(`${programFolder}/dist/library.cjs`);

export function configText(baseUrl: string, mode: Mode, timeout: number): string {
  const settings = [
    `model:\n  provider: custom\n  base_url: ${baseUrl}\n  default: fake-model`,
    "compression:\n  enabled: false",
    // The person trusts the folder; what its files may do all the same is the question.
    `security:\n  trusted_folders: [${locations.workspace}]`,
    "memory:\n  nudge_interval: 0\n  flush_min_turns: 0",
    "skills:\n  creation_nudge_interval: 0\n  inline_shell: true",
    // A script that waits for what it left running ends as a command does.
    `code_execution:\n  timeout: ${timeout}`,
    mode.isWallOff === true
      ? `terminal:\n  sandbox: off\n  network: open\n  timeout: ${timeout}`
      : `terminal:\n  sandbox: auto\n  timeout: ${timeout}\n  network_allow: [${registryHost}, ${pagesHost}]`,
    mode.isWallOff === true ? 'approvals:\n  mode: "off"\n  headless: allow' : "",
    mode.isWallOff === true ? "delegation:\n  approvals: approve\ncheckpoints:\n  enabled: false" : "",
  ];
  return `${settings.filter((text) => text !== "").join("\n")}\n`;
}

export interface ConverseOptions {
  readonly mode: Mode;
  readonly env: Readonly<Record<string, string>>;
  readonly home?: string;
  readonly cwd?: string | undefined;
}

export async function converse({ mode, env, home, cwd }: ConverseOptions): Promise<Conversation> {
  const questions: string[] = [];
  const outcomes: CallOutcome[] = [];
  const events: string[] = [];
  const stepTimes: number[] = [];
  let repliedAt: number | undefined;
  const open = (resume?: string): ReturnType<Library["createHermes"]> =>
    library().createHermes({
      cwd: cwd ?? locations.workspace,
      home: home ?? locations.hermesHome,
      env,
      resume,
      onEvent(event: Event) {
        if (event.type === "step-start" && repliedAt !== undefined) stepTimes.push(performance.now() - repliedAt);
        if (event.type === "message-end") repliedAt = performance.now();
        if (event.type === "turn-end") repliedAt = undefined;
        events.push(JSON.stringify(event));
        if (event.type === "approval-request")
          questions.push(`${String(event["tool"])}: ${String(event["summary"])} ${JSON.stringify(event["reasons"])}`);
        if (event.type === "tool-end") outcomes.push(outcomeOf(event));
      },
      ...(mode.person === "absent"
        ? {}
        : {
            approve: ({ choices }: { readonly choices: readonly string[] }) =>
              mode.person === "denies" ? "deny" : choices.includes("once") ? "once" : "session",
          }),
    });
  let hermes = await open();
  const command = async (text: string): Promise<View | undefined> => (await hermes.session.submit({ text })).view;
  return {
    questions,
    outcomes,
    events,
    stepTimes,
    async say(text) {
      await hermes.runConversation({ message: text });
    },
    async compress() {
      const view = await command("/compress");
      outcomes.push({ name: "/compress", isError: false, result: view?.text ?? "" });
    },
    async resume() {
      const { id } = hermes.info;
      await hermes[Symbol.asyncDispose]();
      hermes = await open(id);
    },
    async undo(isWhole) {
      await command("/undo");
      if (isWhole()) return;
      const rows = (await command("/rollback"))?.rows ?? [];
      // The oldest one is from before the first change of this session.
      if (rows.length > 0) await command(`/rollback ${rows.length}`);
    },
    [Symbol.asyncDispose]: async () => hermes[Symbol.asyncDispose](),
  };
}

function outcomeOf(event: Event): CallOutcome {
  return {
    name: String(event["name"]),
    isError: event["isError"] === true,
    exitCode: typeof event["exitCode"] === "number" ? event["exitCode"] : undefined,
    result: String(event["result"] ?? event["preview"] ?? "").slice(0, 2_000),
  };
}

/** The model of an action: it makes the calls one after the other, whatever comes back. */
export function scriptedModel(): {
  begin(steps: readonly Step[]): void;
  answer(request: ReceivedRequest): ReturnType<typeof says>;
} {
  let queue: Step[] = [];
  return {
    begin(steps) {
      queue = [...steps];
    },
    answer(request) {
      if (request.toolNames.length === 0) return says("A short text.");
      const step = queue.shift();
      if (step === undefined) return says("Done.");
      if ("say" in step) return says(step.say);
      const name = request.toolNames.find((one) => one === step.tool || one.endsWith(`_${step.tool}`)) ?? step.tool;
      return calls(name, fill(step.args, request) as Record<string, unknown>);
    },
  };
}

/** `$PROCESS` stands for the background process that was started last. */
function fill(args: unknown, request: ReceivedRequest): unknown {
  const ids = [...request.rawBody.matchAll(/session_id\\*":\s*\\*"([\w-]+)/gu)].map((match) => match[1] ?? "");
  return JSON.parse(JSON.stringify(args).replaceAll("$PROCESS", ids.at(-1) ?? "none"));
}
