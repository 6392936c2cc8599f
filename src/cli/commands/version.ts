import type { Invocation } from "../command.ts";
import { Output } from "../output/output.ts";
import { version as number, versionLine } from "../version.ts";

export async function version(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  out.document({ version: number, node: process.versions.node, platform: process.platform, arch: process.arch });
  out.line(versionLine());
  return 0;
}
