import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { addresses, registryHost } from "./addresses.ts";
import { write } from "./layout.ts";

const npmName = "tiny-greeting";
const wheelName = "tiny_python-1.0.0-py3-none-any.whl";

/** The user's package index: one small package for npm, one for pip. */
export async function openRegistry(folder: string): Promise<void> {
  const tarball = npmTarball(`${folder}/npm`);
  const wheel = pythonWheel(`${folder}/pip`);
  const origin = `http://${registryHost}`;
  const version = {
    name: npmName,
    version: "1.0.0",
    main: "index.js",
    bin: { [npmName]: "cli.js" },
    dist: {
      tarball: `${origin}/${npmName}/-/${npmName}-1.0.0.tgz`,
      integrity: `sha512-${createHash("sha512").update(tarball).digest("base64")}`,
    },
  };
  const packument = JSON.stringify({ name: npmName, "dist-tags": { latest: "1.0.0" }, versions: { "1.0.0": version } });
  const link = `<a href="${origin}/files/${wheelName}#sha256=${createHash("sha256").update(wheel).digest("hex")}">${wheelName}</a>`;
  const files: Readonly<Record<string, readonly [string, string | Buffer]>> = {
    [`/${npmName}`]: ["application/json", packument],
    [`/${npmName}/-/${npmName}-1.0.0.tgz`]: ["application/octet-stream", tarball],
    "/simple/tiny-python/": ["text/html", `<!doctype html><html><body>${link}</body></html>`],
    [`/files/${wheelName}`]: ["application/octet-stream", wheel],
  };
  const server = createServer((request, response) => {
    const [type, body] = files[request.url ?? ""] ?? [undefined, "not found"];
    response.writeHead(type === undefined ? 404 : 200, { "content-type": type ?? "text/plain" });
    response.end(body);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(80, addresses.registry, resolve);
  });
}

function npmTarball(folder: string): Buffer {
  write(`${folder}/package`, {
    "package.json": JSON.stringify({ name: npmName, version: "1.0.0", main: "index.js", bin: { [npmName]: "cli.js" } }),
    "index.js": "module.exports = () => 'hello from a package';\n",
    "cli.js": "#!/usr/bin/env node\nconsole.log(require('./index.js')());\n",
  });
  execFileSync("tar", ["czf", "package.tgz", "package"], { cwd: folder });
  return readFileSync(`${folder}/package.tgz`);
}

function pythonWheel(folder: string): Buffer {
  const info = "tiny_python-1.0.0.dist-info";
  mkdirSync(folder, { recursive: true });
  write(folder, {
    "tiny_python/__init__.py": "word = 'hello from a wheel'\n",
    [`${info}/METADATA`]: "Metadata-Version: 2.1\nName: tiny-python\nVersion: 1.0.0\n",
    [`${info}/WHEEL`]: "Wheel-Version: 1.0\nGenerator: cage\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    [`${info}/RECORD`]: `tiny_python/__init__.py,,\n${info}/METADATA,,\n${info}/WHEEL,,\n${info}/RECORD,,\n`,
  });
  execFileSync("python3", ["-m", "zipfile", "-c", wheelName, "tiny_python/", `${info}/`], { cwd: folder });
  return readFileSync(`${folder}/${wheelName}`);
}
