import { defined } from "#foundation/defined";
import type { Invocation } from "../../command.ts";
import { snakeCase } from "../../output/json.ts";
import { Output } from "../../output/output.ts";
import { openModelAccess } from "../../support/models.ts";

/** Walks through the decision that a chat would make now, without any network. */
export async function authExplain(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  await using parts = await openModelAccess(invocation);
  const provider = invocation.args[0];
  const resolution = await parts.models.resolve(defined({ provider }), invocation.io.signal);
  const isFound = resolution.kind === "target";
  out.document({
    is_usable: isFound,
    ...(isFound
      ? {
          provider: resolution.target.provider,
          model: resolution.target.model,
          base_url: resolution.target.baseUrl,
          protocol: resolution.target.protocol,
          source: resolution.target.credential.source,
          notices: resolution.notices,
        }
      : { error: { code: resolution.code, message: resolution.message, hint: resolution.hint } }),
    considered: snakeCase(resolution.explanation),
  });
  if (isFound) {
    const { target } = resolution;
    out.line(`${target.provider} with ${target.model}`);
    out.line(`  at ${target.baseUrl} (${target.protocol}), credential from ${target.credential.source}`);
    for (const notice of resolution.notices) out.line(`  ${out.style.caution("!")} ${notice}`);
  } else {
    out.line(resolution.message);
    out.line(resolution.hint);
  }
  out.line();
  for (const { candidate, verdict, reason } of resolution.explanation)
    out.line(`  ${verdict === "taken" ? out.style.good("✓") : out.style.dim("·")} ${candidate}: ${reason}`);
  return isFound ? 0 : resolution.code === "no_provider_configured" ? 3 : 1;
}
