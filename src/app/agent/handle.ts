import {
  type Agent,
  type Compression,
  type Confirmed,
  type Conversation,
  expandReferences,
  localWorkspace,
  pendingText,
} from "#agent";
import { type Message, textOf } from "#conversation";
import { never } from "#foundation/lifecycle/abort";
import type { Scope } from "#foundation/lifecycle/disposal";
import { runProcess } from "#foundation/process/run";
import { shortDuration } from "#foundation/text/figures";
import { type AccountLine, type Auxiliary, describeRateLimits, readAccount, switchModel } from "#model";
import type { AgentHandle, AgentSpec, ModelChoices, SkillChoices, ToolsetInfo } from "#session";
import { renderInvocation, skillCommands } from "#skills";
import type { Listing, SessionScope } from "#tools";
import { readPageWith } from "../read-page.ts";
import type { ChosenModel } from "./choose-model.ts";
import type { LiveSettings } from "./live-settings.ts";
import type { SessionMemory } from "./open-memory.ts";
import type { SessionTools } from "./session-tools.ts";
import type { SharedParts } from "./shared-parts.ts";
import type { SideWork } from "./side-work.ts";
import { windowRule } from "./window-rule.ts";

export interface HandleParts {
  readonly shared: SharedParts;
  readonly spec: AgentSpec;
  readonly sessionScope: SessionScope;
  readonly agent: Agent;
  readonly conversation: Conversation;
  readonly chosen: ChosenModel;
  readonly tools: SessionTools;
  readonly memory: SessionMemory | undefined;
  readonly live: LiveSettings;
  readonly auxiliary: Auxiliary;
  readonly compression: Compression;
  readonly side: SideWork;
  readonly scope: Scope;
}

/** What the session may do with its agent, in the words of the session. */
export function createHandle(parts: HandleParts): AgentHandle {
  const { shared, spec, agent, chosen, tools, live, scope } = parts;
  const { toolbox } = shared;
  const sessionKey = spec.rootSessionId;
  const root = spec.wish.cwd;
  const toolsets = (): readonly ToolsetInfo[] => toolsetInfo(tools.listing);
  return {
    agent,
    facts: () => ({
      modelSource: chosen.target.source,
      isDemo: chosen.isDemo,
      toolsets: toolsets(),
      isYolo: toolbox.yolo.isOn(sessionKey),
      warnings: chosen.notices,
      ...contextSourceOf(parts),
    }),
    models: modelChoices(parts),
    skills: skillChoices(parts),
    tools: {
      describe: toolsets,
      setEnabled: (names, isEnabled) => parts.shared.surfaceTools.set(spec.wish.source, names, isEnabled),
    },
    compress: async (focus, signal) => {
      const outcome = await parts.compression.compressNow(focus, signal);
      return outcome.kind === "smaller" ? { before: outcome.tokensBefore, after: outcome.tokensAfter } : undefined;
    },
    checkpoints: {
      list: async (signal) =>
        (await toolbox.checkpoints.list(root, signal)).map((one) => ({
          id: one.hash,
          atMs: one.atMs,
          reason: one.reason,
        })),
      diff: (id, signal) => toolbox.checkpoints.diff(root, id, signal),
      restore: async (id, file, signal) => {
        const report = await toolbox.checkpoints.restore(
          root,
          { hash: id, ...(file === undefined ? {} : { file }) },
          signal,
        );
        return `Brought back ${report.restored.length} file(s), removed ${report.removed.length} made since.`;
      },
    },
    setYolo: (isOn) => (toolbox.yolo.isOn(sessionKey) === isOn ? isOn : toolbox.yolo.toggle(sessionKey)),
    setReasoning: (effort) => live.setReasoning(effort),
    setPersonality: (name) => live.setPersonality(name),
    setFast: (isOn) => {
      live.setFast(isOn);
      return undefined;
    },
    processes: () =>
      toolbox.processes.list(sessionKey).map((one) => ({
        id: one.facts.id,
        command: one.facts.command,
        state: one.state.kind,
      })),
    stopProcesses: () => toolbox.processes.killAll(sessionKey),
    account: (signal) => accountLines(parts, signal),
    reloadMcp: (signal) => toolbox.mcp.reload(parts.sessionScope, signal),
    memory: memoryChoices(parts),
    beforeTurn: (signal) => beforeTurn(parts, signal),
    flush: async (reason, signal) => void (await parts.side.flush(reason, parts.conversation.history, signal)),
    suggestTitle: (messages, signal) => suggestTitle(messages, parts, signal),
    expand: async (text, signal) => {
      const expanded = await expandReferences(
        text,
        {
          workspace: root,
          hermesHome: shared.home.root,
          home: shared.userHome,
          files: localWorkspace,
          windowTokens: parts.conversation.target.limits.contextWindow,
          git: (args, stop) => runGit(args, { cwd: root, signal: stop, env: shared.loaded.environment.variables }),
          fetchText: readPageWith(toolbox.registry, parts.sessionScope),
        },
        signal,
      );
      return { text: expanded.text, warnings: expanded.warnings };
    },
    [Symbol.asyncDispose]: () => scope[Symbol.asyncDispose](),
  };
}

