import { type Message, type ToolChoice, textOf } from "#conversation";
import { canonicalJson } from "#foundation/text/json";
import type { WireObject } from "../../protocols/shared/fields.ts";
import { prepareHistory } from "../../protocols/shared/history.ts";
import { readImage } from "../../protocols/shared/media.ts";
import { systemText } from "../../protocols/shared/system-text.ts";
import type { ModelRequest } from "../../request.ts";
import { getParser } from "../../tool-call-parsers/registry.ts";

const role = [
  "You are the language model inside another program, which runs its own tools and keeps its own conversation.",
  "Write the next assistant message of the conversation below and nothing else.",
  "Do not use tools, files or commands of your own: every such request is refused.",
].join(" ");

const howToCall = [
  "To use a tool, end your message with one block per call, exactly in this form:",
  '<tool_call>\n{"name": "tool_name", "arguments": {"parameter": "value"}}\n</tool_call>',
  "The results come with the next message. Without a call, your message is the answer.",
].join("\n");

/** A request as one prompt: an agent keeps no roles apart, so they are written out. */
export function acpPrompt(request: ModelRequest, takesImages: boolean): readonly WireObject[] {
  const tools = request.options.toolChoice === "none" ? [] : request.tools;
  const history = prepareHistory(request.messages);
  const sections = [
    role,
    ...(systemText(request) === "" ? [] : [section("instructions", systemText(request))]),
    ...(tools.length === 0
      ? []
      : [
          section("tools", tools.map((tool) => canonicalJson({ ...tool })).join("\n")),
          section("how to use them", `${howToCall}${insistence(request.options.toolChoice)}`),
        ]),
    ...schemaSection(request),
    section("the conversation follows", ""),
    ...history.map(spoken),
    section("assistant", ""),
  ];
  const text = sections.map((one) => one.trimEnd()).join("\n\n");
  return [{ type: "text", text }, ...imagesIn(history, request, takesImages)];
}

/** Lines that look like a heading are moved in, so that no message can begin another one. */
function section(heading: string, text: string): string {
  return `=== ${heading} ===\n${text.replace(/^===/gm, " ===")}`;
}

function spoken(message: Message): string {
  switch (message.role) {
    case "user":
      return section("user", textOf(message.content));
    case "tool":
      return section(
        `result of ${message.tool_name} (${message.tool_call_id})`.replace(/[\r\n]+/g, " "),
        textOf(message.content),
      );
    case "assistant": {
      const calls = (message.tool_calls ?? []).map((call) => call.function);
      const written = calls.length === 0 ? "" : getParser("hermes").render(calls);
      return section("assistant", [message.content, written].filter((part) => part !== "").join("\n"));
    }
  }
}

function insistence(choice: ToolChoice | undefined): string {
  if (choice === "required") return "\nThis time the message must hold a call.";
  return typeof choice === "object" ? `\nThis time the message must call ${choice.name}.` : "";
}

function schemaSection({ options }: ModelRequest): readonly string[] {
  if (options.responseSchema === undefined) return [];
  const schema = canonicalJson(options.responseSchema.schema);
  return [
    section("form of the answer", `Answer with one JSON value that follows this schema, without a fence:\n${schema}`),
  ];
}

function imagesIn(history: readonly Message[], request: ModelRequest, takesImages: boolean): readonly WireObject[] {
  const parts = history.flatMap((message) => (typeof message.content === "string" ? [] : message.content));
  return parts.flatMap((part): readonly WireObject[] => {
    if (part.type !== "image_url") return [];
    const image = readImage(part, request.target);
    if (takesImages && image.kind === "inline") return [{ type: "image", mimeType: image.mediaType, data: image.data }];
    if (image.kind === "remote") return [{ type: "text", text: `[image: ${image.url}]` }];
    return [{ type: "text", text: image.kind === "refused" ? image.text : "[image not sent: this agent takes none]" }];
  });
}
