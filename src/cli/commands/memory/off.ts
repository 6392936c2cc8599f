import { editConfig } from "#config";
import type { Invocation } from "../../command.ts";
import { Output } from "../../output/output.ts";
import { editOptions, loadSettings } from "../../support/settings.ts";

export async function memoryOff(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { home, loaded } = await loadSettings(invocation);
  const before = loaded.config.memory.provider;
  await editConfig([{ kind: "set", path: ["memory", "provider"], value: "" }], editOptions(invocation, home));
  out.document({ provider: null, was: before || null });
  out.line(
    before === ""
      ? "No provider was in use."
      : `${before} is no longer used; what it stored is kept. The built-in notes stay in use.`,
  );
  return 0;
}