/** What changed since the last turn is taken in now: a turn sees no tool come or go. */
async function beforeTurn({ spec, tools }: HandleParts, signal: AbortSignal): Promise<void> {
  const before = tools.listing.names;
  if (!(await tools.refresh(signal))) return;
  const now = tools.listing.names;
  const came = [...now].filter((name) => !before.has(name));
  const went = [...before].filter((name) => !now.has(name));
  const words = [
    ...(came.length === 0 ? [] : [`new: ${came.join(", ")}`]),
    ...(went.length === 0 ? [] : [`gone: ${went.join(", ")}`]),
  ];
  if (words.length > 0)
    spec.events.emit({ type: "notice", level: "info", text: `Tools changed (${words.join("; ")}).` });
}

function toolsetInfo(listing: Listing): readonly ToolsetInfo[] {
  const names = [...new Set([...listing.tools.values()].map((tool) => tool.toolset))].sort();
  const known = names.map((name) => ({
    name,
    tools: [...listing.tools.values()].filter((tool) => tool.toolset === name).map((tool) => tool.name),
    unavailable: [],
  }));
  return listing.unavailable.length === 0
    ? known
    : [...known, { name: "unavailable", tools: [], unavailable: listing.unavailable }];
}

function contextSourceOf({ conversation }: HandleParts): { readonly contextSource?: string } {
  const { windowSource } = conversation.target.limits;
  return windowSource === undefined ? {} : { contextSource: windowSource };
}

function modelChoices({ shared, conversation, agent }: HandleParts): ModelChoices {
  const { models } = shared;
  return {
    async list(signal) {
      const entries = await models.choices(signal);
      const { provider: standing, model, providerLabel } = conversation.primary;
      const items = entries.flatMap(({ provider, label, models: names }) =>
        names.map((name) => ({
          value: `${provider}:${name}`,
          label: name,
          detail: label,
          isCurrent: provider === standing && name === model,
        })),
      );
      // A model that was named by hand is on no list, and it is a choice all the same.
      if (items.some(({ isCurrent }) => isCurrent)) return items;
      return [{ value: `${standing}:${model}`, label: model, detail: providerLabel, isCurrent: true }, ...items];
    },
    async switch({ model, provider, isGlobal }, signal) {
      const text = provider === undefined ? model : `${provider}:${model}`;
      const outcome = await switchModel({ text, standing: conversation.primary }, models.context, signal);
      if (outcome.kind === "failure") return { ok: false, message: `${outcome.message} ${outcome.hint}` };
      const { target } = outcome.resolution;
      const window = windowRule(target, shared.loaded.config);
      if (window.kind === "refused") return { ok: false, message: `${window.message} ${window.hint}` };
      for (const secret of target.credential.secrets) shared.toolbox.redactor.add(secret, target.provider);
      await agent.changeModel(target);
      if (isGlobal) await shared.saveModel(target);
      const warnings = [...outcome.warnings, ...(window.kind === "warning" ? [window.message] : [])];
      const notes = warnings.length === 0 ? "" : ` ${warnings.join(" ")}`;
      const where = isGlobal ? " From now on this is the default." : "";
      return { ok: true, message: `Now using ${target.model} via ${target.providerLabel}.${where}${notes}` };
    },
  };
}

function skillChoices({ shared, spec, sessionScope }: HandleParts): SkillChoices {
  const { library, loader } = shared.skills;
  const surface = spec.wish.source;
  const commands = async (signal: AbortSignal) => skillCommands(await library.visible(surface, signal), new Set());
  return {
    commands: async () =>
      [...(await commands(never)).commands.values()].map(({ slug, skill }) => ({
        slug,
        description: skill.facts.description,
      })),
    async invoke(slug, text, signal) {
      const command = (await commands(signal)).commands.get(slug);
      if (command === undefined) return undefined;
      const outcome = await loader.load(command.skill.name, { scope: sessionScope, sessionId: spec.sessionId, signal });
      if (outcome.kind !== "loaded") return undefined;
      const line = text === "" ? `/${slug}` : `/${slug} ${text}`;
      const message = renderInvocation(outcome.loaded, { line, text });
      return { sent: message.userMessage, stored: message.persistUserMessage };
    },
  };
}

