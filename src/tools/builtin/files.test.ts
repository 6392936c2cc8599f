import { createHash } from "node:crypto";
import fs from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ToolFailure } from "../contract/result.ts";
import type { Tool } from "../contract/tool.ts";
import type { FileDeps } from "../files/file-access.ts";
import { FileLedger } from "../files/ledger.ts";
import { ReadHistory } from "../files/read-history.ts";
import { defaultFileOptions, folderTerminal, leasesOf, runTool, toolContext } from "../testing.ts";
import { createPatchTool } from "./patch.tool.ts";
import { createReadFileTool } from "./read-file.tool.ts";
import { createWriteFileTool } from "./write-file.tool.ts";

let folder = "";
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(tmpdir(), "hermes-files-"));
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

const file = (name: string) => path.join(folder, name);
const put = (name: string, text: string | Uint8Array) => fs.writeFileSync(file(name), text);
const get = (name: string) => fs.readFileSync(file(name), "utf8");

function deps(changes: Partial<FileDeps> = {}): FileDeps {
  return {
    leases: leasesOf(folderTerminal(folder)),
    mayRead: () => Promise.resolve(() => true),
    guard: async (input, _use, { terminal, signal }) => ({
      kind: "allowed",
      realPath: await terminal.files.realPath(input, signal),
    }),
    ledger: new FileLedger(),
    history: new ReadHistory(),
    options: defaultFileOptions,
    redact: (text) => text,
    findMask: () => undefined,
    ...changes,
  };
}

async function use(tool: Tool, args: Record<string, unknown>, taskId = "default"): Promise<Record<string, unknown>> {
  try {
    return (await runTool(tool, args, toolContext({ taskId }))).content as Record<string, unknown>;
  } catch (error) {
    if (error instanceof ToolFailure) return { error: error.message, ...error.extra };
    throw error;
  }
}

describe("read_file", () => {
  it("numbers the lines and counts a last line without newline [30:3.3]", async () => {
    put("a.txt", "one\ntwo\nthree");
    expect(await use(createReadFileTool(deps()), { path: "a.txt" })).toMatchObject({
      content: "     1|one\n     2|two\n     3|three",
      total_lines: 3,
      file_size: 13,
      truncated: false,
    });
  });

  it("pages, clamps odd wishes and says where to go on", async () => {
    put("a.txt", Array.from({ length: 50 }, (_, index) => `line ${index + 1}`).join("\n"));
    const tool = createReadFileTool(deps());
    expect(await use(tool, { path: "a.txt", offset: 10, limit: 2 })).toMatchObject({
      content: "    10|line 10\n    11|line 11",
      truncated: true,
      hint: "Lines 10-11 of 50; go on with offset=12",
    });
    expect(await use(tool, { path: "a.txt", offset: -5, limit: 0 })).toMatchObject({ content: "     1|line 1" });
    expect(await use(tool, { path: "a.txt", offset: 999 })).toMatchObject({ content: "    50|line 50" });
  });

  it("suggests similar names for a missing file", async () => {
    put("README.md", "x");
    put("readme2.md", "x");
    expect(await use(createReadFileTool(deps()), { path: "readme.md" })).toEqual({
      error: `File not found: ${file("readme.md")}`,
      similar_files: [file("README.md"), file("readme2.md")],
    });
  });

  it("does not hang on devices, also behind a link", async () => {
    fs.symlinkSync("/dev/urandom", file("link"));
    for (const input of ["/dev/urandom", "/dev/fd/0", "link"]) {
      expect((await use(createReadFileTool(deps()), { path: input }))["error"]).toMatch(/device/);
    }
  });

  it("shows text only: images, binaries and folders are named as such", async () => {
    put("p.png", "x");
    put("z.zip", "x");
    put("x.dat", "plain text");
    put("y.txt", Buffer.from([0, 1, 2, 3, 0, 1, 2]));
    const tool = createReadFileTool(deps());
    expect(await use(tool, { path: "p.png" })).toMatchObject({ is_image: true, file_size: 1 });
    expect(await use(tool, { path: "z.zip" })).toMatchObject({
      is_binary: true,
      error: expect.stringContaining("binary"),
    });
    expect(await use(tool, { path: "x.dat" })).toMatchObject({ content: "     1|plain text" });
    expect(await use(tool, { path: "y.txt" })).toMatchObject({ is_binary: true });
    expect((await use(tool, { path: "." }))["error"]).toContain("search_files");
  });

  it("decodes UTF-16 and Latin-1 and says so", async () => {
    put("u.txt", Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("héé", "utf16le")]));
    put("l.txt", Buffer.from("caf\xe9", "latin1"));
    const tool = createReadFileTool(deps());
    expect(await use(tool, { path: "u.txt" })).toMatchObject({ content: "     1|héé", encoding: "utf-16le" });
    expect(await use(tool, { path: "l.txt" })).toMatchObject({ content: "     1|café", encoding: "latin1" });
  });

  it("answers an unchanged page with a note, and stops a reader that repeats itself [30:8.2]", async () => {
    put("a.txt", "one");
    const shared = deps();
    const tool = createReadFileTool(shared);
    await use(tool, { path: "a.txt" });
    expect(await use(tool, { path: "a.txt" })).toMatchObject({ dedup: true });
    expect(await use(tool, { path: "a.txt" })).toMatchObject({ _warning: expect.stringContaining("third") });
    expect(await use(tool, { path: "a.txt" })).toMatchObject({ already_read: true });
    put("a.txt", "two");
    shared.history.reset("default");
    expect(await use(tool, { path: "a.txt" })).toMatchObject({ content: "     1|two" });
  });

  it("says when a secret was masked", async () => {
    put(".envrc", "KEY=abc");
    const tool = createReadFileTool(deps({ redact: (text) => text.replace("abc", "***") }));
    expect(await use(tool, { path: ".envrc" })).toMatchObject({ content: "     1|KEY=***", redacted: true });
  });

  it("refuses a page too large to show", async () => {
    put("a.txt", `${"x".repeat(1_990)}\n`.repeat(400));
    expect((await use(createReadFileTool(deps()), { path: "a.txt" }))["error"]).toContain("offset and limit");
  });
});

