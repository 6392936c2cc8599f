import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { TurnResult } from "#conversation";
import { Scope } from "#foundation/lifecycle/disposal";
import type { OpenSession, SessionEvent } from "#session";
import { type Hermes, openHermes } from "./hermes.ts";

/** The whole of Hermes for a person with this configuration and these variables, in folders of its own. */
export interface HermesStage extends AsyncDisposable {
  readonly hermes: Hermes;
  readonly session: OpenSession;
  readonly folder: string;
  readonly notices: readonly string[];
  readonly events: readonly SessionEvent[];
  /** The first event that is meant, also one that has happened already. */
  until(isMeant: (event: SessionEvent) => boolean): Promise<SessionEvent>;
  /** One turn, to its end. */
  ask(text: string): Promise<TurnResult>;
  /** A slash command; what it shows, as text. */
  command(line: string): Promise<string>;
}

export interface TemporaryStage extends AsyncDisposable {
  /** The person's folder; Hermes' own is `home` in it. */
  readonly folder: string;
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
}

/** A person's folder with these files in the home of Hermes, and nothing else in the environment. */
export async function temporaryStage(files: Readonly<Record<string, string>>): Promise<TemporaryStage> {
  const folder = await mkdtemp(path.join(tmpdir(), "hermes-stage-"));
  const home = path.join(folder, "home");
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(home, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  return {
    folder,
    home,
    env: { PATH: process.env["PATH"], HOME: folder, HERMES_HOME: home },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}

export async function hermesStage(
  config: string,
  { env = {}, files = {} }: { readonly env?: Record<string, string>; readonly files?: Record<string, string> } = {},
): Promise<HermesStage> {
  const scope = new Scope();
  const location = scope.adopt(await temporaryStage({ "config.yaml": config, ...files }));
  const { folder } = location;
  const notices: string[] = [];
  const events: SessionEvent[] = [];
  try {
    const hermes = scope.adopt(
      await openHermes({
        env: { ...location.env, ...env },
        cwd: folder,
        version: "test",
        isIncognito: true,
        onNotice: (text) => void notices.push(text),
      }),
    );
    const session = scope.adopt(await hermes.sessions.open({ source: "cli", cwd: folder, isInteractive: true }));
    const waiting = new Set<() => void>();
    scope.adopt(
      session.subscribe((event) => {
        events.push(event);
        for (const look of waiting) look();
      }),
    );
    return {
      hermes,
      session,
      folder,
      notices,
      events,
      until: (isMeant) =>
        new Promise((resolve) => {
          const look = (): void => {
            const event = events.find(isMeant);
            if (event === undefined) return;
            waiting.delete(look);
            resolve(event);
          };
          waiting.add(look);
          look();
        }),
      async ask(text) {
        const submission = await session.submit({ text });
        if (submission.kind !== "turn") throw new Error(`no turn: ${JSON.stringify(submission)}`);
        return submission.ended;
      },
      command: async (line) => JSON.stringify(await session.submit({ text: line })),
      [Symbol.asyncDispose]: () => scope[Symbol.asyncDispose](),
    };
  } catch (error) {
    await scope[Symbol.asyncDispose]();
    throw error;
  }
}

/** A model at an address of the person's own, as `config.yaml` names it. */
export function customModel(baseUrl: string, more = ""): string {
  return `model:\n  provider: custom\n  default: fake-model\n  base_url: ${baseUrl}\n${more}`;
}
