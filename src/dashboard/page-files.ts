import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { systemErrorCode, UserError } from "#foundation/errors";

/** No script but the page's own files, no other address to talk to, and no page around it. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

/** On every response. */
export const safetyHeaders: Readonly<Record<string, string>> = {
  "content-security-policy": policy,
  "x-frame-options": "DENY",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), microphone=(), geolocation=()",
};

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

export interface PageFile {
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** The built page, by the path each file is asked for. What is not among them does not exist. */
export async function readPageFiles(folder: string): Promise<ReadonlyMap<string, PageFile>> {
  const names = await readdir(folder).catch((cause: unknown) => {
    if (systemErrorCode(cause) !== "ENOENT") throw cause;
    throw new UserError(`The page of the dashboard is not in ${folder}.`, {
      hint: "In a checkout, build it with: npm run build",
      code: "dashboard_not_built",
      cause,
    });
  });
  const files = new Map<string, PageFile>();
  for (const name of names) {
    const type = types[path.extname(name)];
    if (type === undefined) continue;
    const file = { type, bytes: new Uint8Array(await readFile(path.join(folder, name))) };
    files.set(`/${name}`, file);
    if (name === "index.html") files.set("/", file);
  }
  return files;
}

const pageStart = '<html lang="en"';

/** What the page has to know before its first picture: its colours, and what lets in who has no token. */
export interface PageFacts {
  readonly theme: string;
  readonly login: "address" | "password";
}

export function prepared({ type, bytes }: PageFile, { theme, login }: PageFacts): PageFile {
  const text = new TextDecoder().decode(bytes);
  const start = `${pageStart} data-theme="${theme}" data-login="${login}"`;
  return { type, bytes: new Uint8Array(Buffer.from(text.replace(pageStart, start))) };
}
