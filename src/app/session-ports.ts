import { UserError } from "#foundation/errors";
import type { Logger } from "#foundation/files/logger";
import type { Clock } from "#foundation/time/clock";
import { type ProcessReports, processNotice } from "./process-notice.ts";
import type { SurfaceRouter } from "./surface-router.ts";
import type { Toolbox } from "./toolbox.ts";
import { nestedCalls } from "./tools/nested-calls.ts";
import type { ToolboxSessions } from "./tools/toolbox-options.ts";

export interface SessionPortsDeps {
  readonly surfaces: SurfaceRouter;
  readonly clock: Clock;
  readonly logger: Logger;
  /** `display.background_process_notifications`. */
  readonly reports: ProcessReports;
  /** Is there once the tools are open. */
  readonly toolbox: Promise<Toolbox>;
}

type Ports = Required<Pick<ToolboxSessions, "dispatchTool" | "injectMessage" | "onProcessEvent" | "routeOf">>;

/** What tools and plugins give back to the sessions above them. */
export function sessionPorts(deps: SessionPortsDeps): Ports {
  const { surfaces, clock, logger } = deps;
  return {
    async dispatchTool(name, args, signal) {
      const place = surfaces.place;
      if (place === undefined) throw new UserError(`The tool ${name} cannot be run: no conversation is open.`);
      const toolbox = await deps.toolbox;
      const call = nestedCalls({
        registry: toolbox.registry,
        clock,
        logger,
        redact: (text) => toolbox.redact(text),
        observers: (turn) => toolbox.observers(turn),
      });
      return await call({ tool: name, args }, { ...place, callId: "", signal, progress: () => undefined });
    },
    injectMessage: (content, sessionKey) =>
      surfaces.deliver(sessionKey ?? surfaces.attended, { text: content, how: "typed", isVerbatim: true }),
    onProcessEvent(event) {
      const notice = processNotice(event, deps.reports);
      if (notice.kind === "alarm") logger.warn("background processes report too much", { ...event });
      if (notice.kind !== "notice") return;
      const isTaken = surfaces.deliver(notice.sessionKey, { text: notice.text, how: "queue", isVerbatim: true });
      if (!isTaken) logger.info("nobody takes the report of a background process", { type: event.type });
    },
    routeOf: ({ surface }) => ({ platform: surface }),
  };
}
