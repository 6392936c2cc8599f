import fs from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { proveWrites, seeded } from "../test/proofs/writes.ts";

const count = Number(process.argv[2] ?? 10_000);
const seed = Number(process.argv[3] ?? Math.floor(Math.random() * 2 ** 32));
const folder = fs.mkdtempSync(path.join(tmpdir(), "hermes-prove-writes-"));
try {
  const report = await proveWrites(folder, count, seeded(seed));
  console.log(`seed ${seed}`);
  console.log(`payloads written through streamed tool calls  ${report.payloads}`);
  console.log(`bytes meant                                   ${report.bytes}`);
  console.log(`bytes on disk equal bytes meant               ${report.exact}`);
  console.log(`explicit errors                               ${report.explicitErrors}`);
  console.log(`silently wrong                                ${report.wrong.length}`);
  for (const line of report.wrong.slice(0, 10)) console.log(`  ${line}`);
  process.exitCode = report.wrong.length === 0 ? 0 : 1;
} finally {
  fs.rmSync(folder, { recursive: true, force: true });
}
