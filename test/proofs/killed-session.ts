import { type AgentEvent, textOf } from "#conversation";
import { Deferred } from "#foundation/lifecycle/deferred";
import { type ModelServer, startModelServer } from "../fakes/model-server/index.ts";
import { type Life, mainModel, openWorld, question, type SessionPlan } from "./prefix-session.ts";

export interface KilledSession {
  /** Bodies of all requests to the model, in order. */
  readonly sent: readonly string[];
  /** All events, of all processes. */
  readonly events: readonly AgentEvent["type"][];
  /** How many requests had been sent when the process was killed. */
  readonly sentBefore: number;
  readonly compressions: number;
  readonly failed: readonly string[];
}

/** A session whose process is killed right after one of its events, and goes on in another process. */
export async function playKilled(plan: SessionPlan, project: string, killAfter?: number): Promise<KilledSession> {
  await using server = await startModelServer({ strict: true });
  const world = await openWorld(server, plan, project);
  await using _world = world;
  const events: AgentEvent["type"][] = [];
  const failed: string[] = [];
  let sentBefore = -1;
  const end = new Deferred<"killed">();
  let isOver = false;
  const first: Life = {
    get isOver() {
      return isOver;
    },
    see(event) {
      if (isOver) return;
      events.push(event.type);
      if (events.length - 1 !== killAfter) return;
      isOver = true;
      sentBefore = mainBodies(server).length;
      end.resolve("killed");
    },
  };
  const second: Life = { isOver: false, see: (event) => void events.push(event.type) };
  let stage = await world.openStage(first);
  for (let turn = 0; turn < plan.turns; turn += 1) {
    const asked = stage.agent.runConversation({ userMessage: question(turn) });
    const ended = isOver ? await asked : await Promise.race([asked, end.promise]);
    const last = ended === "killed" ? await goOn(turn) : ended;
    if (last?.completed === false) failed.push(`turn ${turn}: ${last.exitReason} ${last.error ?? ""}`);
  }
  await stage[Symbol.asyncDispose]();
  return { sent: mainBodies(server), events, sentBefore, compressions: world.compressions(), failed };

  /** Another process takes the turn up; one whose message was never stored is asked for again, by the person. */
  async function goOn(turn: number) {
    await stage[Symbol.asyncDispose]();
    stage = await world.openStage(second);
    // A summary may stand in front of it.
    const isStored = world.history().some(({ content }) => textOf(content).endsWith(question(turn)));
    return isStored
      ? await stage.agent.continueTurn()
      : await stage.agent.runConversation({ userMessage: question(turn) });
  }
}

function mainBodies(server: ModelServer): readonly string[] {
  return server.requests.filter(({ model }) => model === mainModel).map(({ rawBody }) => rawBody);
}
