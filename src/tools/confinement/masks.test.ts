import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import type { Confinement } from "./confinement.ts";
import { masksOf } from "./masks.ts";

const wall: Confinement = {
  workspace: "/nowhere/app",
  writable: ["/nowhere/app"],
  home: "/nowhere",
  otherHomes: [],
  hermesHome: "/nowhere/.hermes",
  hermesReadable: [],
  hermesWritable: [],
  masked: [],
  network: { mode: "ask", allow: [], deny: [] },
  environment: [],
  enforcement: "bubblewrap",
};

it.runIf(process.platform === "linux")(
  "hides sockets of other programs, those of another Hermes with the folder they come and go in",
  async () => {
    const root = await realpath(await mkdtemp(path.join(tmpdir(), "hermes-masks-")));
    const folder = path.join(root, "hermes-77");
    const sockets = [path.join(root, "editor.sock"), path.join(folder, "net-77-abcdef", "out")];
    const servers = await Promise.all(
      sockets.map(async (file) => {
        await mkdir(path.dirname(file), { recursive: true });
        const server = createServer();
        await new Promise<void>((resolve) => server.listen(file, resolve));
        return server;
      }),
    );
    try {
      const hidden = masksOf(wall, path.join(root, "tmp")).filter(({ path: file }) => file.startsWith(root));
      expect(hidden).toEqual([
        { path: sockets[0], kind: "file" },
        { path: folder, kind: "folder" },
      ]);
    } finally {
      for (const server of servers) server.close();
      await rm(root, { recursive: true, force: true });
    }
  },
);
