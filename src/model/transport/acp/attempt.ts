import type { ModelEvent } from "#conversation";
import { UserError } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import { linkSignals, onAbort } from "#foundation/lifecycle/abort";
import { TooMuchError } from "#foundation/text/lines";
import type { AttemptFault } from "../../failures/fault.ts";
import type { Lifted } from "../../protocols/protocol.ts";
import { objectIn, objectsIn, textIn, type WireObject } from "../../protocols/shared/fields.ts";
import type { ModelRequest } from "../../request.ts";
import type { Target } from "../../target.ts";
import type { AttemptExchange } from "../attempt-exchange.ts";
import { AcpLift } from "./lift.ts";
import { type AcpLink, openLink } from "./link.ts";
import { AcpPeer, HungUpError, RpcError } from "./peer.ts";
import { acpPrompt } from "./prompt.ts";

type Step = ModelEvent | { readonly type: "fault"; readonly fault: AttemptFault };

const longestMs = 900_000;

/**
 * One request to an agent that speaks the Agent Client Protocol: a program, a session, a prompt, and
 * the program is gone again. Yields the events of an answer; what goes wrong is the last step.
 */
export async function* acpAttempt(
  request: ModelRequest,
  { exchange, logger }: { readonly exchange: AttemptExchange; readonly logger: Logger },
): AsyncGenerator<Step, void> {
  const { totalMs } = request.target.timeouts;
  exchange.watchdog.arm("total", totalMs > 0 ? Math.min(totalMs, longestMs) : longestMs);
  const stop = linkSignals(exchange.signal, exchange.watchdog.signal);
  try {
    await using link = await openLink(request.target, stop);
    const peer = new AcpPeer(link.output, logger);
    using session = new Session(peer);
    using _stopping = onAbort(stop, (reason) => {
      session.cancel();
      peer.fail(reason);
      link.stop();
    });
    void peer.listen(link.input);
    try {
      yield* converse(request, { session, folder: link.folder, exchange });
    } catch (error) {
      exchange.throwIfAborted();
      throw error instanceof HungUpError ? new EndedError(await link.lastWords()) : error;
    }
  } catch (error) {
    exchange.throwIfAborted();
    yield { type: "fault", fault: faultOf(error, { exchange, target: request.target }) };
  }
}

/** The program ended before its answer did; says how. */
class EndedError extends Error {}

/** The agent does not have the model, or cannot be told which. */
class ModelMissingError extends Error {}

/** One session of an agent; leaving it in the middle of a prompt cancels the prompt. */
class Session implements Disposable {
  readonly peer: AcpPeer;
  #openId: string | undefined;

  constructor(peer: AcpPeer) {
    this.peer = peer;
  }

  async open(target: Target, folder: string): Promise<{ readonly id: string; readonly takesImages: boolean }> {
    const version = /\/(\S+)/.exec(target.headers["User-Agent"] ?? "")?.[1] ?? "0";
    const about = await this.peer.request("initialize", {
      protocolVersion: 1,
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
      clientInfo: { name: "hermes", title: "Hermes", version },
    });
    if (about["protocolVersion"] !== 1)
      throw new RpcError(
        0,
        `the agent speaks version ${String(about["protocolVersion"]).slice(0, 20)} of the protocol, not 1`,
      );
    const opened = await this.peer.request("session/new", { cwd: folder, mcpServers: [] });
    const id = textIn(opened["sessionId"]);
    if (id === "") throw new RpcError(0, "the agent opened a session without a name");
    await this.#choose(target.model, id, objectIn(opened["models"]));
    const abilities = objectIn(objectIn(about["agentCapabilities"])["promptCapabilities"]);
    return { id, takesImages: abilities["image"] === true };
  }

