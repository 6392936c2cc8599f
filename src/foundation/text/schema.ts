import type { ZodType, z } from "zod";
import { UserError } from "../errors.ts";

/** One thing wrong with a value, and where: `gateway.telegram.token`, `items[2].name`, or "" for the value itself. */
interface SchemaProblem {
  readonly path: string;
  readonly message: string;
}

export type SchemaCheck<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly SchemaProblem[] };

/** The value as the schema reads it, or what is wrong with it. Never repeats the value, which may be a secret. */
export function checkWith<S extends ZodType>(schema: S, value: unknown): SchemaCheck<z.output<S>> {
  const result = schema.safeParse(value);
  if (result.success) return { ok: true, value: result.data };
  return {
    ok: false,
    problems: result.error.issues.map((issue) => ({ path: writePath(issue.path), message: plain(issue.message) })),
  };
}

const shownProblems = 5;

/** The value as the schema reads it; otherwise a {@link UserError} that names `what` and each wrong place in it. */
export function parseWith<S extends ZodType>(schema: S, value: unknown, what: string): z.output<S> {
  const check = checkWith(schema, value);
  if (check.ok) return check.value;
  const lines = check.problems.slice(0, shownProblems).map(writeProblem);
  const more = check.problems.length - lines.length;
  if (more > 0) lines.push(`and ${more} more`);
  throw new UserError(`${what} is not valid: ${lines.join("; ")}`, {
    code: "invalid_value",
    data: { what, problems: check.problems },
  });
}

/** One problem as a clause: `terminal.timeout: expected number, received string`. */
function writeProblem(problem: SchemaProblem): string {
  return problem.path === "" ? problem.message : `${problem.path}: ${problem.message}`;
}

function writePath(path: readonly PropertyKey[]): string {
  let text = "";
  for (const part of path) {
    if (typeof part === "number") text += `[${part}]`;
    else text += text === "" ? String(part) : `.${String(part)}`;
  }
  return text;
}

function plain(message: string): string {
  return message.replace(/^Invalid input: /, "");
}

/** A JSON Schema (draft 2020-12) of what the schema accepts, without the `$schema` line providers stumble over. */
export function toJsonSchema(schema: ZodType): Record<string, unknown> {
  const { $schema: _dialect, ...rest } = schema.toJSONSchema({ io: "input", unrepresentable: "any" });
  return rest;
}