describe("write_file", () => {
  it("creates folders, proves what is on disk, and shows the change when it overwrites [30:3.4]", async () => {
    const tool = createWriteFileTool(deps());
    const first = await use(tool, { path: "a/b/c.txt", content: "hello\n" });
    expect(first).toMatchObject({ bytes_written: 6, dirs_created: true });
    expect(first["sha256"]).toBe(createHash("sha256").update("hello\n").digest("hex"));
    expect(await use(tool, { path: "a/b/c.txt", content: "bye\n" })).toMatchObject({
      dirs_created: false,
      diff: expect.stringMatching(/-hello\n\+bye/),
    });
  });

  it("does not overwrite what changed since it was read [30:8.1]", async () => {
    put("a.txt", "one");
    const shared = deps();
    await use(createReadFileTool(shared), { path: "a.txt" });
    put("a.txt", "someone else");
    expect(await use(createWriteFileTool(shared), { path: "a.txt", content: "mine" })).toMatchObject({ stale: true });
    expect(get("a.txt")).toBe("someone else");
  });

  it("names the agent that wrote in between, and a partial view", async () => {
    put("f.txt", Array.from({ length: 100 }, (_, index) => `${index}`).join("\n"));
    const shared = deps();
    await use(createReadFileTool(shared), { path: "f.txt" }, "A");
    await use(createWriteFileTool(shared), { path: "f.txt", content: "from B\n" }, "B");
    expect((await use(createWriteFileTool(shared), { path: "f.txt", content: "from A\n" }, "A"))["_warning"]).toContain(
      "agent B",
    );
    put("g.txt", Array.from({ length: 100 }, (_, index) => `${index}`).join("\n"));
    await use(createReadFileTool(shared), { path: "g.txt", limit: 10 }, "A");
    expect((await use(createWriteFileTool(shared), { path: "g.txt", content: "x" }, "A"))["_warning"]).toContain(
      "only a part",
    );
  });

  it("refuses to write a masked secret back, unless the mask stood there already [30:9.1] [30:W-12]", async () => {
    put("k.txt", "KEY=sk-real-secret");
    const tool = createWriteFileTool(
      deps({ findMask: (text) => (text.includes("sk-r...cret") ? "sk-r...cret" : undefined) }),
    );
    expect(await use(tool, { path: "k.txt", content: "KEY=sk-r...cret\nX=1" })).toMatchObject({ masked_secret: true });
    expect(get("k.txt")).toBe("KEY=sk-real-secret");
    put("doc.txt", "looks like sk-r...cret");
    expect(await use(tool, { path: "doc.txt", content: "it looks like sk-r...cret" })).toMatchObject({
      bytes_written: 25,
    });
  });

  it("keeps the encoding and the mode of the file, and writes through links", async () => {
    put("u.txt", Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("alt", "utf16le")]));
    put("run.sh", "#!/bin/sh\n");
    fs.chmodSync(file("run.sh"), 0o755);
    fs.symlinkSync(file("run.sh"), file("link.sh"));
    const tool = createWriteFileTool(deps());
    await use(tool, { path: "u.txt", content: "neu" });
    expect(fs.readFileSync(file("u.txt")).subarray(0, 2)).toEqual(Buffer.from([0xff, 0xfe]));
    await use(tool, { path: "link.sh", content: "#!/bin/sh\necho\n" });
    expect(fs.lstatSync(file("link.sh")).isSymbolicLink()).toBe(true);
    expect(get("run.sh")).toBe("#!/bin/sh\necho\n");
    expect(fs.statSync(file("run.sh")).mode & 0o777).toBe(0o755);
  });

  it("explains bad input and refused paths without writing", async () => {
    expect(await use(createWriteFileTool(deps()), { path: "a", content: ["x"] })).toMatchObject({
      error: expect.stringContaining("must be a string"),
    });
    expect(await use(createWriteFileTool(deps()), { path: " ", content: "" })).toMatchObject({
      error: expect.stringContaining("path"),
    });
    const guarded = deps({ guard: () => Promise.resolve({ kind: "refused", reason: "system files are off limits" }) });
    expect(await use(createWriteFileTool(guarded), { path: "/etc/passwd", content: "" })).toMatchObject({
      error: "system files are off limits",
    });
  });

  it("writes exactly the bytes that were meant, whatever the text", async () => {
    const tool = createWriteFileTool(deps());
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary", maxLength: 300 }), async (text) => {
        await use(tool, { path: "any.txt", content: text });
        expect(fs.readFileSync(file("any.txt"))).toEqual(Buffer.from(text, "utf8"));
      }),
      { numRuns: 100 },
    );
  });
});

