import { subscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { Scope } from "#foundation/lifecycle/disposal";
import { answerByNumber } from "../../scripts/gateway-proof/answers.ts";
import { besideEachOther, startCrowds } from "../../scripts/gateway-proof/crowd.ts";
import { Deployment } from "../e2e/support/deployment.ts";
import { missingMailServers } from "../fakes/mail/mail-servers.ts";
import { startModelServer } from "../fakes/model-server/index.ts";

/** The service calls us, each time over a connection of its own: there is no line that could fall silent. */
const withoutLine: ReadonlySet<string> = new Set(["webhook", "bluebubbles", "sms", "wecom_callback", "whatsapp"]);
/** Reached in another way, or without chats of its own. */
const others = ["whatsapp-bridge", "homeassistant"];
const names = [...besideEachOther, ...others].filter(
  (name) => !withoutLine.has(name) && (name !== "email" || missingMailServers() === undefined),
);

/** Both ends believe that the line is there, and nothing passes it any more. */
interface Line extends Omit<Socket, "_write" | "_writev"> {
  readonly _handle?: { readStop(): void } | null;
  _write: () => void;
  _writev: () => void;
}

const lines = new Set<Line>();
subscribe("net.server.socket", (message) => {
  const { socket } = message as { readonly socket: Line };
  lines.add(socket);
  socket.once("close", () => lines.delete(socket));
});

function freeze(isOurs: (port: number | undefined) => boolean): Disposable {
  const frozen = [...lines].filter(({ localPort }) => isOurs(localPort));
  for (const line of frozen) {
    line._handle?.readStop();
    line._write = () => undefined;
    line._writev = () => undefined;
  }
  return {
    [Symbol.dispose]() {
      for (const line of frozen) line.destroy();
    },
  };
}

const scopes: Scope[] = [];
afterEach(async () => {
  for (const scope of scopes.splice(0)) await scope[Symbol.asyncDispose]();
});

describe("lines that stay open and say nothing any more", () => {
  it(`are found out and made again: ${names.join(", ")} [40:PRC-34] [40:ADP-3]`, async () => {
    const scope = new Scope();
    scopes.push(scope);
    const model = scope.adopt(await startModelServer());
    const modelPort = Number(new URL(model.chatBaseUrl).port);
    const seen = answerByNumber(model);
    const crowds = await startCrowds(names);
    for (const crowd of crowds) scope.adopt(crowd);
    const config = [
      `model: { provider: custom, default: test-model, base_url: "${model.chatBaseUrl}", context_length: 128000 }`,
      ...crowds.map((crowd) => crowd.config),
      "auxiliary: { title_generation: { enabled: false } }",
      "display: { busy_input_mode: queue, tool_progress: off }",
    ];
    const deployment = scope.adopt(new Deployment({ config, env: crowds.map(({ env }) => env).join("") }));
    const machine = await deployment.machine();
    const member = await deployment.start([], machine);
    await member.ready(...crowds.map(({ platform }) => platform));
    let number = 0;
    const deaf = new Map(crowds.map((crowd) => [crowd, [] as number[]]));
    /** Everybody writes who was not heard yet. Who is still waited for, by name. */
    const unheard = (): readonly string[] => {
      for (const [crowd, said] of deaf) {
        if (said.some((one) => seen.has(one))) deaf.delete(crowd);
        // Numbers that are no multiples of ten use no tool.
        else {
          number += number % 10 === 9 ? 2 : 1;
          said.push(number);
          crowd.say(0, `message #${number}`);
        }
      }
      return [...deaf.keys()].map(({ platform }) => platform);
    };
    const everybodyIsHeard = () => expect.poll(unheard, { timeout: 120_000, interval: 3_000 }).toEqual([]);
    await everybodyIsHeard();
    using _frozen = freeze((port) => port !== modelPort);
    for (const crowd of crowds) deaf.set(crowd, []);
    await everybodyIsHeard();
  }, 300_000);
});
