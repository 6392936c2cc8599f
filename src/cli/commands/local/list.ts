import { byteSize, shortWindow } from "#foundation/text/figures";
import { byFit, catalogue, catalogueDate } from "#local-model";
import type { Invocation } from "../../command.ts";
import { Output } from "../../output/output.ts";
import { homeOf } from "../../support/home.ts";
import { documentOf, libraryOf } from "./get.ts";
import { usableMemory } from "./offer.ts";
import { runningServers } from "./running-servers.ts";

export async function localList(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { io } = invocation;
  const [{ models, broken }, servers] = await Promise.all([
    libraryOf(homeOf(invocation)).list(),
    runningServers(io.env, io.signal),
  ]);
  const memory = usableMemory();
  const rows = byFit(catalogue, memory);
  out.document({
    models: models.map(documentOf),
    broken: broken.map(({ id, fault }) => ({ id, fault })),
    servers: servers.map(({ label, baseUrl, models: names }) => ({ label, base_url: baseUrl, models: names })),
    catalogue: rows.map(({ memoryBytes, ...row }) => ({ ...row, memoryBytes, fits: memoryBytes <= memory })),
    catalogue_date: catalogueDate,
  });
  for (const server of servers) out.line(`${server.label}: ${server.detail}. Choose it with: hermes model`);
  if (servers.length > 0) out.line();
  if (models.length > 0) {
    out.heading("On this machine");
    out.table(
      [{ title: "model" }, { title: "size" }, { title: "window" }, { title: "licence" }],
      models.map(({ id, facts }) => [
        id,
        byteSize(facts.sizeBytes),
        shortWindow(facts.contextLength),
        facts.license ?? "?",
      ]),
    );
    out.line();
  }
  for (const { id, fault } of broken)
    out.line(`${id} cannot be used: ${fault}. Remove it with: hermes local remove ${id}`);
  out.heading(`Available to download (as of ${catalogueDate}; this machine has room for ${byteSize(memory)})`);
  out.table(
    [
      { title: "model" },
      { title: "size" },
      { title: "memory" },
      { title: "window" },
      { title: "licence" },
      { title: "calls" },
      { title: "good for", isFlexible: true },
    ],
    rows.map((row) => [
      row.id,
      byteSize(row.sizeBytes),
      `${byteSize(row.memoryBytes)}${row.memoryBytes <= memory ? "" : " (too much)"}`,
      shortWindow(row.contextWindow),
      row.license,
      row.callForm,
      row.goodFor,
    ]),
  );
  out.line("Get one and use it: hermes local use <model>");
  return 0;
}
