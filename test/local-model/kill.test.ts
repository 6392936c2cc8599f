import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { never, sleep } from "#foundation/lifecycle/abort";
import { catalogue, LocalServer, ModelLibrary } from "#local-model";
import { homeWithEngine, missing, modelFile } from "./real-model.ts";

/** Every kill and every call, as `npm run prove:local` wants them; a test run makes do with some of each. */
const isFull = process.env["HERMES_LOCAL_FULL"] === "1";
const program = path.resolve("dist/cli/main.js");

/** The processes that serve this home, by what the system says about them. */
function servingPids(home: string): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        const line = readFileSync(`/proc/${name}/cmdline`, "utf8");
        return (
          line.includes("local-server.mjs") &&
          line.includes(home) &&
          !/\) [ZX]/.test(readFileSync(`/proc/${name}/stat`, "latin1"))
        );
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** Whoever is gone is gone soon: the kernel closes its connections with it. */
async function untilNoneServes(home: string): Promise<readonly number[]> {
  for (let look = 0; look < 1_200 && servingPids(home).length > 0; look += 1) await sleep(25, never);
  return servingPids(home);
}

describe.skipIf(missing !== undefined)("a model on this machine whose owner is killed", () => {
  it("leaves no process, whenever it happens", async () => {
    await using home = await homeWithEngine("smol");
    const env = { PATH: process.env["PATH"], HOME: home.root, HERMES_HOME: home.root };
    let wasServed = 0;
    for (let round = 0; round < 20; round += isFull ? 1 : 4) {
      const child = spawn(
        process.execPath,
        [program, "local", "run", "smol", "-q", "Tell a long story.", "-t", "none"],
        { env, stdio: "ignore" },
      );
      // From before the process starts to the middle of an answer: every other time it serves already.
      await sleep(100 + round * 70, never);
      const isLate = Math.floor(round / 4) % 2 === 1;
      while (isLate && child.exitCode === null && servingPids(home.root).length === 0) await sleep(25, never);
      wasServed += servingPids(home.root).length;
      child.kill("SIGKILL");
      await once(child, "exit");
      expect(await untilNoneServes(home.root), `killed in round ${round}`).toEqual([]);
    }
    expect(wasServed).toBeGreaterThan(isFull ? 5 : 0);
  }, 120_000);

  it("lives on for another program that holds it, and ends with that one", async () => {
    await using home = await homeWithEngine("smol");
    const env = { PATH: process.env["PATH"], HOME: home.root, HERMES_HOME: home.root };
    const child = spawn(process.execPath, [program, "local", "run", "smol", "-q", "Tell a long story.", "-t", "none"], {
      env,
      stdio: "ignore",
    });
    while (servingPids(home.root).length === 0 && child.exitCode === null) await sleep(25, never);
    expect(child.exitCode).toBeNull();
    const [pid] = servingPids(home.root);
    const second = new LocalServer({ home, idleMs: 60_000 });
    await second.ready(never);
    child.kill("SIGKILL");
    await once(child, "exit");
    await sleep(200, never);
    expect(servingPids(home.root)).toEqual([pid]);
    await second[Symbol.asyncDispose]();
    expect(await untilNoneServes(home.root)).toEqual([]);
  });

  it("ends by itself when nobody asks for anything, and comes back when somebody does", async () => {
    await using home = await homeWithEngine("smol");
    await using server = new LocalServer({ home, idleMs: 3_000 });
    await server.ready(never);
    expect(await untilNoneServes(home.root)).toEqual([]);
    const before = await server.address(never);
    await server.ready(never);
    const { port, token } = await server.address(never);
    expect({ port, token }).toEqual(before);
    const models = await fetch(`http://127.0.0.1:${port}/v1/models`, { headers: { authorization: `Bearer ${token}` } });
    expect(await models.json()).toMatchObject({ data: [{ id: "smol", context_length: 8192 }] });
  });
});

describe.skipIf(missing !== undefined)("a download that is killed", () => {
  it("goes on where it was, and no half file is ever used", async () => {
    const bytes = await readFile(modelFile);
    const small = catalogue.find(({ id }) => id === "smollm2-135m");
    expect(createHash("sha256").update(bytes).digest("hex")).toBe(small?.sha256);
    const starts: number[] = [];
    // A slow mirror: every download is long enough to be killed in the middle of it.
    const mirror = createServer((request, response) => {
      const start = Number(/bytes=(\d+)-/.exec(request.headers.range ?? "")?.[1] ?? 0);
      starts.push(start);
      response.writeHead(start > 0 ? 206 : 200);
      let at = start;
      const step = (): void => {
        if (response.destroyed) return;
        if (at >= bytes.length) return void response.end();
        response.write(bytes.subarray(at, at + 1_000_000));
        at += 1_000_000;
        setTimeout(step, 5);
      };
      step();
    });
    mirror.listen(0, "127.0.0.1");
    await once(mirror, "listening");
    await using home = await homeWithEngine();
    const library = new ModelLibrary(home.at("models"));
    const args = [
      program,
      "local",
      "pull",
      "smollm2-135m",
      "--mirror",
      `http://127.0.0.1:${(mirror.address() as AddressInfo).port}`,
    ];
    const env = { PATH: process.env["PATH"], HOME: home.root, HERMES_HOME: home.root };
    const part = `${library.pathOf("smollm2-135m")}.part`;
    const arrived = async (): Promise<number> => (await stat(part).catch(() => undefined))?.size ?? 0;
    const kills = isFull ? 20 : 5;
    for (let round = 0; round < kills; round += 1) {
      const before = await arrived();
      const child = spawn(process.execPath, args, { env, stdio: "ignore" });
      const enough = before + 1 + ((round * 1_234_567) % 3_000_000);
      while ((await arrived()) < enough && child.exitCode === null) await sleep(5, never);
      child.kill("SIGKILL");
      await once(child, "exit");
      expect(await library.list(), `killed in round ${round}`).toEqual({ models: [], broken: [] });
    }
    const last = spawn(process.execPath, args, { env, stdio: "ignore" });
    expect(await once(last, "exit")).toEqual([0, null]);
    expect((await stat(library.pathOf("smollm2-135m"))).size).toBe(bytes.length);
    expect((await readdir(home.at("models"))).filter((name) => name.includes(".part"))).toEqual([]);
    expect(starts.length).toBe(kills + 1);
    expect(Math.max(...starts)).toBeGreaterThan(kills * 500_000);
    mirror.closeAllConnections();
    mirror.close();
  }, 120_000);
});
