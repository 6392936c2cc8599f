import fs from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSearchFilesTool } from "../../builtin/search-files.tool.ts";
import { ToolFailure } from "../../contract/result.ts";
import { defaultFileOptions, folderTerminal, leasesOf, runTool, toolContext } from "../../testing.ts";
import { FileLedger } from "../ledger.ts";
import { ReadHistory } from "../read-history.ts";
import { chooseEngine } from "./choose.ts";
import type { SearchEngine } from "./engine.ts";
import { walkerEngine } from "./walker.ts";

const root = fs.realpathSync(fs.mkdtempSync(path.join(tmpdir(), "hermes-search-")));
const put = (name: string, text: string | Uint8Array) => {
  fs.mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
  fs.writeFileSync(path.join(root, name), text);
};

beforeAll(() => {
  put("a.txt", "one needle\ntwo\nthree needle\nfour\n");
  put("src/b.ts", "const needle = 1;\n");
  put("src/deep/c.ts", "// nothing\r\nlet needle;\r\n");
  put("src/skip/d.ts", "needle\n");
  put(".hidden", "needle\n");
  put("bin.dat", Buffer.from([0x6e, 0, 0x65]));
  put(".gitignore", "skip/\n*.log\n!keep.log\n");
  put("x.log", "needle\n");
  put("keep.log", "needle\n");
  put("--weird.txt", "needle -x\n");
  fs.utimesSync(path.join(root, "src/b.ts"), 2_000_000_000, 2_000_000_000);
  fs.utimesSync(path.join(root, "src/deep/c.ts"), 1_000_000_000, 1_000_000_000);
});
afterAll(() => fs.rmSync(root, { recursive: true, force: true }));

const engines: readonly [string, () => Promise<SearchEngine>][] = [
  ["ripgrep", () => chooseEngine(process.env)],
  ["walker", () => Promise.resolve(walkerEngine)],
];

