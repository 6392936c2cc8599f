/** Durable conversations over the agent; slash commands; what every surface talks to. */
export type * from "./api.ts";
