import { createHash } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import type { Shared } from "./contract.ts";
import { never, output, run } from "./run.ts";

const folder = "/tmp/contract files";
const at = (name: string): string => `${folder}/${name}`;
const read = { maxBytes: 200_000_000, signal: never };
const follow = { followLinks: true, signal: never };

/** Exact bytes, every kind of file, every kind of name. */
export function fileContract(shared: () => Shared): void {
  describe("files", () => {
    const files = () => shared().terminal.files;
    beforeAll(async () => {
      await run(shared().terminal, `rm -rf '${folder}'; mkdir -p '${folder}'`);
    });

    it("writes and reads every byte as it is [30:ENV-24]", async () => {
      const bytes = Buffer.from([...Array(256).keys(), 0, 10, 13, 10, 0]);
      await files().write(at("bytes"), bytes, never);
      expect(Buffer.from(await files().read(at("bytes"), read)).equals(bytes)).toBe(true);
      expect(await output(shared().terminal, `wc -c <'${at("bytes")}'`)).toMatch(/^\s*261\n$/);
    });

    it("writes and reads an empty file", async () => {
      await files().write(at("empty"), new Uint8Array(), never);
      expect((await files().read(at("empty"), read)).length).toBe(0);
    });

    it("carries 100 MB there and back", async () => {
      const bytes = Buffer.alloc(100_000_000);
      for (let index = 0; index < bytes.length; index += 4096) bytes.writeUInt32LE(index, index);
      const sum = createHash("sha256").update(bytes).digest("hex");
      await files().write(at("large"), bytes, never);
      expect(await output(shared().terminal, `sha256sum <'${at("large")}'`)).toBe(`${sum}  -\n`);
      const back = await files().read(at("large"), read);
      expect(createHash("sha256").update(back).digest("hex")).toBe(sum);
      await files().remove(at("large"), never);
    });

    it.each(["two words", "it's", 'say "x"', "-rf", "line\nbreak", "ünïcode 你好", "$HOME `id`", "back\\slash", "*"])(
      "takes the name %j",
      async (name) => {
        const file = at(`names/${name}`);
        await files().write(file, Buffer.from(name), never);
        expect(Buffer.from(await files().read(file, read)).toString()).toBe(name);
        expect(await files().list(at("names"), never)).toContain(name);
        await files().remove(file, never);
        expect(await files().stat(file, follow)).toBeUndefined();
      },
    );

    it("makes the folders above a new file", async () => {
      await files().write(at("a/b/c/new"), Buffer.from("x"), never);
      expect(await output(shared().terminal, `cat '${at("a/b/c/new")}'`)).toBe("x");
    });

    it("keeps the mode of a file and leaves nothing beside it", async () => {
      const { terminal } = shared();
      await run(
        terminal,
        `mkdir -p '${at("mode")}'; echo old >'${at("mode/run.sh")}'; chmod 751 '${at("mode/run.sh")}'`,
      );
      await files().write(at("mode/run.sh"), Buffer.from("new"), never);
      expect(await files().stat(at("mode/run.sh"), follow)).toMatchObject({ mode: 0o751, size: 3, kind: "file" });
      expect(await files().list(at("mode"), never)).toEqual(["run.sh"]);
    });

    it("writes through a link and leaves it a link", async () => {
      const { terminal } = shared();
      await run(terminal, `cd '${folder}'; echo old >target; ln -sf target link`);
      await files().write(at("link"), Buffer.from("through"), never);
      expect(await output(terminal, `cat '${at("target")}'`)).toBe("through");
      expect((await files().stat(at("link"), { followLinks: false, signal: never }))?.kind).toBe("link");
      expect((await files().stat(at("link"), follow))?.kind).toBe("file");
      await run(terminal, `cd '${terminal.home}'`);
    });

    it("tells kinds, sizes and times", async () => {
      const { terminal } = shared();
      await run(
        terminal,
        `mkdir -p '${at("kinds")}'; mkfifo '${at("kinds/fifo")}' 2>/dev/null; printf 12345 >'${at("kinds/five")}'; touch -d @1700000000 '${at("kinds/five")}'`,
      );
      expect(await files().stat(at("kinds/five"), follow)).toMatchObject({
        kind: "file",
        size: 5,
        modifiedMs: 1_700_000_000_000,
      });
      expect((await files().stat(at("kinds"), follow))?.kind).toBe("directory");
      expect((await files().stat("/dev/null", follow))?.kind).toBe("other");
      expect(await files().stat(at("kinds/none"), follow)).toBeUndefined();
      expect(await files().stat(at("kinds/five/below"), follow)).toBeUndefined();
    });

    it("lists hidden names too, and nothing of itself", async () => {
      await run(
        shared().terminal,
        `mkdir -p '${at("list/sub")}'; touch '${at("list/.hidden")}' '${at("list/..odd")}' '${at("list/plain")}'`,
      );
      expect([...(await files().list(at("list"), never))].sort()).toEqual(["..odd", ".hidden", "plain", "sub"]);
      await run(shared().terminal, `mkdir -p '${at("hollow")}'`);
      expect(await files().list(at("hollow"), never)).toEqual([]);
    });

    it("removes files, not folders", async () => {
      await files().write(at("gone"), Buffer.from("x"), never);
      await files().remove(at("gone"), never);
      expect(await files().stat(at("gone"), follow)).toBeUndefined();
      await expect(files().remove(at("gone"), never)).rejects.toThrow(/does not exist/);
      await expect(files().remove(folder, never)).rejects.toThrow();
    });

    it("moves files, into folders that it makes", async () => {
      await files().write(at("from"), Buffer.from("moved"), never);
      await files().rename(at("from"), at("into/new/to"), never);
      expect(Buffer.from(await files().read(at("into/new/to"), read)).toString()).toBe("moved");
      expect(await files().stat(at("from"), follow)).toBeUndefined();
    });

    it("resolves links, also to what is not there yet", async () => {
      const { terminal } = shared();
      await run(
        terminal,
        `cd '${folder}'; mkdir -p real; echo x >real/file; ln -sfn real alias; ln -sf nowhere/else dangling; cd`,
      );
      const real = await files().realPath(folder, never);
      expect(await files().realPath(at("alias/file"), never)).toBe(`${real}/real/file`);
      expect(await files().realPath(at("alias/not/there"), never)).toBe(`${real}/real/not/there`);
      expect(await files().realPath(at("dangling"), never)).toBe(`${real}/nowhere/else`);
      expect(await files().realPath("/", never)).toBe("/");
    });

    it.each([
      ["a missing file", "none", /does not exist/],
      ["a folder", "", /it is a folder/],
    ])("says why %s cannot be read", async (_what, name, why) => {
      await expect(files().read(at(name), read)).rejects.toThrow(why);
    });

    it("does not read more than it may", async () => {
      await files().write(at("thousand"), Buffer.alloc(1_000), never);
      await expect(files().read(at("thousand"), { maxBytes: 999, signal: never })).rejects.toThrow(/1000 bytes/);
      expect((await files().read(at("thousand"), { maxBytes: 1_000, signal: never })).length).toBe(1_000);
    });

    it("says why a folder cannot be listed, or written as a file", async () => {
      await expect(files().list(at("none"), never)).rejects.toThrow(/does not exist/);
      await expect(files().write(folder, Buffer.from("x"), never)).rejects.toThrow();
    });

    it("takes many writes at once, each whole", async () => {
      const names = [...Array(8).keys()].map((index) => at(`many/${index}`));
      await Promise.all(names.map((name, index) => files().write(name, Buffer.alloc(50_000, index), never)));
      const back = await Promise.all(names.map((name) => files().read(name, read)));
      expect(back.every((bytes, index) => bytes.length === 50_000 && bytes.every((byte) => byte === index))).toBe(true);
    });

    it("stops when it is told to", async () => {
      const stop = AbortSignal.abort(new Error("stopped"));
      await expect(files().read(at("bytes"), { maxBytes: 1_000, signal: stop })).rejects.toThrow("stopped");
      await expect(files().write(at("never"), Buffer.from("x"), stop)).rejects.toThrow("stopped");
      expect(await files().stat(at("never"), follow)).toBeUndefined();
    });
  });
}
