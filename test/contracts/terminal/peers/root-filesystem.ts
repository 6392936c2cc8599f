import { execFile } from "node:child_process";
import { chmod, copyFile, mkdir, realpath, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

const programs =
  "bash sh dd mktemp cat ls mv cp rm mkdir chmod chown stat readlink wc head tail sleep ps grep sed find sort env tr od seq touch ln id tar dirname basename setsid sha256sum mkfifo tee cmp date base64 stty true false python3 pkill pgrep";

/** A small Linux made of the programs of this machine and what they load: an image without a registry. */
export async function makeRootFilesystem(root: string): Promise<void> {
  const folders = ["usr/bin", "tmp", "root", "home", "etc", "proc", "sys", "dev", "run", "var/tmp", "workspace"];
  for (const folder of folders) await mkdir(path.join(root, folder), { recursive: true });
  await Promise.all(["tmp", "var/tmp"].map((folder) => chmod(path.join(root, folder), 0o1777)));
  await symlink("usr/bin", path.join(root, "bin"));
  const copied = new Set<string>();
  for (const name of programs.split(" ")) await copyProgram(root, name, copied);
  await copyPython(root);
  await writeFile(path.join(root, "etc/passwd"), "root:x:0:0:root:/root:/bin/bash\n");
  await writeFile(path.join(root, "etc/group"), "root:x:0:\n");
}

async function copyProgram(root: string, name: string, copied: Set<string>): Promise<void> {
  const found = await firstOf([`/usr/bin/${name}`, `/bin/${name}`]);
  if (found === undefined) return;
  await copyFile(found, path.join(root, "usr/bin", name));
  const { stdout } = await run("ldd", [found]).catch(() => ({ stdout: "" }));
  for (const [library] of stdout.matchAll(/\/[^\s)]+/g)) {
    if (copied.has(library)) continue;
    copied.add(library);
    await mkdir(path.dirname(path.join(root, library)), { recursive: true });
    await copyFile(library, path.join(root, library));
  }
}

/** The modules a script needs, not all of them. */
async function copyPython(root: string): Promise<void> {
  const { stdout } = await run("/usr/bin/python3", ["-c", "import sysconfig; print(sysconfig.get_path('stdlib'))"]);
  const library = stdout.trim();
  const target = path.join(root, library);
  await mkdir(target, { recursive: true });
  await run("sh", [
    "-c",
    'cd "$1" && cp *.py "$2" && cp -r json re collections encodings importlib lib-dynload urllib "$2" 2>/dev/null; true',
    "sh",
    library,
    target,
  ]);
}

async function firstOf(files: readonly string[]): Promise<string | undefined> {
  for (const file of files) {
    const real = await realpath(file).catch(() => undefined);
    if (real !== undefined) return real;
  }
  return undefined;
}
