import { isObject, listAt, objectAt, stringAt, type WireObject } from "../wire-object.ts";
import { type Complaint, complain, firstComplaint, type Rule, type Subject } from "./rule.ts";

/** A function as both OpenAI wires declare it, and where it stands in the body. */
interface DeclaredFunction {
  readonly path: string;
  readonly definition: WireObject;
}

const namePattern = /^[a-zA-Z0-9_-]+$/;

/** Rules about `tools` that the chat wire (nested) and the Responses wire (flat) share. */
export function toolRules(wire: "chat" | "responses"): readonly Rule[] {
  const functions = (subject: Subject): readonly DeclaredFunction[] => declared(wire, subject);
  return [
    { id: `${wire}/tools-count`, check: (subject) => countTools(subject, wire) },
    { id: `${wire}/tools-shape`, check: (subject) => firstComplaint(functions(subject), isNamed) },
    { id: `${wire}/tools-name`, check: (subject) => firstComplaint(functions(subject), isWellNamed) },
    { id: `${wire}/tools-unique`, check: (subject) => namesAreUnique(functions(subject)) },
    { id: `${wire}/tools-schema`, check: (subject) => firstComplaint(functions(subject), hasObjectSchema) },
    // The Responses wire takes both fields, and an empty list, without tools.
    ...(wire === "chat" ? [{ id: "chat/needs-tools", check: needsTools }] : []),
  ];
}

export function nameComplaint(name: string, path: string): Complaint | undefined {
  if (name.length > 64)
    return complain(
      `Invalid '${path}': string too long. Expected a string with maximum length 64, but got a string with length ${name.length} instead.`,
      path,
      "string_above_max_length",
    );
  if (namePattern.test(name)) return undefined;
  return complain(
    `Invalid '${path}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
    path,
    "invalid_value",
  );
}

function declared(wire: "chat" | "responses", { body }: Subject): readonly DeclaredFunction[] {
  return listAt(body.tools).flatMap((tool, index) => {
    const entry = objectAt(tool);
    // Built-in tools of the provider (`web_search` and the like) have no schema of ours.
    if (entry.type !== undefined && entry.type !== "function") return [];
    return wire === "chat"
      ? [{ path: `tools[${index}].function`, definition: objectAt(entry.function) }]
      : [{ path: `tools[${index}]`, definition: entry }];
  });
}

function countTools({ body }: Subject, wire: "chat" | "responses"): Complaint | undefined {
  if (body.tools === undefined) return undefined;
  const count = listAt(body.tools).length;
  if (count === 0 && wire === "chat") return complain("[] is too short - 'tools'", "tools");
  if (count <= 128) return undefined;
  return complain(
    `Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length ${count} instead.`,
    "tools",
    "array_above_max_length",
  );
}

function isNamed({ path, definition }: DeclaredFunction): Complaint | undefined {
  if (typeof definition.name === "string") return undefined;
  return complain(`Missing required parameter: '${path}.name'.`, `${path}.name`, "missing_required_parameter");
}

function isWellNamed({ path, definition }: DeclaredFunction): Complaint | undefined {
  return nameComplaint(stringAt(definition.name), `${path}.name`);
}

function namesAreUnique(functions: readonly DeclaredFunction[]): Complaint | undefined {
  const names = new Set<string>();
  return firstComplaint(functions, ({ path, definition }) => {
    const name = stringAt(definition.name);
    if (names.has(name))
      return complain(`Function names must be unique, but '${name}' was found again.`, `${path}.name`);
    names.add(name);
    return undefined;
  });
}

function hasObjectSchema({ path, definition }: DeclaredFunction): Complaint | undefined {
  const { parameters } = definition;
  if (parameters === undefined || parameters === null) return undefined;
  const refuse = (reason: string): Complaint =>
    complain(
      `Invalid schema for function '${stringAt(definition.name)}': ${reason}`,
      `${path}.parameters`,
      "invalid_function_parameters",
    );
  const type = objectAt(parameters).type;
  if (type !== "object")
    return refuse(`schema must be a JSON Schema of 'type: "object"', got 'type: "${String(type ?? "None")}"'.`);
  const context = arrayWithoutItems(objectAt(parameters), []);
  if (context === undefined) return undefined;
  return refuse(`In context=(${context.map((step) => `'${step}'`).join(", ")}), array schema missing items.`);
}

function arrayWithoutItems(schema: WireObject, context: readonly string[]): readonly string[] | undefined {
  if (schema.type === "array" && schema.items === undefined) return context;
  for (const [key, value] of Object.entries(objectAt(schema.properties))) {
    const found = isObject(value) ? arrayWithoutItems(value, [...context, "properties", key]) : undefined;
    if (found !== undefined) return found;
  }
  return isObject(schema.items) ? arrayWithoutItems(schema.items, [...context, "items"]) : undefined;
}

function needsTools({ body }: Subject): Complaint | undefined {
  if (body.tools !== undefined) return undefined;
  const field = ["tool_choice", "parallel_tool_calls"].find(
    (name) => body[name] !== undefined && body[name] !== "none",
  );
  if (field === undefined) return undefined;
  return complain(`Invalid value for '${field}': '${field}' is only allowed when 'tools' are specified.`, field);
}
