import { eventShapes, wireVersion } from "../../src/session/wire/events.ts";
import { inputShapes } from "../../src/session/wire/inputs.ts";
import { replyShape } from "../../src/session/wire/replies.ts";
import type { JsonSchema } from "../../src/session/wire/shape.ts";
import { code, fence, page, table } from "./markdown.ts";

/** The wire form of sessions: what every surface for other programs sends and takes. */
export function wirePage(): string {
  return page("Wire form", [
    'Sessions as other programs see them: JSON, one object per line, version 1. `hermes chat -q "…" --json-stream` sends events; ' +
      "`hermes chat --json-input` also takes inputs, and answers each with a reply.",
    "A field may be added without a new version; one that goes, or means something else, makes one. Readers pass over what they do not know. " +
      "What each event means stands in [Events](events.md).",
    "## Events",
    "Every event has `v` (1), `seq` (grows by one with every event of the session), `at` (ISO 8601), `session_id` and `type`; beside them:",
    table(
      ["type", "fields"],
      Object.entries(eventShapes).map(([type, { schema }]) => [code(type), fieldsOf(schema, [])]),
    ),
    "`resync` comes instead of events that are no longer known to a reader that was away for too long. An event inside `child-event` has " +
      "`type` and its fields only.",
    "## Inputs",
    "Every input has `v` (1) and `type`, and may have a `ref` that comes back with its reply. An unknown field, a wrong type or too much of " +
      "anything is answered with `refused`, and says where. Images are `data:image/…` or addresses, never paths.",
    table(
      ["type", "fields"],
      Object.entries(inputShapes).map(([type, { schema }]) => [code(type), fieldsOf(schema, ["v", "type", "ref"])]),
    ),
    "## Replies",
    'A reply has `v`, `type: "reply"`, the `ref` of its input and a `kind`: `turn` (events follow), `queued`, `steered`, `command` (with what ' +
      "it shows), `duplicate` (the `key` came before), `unqueued`, `completions`, `done`, `refused` (with a `message`).",
    "## Schema",
    fence(schemaText(), "json"),
  ]);
}

function fieldsOf(schema: JsonSchema, without: readonly string[]): string {
  const required = (schema["required"] ?? []) as readonly string[];
  const names = Object.keys(schema["properties"] as JsonSchema).filter((name) => !without.includes(name));
  return names.map((name) => `${code(name)}${required.includes(name) ? "" : " (optional)"}`).join(", ");
}

/** The wire form as JSON Schema, one kind per line. */
function schemaText(): string {
  const envelope = {
    v: { const: wireVersion },
    seq: { type: "integer", minimum: 0 },
    at: { type: "string", format: "date-time" },
    session_id: { type: "string" },
  };
  const told = {
    allOf: [{ type: "object", properties: envelope, required: Object.keys(envelope) }, { $ref: "#/$defs/event" }],
  };
  const events = Object.entries(eventShapes).map(([type, { schema }]: readonly [string, { schema: JsonSchema }]) => ({
    type: "object",
    properties: { type: { const: type }, ...(schema["properties"] as JsonSchema) },
    required: ["type", ...((schema["required"] ?? []) as readonly string[])],
  }));
  const inputs = Object.values(inputShapes).map(({ schema }) => ({ ...schema, additionalProperties: false }));
  const kinds = (members: readonly unknown[]): string =>
    `{"oneOf": [\n${members.map((one) => `  ${JSON.stringify(one)}`).join(",\n")}\n]}`;
  return [
    '{"$schema": "https://json-schema.org/draft/2020-12/schema",',
    `"$defs": {"told": ${JSON.stringify(told)},`,
    `"event": ${kinds(events)},`,
    `"input": ${kinds(inputs)},`,
    `"reply": ${kinds(replyShape.schema["oneOf"] as readonly unknown[])}}}`,
  ].join("\n");
}
