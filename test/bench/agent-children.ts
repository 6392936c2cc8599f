import { performance } from "node:perf_hooks";
import { delegationResult, openDelegation } from "../../src/agent/delegation/testing.ts";
import { startBareServer } from "./agent-bare-server.ts";

const stepsPerChild = 4;

/** How long a batch takes; every child calls a tool a few times and reports. */
export async function measureChildren(count: number, thinkMs: number | undefined): Promise<number> {
  await using server = await startBareServer({
    readsBodies: true,
    ...(thinkMs === undefined ? {} : { thinkMs }),
    answer: (number, body) => {
      const results = body.split('"role":"tool"').length - 1;
      if (!body.includes("handed to you")) {
        if (results > 0) return { text: "All done." };
        return {
          call: "delegate_task",
          args: { tasks: Array.from({ length: count }, (_, n) => ({ goal: `task ${n}` })) },
        };
      }
      if (results < stepsPerChild - 1) return { call: "terminal", args: { command: `echo ${number}` } };
      return { text: "Finished." };
    },
  });
  await using delegation = await openDelegation({
    target: { baseUrl: server.url },
    settings: { maxConcurrentChildren: count },
    maxTotalChildren: count,
  });
  const startedAt = performance.now();
  await delegation.agent.runConversation({ userMessage: "Go" });
  const tookMs = performance.now() - startedAt;
  const { results } = delegationResult(delegation.recorded);
  const done = results.filter(({ status }) => status === "completed").length;
  if (done !== count) throw new Error(`${done} of ${count} children completed: ${JSON.stringify(results[0])}`);
  return tookMs;
}
