import { homedir } from "node:os";
import { loadConfig } from "#config";
import type { Message } from "#conversation";
import { systemClock } from "#foundation/clock";
import { Scope } from "#foundation/disposal";
import { silentLogger } from "#foundation/logger";
import { HermesHome } from "#foundation/paths";
import { openConnections, serveDemoModel } from "#model";
import { type Approver, TodoList } from "#tools";
import { demoTarget } from "./demo-target.ts";
import { type PlainScreen, plainTurn } from "./plain-turn.ts";
import { openToolbox } from "./wire-tools.ts";

export interface PlainSessionOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly approver: Approver;
  readonly screen: PlainScreen;
}

/** A conversation with the demo model that uses the real tools on this machine. */
export interface PlainSession extends AsyncDisposable {
  submit(words: string, signal: AbortSignal): Promise<void>;
}

export async function openPlainSession(options: PlainSessionOptions): Promise<PlainSession> {
  const scope = new Scope();
  const { env, cwd, approver, screen } = options;
  try {
    const demo = scope.adopt(await serveDemoModel());
    const connections = scope.adopt(openConnections());
    const logger = silentLogger;
    const clock = systemClock;
    const home = HermesHome.resolve(env);
    const toolbox = scope.adopt(
      await openToolbox({
        loaded: await loadConfig({ home, env, cwd }),
        home,
        env,
        cwd,
        userHome: env["HOME"] ?? homedir(),
        version: "0",
        approver,
        clock,
        logger,
        onNotice: (text) => screen.line(`! ${text}`),
      }),
    );
    const listing = await toolbox.list({}, new AbortController().signal);
    const todos = new TodoList();
    const history: Message[] = [];
    const deps = {
      target: demoTarget(demo.baseUrl),
      connections,
      listing,
      todos,
      screen,
      clock,
      logger,
      redact: toolbox.redact,
    };
    return {
      async submit(words, signal) {
        history.push(...(await plainTurn(history, words, { ...deps, signal })));
      },
      [Symbol.asyncDispose]: () => scope[Symbol.asyncDispose](),
    };
  } catch (error) {
    await scope[Symbol.asyncDispose]();
    throw error;
  }
}
