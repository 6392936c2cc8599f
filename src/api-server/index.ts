/** Hermes for programs that speak the language of OpenAI's API. */
export { serveApi } from "./server.ts";
export { apiSettings, isApiEnabled } from "./settings.ts";
