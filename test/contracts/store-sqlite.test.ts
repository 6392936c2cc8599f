import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "#store";
import { storeContract } from "./store.ts";

/**
 * The contract every store keeps; its titles, in `store/*.ts`, cite what they prove:
 * [10:D14] [10:D25] [10:D53] [10:D54] [10:D55] [10:D56] [10:D60] [10:STORE-3] [10:STORE-6] [10:STORE-7]
 * [10:STORE-8] [10:STORE-9] [10:STORE-10] [10:STORE-12] [10:STORE-13] [10:STORE-14] [10:STORE-16] [10:STORE-17] [10:STORE-18] [10:STORE-19]
 * [10:STORE-20] [10:STORE-21] [10:STORE-22] [10:STORE-24] [10:STORE-25] [10:STORE-26]
 */
let folder = "";

storeContract({
  name: "SQLite",
  async open(deps) {
    folder = await mkdtemp(join(tmpdir(), "hermes-store-"));
    return await openStore({ path: join(folder, "state.db") }, deps);
  },
  async cleanUp() {
    await rm(folder, { recursive: true, force: true });
  },
});
