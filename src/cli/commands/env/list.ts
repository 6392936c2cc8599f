import { environments } from "#environments";
import type { Invocation } from "../../command.ts";
import { Output } from "../../output/output.ts";

export function envList(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  out.document({ environments: environments.map(({ name, about }) => ({ name, about })) });
  out.table(
    [{ title: "environment" }, { title: "what", isFlexible: true }],
    environments.map(({ name, about }) => [name, about]),
  );
  return Promise.resolve(0);
}
