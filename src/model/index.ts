/** Talking to models. */
export { type DemoModel, demoModelName, serveDemoModel } from "./demo/server.ts";
