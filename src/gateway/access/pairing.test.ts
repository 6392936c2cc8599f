import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Config, loadConfig } from "#config";
import { HermesHome } from "#foundation/files/paths";
import { FakeClock } from "#foundation/testing/fake-clock";
import type { MessageSource } from "../platform/inbound.ts";
import { Pairing } from "./pairing.ts";
import { Users } from "./users.ts";

let folder: string;
let clock: FakeClock;
let pairing: Pairing;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "hermes-pairing-"));
  clock = new FakeClock();
  pairing = new Pairing(path.join(folder, "pairing"), clock);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const ann = { userId: "1", userName: "Ann" };
const hourMs = 3_600_000;

async function codeFor(userId: string): Promise<string> {
  const request = await pairing.request("telegram", { userId, userName: userId });
  if (request.kind !== "code") throw new Error(request.kind);
  return request.code;
}

describe("a code for a stranger", () => {
  it("lets them in once approved, survives a restart, and can be taken back [40:AUT-12] [40:AUT-13] [40:AUT-14] [40:A-AUT-7] [40:A-AUT-9]", async () => {
    const code = await codeFor("1");
    expect(code).toMatch(/^[A-HJ-NP-Z2-9]{8}$/u);
    expect(await pairing.isPaired("telegram", "1")).toBe(false);
    expect(await pairing.approve("telegram", ` ${code.toLowerCase()} `)).toMatchObject({ kind: "approved" });
    const later = new Pairing(path.join(folder, "pairing"), clock);
    expect(await later.isPaired("telegram", "1")).toBe(true);
    expect(await later.isPaired("discord", "1")).toBe(false);
    const files = (await readdir(path.join(folder, "pairing"))).filter((name) => name.endsWith(".json")).sort();
    expect(files).toEqual(["_rate_limits.json", "telegram-approved.json", "telegram-pending.json"]);
    for (const file of await readdir(path.join(folder, "pairing")))
      if (file.endsWith(".json")) expect((await stat(path.join(folder, "pairing", file))).mode & 0o777).toBe(0o600);
    expect(await later.revoke("telegram", "1")).toBe(true);
    expect(await pairing.isPaired("telegram", "1")).toBe(false);
  });

  it("is given once in ten minutes, with one notice, then silence [40:A-AUT-2]", async () => {
    await codeFor("1");
    expect((await pairing.request("telegram", ann)).kind).toBe("wait");
    expect((await pairing.request("telegram", ann)).kind).toBe("silent");
    await clock.advance(600_000);
    expect((await pairing.request("telegram", ann)).kind).toBe("code");
  });

  it("is not given to a fourth while three wait [40:A-AUT-5]", async () => {
    for (const userId of ["1", "2", "3"]) await codeFor(userId);
    expect(await pairing.request("telegram", { userId: "4", userName: "" })).toEqual({ kind: "silent" });
    expect((await pairing.request("discord", { userId: "4", userName: "" })).kind).toBe("code");
    expect(await pairing.clearPending("telegram")).toBe(3);
  });

  it("is refused after an hour, and all are after five wrong ones [40:A-AUT-6]", async () => {
    const old = await codeFor("1");
    await clock.advance(hourMs + 1000);
    expect(await pairing.approve("telegram", old)).toEqual({ kind: "unknown-code" });
    const code = await codeFor("2");
    for (let wrong = 0; wrong < 4; wrong += 1) await pairing.approve("telegram", "ZZZZZZZZ");
    expect(await pairing.approve("telegram", code)).toMatchObject({ kind: "locked" });
    await clock.advance(hourMs);
    expect(await pairing.approve("telegram", await codeFor("2"))).toMatchObject({ kind: "approved" });
  });
});

describe("a code of an admin", () => {
  it("lets in whoever sends it first, once [40:AUT-16] [40:A-AUT-8]", async () => {
    const code = await pairing.invite(["telegram"]);
    expect(await pairing.approve("telegram", code)).toEqual({ kind: "unknown-code" });
    expect(await pairing.redeem("telegram", code, ann)).toBe(true);
    expect(await pairing.redeem("telegram", code, { userId: "2", userName: "" })).toBe(false);
    expect(await pairing.isPaired("telegram", "1")).toBe(true);
    expect(await pairing.isPaired("telegram", "2")).toBe(false);
  });

  it("cannot be guessed: after five wrong ones a stranger is not heard for an hour [40:AUT-17]", async () => {
    for (let wrong = 0; wrong < 5; wrong += 1) expect(await pairing.redeem("telegram", "ZZZZZZZZ", ann)).toBe(false);
    const code = await pairing.invite(["telegram"]);
    expect(await pairing.redeem("telegram", code, ann)).toBe(false);
    expect((await pairing.request("telegram", ann)).kind).toBe("silent");
  });
});

describe("somebody who writes", () => {
  const source: MessageSource = { platform: "telegram", account: "b", chatId: "9", chatType: "dm", userId: "9" };
  const users = async (change: (config: Config) => object = () => ({})) => {
    const { config } = await loadConfig({ home: new HermesHome(folder), env: {} });
    return new Users({ config: { ...config, ...change(config) }, pairing });
  };

  it("and is a stranger gets a code and the command for it, in direct chats only [40:AUT-11] [40:A-AUT-2] [40:A-AUT-4]", async () => {
    const known = await users();
    expect(await known.meetStranger({ ...source, chatType: "group" }, "hi")).toBeUndefined();
    expect(await pairing.pending("telegram")).toEqual([]);
    expect(await known.meetStranger(source, "hi")).toMatch(/hermes pairing approve telegram [A-HJ-NP-Z2-9]{8}/u);
  });

  it("hears nothing where an allowlist says who may [40:AUT-8] [40:A-AUT-3]", async () => {
    const known = await users(({ gateway }) => ({ gateway: { ...gateway, allowed_users: ["1"] } }));
    expect(await known.meetStranger(source, "hi")).toBeUndefined();
    expect((await known.access(source)).kind).toBe("denied");
    const code = await pairing.invite(["telegram"]);
    expect(await known.meetStranger(source, code)).toContain("paired");
    expect(await known.access(source)).toEqual({ kind: "allowed", by: "paired" });
  });

  it("is an admin when named so, or when on an allowlist and nobody is named [40:AUT-18]", async () => {
    const listed = await users(({ gateway }) => ({ gateway: { ...gateway, allowed_users: ["9"] } }));
    expect(listed.isAdmin(source)).toBe(true);
    const named = await users(({ gateway }) => ({
      gateway: { ...gateway, allowed_users: ["9"], admin_users: ["1"] },
    }));
    expect(named.isAdmin(source)).toBe(false);
    expect((await users()).isAdmin(source)).toBe(false);
  });
});
