import type { Invocation } from "../../command.ts";
import { argument } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { openSkillHub } from "../../support/skills.ts";

export async function tapList(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { hub } = await openSkillHub(invocation);
  const taps = await hub.taps.list();
  out.document({ taps });
  for (const tap of taps) out.line(tap);
  return 0;
}

export async function tapAdd(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { hub } = await openSkillHub(invocation);
  const tap = argument(invocation, 0);
  await hub.taps.add(tap);
  out.document({ added: tap });
  out.line(`${tap} is now searched too.`);
  return 0;
}

export async function tapRemove(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { hub } = await openSkillHub(invocation);
  const tap = argument(invocation, 0);
  await hub.taps.remove(tap);
  out.document({ removed: tap });
  out.line(`${tap} is no longer searched.`);
  return 0;
}
