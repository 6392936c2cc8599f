import { freemem } from "node:os";
import { byteSize } from "#foundation/text/figures";
import { engineFolder, enginePlatform, hasEngine } from "#local-model";
import type { Invocation } from "../../command.ts";
import { Output } from "../../output/output.ts";
import { homeOf } from "../../support/home.ts";
import { openModelAccess } from "../../support/models.ts";
import { libraryOf } from "../local/get.ts";
import { smokeTest } from "./smoke-test.ts";

/** What a model on this machine needs, checked one after the other; the first model there is has to answer. */
export async function localDoctor(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const home = homeOf(invocation);
  const checks: { readonly name: string; readonly ok: boolean; readonly detail: string }[] = [];
  const say = (name: string, ok: boolean, detail: string): void => {
    checks.push({ name, ok, detail });
    out.line(`${ok ? out.style.good("✓") : out.style.caution("✗")} ${name}: ${detail}`);
  };
  const platform = enginePlatform();
  say(
    "machine",
    platform !== undefined,
    platform ?? `no engine for ${process.platform} on ${process.arch}; use Ollama or LM Studio`,
  );
  const isInstalled = hasEngine(home);
  say(
    "engine",
    isInstalled,
    isInstalled ? engineFolder(home) : "not installed; it comes with: hermes local use <model>",
  );
  const { models, broken } = await libraryOf(home).list();
  for (const { id, fault } of broken) say(id, false, `${fault}; remove it with: hermes local remove ${id}`);
  const smallest = models.toSorted((a, b) => a.facts.sizeBytes - b.facts.sizeBytes)[0];
  say("models", smallest !== undefined, models.map(({ id }) => id).join(", ") || "none; see: hermes local list");
  const needed = smallest === undefined ? 0 : smallest.facts.sizeBytes + smallest.facts.bytesPerToken * 2048;
  say(
    "memory",
    freemem() > needed,
    `${byteSize(freemem())} free${smallest === undefined ? "" : `, at least ${byteSize(needed)} needed`}`,
  );
  if (isInstalled && smallest !== undefined) {
    await using parts = await openModelAccess(invocation, { isQuiet: true });
    const { signal } = invocation.io;
    const resolution = await parts.models.resolve({ provider: "local", model: smallest.id }, signal);
    const result = resolution.kind === "target" ? await smokeTest(parts, resolution.target, signal) : resolution;
    if (result.kind === "works") say("answer", true, `${smallest.id} answers (${Math.round(result.tookMs)} ms)`);
    else say("answer", false, result.message);
  }
  out.document({ checks });
  return checks.every(({ ok }) => ok) ? 0 : 1;
}
