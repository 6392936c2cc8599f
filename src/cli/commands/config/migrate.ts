import { currentConfigVersion, migrateFile } from "#config";
import type { Invocation } from "../../command.ts";
import { Output } from "../../output/output.ts";
import { homeOf } from "../../support/home.ts";
import { editOptions } from "../../support/settings.ts";

export async function configMigrate(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const home = homeOf(invocation);
  const { from, changes, backup, hasChanged, file } = await migrateFile(editOptions(invocation, home));
  out.document({
    file,
    from: from ?? null,
    to: currentConfigVersion,
    changes,
    backup: backup ?? null,
    has_changed: hasChanged,
  });
  if (!hasChanged) {
    out.line(`${file} already has the current layout (${currentConfigVersion}): nothing to change.`);
    return 0;
  }
  out.line(`${file}: layout ${from ?? "unknown"} → ${currentConfigVersion}`);
  for (const change of changes) out.line(`  ${change}`);
  if (backup !== undefined) out.line(`The file as it was: ${backup}`);
  return 0;
}
