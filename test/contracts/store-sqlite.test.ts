import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "#store";
import { storeContract } from "./store.ts";

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
