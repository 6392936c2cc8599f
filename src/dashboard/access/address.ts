import { hostname } from "node:os";
import { UserError } from "#foundation/errors";
import type { Secret } from "#foundation/secrets/secret";

export interface DashboardAddress {
  readonly host: string;
  readonly port: number;
  /** Where a reverse proxy serves the page; its host and origin are accepted, too. */
  readonly publicUrl?: URL | undefined;
  /** The person said that it may be reached from other machines. */
  readonly isInsecure: boolean;
  /** Lets in who has no token. */
  readonly password?: Secret | undefined;
  readonly tls?: { readonly cert: Buffer; readonly key: Buffer } | undefined;
}

const shortestPassword = 12;

export const isLoopback = (host: string): boolean =>
  host === "localhost" || /^\[?::1\]?$/.test(host) || /^127(?:\.\d{1,3}){3}$/.test(host);

/** The page can do what the person at the machine can: to a network it is offered only behind a password that nobody can read on the way. */
export function checkAddress({ host, isInsecure, password, tls, publicUrl }: DashboardAddress): void {
  if (isLoopback(host)) return;
  if (!isInsecure) throw refused(host, `${tunnel} Or add --insecure, with a password and TLS.`);
  if (password === undefined || password.reveal().length < shortestPassword)
    throw refused(
      `${host} without a password`,
      `Set HERMES_DASHBOARD_PASSWORD to ${shortestPassword} characters or more.`,
    );
  if (tls === undefined && publicUrl === undefined)
    throw refused(
      `${host} without TLS`,
      "Name a certificate with --tls-cert and --tls-key, or the reverse proxy before it with --public-url.",
    );
}

const tunnel =
  "Reach it through a tunnel (ssh -L 9119:127.0.0.1:9119), or put a reverse proxy with TLS and a password before it and name that with --public-url.";

const refused = (where: string, hint: string): UserError =>
  new UserError(`The dashboard does not listen on ${where}.`, { hint, code: "dashboard_unsafe" });

/** Where a browser finds it. The token goes along on this machine and to a proxy alone; from elsewhere the password lets in. */
export function openingUrl(address: DashboardAddress, port: number, token: string): string {
  const { host, publicUrl, tls, password } = address;
  const named = /^\[?::\]?$|^0\.0\.0\.0$/.test(host) ? hostname() : host;
  const inUrl = named.includes(":") ? `[${named.replace(/[[\]]/g, "")}]` : named;
  const base = publicUrl?.href.replace(/\/?$/, "/") ?? `${tls === undefined ? "http" : "https"}://${inUrl}:${port}/`;
  return isLoopback(host) || password === undefined ? `${base}#token=${token}` : base;
}
