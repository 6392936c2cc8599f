import { constants } from "node:fs";
import { access } from "node:fs/promises";
import path from "node:path";
import type { Environment } from "../web/service-call.ts";

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge"];
const usualPlaces = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
  "C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe",
];

/** The Chromium of this machine: the configured one, or the first on the search path. */
export async function findChromium(env: Environment, configured?: string): Promise<string | undefined> {
  if (configured !== undefined && configured !== "") return (await isExecutable(configured)) ? configured : undefined;
  const folders = (env["PATH"] ?? "").split(path.delimiter).filter((folder) => folder !== "");
  const candidates = [...names.flatMap((name) => folders.map((folder) => path.join(folder, name))), ...usualPlaces];
  for (const candidate of candidates) if (await isExecutable(candidate)) return candidate;
  return undefined;
}

async function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}
