import { accessSync, constants, existsSync } from "node:fs";
import path from "node:path";
import type { Environment } from "../web/service-call.ts";

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge"];
const usualLocations = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
  "C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe",
];

/** The Chromium of this machine: the first on the search path. */
export async function findChromium(env: Environment): Promise<string | undefined> {
  const folders = (env["PATH"] ?? "").split(path.delimiter).filter((folder) => folder !== "");
  const candidates = [...names.flatMap((name) => folders.map((folder) => folder + path.sep + name)), ...usualLocations];
  return candidates.find(isExecutable);
}

/** Dozens of places are looked at whenever a session begins; asking for each on another thread takes far longer. */
function isExecutable(file: string): boolean {
  if (!existsSync(file)) return false;
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
