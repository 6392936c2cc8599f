import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { defaultConfig } from "#config";
import { never } from "#foundation/lifecycle/abort";
import { transcriber } from "./transcribe.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "hermes-stt-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function local(command: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { stt } = await defaultConfig();
  const config = { stt: { ...stt, local: { ...stt.local, command } } };
  return transcriber({ config, env: { ...process.env, ...env }, fetch: () => Promise.reject(new Error("no network")) });
}

describe("speech to text by a program of this machine", () => {
  it("is what it prints for the file, model and language, and no shell reads them [40:EVT-16]", async () => {
    const file = path.join(folder, "a $(touch b) voice.ogg");
    await writeFile(file, "call me back");
    const say =
      "process.stdout.write(require('fs').readFileSync(process.argv[1],'utf8')+process.argv[2]+(process.env.KEY??''))";
    const transcribe = await local([process.execPath, "-e", say, "{file}", " {model} {language}"], { KEY: "secret" });
    expect(await transcribe?.(file, never)).toBe("call me back base auto");
  });

  it("is a failure with the program's own words when it fails, and nothing where none is set", async () => {
    const fails = await local([process.execPath, "-e", "console.error('no such model');process.exit(3)"]);
    await expect(fails?.("x", never)).rejects.toThrow("no such model");
    expect(await local([])).toBeUndefined();
  });
});
