import { UserError } from "#foundation/errors";
import { truncateEnd } from "#foundation/text/text";
import { parseModelArgument } from "#model";
import { exitCodes, type Invocation } from "../../command.ts";
import { Output } from "../../output/output.ts";
import { openModelAccess } from "../../support/models.ts";
import { endpointsOf } from "../../support/provider.ts";
import { smokeTest } from "./smoke-test.ts";

export async function modelTest(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { signal } = invocation.io;
  await using parts = await openModelAccess(invocation);
  const { context } = parts.models;
  const text = invocation.args[0];
  const known = { registry: context.registry, named: endpointsOf(context).endpoints };
  const resolution = await parts.models.resolve(text === undefined ? {} : parseModelArgument(text, known), signal);
  if (resolution.kind === "failure") {
    const { message, hint, code } = resolution;
    const exitCode = ["no_provider_configured", "missing_api_key"].includes(code)
      ? exitCodes.noProvider
      : exitCodes.failed;
    throw new UserError(message, { hint, code, exitCode });
  }
  const { target } = resolution;
  const result = await smokeTest(parts, target, signal);
  if (result.kind === "failed") throw new UserError(result.message, { code: result.code, hint: result.hint });
  const tookMs = Math.round(result.tookMs);
  out.document({
    provider: target.provider,
    model: target.model,
    ok: true,
    took_ms: tookMs,
    first_byte_ms: Math.round(result.firstByteMs),
    text: result.text,
  });
  out.line(
    `${out.style.good("✓")} ${target.provider} ${target.model} answered in ${tookMs} ms: ${truncateEnd(result.text, 60)}`,
  );
  return 0;
}
