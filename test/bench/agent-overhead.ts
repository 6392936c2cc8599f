import { Agent as HttpAgent, request as httpRequest } from "node:http";
import { defaultAgentSettings } from "#agent/testing";
import { assistantMessage, type Message, type SessionId, toolMessage, userMessage } from "#conversation";
import { openStage } from "../../src/agent/compression/testing/stage.ts";
import { unrecorded } from "../../src/agent/ports.ts";
import { PrefixWatch } from "../../src/agent/prompt/prefix-watch.ts";
import { type Gap, startBareServer } from "./agent-bare-server.ts";

/** Medians, in milliseconds: of the clock, and of what the process itself computed. */
export interface Overhead {
  readonly messages: number;
  readonly bodyBytes: number;
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly bareWallMs: number;
  readonly bareCpuMs: number;
  /** By computing time, so that a busy machine does not count. */
  readonly overheadMs: number;
}

const measuredSteps = 60;
const warmUpSteps = 15;

/**
 * What the agent costs per step: the time between the end of an answer and the arrival of the next request, with a
 * tool that takes no time, less the same time of a client that only sends a prepared body of the same size.
 * The agent has its real parts: recording, metering, the watch over prefixes, the check for compression.
 */
export async function measureOverhead(messages: number): Promise<Overhead> {
  const steps = warmUpSteps + measuredSteps;
  await using server = await startBareServer({
    answer: (number) =>
      number > steps ? { text: "Done." } : { call: "terminal", args: { command: `echo ${number}` } },
  });
  const watch = new PrefixWatch();
  await using stage = await openStage({
    history: historyOf(messages),
    contextWindow: 1_000_000_000,
    target: { baseUrl: server.url },
    transcript: unrecorded("20260101_000000_0badf00d" as SessionId),
    deps: {
      settings: { ...defaultAgentSettings, maxSteps: steps + 5 },
      onRequest: (request, cause) => void watch.observe(request, cause),
    },
  });
  await stage.agent.runConversation({ userMessage: "Go on." });
  const bodyBytes = server.bytes.at(-1) ?? 0;
  const own = mediansOf(server.gaps().slice(warmUpSteps));
  const bare = await measureBare(bodyBytes);
  return {
    messages,
    bodyBytes,
    wallMs: own.wallMs,
    cpuMs: own.cpuMs,
    bareWallMs: bare.wallMs,
    bareCpuMs: bare.cpuMs,
    overheadMs: Math.max(0, own.cpuMs - bare.cpuMs),
  };
}

async function measureBare(bodyBytes: number): Promise<Gap> {
  await using server = await startBareServer({ answer: () => ({ text: "Done." }) });
  const agent = new HttpAgent({ keepAlive: true, maxSockets: 1 });
  const body = Buffer.alloc(bodyBytes, 32);
  const url = new URL(`${server.url}/chat/completions`);
  for (let step = 0; step < warmUpSteps + measuredSteps; step += 1) await post(url, body, agent);
  agent.destroy();
  return mediansOf(server.gaps().slice(warmUpSteps));
}

function post(url: URL, body: Buffer, agent: HttpAgent): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", "content-length": body.length };
    const sent = httpRequest(url, { method: "POST", agent, headers }, (response) => {
      response.on("data", () => undefined);
      response.on("end", () => resolve());
      response.on("error", reject);
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** A working session: questions, calls, results of a few hundred characters, answers. */
export function historyOf(count: number): readonly Message[] {
  const messages: Message[] = [];
  for (let index = 0; messages.length < count; index += 1) {
    const uid = (name: string) => ({ uid: `m${index}${name}`, timestamp: 1_767_225_600 + index });
    const call = {
      id: `call_h${index}`,
      type: "function" as const,
      function: { name: "terminal", arguments: JSON.stringify({ command: `grep -rn part${index} src` }) },
    };
    messages.push(
      userMessage(`Please look at part ${index} of the plan and tell me what is missing there.`, uid("u")),
      assistantMessage("I will search for it.", { tool_calls: [call], ...uid("c") }),
      toolMessage(
        call,
        JSON.stringify({ output: `src/file${index}.ts: something that was found. `.repeat(8) }),
        uid("t"),
      ),
      assistantMessage(`Part ${index} is complete, apart from the tests of its error paths.`, uid("a")),
    );
  }
  return messages.slice(0, count - (count % 4));
}

function mediansOf(gaps: readonly Gap[]): Gap {
  const median = (pick: (gap: Gap) => number): number =>
    gaps.map(pick).toSorted((left, right) => left - right)[Math.floor(gaps.length / 2)] ?? Number.NaN;
  return { wallMs: median(({ wallMs }) => wallMs), cpuMs: median(({ cpuMs }) => cpuMs) };
}
