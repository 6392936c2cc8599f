import { EventBus, type TurnResult } from "#conversation";
import { AfterTurn } from "./after-turn.ts";
import type { OpenSession, OpenWish, SessionEvent } from "./api.ts";
import { Asking } from "./asking.ts";
import { BackgroundRuns } from "./background-runs.ts";
import { BackgroundWork } from "./background-work.ts";
import { ChildTasks } from "./child-tasks.ts";
import { CommandDesk } from "./command-desk.ts";
import type { SessionControl } from "./commands/command.ts";
import { Coordinator } from "./coordinator.ts";
import { Hints } from "./hints.ts";
import { Intake } from "./intake.ts";
import type { AgentWiring, LiveAgent } from "./live-agent.ts";
import type { SessionDeps } from "./session-deps.ts";
import { TurnRunner } from "./turn-runner.ts";

/** What a session is opened with, as far as its parts need it. */
export interface PartsGiven {
  readonly deps: SessionDeps;
  readonly wish: OpenWish;
  /** Names this program in leases. */
  readonly owner: string;
  /** Another session of the same service. */
  openOther(wish: OpenWish): Promise<OpenSession>;
}

/** The session, as its parts see it. */
export interface PartsHost {
  readonly control: SessionControl;
  live(): LiveAgent;
  /** Fires when the session is closed. */
  readonly signal: AbortSignal;
  turnEnded(result: TurnResult): void;
  changed(): void;
  readonly deliver: AgentWiring["deliver"];
}

export type SessionParts = ReturnType<typeof sessionParts>;

/** The parts of one session and how they know each other: who runs when, what is kept, who is asked, what commands may do. */
export function sessionParts(given: PartsGiven, host: PartsHost) {
  const { deps, wish, owner } = given;
  const { live, signal, changed } = host;
  const events = new EventBus<SessionEvent>(deps.logger);
  const work = new BackgroundWork(deps.logger);
  const emit = (event: SessionEvent): void => events.emit(event);
  const canAsk = (): boolean => wish.isInteractive && events.hasListeners;
  const asking = new Asking({ clock: deps.clock, settings: deps.settings, canAsk, emit });
  const runner = new TurnRunner({
    session: deps,
    owner,
    cwd: wish.cwd,
    live,
    events,
    afterTurn: (result) => host.turnEnded(result),
    signal,
  });
  const wiring: AgentWiring = {
    owner,
    approver: asking.approver,
    askUser: wish.isInteractive ? asking.questions.askUser : undefined,
    askSecret: asking.questions.askSecret,
    askPerson: asking.questions.askPerson,
    deliver: host.deliver,
    events,
    onTurnEnd: changed,
    onChange: changed,
  };
  const coordinator: Coordinator = new Coordinator({
    run: (messages) => runner.run(messages),
    interrupt: (text) => runner.interrupt(text),
    steer: (text) => runner.steer(text),
    settleSteered: (messages) => intake.settle(messages, "done"),
    onQueue: (queued) => emit({ type: "queue-changed", queued }),
    unsent: () => runner.unsent(),
  });
  const intake = new Intake({ logger: deps.logger, coordinator, inbox: () => live().inbox });
  const hints = new Hints({ session: deps, source: wish.source, work, emit });
  const children = new ChildTasks();
  events.observe("children", children);
  events.observe("hints", hints);
  const desk = new CommandDesk({
    session: deps,
    control: host.control,
    coordinator,
    work,
    emit,
    onChange: changed,
    signal,
  });
  const backgrounds = new BackgroundRuns({
    clock: deps.clock,
    work,
    open: () => given.openOther(freshWish({ ...wish, ...sameModel(live()), isInteractive: false })),
    emit,
  });
  const afterTurn = new AfterTurn({ session: deps, work, source: wish.source, onTitle: changed });
  return { events, children, work, asking, runner, wiring, coordinator, intake, hints, desk, backgrounds, afterTurn };
}

/** What runs beside a conversation runs on its model, also when nobody named one. */
function sameModel({ handle }: LiveAgent): { readonly model: string; readonly provider: string } {
  const { model, provider } = handle.agent.conversation.primary;
  return { model, provider };
}

/** The same surface and choices, for a conversation that begins now. */
export function freshWish(wish: OpenWish): OpenWish {
  const { resume: _resume, title: _title, ...rest } = wish;
  return rest;
}
