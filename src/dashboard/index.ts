/** Hermes as a page in the browser of the person at this machine. */
export { serveDashboard } from "./server.ts";
