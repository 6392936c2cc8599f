import { openTrajectoryApi } from "#environments";
import { sleep } from "#foundation/lifecycle/abort";
import type { Invocation } from "../../command.ts";
import { flagNumber, flagText } from "../../invocation.ts";
import { Output } from "../../output/output.ts";

/** Serves until somebody stops it. */
export async function rlApi(invocation: Invocation): Promise<number> {
  const { signal } = invocation.io;
  await using api = await openTrajectoryApi({
    host: flagText(invocation, "host") ?? "127.0.0.1",
    port: flagNumber(invocation, "port", { usual: 8000, min: 0, max: 65_535 }),
  });
  const out = new Output(invocation);
  out.document({ url: api.url });
  out.line(`The trajectory API listens at ${api.url}`);
  await sleep(Number.POSITIVE_INFINITY, signal).catch(() => signal.aborted);
  return 0;
}
