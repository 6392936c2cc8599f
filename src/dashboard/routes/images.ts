import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Hono } from "hono";
import { resolveInside } from "#foundation/files/files";
import type { DashboardDeps } from "../deps.ts";

const mostBytes = 33_554_432;

/** `GET /api/image?path=&session=`: an image that an answer names, from the folder of its session, the home, or a temporary file. */
export function imageRoutes(app: Hono, { sessions, home, cwd }: DashboardDeps): void {
  app.get("/api/image", async (c) => {
    const live = sessions.live().find(({ info }) => info.id === c.req.query("session"));
    const folder = live?.info.cwd ?? cwd;
    const file = await firstInside([folder, home.root, tmpdir()], path.resolve(folder, c.req.query("path") ?? ""));
    const image = file === undefined ? undefined : await readImage(file);
    if (image === undefined) return c.json({ error: "There is no such image." }, 404);
    return c.body(image.bytes, 200, { "content-type": image.type });
  });
}

async function firstInside(folders: readonly string[], file: string): Promise<string | undefined> {
  for (const folder of folders) {
    const found = await resolveInside(folder, path.relative(folder, file)).catch(() => undefined);
    if (found !== undefined) return found;
  }
  return undefined;
}

interface ImageFile {
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** By its first bytes, whatever it is called: nothing else is given away. */
async function readImage(file: string): Promise<ImageFile | undefined> {
  try {
    await using handle = await open(file, "r");
    const info = await handle.stat();
    if (!info.isFile() || info.size > mostBytes) return undefined;
    const bytes = new Uint8Array(await handle.readFile());
    const type = typeOf(bytes);
    return type === undefined ? undefined : { type, bytes };
  } catch {
    // Not there, or not to be read.
    return undefined;
  }
}

function typeOf(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 12)).toString("latin1");
  if (start.startsWith("\x89PNG")) return "image/png";
  if (start.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (start.startsWith("GIF8")) return "image/gif";
  return start.startsWith("RIFF") && start.endsWith("WEBP") ? "image/webp" : undefined;
}