function memoryChoices({ memory, spec }: HandleParts): AgentHandle["memory"] {
  return {
    pending: async () =>
      ((await memory?.quarantine.list()) ?? []).map((one) => ({
        id: one.id,
        text: pendingText(one),
        source: one.source,
      })),
    confirm: async (id) => {
      if (memory === undefined) return "Memory is off in this session.";
      const metadata = {
        writeOrigin: "user_confirmation",
        executionContext: "primary",
        sessionId: spec.sessionId,
        parentSessionId: "",
        platform: spec.wish.source,
        toolName: "memory",
      };
      const outcome = await memory.writes.confirm(id, metadata, never);
      if (outcome === undefined) return "There is no such entry.";
      return confirmedText(outcome);
    },
    reject: async (id) => ((await memory?.writes.reject(id, never)) === true ? "Dropped." : "There is no such entry."),
  };
}

function confirmedText(outcome: Confirmed): string {
  switch (outcome.kind) {
    case "write":
    case "already-there":
    case "called":
      return "Remembered.";
    case "no-provider":
      return `Not written: the memory provider ${outcome.provider} is not in use. It still waits.`;
    case "call-failed":
      return `Not written: ${outcome.reason}. It still waits.`;
    default:
      return `Not written: ${outcome.kind}.`;
  }
}

const titlePrompt =
  "Give this conversation a title of three to six words in the language of the user. Answer with the title only: no quotation marks, no full stop.";

async function suggestTitle(
  messages: readonly Message[],
  { auxiliary, chosen }: HandleParts,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (chosen.isDemo) return firstWords(messages);
  const words = messages
    .filter((message) => message.role !== "tool")
    .slice(0, 4)
    .map((message) => `${message.role}: ${textOf(message.content).slice(0, 500)}`)
    .join("\n");
  const outcome = await auxiliary.run(
    "title_generation",
    { system: titlePrompt, messages: [{ role: "user", content: words }], maxTokens: 40 },
    signal,
  );
  return outcome.kind === "done" && outcome.text.trim() !== "" ? outcome.text.trim() : undefined;
}

/** A git of the person's own, without the variables that hold keys: hooks and helpers it starts inherit them. */
async function runGit(
  args: readonly string[],
  { cwd, signal, env }: { readonly cwd: string; readonly signal: AbortSignal; readonly env: NodeJS.ProcessEnv },
): Promise<{ readonly ok: boolean; readonly output: string }> {
  const { PATH, HOME, LANG } = env;
  const limits = { timeoutMs: 15_000, maxOutputBytes: 8 * 1024 * 1024 };
  const done = await runProcess("git", [...args], { cwd, env: { PATH, HOME, LANG }, signal, ...limits });
  signal.throwIfAborted();
  return done.exitCode === 0 ? { ok: true, output: done.stdout } : { ok: false, output: done.stderr };
}

/** What the provider says may still be asked, and what is left on the account. */
async function accountLines({ shared, conversation }: HandleParts, signal: AbortSignal): Promise<readonly string[]> {
  const { target } = conversation;
  const nowMs = shared.clock.now();
  const limits = shared.rateLimits.get(target.provider);
  const answer = await readAccount(target, shared.models.context.registry.find(target.provider)?.account, {
    signal,
    nowMs,
  });
  const account = answer.kind === "account" ? answer.lines.map((line) => accountLine(line, nowMs)) : [];
  const failed = answer.kind === "failure" ? [`The account could not be read: ${answer.message}`] : [];
  return [...(limits === undefined ? [] : describeRateLimits(limits, nowMs)), ...account, ...failed];
}

function accountLine(line: AccountLine, nowMs: number): string {
  if (line.kind === "balance") return `${line.label}: ${line.amount.toFixed(2)} ${line.currency}`;
  const reset =
    line.resetsAtMs === undefined ? "" : `, full again in ${shortDuration(Math.max(0, line.resetsAtMs - nowMs))}`;
  return `${line.label}: ${line.usedPercent} % used${reset}`;
}

/** The demo model cannot name a conversation; the person's own first words do. */
function firstWords(messages: readonly Message[]): string | undefined {
  const first = messages.find((message) => message.role === "user");
  const words = first === undefined ? [] : textOf(first.content).trim().split(/\s+/).slice(0, 6);
  return words.length === 0 ? undefined : words.join(" ");
}
