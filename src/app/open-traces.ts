import type { Machine } from "#config";
import type { SpanExporter } from "#session";

/** Sends traces where an address is set; undefined where none is. */
export async function openTraces(
  machine: Machine,
  redact: (text: string) => string,
): Promise<SpanExporter | undefined> {
  const { loaded, clock, logger, version } = machine;
  const { variables } = loaded.environment;
  const { otlp_endpoint: endpoint, otlp_headers: headers } = loaded.config.telemetry;
  if (endpoint === "" || variables["OTEL_SDK_DISABLED"]?.toLowerCase() === "true") return undefined;
  const url = tracesAddress(endpoint);
  if (url === undefined) {
    logger.warn("traces are not sent: telemetry.otlp_endpoint is no http or https address");
    return undefined;
  }
  const { SpanExporter } = await import("#session");
  return new SpanExporter({
    url,
    headers: headersOf(headers.reveal()),
    resource: {
      "service.name": variables["OTEL_SERVICE_NAME"] || "hermes",
      "service.version": version,
      "process.pid": process.pid,
    },
    includesContent: loaded.config.logging.include_content,
    redact,
    clock,
    logger,
  });
}

/** A collector is named by its root; where the address leads to its traces already, it is taken as it is. */
function tracesAddress(endpoint: string): string | undefined {
  if (!URL.canParse(endpoint)) return undefined;
  const url = new URL(endpoint);
  if (url.protocol !== "http:" && url.protocol !== "https:") return undefined;
  const path = url.pathname.replace(/\/+$/u, "");
  url.pathname = path.endsWith("/v1/traces") ? path : `${path}/v1/traces`;
  return url.href;
}

/** `name=value,name=value`, values with percent signs where they need them. */
function headersOf(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(",").flatMap((pair) => {
    const [name = "", ...rest] = pair.split("=");
    return name.trim() === "" || rest.length === 0 ? [] : [[name.trim(), decoded(rest.join("=").trim())] as const];
  });
  return Object.fromEntries(pairs);
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    // Written as it is meant, with a percent sign of its own.
    return value;
  }
}