  /** The agent's own choice stays where nobody asked for another one. */
  async #choose(model: string, sessionId: string, models: WireObject): Promise<void> {
    if (model === anyModel || models["currentModelId"] === model) return;
    const offered = objectsIn(models["availableModels"]).map((one) => textIn(one["modelId"]));
    if (!offered.includes(model))
      throw new ModelMissingError(
        offered.length === 0
          ? `The agent does not let its model be chosen; use the model name ${anyModel}.`
          : `The agent has no model ${JSON.stringify(model)}. It offers: ${offered.slice(0, 20).join(", ")}.`,
      );
    await this.peer.request("session/set_model", { sessionId, modelId: model });
  }

  /** Updates come over the channel of the peer, which closes when the answer is there. */
  async ask(
    id: string,
    prompt: readonly WireObject[],
  ): Promise<{ readonly result: WireObject } | { readonly error: unknown }> {
    this.#openId = id;
    try {
      return { result: await this.peer.request("session/prompt", { sessionId: id, prompt }) };
    } catch (error) {
      return { error };
    } finally {
      this.#openId = undefined;
      this.peer.updates.close();
    }
  }

  /** Tells the agent to stop working on the prompt, where it has one. */
  cancel(): void {
    if (this.#openId !== undefined) this.peer.notify("session/cancel", { sessionId: this.#openId });
    this.#openId = undefined;
  }

  [Symbol.dispose](): void {
    this.cancel();
  }
}

/** Stands for whatever model the agent is set to. */
const anyModel = "copilot-acp";

async function* converse(
  request: ModelRequest,
  at: { readonly session: Session; readonly folder: AcpLink["folder"]; readonly exchange: AttemptExchange },
): AsyncGenerator<Step, void> {
  const { session, exchange } = at;
  const { id, takesImages } = await session.open(request.target, at.folder);
  const lift = new AcpLift(request);
  yield* steps(lift.start({ model: request.target.model, responseId: id }), exchange);
  const answered = session.ask(id, acpPrompt(request, takesImages));
  for await (const update of session.peer.updates) yield* steps(lift.update(update), exchange);
  const outcome = await answered;
  if ("error" in outcome) throw outcome.error;
  yield* steps(lift.end(outcome.result), exchange);
}

function* steps(lifted: readonly Lifted[], exchange: AttemptExchange): Generator<Step, void> {
  for (const event of lifted) {
    exchange.noteEvent(event);
    if (event.type !== "stream-fault") yield event;
    else yield { type: "fault", fault: { kind: "stream", fault: event, textShown: exchange.textShown } };
  }
}

const authenticationRequired = -32_000;

function faultOf(
  error: unknown,
  { exchange, target }: { readonly exchange: AttemptExchange; readonly target: Target },
): AttemptFault {
  const { textShown } = exchange;
  if (exchange.watchdog.expired !== undefined) {
    const seconds = Math.round(exchange.watchdog.expired.waitedMs / 1000);
    return {
      kind: "connection",
      failure: { kind: "timeout", message: `the agent had not finished after ${seconds} s` },
    };
  }
  if (error instanceof ModelMissingError) return refused(404, error.message, "model_not_found");
  if (error instanceof RpcError && error.code === authenticationRequired)
    return refused(
      401,
      `The agent is not logged in (${error.message}). Start it once by hand and log in.`,
      "auth_required",
    );
  if (error instanceof TooMuchError) return { kind: "invalid", reason: error.message };
  if (error instanceof RpcError || error instanceof EndedError) {
    const code = error instanceof RpcError ? String(error.code) : "process_exited";
    return { kind: "stream", fault: { type: "stream-fault", code, message: error.message, body: "" }, textShown };
  }
  if (error instanceof UserError) return { kind: "thrown", error, textShown };
  return exchange.faultOf(error, new URL(target.baseUrl));
}

/** In the form in which a server would refuse it. */
function refused(status: number, message: string, code: string): AttemptFault {
  return { kind: "http", status, headers: {}, body: JSON.stringify({ error: { message, code } }) };
}
