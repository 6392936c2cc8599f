// Runs the store's contract on a real PostgreSQL server, installing Debian's packages first where they are missing.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

if (!isInstalled()) install();
run("npx", ["vitest", "run", "--project", "rings", "test/contracts/store-postgres.test.ts"]);

function isInstalled() {
  const folder = "/usr/lib/postgresql";
  return existsSync(folder) && readdirSync(folder).some((version) => existsSync(`${folder}/${version}/bin/initdb`));
}

function install() {
  if (process.platform !== "linux" || process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) {
    console.error("PostgreSQL is missing, and it can be installed here only by root on Debian or Ubuntu.");
    console.error("Install the packages postgresql and postgresql-contrib, then run this again.");
    process.exit(1);
  }
  console.log("Installing PostgreSQL for the tests; its own service is not used.");
  const packages = ["install", "-y", "--no-install-recommends", "postgresql", "postgresql-contrib"];
  const isDone = spawnSync("apt-get", packages, { stdio: "inherit", env: quiet() }).status === 0;
  if (isDone) return;
  run("apt-get", ["update"]);
  run("apt-get", packages);
}

function quiet() {
  return { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
}

function run(command, args) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: "inherit", env: quiet() });
  if (status !== 0) process.exit(status ?? 1);
}