describe.each(engines)("search_files over %s", (name, engine) => {
  const deps = () => ({
    leases: leasesOf(folderTerminal(root)),
    mayRead: () => Promise.resolve(() => true),
    guard: (input: string) => Promise.resolve({ kind: "allowed" as const, realPath: input }),
    ledger: new FileLedger(),
    history: new ReadHistory(),
    options: defaultFileOptions,
    redact: (text: string) => text,
    findMask: () => undefined,
    engine,
  });
  const tool = () => createSearchFilesTool(deps());
  const use = async (args: Record<string, unknown>, one = tool()) => {
    try {
      return (await runTool(one, args, toolContext())).content as Record<string, unknown>;
    } catch (error) {
      if (error instanceof ToolFailure) return { error: error.message, ...error.extra };
      throw error;
    }
  };

  it("shows only lines of the file that was judged, whatever was in its place while it was searched", async () => {
    const elsewhere = fs.realpathSync(fs.mkdtempSync(path.join(tmpdir(), "hermes-elsewhere-")));
    fs.writeFileSync(path.join(elsewhere, "b.ts"), "SECRET needle\n");
    const real = await engine();
    /** A program of the session puts a link in the place of `src` while the engine reads, and the folder back after that. */
    const swapped: SearchEngine = {
      ...real,
      async *content(query) {
        for await (const line of real.content({ ...query, root: elsewhere }))
          yield { ...line, path: path.join(root, "src/b.ts") };
        yield* real.content(query);
      },
    };
    const racing = createSearchFilesTool({ ...deps(), engine: () => Promise.resolve(swapped) });
    const found = await use({ pattern: "needle" }, racing);
    expect(JSON.stringify(found)).not.toContain("SECRET");
    expect(found["changed_while_searching"]).toEqual(["src/b.ts"]);
    expect(JSON.stringify(found["matches"])).toContain("const needle = 1;");
    fs.rmSync(elsewhere, { recursive: true });
  });

  it("shows lines of every encoding that it finds them in", async () => {
    const folder = fs.realpathSync(fs.mkdtempSync(path.join(tmpdir(), "hermes-encodings-")));
    const write = (file: string, bytes: Uint8Array) => fs.writeFileSync(path.join(folder, file), bytes);
    write("l.txt", Buffer.from("x\ncaf\xe9 needle\n", "latin1"));
    write("m.txt", Buffer.from("\ufeffneedle\r\nlast needle"));
    write("u.txt", Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("h\u00e9 needle\n", "utf16le")]));
    const found = await use({ pattern: "needle", path: folder });
    expect(found["changed_while_searching"]).toBeUndefined();
    const paths = (found["matches"] as { path: string }[]).map((one) => path.basename(one.path));
    // The walker takes UTF-16 for binary.
    expect(paths).toEqual(["l.txt", "m.txt", "m.txt", ...(name === "ripgrep" ? ["u.txt"] : [])]);
    fs.rmSync(folder, { recursive: true });
  });

  it("shows no line of a file that may not be read, and says which it left out", async () => {
    const isOpen = (file: string): boolean => !file.endsWith("keep.log");
    const guarded = createSearchFilesTool({ ...deps(), mayRead: () => Promise.resolve(isOpen) });
    const found = JSON.stringify(await use({ pattern: "needle", output_mode: "content" }, guarded));
    expect(found).not.toMatch(/"path":"[^"]*keep\.log"/);
    expect(found).toContain('"hidden_secrets":["keep.log"]');
  });

  it("is the engine it says it is", async () => {
    expect((await engine()).name).toBe(name);
  });

  it("finds lines in files that are not hidden, ignored or binary [30:3.6]", async () => {
    const found = (await use({ pattern: "needle" })) as {
      total_count: number;
      matches: { path: string; line: number; content: string }[];
    };
    expect(found.total_count).toBe(6);
    expect(found.matches.map((one) => `${one.path}:${one.line}`).sort()).toEqual(
      ["--weird.txt:1", "a.txt:1", "a.txt:3", "keep.log:1", "src/b.ts:1", "src/deep/c.ts:2"].sort(),
    );
    expect(found.matches.find((one) => one.path === "src/deep/c.ts")?.content).toBe("let needle;");
  });

  it("narrows by glob, folder and file, and takes a pattern that looks like an option", async () => {
    expect(await use({ pattern: "needle", file_glob: "*.ts" })).toMatchObject({ total_count: 2 });
    expect(await use({ pattern: "needle", path: "src/deep" })).toMatchObject({ total_count: 1 });
    expect(await use({ pattern: "needle", path: "a.txt" })).toMatchObject({ total_count: 2 });
    expect(await use({ pattern: "-x" })).toMatchObject({ total_count: 1 });
  });

  it("shows lines around a match, marked as such", async () => {
    expect(await use({ pattern: "^two", context: 1 })).toMatchObject({
      total_count: 1,
      matches: [
        { line: 1, is_context: true },
        { line: 2, content: "two" },
        { line: 3, is_context: true },
      ],
    });
  });

  it("counts, names files, and pages with a hint inside the JSON", async () => {
    expect(await use({ pattern: "needle", output_mode: "count", path: "a.txt" })).toMatchObject({
      counts: { "a.txt": 2 },
    });
    expect(((await use({ pattern: "needle", output_mode: "files_only" })) as { files: string[] }).files.sort()).toEqual(
      ["--weird.txt", "a.txt", "keep.log", "src/b.ts", "src/deep/c.ts"].sort(),
    );
    const page = (await use({ pattern: "needle", limit: 2, offset: 1 })) as {
      matches: unknown[];
      truncated: boolean;
      _hint: string;
    };
    expect(page.matches).toHaveLength(2);
    expect(page).toMatchObject({ truncated: true, _hint: expect.stringContaining("offset=3") });
  });

  it("lists files by glob, newest first", async () => {
    expect(await use({ pattern: "*.ts", target: "files" })).toMatchObject({
      files: ["src/b.ts", "src/deep/c.ts"],
      total_count: 2,
    });
    expect(await use({ pattern: "src/**/c.*", target: "files" })).toMatchObject({ files: ["src/deep/c.ts"] });
    expect(await use({ pattern: "*", target: "files", path: "src" })).toMatchObject({ total_count: 2 });
  });

  it("explains a broken pattern and a missing path", async () => {
    expect((await use({ pattern: "a(b" }))["error"]).toMatch(/not a valid regular expression/);
    expect(await use({ pattern: "x", path: "scr" })).toMatchObject({ similar_files: [path.join(root, "src")] });
    expect(await use({ pattern: "x", path: "zz/yy" })).toMatchObject({ similar_files: [] });
  });

  it("stops a model that repeats one search [30:8.2]", async () => {
    const one = tool();
    await use({ pattern: "two" }, one);
    await use({ pattern: "two" }, one);
    expect(await use({ pattern: "two" }, one)).toMatchObject({ _warning: expect.any(String), total_count: 1 });
    expect(await use({ pattern: "two" }, one)).toMatchObject({ already_searched: true });
  });

  it("stops at once when interrupted", async () => {
    const stop = new AbortController();
    stop.abort();
    await expect(runTool(tool(), { pattern: "needle" }, toolContext({ signal: stop.signal }))).rejects.toThrow();
  });
});
