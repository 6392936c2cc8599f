import { openStore } from "#store";
import { storeContract } from "./store.ts";

storeContract({
  name: "memory",
  open: (deps) => openStore({ memory: true }, deps),
  cleanUp: async () => undefined,
});
