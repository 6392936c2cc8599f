import { describe, expect, it } from "vitest";
import { faultsOf, proveGateway, shortProof } from "../../scripts/prove-gateway.ts";
import { findPostgres } from "../contracts/store/postgres-server.ts";

const found = findPostgres();
if (found.kind === "missing") process.stderr.write(`\nThe gateway is not proven on PostgreSQL: ${found.why}\n`);

describe("chats lose nothing and see nothing twice while processes are killed", () => {
  it("one process on a file [40:A-SCL-1] [40:A-SCL-2] [40:SCL-16] [40:SCL-29]", {
    timeout: 300_000,
  }, async ({ signal }) => {
    const proof = await proveGateway({ ...shortProof, store: "sqlite", signal });
    expect({ ...proof, faults: faultsOf(proof) }).toMatchObject({ kills: 3, faults: 0 });
  });

  it.skipIf(found.kind === "missing")(
    "an ingress and three workers on PostgreSQL [40:A-SCL-1] [40:SCL-9] [40:SCL-16] [40:SCL-29]",
    { timeout: 300_000 },
    async ({ signal }) => {
      const proof = await proveGateway({ ...shortProof, store: "postgres", signal });
      expect({ ...proof, faults: faultsOf(proof) }).toMatchObject({ kills: 3, faults: 0 });
    },
  );
});