describe("patch", () => {
  it("replaces a unique snippet, tells how it found it, and shows the diff [30:3.5]", async () => {
    put("a.py", "class A:\n    def f():\n        return 1\n");
    expect(
      await use(createPatchTool(deps()), {
        mode: "replace",
        path: "a.py",
        old_string: "def f():\n    return 1",
        new_string: "def f():\n    return 2",
      }),
    ).toMatchObject({
      success: true,
      match_strategy: "line_trimmed",
      files_modified: [file("a.py")],
      diff: expect.stringContaining("+        return 2"),
    });
  });

  it("leaves the file alone when the snippet is ambiguous or missing, and helps to find it", async () => {
    put("a.txt", "x = 1\ny = 2\nx = 1\n");
    const tool = createPatchTool(deps());
    const ambiguous = await use(tool, { mode: "replace", path: "a.txt", old_string: "x = 1", new_string: "x = 3" });
    expect(ambiguous).toMatchObject({ success: false, error: expect.stringContaining("2 times") });
    const missing = await use(tool, { mode: "replace", path: "a.txt", old_string: "y = 3", new_string: "" });
    expect(missing["error"]).toMatch(/^Could not find/);
    expect(missing["closest_sections"]).toEqual(expect.arrayContaining([expect.stringContaining("     2|y = 2")]));
    expect(get("a.txt")).toBe("x = 1\ny = 2\nx = 1\n");
  });

  it("works on a file that changed since it was read, and warns [30:8.1]", async () => {
    put("a.txt", "one\n");
    const shared = deps();
    await use(createReadFileTool(shared), { path: "a.txt" });
    put("a.txt", "one\nmore\n");
    expect(await use(createPatchTool(shared), { path: "a.txt", old_string: "one", new_string: "1" })).toMatchObject({
      success: true,
      _warning: expect.stringContaining("changed on disk"),
    });
    expect(get("a.txt")).toBe("1\nmore\n");
  });

  it("keeps CRLF everywhere [30:8.5]", async () => {
    put("w.txt", "a\r\nb\r\nc\r\n");
    await use(createPatchTool(deps()), { path: "w.txt", old_string: "a\nb", new_string: "a\nB\nB2" });
    expect(get("w.txt")).toBe("a\r\nB\r\nB2\r\nc\r\n");
  });

  it("applies a patch over several files or none of it [30:3.5]", async () => {
    put("a.txt", "one\n");
    put("b.txt", "two\n");
    const tool = createPatchTool(deps());
    const bad = "*** Update File: a.txt\n@@\n-one\n+1\n*** Update File: b.txt\n@@\n-not in there at all\n+2\n";
    expect(await use(tool, { mode: "patch", patch: bad })).toMatchObject({
      success: false,
      error: expect.stringContaining("nothing was changed"),
    });
    expect([get("a.txt"), get("b.txt")]).toEqual(["one\n", "two\n"]);
    const good =
      "*** Update File: a.txt\n@@\n-one\n+1\n*** Add File: c.txt\n+new\n*** Delete File: b.txt\n*** Move File: a.txt -> d.txt\n";
    expect(await use(tool, { mode: "patch", patch: good })).toMatchObject({
      success: true,
      files_modified: ["a.txt", "a.txt -> d.txt"],
      files_created: ["c.txt"],
      files_deleted: ["b.txt"],
    });
    expect(fs.readdirSync(folder).sort()).toEqual(["c.txt", "d.txt"]);
    expect(get("d.txt")).toBe("1\n");
  });

  it("puts everything back when a write fails halfway [30:W-20]", async () => {
    put("a.txt", "one\n");
    put("b.txt", "two\n");
    const terminal = folderTerminal(folder);
    const breaking = {
      ...terminal,
      files: {
        ...terminal.files,
        write: (target: string, data: Uint8Array, signal: AbortSignal) =>
          target.endsWith("b.txt") && Buffer.from(data).includes("2")
            ? Promise.reject(new ToolFailure("the disk is full"))
            : terminal.files.write(target, data, signal),
        resolved: undefined,
      },
    };
    const tool = createPatchTool(deps({ leases: leasesOf(breaking) }));
    const patch = "*** Update File: a.txt\n@@\n-one\n+1\n*** Update File: b.txt\n@@\n-two\n+2\n";
    expect((await use(tool, { mode: "patch", patch }))["error"]).toContain("All files are as they were");
    expect([get("a.txt"), get("b.txt")]).toEqual(["one\n", "two\n"]);
  });

  it("passes every path of a patch through the guard", async () => {
    put("a.txt", "x\n");
    const guard: FileDeps["guard"] = async (input, _use, { terminal, signal }) =>
      input.includes("forbidden")
        ? { kind: "refused", reason: "no" }
        : { kind: "allowed", realPath: await terminal.files.realPath(input, signal) };
    const tool = createPatchTool(deps({ guard }));
    expect(await use(tool, { mode: "patch", patch: "*** Move File: a.txt -> forbidden.txt\n" })).toMatchObject({
      error: "no",
    });
    expect(get("a.txt")).toBe("x\n");
  });
});

