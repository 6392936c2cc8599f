import { existsSync } from "node:fs";
import { caBundleOf } from "#foundation/http/trust";
import type { ConfigWarning } from "../../warning.ts";

/** A file with certificates that is named and not there. */
export function checkCertificates(variables: Readonly<Record<string, string | undefined>>): readonly ConfigWarning[] {
  const bundle = caBundleOf(variables);
  if (bundle === undefined || existsSync(bundle.file)) return [];
  return [
    {
      kind: "variable",
      severity: "warning",
      message: `The variable ${bundle.name} names ${bundle.file}, which does not exist; the system's certificates count.`,
      hint: `Put the certificates there, or unset ${bundle.name}.`,
      key: bundle.name,
    },
  ];
}
