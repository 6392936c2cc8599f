import type { Invocation } from "../../command.ts";
import { Output } from "../../output/output.ts";
import { openAsker } from "../../support/ask.ts";
import { openModelAccess } from "../../support/models.ts";
import { type PickedModel, pickFrom } from "./pick.ts";
import { rememberEndpoint } from "./remember-endpoint.ts";
import { saveChoice } from "./save.ts";
import { smokeTest } from "./smoke-test.ts";

/** Asks for provider, credential and model and saves them together. Leaving in between changes no setting. */
export async function modelChoose(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  for (;;) {
    const code = await chooseOnce(invocation, out);
    if (code === 0) return code;
    using asker = openAsker(invocation.io);
    if (!(await asker.confirm("Choose again?", true))) return code;
  }
}

/** Zero: it works, or something else was done; otherwise what was saved does not answer. */
async function chooseOnce(invocation: Invocation, out: Output): Promise<number> {
  await using parts = await openModelAccess(invocation);
  const { provider, default: model } = parts.loaded.config.model;
  out.line(`Now: ${model === "" ? "no model chosen" : model} (${provider})`);
  const picked = await pickFrom(invocation, parts, [
    { label: "Remove a saved endpoint", value: "remove" },
    { label: "Auxiliary models", detail: "for side tasks such as images and summaries", value: "auxiliary" },
  ]);
  if (picked === "remove" || picked === "auxiliary") {
    const { chooseAuxiliary, removeEndpoint } = await import("./extras.ts");
    await (picked === "remove" ? removeEndpoint(invocation, parts) : chooseAuxiliary(invocation, parts));
    return 0;
  }
  if (picked === undefined) {
    out.line("Nothing was changed.");
    return 0;
  }
  const file = await savePicked(invocation, picked);
  out.line(`${picked.provider}: ${picked.model}, saved in ${file}`);
  return await tryIt(invocation, out);
}

/** Provider, model and, for a server of one's own, the name it is called by from now on. */
export async function savePicked(invocation: Invocation, picked: PickedModel): Promise<string> {
  const { provider, model, changes } = await rememberEndpoint(invocation, picked);
  return await saveChoice(invocation, { provider, model }, changes);
}

/** The saved choice is tried once; that it does not answer is said, and the choice stays. */
export async function tryIt(invocation: Invocation, out: Output): Promise<number> {
  const { signal } = invocation.io;
  await using parts = await openModelAccess(invocation, { isQuiet: true });
  const resolution = await parts.models.resolve({}, signal);
  const result =
    resolution.kind === "target"
      ? await smokeTest(parts, resolution.target, signal)
      : { ...resolution, kind: "failed" as const };
  if (result.kind === "works") {
    out.line(`${out.style.good("✓")} It answers (${Math.round(result.tookMs)} ms).`);
    return 0;
  }
  out.line(`${out.style.caution("⚠")} It does not answer yet: ${result.message}`);
  out.line(result.hint);
  return 1;
}
