import { readNamedAgents } from "#agent";
import { silentLogger } from "#foundation/files/logger";
import type { Invocation } from "../command.ts";
import { Output } from "../output/output.ts";
import { loadSettings } from "../support/settings.ts";

/** Exit 1 when a file cannot be used, so that a script notices. */
export async function agentsList(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { home, loaded } = await loadSettings(invocation);
  const { agents, broken } = await readNamedAgents({ home, loaded, logger: silentLogger }, invocation.io.cwd);
  out.document({
    agents: agents.map(({ name, description, model, tools, file, origin }) => ({
      name,
      description,
      model: model ?? null,
      tools: tools ?? null,
      file,
      origin,
    })),
    broken,
  });
  if (agents.length === 0) out.line(`No agents. Write one: ${home.agents}/<name>.md`);
  else
    out.table(
      [
        { title: "Name" },
        { title: "From" },
        { title: "Model" },
        { title: "Tools" },
        { title: "About", isFlexible: true },
      ],
      agents.map(({ name, origin, model, tools, description }) => [
        name,
        origin,
        model ?? "",
        tools?.join(", ") ?? "",
        description,
      ]),
    );
  for (const { file, reason } of broken) out.note(`${file} cannot be used: ${reason}.`);
  return broken.length === 0 ? 0 : 1;
}
