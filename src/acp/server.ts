import { Readable, Writable } from "node:stream";
import type { AgentApp, ClientCapabilities } from "@agentclientprotocol/sdk/unstable";
import { describe, UserError } from "#foundation/errors";
import { onAbort } from "#foundation/lifecycle/abort";
import { isRecord } from "#foundation/text/json";
import type { AcpHermes } from "./acp-hermes.ts";
import { isMode } from "./choices.ts";
import { EditorSessions } from "./editor-sessions.ts";

type Library = typeof import("@agentclientprotocol/sdk/unstable");

/** A whole file or screenshot may be in a prompt; more than this in one message is a mistake. */
const maxMessageBytes = 64 * 1024 * 1024;

/**
 * Serves one editor over a pair of streams and returns when it is gone: its end of the input is closed, or the program
 * was told to end. Nothing but the protocol is written to `output`.
 */
export async function serveAcp(
  hermes: AcpHermes,
  streams: { readonly input: Readable; readonly output: Writable },
  signal: AbortSignal,
): Promise<void> {
  const library = await import("@agentclientprotocol/sdk/unstable");
  await using sessions = new EditorSessions(hermes);
  const output = Writable.toWeb(streams.output) as WritableStream<Uint8Array>;
  const input = Readable.toWeb(streams.input) as ReadableStream<Uint8Array>;
  const app = agentApp(library, hermes, sessions);
  const connection = app.connect(library.ndJsonStream(output, input, { maxMessageBytes }));
  using _stop = onAbort(signal, () => connection.close());
  await connection.closed;
}

function agentApp(library: Library, hermes: AcpHermes, sessions: EditorSessions): AgentApp {
  const { methods, PROTOCOL_VERSION } = library;
  const app = library.agent({ name: "hermes-agent" });
  const guarded = guardOf(library, hermes);
  app.onRequest(
    methods.agent.initialize,
    guarded(
      async ({ params, signal }: { params: { clientCapabilities?: ClientCapabilities }; signal: AbortSignal }) => {
        sessions.capabilities = params.clientCapabilities ?? {};
        const provider = await hermes.provider(signal);
        return {
          protocolVersion: PROTOCOL_VERSION,
          agentInfo: { name: "hermes-agent", title: "Hermes", version: hermes.version },
          agentCapabilities: {
            loadSession: true,
            promptCapabilities: { image: true, audio: false, embeddedContext: true },
            mcpCapabilities: { http: true, sse: true },
            sessionCapabilities: { list: {}, resume: {}, fork: {}, close: {} },
          },
          authMethods:
            provider === undefined
              ? []
              : [{ id: provider.id, name: provider.label, description: "As configured with hermes setup" }],
        };
      },
    ),
  );
  app.onRequest(
    methods.agent.authenticate,
    guarded(async ({ params, signal }) => {
      if ((await hermes.provider(signal))?.id === params.methodId) return {};
      throw new UserError(`There is no way to log in called ${JSON.stringify(params.methodId)}.`, {
        hint: "Connect a model with: hermes setup",
        code: "unknown_auth_method",
      });
    }),
  );
  return withSessions(library, app, { sessions, guarded });
}

type Guard = ReturnType<typeof guardOf>;

function withSessions(
  { methods }: Library,
  app: AgentApp,
  { sessions, guarded }: { readonly sessions: EditorSessions; readonly guarded: Guard },
): AgentApp {
  const { session } = methods.agent;
  return app
    .onRequest(
      session.new,
      guarded(({ params, client }) => sessions.begin(params, client)),
    )
    .onRequest(
      session.load,
      guarded(({ params, client }) => sessions.load(params, client)),
    )
    .onRequest(
      session.resume,
      guarded(({ params, client }) => sessions.resume(params, client)),
    )
    .onRequest(
      session.fork,
      guarded(({ params, client }) => sessions.fork(params, client)),
    )
    .onRequest(
      session.list,
      guarded(({ params, signal }) => sessions.list(params, signal)),
    )
    .onRequest(
      session.close,
      guarded(async ({ params }) => {
        await sessions.close(params.sessionId);
        return {};
      }),
    )
    .onRequest(
      session.prompt,
      guarded(async ({ params, signal }) => {
        const open = sessions.find(params.sessionId);
        return open === undefined ? { stopReason: "refusal" as const } : await open.prompt(params.prompt, signal);
      }),
    )
    .onNotification(session.cancel, ({ params }) => sessions.find(params.sessionId)?.cancel())
    .onRequest(
      session.setMode,
      guarded(async ({ params }) => {
        await choose(sessions, params.sessionId, { mode: params.modeId });
        return {};
      }),
    )
    .onRequest(
      session.setConfigOption,
      guarded(async ({ params: { sessionId, configId, value } }) => {
        const open = await choose(sessions, sessionId, { [configId]: value });
        return { configOptions: open.choices.configOptions };
      }),
    )
    .onRequest(
      "session/set_model",
      readModelRequest,
      guarded(async ({ params: { sessionId, modelId } }) => {
        await choose(sessions, sessionId, { model: modelId });
        return {};
      }),
    );
}

/** What can be chosen in a session, by the names it has as an option. */
async function choose(sessions: EditorSessions, id: string, choice: Readonly<Record<string, unknown>>) {
  const open = sessions.known(id);
  const { mode, model } = choice;
  if (typeof model === "string") await open.setModel(model);
  else if (isMode(mode)) open.setMode(mode);
  else throw new UserError(`There is no choice ${JSON.stringify(choice)}.`, { code: "unknown_choice" });
  return open;
}

/** Not in the library any more, but in editors of 2025. */
function readModelRequest(params: unknown): { readonly sessionId: string; readonly modelId: string } {
  const { sessionId, modelId } = isRecord(params) ? params : {};
  if (typeof sessionId === "string" && typeof modelId === "string") return { sessionId, modelId };
  throw new UserError("session/set_model needs sessionId and modelId.");
}

/** Errors a person can act on are answered with their words; anything else is logged, and its message told. */
function guardOf({ RequestError }: Library, { logger }: AcpHermes) {
  return <Context, Answer>(handle: (context: Context) => Promise<Answer>) =>
    async (context: Context): Promise<Answer> => {
      try {
        return await handle(context);
      } catch (error) {
        if (error instanceof UserError) {
          const message = error.hint === undefined ? error.message : `${error.message} ${error.hint}`;
          throw new RequestError(codes[error.code ?? ""] ?? -32603, message);
        }
        logger.error("a request of an editor failed", { error });
        throw new RequestError(-32603, describe(error));
      }
    };
}

const invalid = -32602;
const codes: Readonly<Record<string, number>> = {
  session_not_found: -32002,
  unknown_auth_method: invalid,
  unknown_choice: invalid,
  bad_folder: invalid,
};
