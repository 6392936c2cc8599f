import { isWsl, type Machine } from "#foundation/process/platform";
import type { ProgramOutput } from "./run-program.ts";

/** A program that can give the image on the clipboard. */
export interface ClipboardProgram {
  readonly name: string;
  /** Asks the program, in one call or several. */
  readonly read: (run: RunCall) => Promise<ClipboardAnswer>;
}

type RunCall = (...args: readonly string[]) => Promise<ProgramOutput>;

type ClipboardAnswer =
  | { readonly kind: "image"; readonly bytes: Buffer }
  | { readonly kind: "none" }
  | { readonly kind: "failed"; readonly reason: string };

/** In the order they are tried on this machine, and what to install when none of them is there. */
export function clipboardPrograms(machine: Machine): {
  readonly programs: readonly ClipboardProgram[];
  readonly install: string;
} {
  if (machine.platform === "darwin")
    return { programs: [pngpaste, osascript], install: "Install pngpaste: brew install pngpaste" };
  if (machine.platform === "win32") return { programs: [powershell], install: "PowerShell is needed for that." };
  const linux = [wlPaste, xclip];
  if (isWsl(machine))
    return { programs: [powershell, ...linux], install: "powershell.exe of Windows must be on the PATH." };
  return {
    programs: (machine.env["WAYLAND_DISPLAY"] ?? "") === "" ? [xclip, wlPaste] : linux,
    install: "Install wl-clipboard (Wayland) or xclip (X11).",
  };
}

/** Formats models take, the best first. */
const wanted = ["image/png", "image/jpeg", "image/webp", "image/gif"];

const wlPaste: ClipboardProgram = {
  name: "wl-paste",
  read: async (run) => ofType(await run("--list-types"), (type) => run("--no-newline", "--type", type)),
};

const xclip: ClipboardProgram = {
  name: "xclip",
  read: async (run) => {
    const ask = (type: string): Promise<ProgramOutput> => run("-selection", "clipboard", "-t", type, "-o");
    return ofType(await ask("TARGETS"), ask);
  },
};

/** Writes the image to its output; says so when there is none. */
const pngpaste: ClipboardProgram = { name: "pngpaste", read: async (run) => answerOf(await run("-")) };

const osascript: ClipboardProgram = {
  name: "osascript",
  read: async (run) => {
    const result = await run("-e", "the clipboard as «class PNGf»");
    const hex = /«data PNGf([0-9A-F]+)»/i.exec(result.bytes.toString("utf8"))?.[1];
    if (hex !== undefined) return { kind: "image", bytes: Buffer.from(hex, "hex") };
    return result.isOk ? { kind: "none" } : answerOf(result);
  },
};

const powershellScript =
  "Add-Type -AssemblyName System.Windows.Forms,System.Drawing; $i=[Windows.Forms.Clipboard]::GetImage(); " +
  "if($i){$m=New-Object IO.MemoryStream; $i.Save($m,[Drawing.Imaging.ImageFormat]::Png); [Convert]::ToBase64String($m.ToArray())}";

const powershell: ClipboardProgram = {
  name: "powershell.exe",
  read: async (run) => {
    const result = await run("-NoProfile", "-NonInteractive", "-STA", "-Command", powershellScript);
    if (!result.isOk) return answerOf(result);
    const text = result.bytes.toString("latin1").replace(/\s+/g, "");
    return text === "" ? { kind: "none" } : { kind: "image", bytes: Buffer.from(text, "base64") };
  },
};

/** The list of what the clipboard offers, then the best of it. */
async function ofType(list: ProgramOutput, read: (type: string) => Promise<ProgramOutput>): Promise<ClipboardAnswer> {
  if (!list.isOk) return answerOf(list);
  const offered = new Set(list.bytes.toString("utf8").split(/\s+/));
  const type = wanted.find((one) => offered.has(one));
  return type === undefined ? { kind: "none" } : answerOf(await read(type));
}

const nothingThere = /not available|nothing is copied|no selection|no image|no suitable|can.t make some data|-1700/i;

function answerOf({ isOk, bytes, complaint }: ProgramOutput): ClipboardAnswer {
  if (isOk) return bytes.length === 0 ? { kind: "none" } : { kind: "image", bytes };
  return nothingThere.test(complaint) ? { kind: "none" } : { kind: "failed", reason: complaint };
}