describe("a link that comes into a path after it was judged", () => {
  /** Lets everything through, and then puts another folder or a link to a file in the place of what it let through. */
  const swapping = (swap: () => void): Partial<FileDeps> => ({
    guard: async (input, _use, { terminal, signal }) => {
      const realPath = await terminal.files.realPath(input, signal);
      swap();
      return { kind: "allowed", realPath };
    },
  });
  const secrets = () => fs.readdirSync(file("secret")).map((name) => [name, get(`secret/${name}`)]);
  const lay = () => {
    for (const name of ["work", "secret"]) fs.mkdirSync(file(name));
    put("work/f.txt", "harmless");
    put("secret/f.txt", "SECRET");
    return secrets();
  };
  const folderSwap = () => {
    fs.renameSync(file("work"), file("moved"));
    fs.symlinkSync(file("secret"), file("work"));
  };
  const fileSwap = () => {
    fs.rmSync(file("work/f.txt"));
    fs.symlinkSync(file("secret/f.txt"), file("work/f.txt"));
  };

  it.each([
    ["a folder", folderSwap],
    ["the file itself", fileSwap],
  ])("leads no reading elsewhere: %s", async (_, swap) => {
    lay();
    const answer = await use(createReadFileTool(deps(swapping(swap))), { path: "work/f.txt" });
    expect(JSON.stringify(answer)).not.toContain("SECRET");
    expect(answer["error"]).toBeDefined();
  });

  it.each([
    ["a folder", folderSwap],
    ["the file itself", fileSwap],
  ])("leads no writing elsewhere: %s", async (_, swap) => {
    const kept = lay();
    const answer = await use(createWriteFileTool(deps(swapping(swap))), { path: "work/f.txt", content: "ESCAPED" });
    expect(secrets()).toEqual(kept);
    expect(answer["error"]).toBeDefined();
  });

  it("leads no new file, no new folder, no patch and no removal elsewhere", async () => {
    const kept = lay();
    const write = createWriteFileTool(deps(swapping(folderSwap)));
    await use(write, { path: "work/new/deep/n.txt", content: "ESCAPED" });
    expect(secrets()).toEqual(kept);
    fs.rmSync(file("work"));
    fs.renameSync(file("moved"), file("work"));
    const patch = createPatchTool(deps(swapping(folderSwap)));
    await use(patch, { mode: "patch", patch: "*** Begin Patch\n*** Delete File: work/f.txt\n*** End Patch" });
    expect(secrets()).toEqual(kept);
  });

  it("is judged anew by the next call", async () => {
    lay();
    const tool = createReadFileTool(deps());
    expect(await use(tool, { path: "work/f.txt" })).toMatchObject({ content: "     1|harmless" });
    folderSwap();
    // What was allowed then says nothing about where the path leads now.
    const judged: string[] = [];
    const guard: FileDeps["guard"] = async (input, _use, { terminal, signal }) => {
      const realPath = await terminal.files.realPath(input, signal);
      judged.push(realPath);
      return { kind: "refused", reason: "no" };
    };
    expect(await use(createReadFileTool(deps({ guard })), { path: "work/f.txt" })).toMatchObject({ error: "no" });
    expect(judged).toEqual([fs.realpathSync(file("secret/f.txt"))]);
  });
});
