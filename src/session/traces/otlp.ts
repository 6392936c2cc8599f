import { defined } from "#foundation/defined";
import type { Attributes, AttributeValue, Span } from "./span.ts";

const kinds = { internal: 1, client: 3 } as const;
const failed = 2;

/** Spans in the JSON form of the OpenTelemetry protocol. */
export function otlpTraces(spans: readonly Span[], resource: Attributes): unknown {
  const { "service.version": version = "" } = resource;
  return {
    resourceSpans: [
      {
        resource: { attributes: keyValues(resource) },
        scopeSpans: [{ scope: { name: "hermes", version: String(version) }, spans: spans.map(otlpSpan) }],
      },
    ],
  };
}

function otlpSpan({ traceId, spanId, parentSpanId, name, kind, startMs, endMs, attributes, error }: Span): unknown {
  return {
    traceId,
    spanId,
    ...defined({ parentSpanId }),
    name,
    kind: kinds[kind],
    startTimeUnixNano: nanoseconds(startMs),
    endTimeUnixNano: nanoseconds(Math.max(startMs, endMs)),
    attributes: keyValues(attributes),
    status: error === undefined ? {} : { code: failed, message: error },
  };
}

/** 64-bit numbers are strings in this form. */
function nanoseconds(ms: number): string {
  return String(BigInt(Math.round(ms * 1000)) * 1000n);
}

function keyValues(attributes: Attributes): readonly unknown[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: otlpValue(value) }));
}

function otlpValue(value: AttributeValue): unknown {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
