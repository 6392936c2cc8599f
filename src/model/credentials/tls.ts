import { readTextFile } from "#foundation/files/files";
import { HttpClient } from "#foundation/http/client";
import { caBundleOf } from "#foundation/http/trust";

export interface TlsOptions {
  /** `--insecure`: certificates are not checked. */
  readonly isInsecure?: boolean;
  /** `--ca-bundle`. */
  readonly caBundle?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface TlsConnections extends AsyncDisposable {
  /** Handed to requests; undefined when the system's own certificates will do. */
  readonly client?: HttpClient;
  readonly warnings: readonly string[];
}

const maxBundleBytes = 20_000_000;

/** Connections that trust the certificates the person named. A bundle that is missing warns and changes nothing. */
export async function openTlsConnections(options: TlsOptions): Promise<TlsConnections> {
  const warnings: string[] = [];
  const bundle = await readBundle(options, warnings);
  if (options.isInsecure === true) warnings.push("Certificates are not checked; anybody on the way can read along.");
  if (bundle === undefined && options.isInsecure !== true) {
    return { warnings, [Symbol.asyncDispose]: () => Promise.resolve() };
  }
  const { rootCertificates } = await import("node:tls");
  const client = new HttpClient({
    tls: {
      ca: bundle === undefined ? undefined : [...rootCertificates, bundle],
      rejectUnauthorized: options.isInsecure === true ? false : undefined,
    },
  });
  return { client, warnings, [Symbol.asyncDispose]: () => client[Symbol.asyncDispose]() };
}

async function readBundle(options: TlsOptions, warnings: string[]): Promise<string | undefined> {
  const asked = options.caBundle?.trim() ?? "";
  const named = asked === "" ? caBundleOf(options.env) : { name: "--ca-bundle", file: asked };
  if (named === undefined) return undefined;
  const text = await readTextFile(named.file, { maxBytes: maxBundleBytes });
  if (text === undefined)
    warnings.push(`${named.name} names ${named.file}, which does not exist; the system's certificates count.`);
  return text;
}
