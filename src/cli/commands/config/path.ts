import type { Invocation } from "../../command.ts";
import { Output } from "../../output/output.ts";
import { homeOf } from "../../support/home.ts";

export async function configPath(invocation: Invocation): Promise<number> {
  return print(invocation, homeOf(invocation).config);
}

export async function configEnvPath(invocation: Invocation): Promise<number> {
  return print(invocation, homeOf(invocation).envFile);
}

function print(invocation: Invocation, path: string): number {
  const out = new Output(invocation);
  out.document({ path });
  out.line(path);
  return 0;
}
