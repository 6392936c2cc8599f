// Shared by the entry scripts. They run before anything is installed, so: Node's own modules only.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, lstatSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const root = path.join(path.dirname(fileURLToPath(import.meta.url)), "..", "..");

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Hermes needs Node 20.19 or newer; this is ${process.version}. Install a newer Node and try again.`);
  process.exit(1);
}

/** Runs a command in the repository and resolves to its exit code. */
export function run(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, stdio: "inherit", ...options });
    child.on("error", reject);
    child.on("exit", (code, signal) => resolve(signal === null ? (code ?? 1) : 1));
  });
}

export const nodeTool = (file, ...args) => run(process.execPath, [path.join(root, "node_modules", file), ...args]);

const hashOf = (...texts) => createHash("sha256").update(texts.join("\0")).digest("hex");

/** npm writes its own record of what is installed last; older than the lockfile means out of date. */
function isInstalled() {
  const modules = path.join(root, "node_modules");
  // A link leads to another checkout's folder; installing through it would empty that.
  if (lstatSync(modules, { throwIfNoEntry: false })?.isSymbolicLink()) return true;
  const record = path.join(modules, ".package-lock.json");
  return existsSync(record) && statSync(record).mtimeMs >= statSync(path.join(root, "package-lock.json")).mtimeMs;
}

/** Installs the locked dependencies when they changed since the last time; quick otherwise. */
export async function ensureInstalled() {
  if (isInstalled()) return;
  console.error("Installing dependencies (only when package-lock.json changed)…");
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const code = await run(npm, ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], {
    stdio: ["ignore", 2, 2],
    shell: process.platform === "win32",
  });
  if (code !== 0) {
    console.error("npm ci failed; nothing else was done. Read its message above, then run this command again.");
    process.exit(code);
  }
}

/** A fingerprint of everything the build reads; modification times and sizes, so that it takes milliseconds. */
function sourceFingerprint() {
  const facts = [];
  for (const folder of ["src", "scripts", "skills", "test/fakes/model-server"]) {
    const base = path.join(root, folder);
    if (!existsSync(base)) continue;
    for (const file of readdirSync(base, { recursive: true, encoding: "utf8" }).sort()) {
      if (file.endsWith(".test.ts")) continue;
      const entry = statSync(path.join(base, file));
      if (entry.isFile()) facts.push(`${folder}/${file}:${entry.size}:${entry.mtimeMs}`);
    }
  }
  return hashOf(readFileSync(path.join(root, "package.json"), "utf8"), ...facts);
}

/** Builds `dist/` when a source changed since the last build. */
export async function ensureBuilt() {
  const stamp = path.join(root, "dist", ".built");
  const wanted = sourceFingerprint();
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  console.log("Building (only when the source changed)…");
  const code = await run(process.execPath, [path.join(root, "scripts", "build.mjs")]);
  if (code !== 0) process.exit(code);
  writeFileSync(stamp, wanted);
}
