import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { thisMachine } from "#foundation/process/platform";
import { readClipboardImage } from "./clipboard-image.ts";

const png = Buffer.from("\x89PNG\r\n\x1a\n\x00\xff\xfe\x80binary", "latin1");
let folder: string;
let bin: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "hermes-clipboard-"));
  bin = path.join(folder, "bin");
  await mkdir(bin);
  await writeFile(path.join(folder, "shot.png"), png);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A program of this name that is a shell script; it writes down what it was called with. */
async function program(name: string, script: string): Promise<void> {
  const file = path.join(bin, name);
  await writeFile(file, `#!/bin/sh\necho "$*" >> ${folder}/${name}.log\nSHOT=${folder}/shot.png\n${script}\n`);
  await chmod(file, 0o755);
}

function read(platform: NodeJS.Platform, more: Readonly<Record<string, string>> = {}) {
  const env = { PATH: bin, ...more };
  const machine = { ...thisMachine(env), platform, read: () => undefined };
  return readClipboardImage({ machine, env, folder: path.join(folder, "images") }, never);
}

const called = async (name: string): Promise<readonly string[]> =>
  (await readFile(path.join(folder, `${name}.log`), "utf8")).trim().split("\n");

describe("the image on the clipboard", () => {
  it("comes from wl-paste on Wayland, byte for byte, as a file for its owner only [20:R10.23]", async () => {
    await program(
      "wl-paste",
      'case "$1" in --list-types) echo text/plain; echo image/png;; *) /bin/cat "$SHOT";; esac',
    );
    await program("xclip", "exit 9");
    const file = await read("linux", { WAYLAND_DISPLAY: "wayland-0" });
    expect(file).toMatch(/images\/clip_\d{8}_\d{6}_[0-9a-f]{6}\.png$/);
    expect(await readFile(file ?? "")).toEqual(png);
    expect((await stat(file ?? "")).mode & 0o777).toBe(0o600);
    expect(await called("wl-paste")).toEqual(["--list-types", "--no-newline --type image/png"]);
  });

  it("comes from xclip on X11 [20:R10.23]", async () => {
    await program("xclip", 'case "$*" in *TARGETS*) echo TIMESTAMP; echo image/png;; *) /bin/cat "$SHOT";; esac');
    expect(await readFile((await read("linux", { DISPLAY: ":0" })) ?? "")).toEqual(png);
    expect((await called("xclip")).at(-1)).toBe("-selection clipboard -t image/png -o");
  });

  it("comes from pngpaste on a Mac, and from osascript without it [20:R10.23]", async () => {
    await program("pngpaste", '/bin/cat "$SHOT"');
    expect(await readFile((await read("darwin")) ?? "")).toEqual(png);
    await rm(path.join(bin, "pngpaste"));
    await program("osascript", `echo '«data PNGf${png.toString("hex").toUpperCase()}»'`);
    expect(await readFile((await read("darwin")) ?? "")).toEqual(png);
  });

  it("comes from PowerShell under WSL and on Windows [20:R10.23]", async () => {
    await program("powershell.exe", `echo ${png.toString("base64")}`);
    expect(await readFile((await read("linux", { WSL_DISTRO_NAME: "Debian" })) ?? "")).toEqual(png);
    expect(await readFile((await read("win32")) ?? "")).toEqual(png);
  });

  it.each([
    ["linux", "wl-paste", "echo text/plain"],
    ["linux", "wl-paste", "echo 'Nothing is copied' >&2; exit 1"],
    ["linux", "xclip", "echo 'Error: target TARGETS not available' >&2; exit 1"],
    ["darwin", "pngpaste", "echo 'pngpaste: No image data found on the clipboard' >&2; exit 1"],
    ["darwin", "osascript", "echo 'execution error: Can’t make some data into the expected type. (-1700)' >&2; exit 1"],
    ["win32", "powershell.exe", "exit 0"],
  ] as const)("is not there when %s has none: %s says %s [20:R10.23]", async (platform, name, script) => {
    await program(name, script);
    expect(await read(platform)).toBeUndefined();
  });

  it.each([
    ["linux", {}, "wl-clipboard (Wayland) or xclip (X11)"],
    ["darwin", {}, "brew install pngpaste"],
    ["linux", { WSL_DISTRO_NAME: "Debian" }, "powershell.exe"],
  ] as const)("says what to install where no program can read it: %s %j [20:R10.23]", async (platform, env, hint) => {
    await expect(read(platform, env)).rejects.toMatchObject({
      message: "No program here can read an image from the clipboard.",
      hint: expect.stringContaining(hint),
    });
  });

  it("says why a program could not look, after the others were tried [20:R10.23]", async () => {
    await program("xclip", 'echo "Error: Can\'t open display: (null)" >&2; exit 1');
    await program("wl-paste", "echo 'Failed to connect to a Wayland server' >&2; exit 1");
    await expect(read("linux")).rejects.toMatchObject({
      message:
        "The clipboard cannot be read (xclip: Error: Can't open display: (null); wl-paste: Failed to connect to a Wayland server).",
    });
  });

  it("refuses what is no image models take [20:R10.24]", async () => {
    await writeFile(path.join(folder, "shot.png"), "BM000000");
    await program("pngpaste", '/bin/cat "$SHOT"');
    await expect(read("darwin")).rejects.toThrow("a BMP image");
  });
});
