import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";

const value = z.union([
  z.strictObject({ stringValue: z.string() }),
  z.strictObject({ boolValue: z.boolean() }),
  z.strictObject({ intValue: z.string().regex(/^-?\d+$/u) }),
  z.strictObject({ doubleValue: z.number() }),
]);
const attributes = z.array(z.strictObject({ key: z.string().min(1), value }));
const nanoseconds = z.string().regex(/^\d{19}$/u);
const span = z.strictObject({
  traceId: z.string().regex(/^[0-9a-f]{32}$/u),
  spanId: z.string().regex(/^[0-9a-f]{16}$/u),
  parentSpanId: z
    .string()
    .regex(/^[0-9a-f]{16}$/u)
    .optional(),
  name: z.string().min(1),
  kind: z.number().int().min(1).max(5),
  startTimeUnixNano: nanoseconds,
  endTimeUnixNano: nanoseconds,
  attributes,
  status: z.strictObject({ code: z.literal(2).optional(), message: z.string().optional() }),
});
const traces = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({
      resource: z.strictObject({ attributes }),
      scopeSpans: z.array(
        z.strictObject({ scope: z.strictObject({ name: z.string(), version: z.string() }), spans: z.array(span) }),
      ),
    }),
  ),
});

export interface CollectedSpan extends Omit<z.infer<typeof span>, "attributes"> {
  readonly attributes: Readonly<Record<string, string | boolean>>;
}

export interface Collector extends AsyncDisposable {
  readonly url: string;
  readonly spans: CollectedSpan[];
  readonly calls: { readonly path: string; readonly headers: IncomingHttpHeaders; readonly text: string }[];
  /** What was wrong with calls, by the rules of OTLP. */
  readonly faults: string[];
  /** From now on calls are answered with this status; `hang`: with nothing at all. */
  trouble(answer: number | "hang"): void;
}

/** An OpenTelemetry collector on loopback that takes traces as JSON and nothing that breaks their form. */
export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const calls: Collector["calls"] = [];
  const faults: string[] = [];
  let trouble: number | "hang" | undefined;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    calls.push({ path: request.url ?? "", headers: request.headers, text });
    if (trouble === "hang") return;
    if (trouble !== undefined) return void response.writeHead(trouble).end();
    const parsed = traces.safeParse(JSON.parse(text));
    if (request.method !== "POST" || !(request.headers["content-type"] ?? "").startsWith("application/json"))
      faults.push(`${request.method} ${request.headers["content-type"]}`);
    if (!parsed.success) {
      faults.push(parsed.error.message);
      return void response.writeHead(400).end();
    }
    for (const { scopeSpans } of parsed.data.resourceSpans)
      for (const { spans: some } of scopeSpans) spans.push(...some.map(plain));
    response.writeHead(200, { "content-type": "application/json" }).end('{"partialSuccess":{}}');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    calls,
    faults,
    trouble(answer) {
      trouble = answer;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function plain({ attributes: some, ...rest }: z.infer<typeof span>): CollectedSpan {
  const values = some.map(({ key, value: one }) => {
    const [first] = Object.values(one) as (string | boolean | number)[];
    return [key, typeof first === "boolean" ? first : String(first)] as const;
  });
  return { ...rest, attributes: Object.fromEntries(values) };
}
