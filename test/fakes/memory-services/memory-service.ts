import { type FakeAnswer, type FakeCall, type Fields, Refused, startFakeService } from "../platforms/fake-service.ts";

/** What one kind of service keeps, and what it says to each address. */
export interface Wire {
  /** How a request proves that it may ask; undefined when nothing has to be shown. */
  isAllowed(call: FakeCall): boolean;
  readonly routes: Readonly<Record<string, Route>>;
}

export interface Route {
  /** Fields that must be there, with their kind; a field that is not listed is refused. */
  readonly required?: Readonly<Record<string, Kind>>;
  readonly optional?: Readonly<Record<string, Kind>>;
  answer(call: FakeCall, names: readonly string[]): unknown;
}

type Kind = "string" | "number" | "boolean" | "object" | "array";

export interface MemoryServiceFake extends AsyncDisposable {
  readonly url: string;
  readonly calls: readonly FakeCall[];
  /** The bodies that came to an address, oldest first. */
  bodies(method: string, path: string | RegExp): readonly Fields[];
}

/** The service on loopback. It refuses what the real one refuses: no key, an unknown address, a field that is missing, wrong or unknown. */
export async function startMemoryService(wire: Wire): Promise<MemoryServiceFake> {
  const service = await startFakeService({
    answer: (call) => answerOf(wire, call),
    isSend: () => false,
    limited: { status: 429 },
    refused: { status: 422 },
  });
  return {
    url: service.url,
    calls: service.calls,
    bodies: (method, path) =>
      service.calls
        .filter(
          (call) => call.method === method && (typeof path === "string" ? call.path === path : path.test(call.path)),
        )
        .map(({ json }) => json),
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

function answerOf(wire: Wire, call: FakeCall): FakeAnswer {
  if (!wire.isAllowed(call)) throw new Refused(401, { detail: "Invalid or missing credentials" });
  for (const [pattern, route] of Object.entries(wire.routes)) {
    const [method, path = ""] = pattern.split(" ", 2);
    const match = new RegExp(`^${path.replace(/:\w+/g, "([A-Za-z0-9_%:.-]+)")}$`).exec(call.path);
    if (method !== call.method || match === null) continue;
    checkFields(call.json, route);
    return { json: route.answer(call, match.slice(1)) ?? {} };
  }
  throw new Refused(404, { detail: `Not found: ${call.method} ${call.path}` });
}

function checkFields(json: Fields, { required = {}, optional = {} }: Route): void {
  for (const [name, kind] of Object.entries(required))
    if (!isOf(json[name], kind)) throw new Refused(422, { detail: `${name}: field required (${kind})` });
  for (const [name, value] of Object.entries(json)) {
    const kind = required[name] ?? optional[name];
    if (kind === undefined) throw new Refused(422, { detail: `${name}: extra inputs are not permitted` });
    if (!isOf(value, kind)) throw new Refused(422, { detail: `${name}: must be ${kind}` });
  }
}

function isOf(value: unknown, kind: Kind): boolean {
  if (kind === "array") return Array.isArray(value);
  if (kind === "object") return typeof value === "object" && value !== null && !Array.isArray(value);
  if (kind === "string") return typeof value === "string" && value !== "";
  return typeof value === kind;
}

/** What was kept, found again by its words. */
export class Kept {
  readonly all: { readonly id: string; readonly text: string; readonly owner: string }[] = [];

  add(text: string, owner: string): string {
    const id = `mem_${this.all.length + 1}`;
    this.all.push({ id, text, owner });
    return id;
  }

  remove(isMatch: (one: { readonly id: string; readonly text: string }) => boolean): string | undefined {
    const at = this.all.findIndex(isMatch);
    return at < 0 ? undefined : this.all.splice(at, 1)[0]?.id;
  }

  find(query: string, owner: string): readonly { readonly id: string; readonly text: string }[] {
    const words = query.toLowerCase().match(/\w{3,}/g) ?? [];
    return this.all.filter((one) => one.owner === owner && words.some((word) => one.text.toLowerCase().includes(word)));
  }
}

export const bearer = (key: string) => (call: FakeCall) => call.headers.authorization === `Bearer ${key}`;
export { type FakeCall, type Fields, Refused };
