import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { loadPlatform } from "#gateway";
import type { Outbound } from "#gateway/testing";
import { missingSynapse, roomOf, type Synapse, standingIn, startSynapse } from "../../fakes/synapse/synapse.ts";
import { type Connected, connectedTo } from "./suite.ts";

const platform = await loadPlatform("matrix");
const missing = missingSynapse();
if (missing !== undefined) process.stderr.write(`encrypted rooms are not tried: ${missing}\n`);

const encrypted = {
  is_direct: true,
  initial_state: [{ type: "m.room.encryption", state_key: "", content: { algorithm: "m.megolm.v1.aes-sha2" } }],
};
const words = (text: string): Outbound => ({ kind: "text", body: { text: `<b>${text}</b>`, plain: text } });
const heardBy = ({ ports }: Connected) => ports.admitted.map(({ text }) => text);

describe.skipIf(missing !== undefined)("an encrypted room on a real Synapse", { timeout: 240_000 }, () => {
  let synapse: Synapse;
  let folder: string;
  beforeAll(async () => {
    synapse = await startSynapse();
    folder = await mkdtemp(path.join(tmpdir(), "hermes-encrypted-"));
  }, 240_000);
  afterAll(async () => {
    await synapse?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  it("both sides read what the server cannot, files too, and after a restart with the keys of the home [40:A-MX-6]", async () => {
    const [ada, bot] = [await synapse.person("ada"), await synapse.person("hermes")];
    const room = await roomOf(ada, [bot], encrypted);
    const kitOf = (person: typeof ada) => ({
      env: { MATRIX_HOMESERVER: synapse.url, MATRIX_ACCESS_TOKEN: person.token },
      settings: { "matrix.encryption": true },
      folder: path.join(folder, person.id),
    });
    const to = { platform: "matrix", account: "", chatId: room };
    let count = 0;
    const send = async (from: Connected, message: Outbound) => {
      count += 1;
      expect(await from.connection.send(to, message, { key: `k${count}`, signal: never })).toMatchObject({
        kind: "sent",
      });
    };
    await using one = await connectedTo(platform, kitOf(ada));
    const first = await connectedTo(platform, kitOf(bot));
    await send(one, words("hello in secret"));
    await expect.poll(() => heardBy(first), { timeout: 60_000 }).toEqual(["hello in secret"]);
    await send(first, words("hello yourself"));
    await expect.poll(() => heardBy(one), { timeout: 60_000 }).toEqual(["hello yourself"]);
    const file = path.join(folder, "plan.txt");
    await writeFile(file, "a secret plan");
    await send(one, { kind: "media", media: "document", file, name: "plan.txt" });
    await expect.poll(() => first.ports.admitted[1]?.attachments.length, { timeout: 60_000 }).toBe(1);
    const [attachment] = first.ports.admitted[1]?.attachments ?? [];
    if (attachment === undefined) throw new Error("there is no file");
    const chunks: Uint8Array[] = [];
    for await (const chunk of (await first.connection.fetchAttachment?.(attachment, never)) ?? []) chunks.push(chunk);
    expect(Buffer.concat(chunks).toString()).toBe("a secret plan");

    await first[Symbol.asyncDispose]();
    await send(one, words("said while nobody listened"));
    await using second = await connectedTo(platform, kitOf(bot), first.ports.positions);
    await expect.poll(() => heardBy(second), { timeout: 60_000 }).toContain("said while nobody listened");
    await send(second, words("still here"));
    await expect.poll(() => heardBy(one), { timeout: 60_000 }).toContain("still here");

    const standing = await standingIn(room, ada);
    expect(standing.map(({ type }) => type)).toEqual(Array(5).fill("m.room.encrypted"));
    expect(JSON.stringify(standing)).not.toContain("secret");
    const store = path.join(folder, bot.id, "own", "store");
    const [kept = ""] = await readdir(store);
    expect((await stat(path.join(store, kept))).mode & 0o777).toBe(0o600);
  });

  it("without encryption switched on, the room is told once that nobody can read it, and nothing is written into it in the clear", async () => {
    const [ada, bot] = [await synapse.person("ada"), await synapse.person("hermes")];
    const room = await roomOf(ada, [bot], encrypted);
    const env = { MATRIX_HOMESERVER: synapse.url, MATRIX_ACCESS_TOKEN: bot.token };
    await using connected = await connectedTo(platform, { env, settings: {} });
    const cipher = {
      algorithm: "m.megolm.v1.aes-sha2",
      ciphertext: "AwgA",
      session_id: "s",
      sender_key: "k",
      device_id: "D",
    };
    for (const key of ["a", "b"])
      await ada.call("PUT", `/rooms/${encodeURIComponent(room)}/send/m.room.encrypted/${key}`, cipher);
    const notices = async () => (await standingIn(room, ada)).filter(({ msgtype }) => msgtype === "m.notice");
    await expect.poll(notices, { timeout: 60_000 }).toHaveLength(1);
    expect(String((await notices())[0]?.["body"])).toContain("MATRIX_ENCRYPTION=true");
    const to = { platform: "matrix", account: "", chatId: room };
    const refused = await connected.connection.send(to, words("in the clear"), { key: "k", signal: never });
    expect(refused).toMatchObject({ kind: "failed", errorClass: "permission" });
    expect(JSON.stringify(await standingIn(room, ada))).not.toContain("in the clear");
    expect(await notices()).toHaveLength(1);
  });
});
