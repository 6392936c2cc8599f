import { readFile } from "node:fs/promises";
import type { SecureContext } from "node:tls";

const variables = ["HERMES_CA_BUNDLE", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"] as const;

/** The file with certificates that a person trusts beside those Node knows, by the variable that names it. */
export function caBundleOf(
  env: Readonly<Record<string, string | undefined>>,
): { readonly name: string; readonly file: string } | undefined {
  for (const name of variables) {
    const file = env[name]?.trim() ?? "";
    if (file !== "") return { name, file };
  }
  return undefined;
}

/** What connections trust where the environment names certificates of its own; undefined: what Node trusts anyway. */
export async function trustFromEnv(
  env: Readonly<Record<string, string | undefined>>,
): Promise<SecureContext | undefined> {
  const bundle = caBundleOf(env);
  if (bundle === undefined) return undefined;
  // What Node was told itself is lost where anything is named, so it is named as well.
  const files = [bundle.file, env["NODE_EXTRA_CA_CERTS"]?.trim() ?? ""].filter((file) => file !== "");
  const texts = await Promise.all(files.map((file) => readFile(file, "utf8").catch(() => undefined)));
  const named = texts.filter((text) => text !== undefined);
  if (named.length === 0) return undefined;
  const { createSecureContext, rootCertificates } = await import("node:tls");
  try {
    return createSecureContext({ ca: [...rootCertificates, ...named] });
  } catch {
    // No certificates are in it: the connection says what it does not trust.
    return undefined;
  }
}
