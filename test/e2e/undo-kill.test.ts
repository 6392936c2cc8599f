import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { calls, hang, startModelServer } from "../fakes/model-server/index.ts";
import { ended, modelConfig, Stage } from "./support/stage.ts";

/** Every file below a folder with its bytes. */
async function picture(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  return await Promise.all(files.sort().map(async (file) => `${file} ${await readFile(file, "base64")}`));
}

const ways = [
  ["a command", [calls("terminal", { command: "rm -rf src .git" })]],
  ["a script", [calls("execute_code", { code: "import shutil\nfor one in ['src', '.git']: shutil.rmtree(one)" })]],
  [
    "a background process",
    [
      calls("terminal", { command: "rm -rf src .git; echo over > over.txt", background: true }),
      calls("terminal", { command: "until [ -e over.txt ]; do sleep 0.05; done" }),
    ],
  ],
] as const;

describe("half of the workspace, removed by", () => {
  it.each(ways)(
    "%s, comes back byte for byte although Hermes was killed right after it [20:R11.18]",
    async (_, script) => {
      await using server = await startModelServer();
      await using stage = await Stage.open({ config: modelConfig(server.chatBaseUrl) });
      await mkdir(path.join(stage.work, "src", "deep"), { recursive: true });
      await mkdir(path.join(stage.work, ".git"));
      await writeFile(path.join(stage.work, ".git", "HEAD"), "ref: refs/heads/main\n");
      for (let i = 0; i < 50; i++)
        await writeFile(path.join(stage.work, "src", "deep", `${i}.bin`), Buffer.alloc(500 + i, i));
      const before = await picture(stage.work);
      server.script(...script, hang());
      const child = stage.start(["chat", "-q", "Tidy up.", "-Q", "--yolo"]);
      const end = ended(child);
      await server.received(script.length + 1);
      child.kill("SIGKILL");
      await end;
      expect(await picture(stage.work)).not.toEqual(before);
      const listed = await stage.run(["rollback", "list", "--json"]);
      const { checkpoints } = JSON.parse(listed.stdout) as { checkpoints: { id: string }[] };
      expect(await stage.run(["rollback", "restore", checkpoints.at(-1)?.id ?? ""])).toMatchObject({ code: 0 });
      expect(await picture(stage.work)).toEqual(before);
    },
  );
});
