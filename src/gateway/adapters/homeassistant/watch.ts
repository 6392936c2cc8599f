import { type Fields, fieldsAt, textAt } from "../support/fields.ts";
import { Latest } from "../support/latest.ts";

export interface WatchRules {
  readonly domains: ReadonlySet<string>;
  readonly entities: ReadonlySet<string>;
  readonly ignored: ReadonlySet<string>;
  readonly all: boolean;
  readonly cooldownMs: number;
}

export interface Change {
  readonly entity: string;
  readonly text: string;
}

const rememberedEntities = 10_000;

/** Which changes are told. Nothing is unless a rule names it, and one device not too often. */
export class Watch {
  readonly #rules: WatchRules;
  readonly #toldAtMs = new Latest<number>(rememberedEntities);

  constructor(rules: WatchRules) {
    this.#rules = rules;
  }

  read(event: Fields, nowMs: number): Change | undefined {
    const data = fieldsAt(event, "data");
    const entity = textAt(data, "entity_id");
    const [before, after] = [fieldsAt(data, "old_state"), fieldsAt(data, "new_state")];
    const [was, is] = [textAt(before, "state"), textAt(after, "state")];
    if (is === "" || was === is || !this.#isDue(entity, nowMs)) return undefined;
    return { entity, text: `[Home Assistant] ${told(entity, { was, is, attributes: fieldsAt(after, "attributes") })}` };
  }

  /** A device that changed while nobody listened: only what it is now is known. */
  readState(state: Fields, nowMs: number): Change | undefined {
    const [entity, is] = [textAt(state, "entity_id"), textAt(state, "state")];
    if (is === "" || !this.#isDue(entity, nowMs)) return undefined;
    const unit = textAt(fieldsAt(state, "attributes"), "unit_of_measurement");
    const name = nameOf(entity, fieldsAt(state, "attributes"));
    return { entity, text: `[Home Assistant] ${name}: changed while Hermes was away, now ${is}${unit}` };
  }

  #isDue(entity: string, nowMs: number): boolean {
    if (!this.#isWatched(entity)) return false;
    if (nowMs - (this.#toldAtMs.get(entity) ?? Number.NEGATIVE_INFINITY) < this.#rules.cooldownMs) return false;
    this.#toldAtMs.set(entity, nowMs);
    return true;
  }

  #isWatched(entity: string): boolean {
    const { all, ignored, entities, domains } = this.#rules;
    if (entity === "" || ignored.has(entity)) return false;
    return all || entities.has(entity) || domains.has(domainOf(entity));
  }
}

function domainOf(entity: string): string {
  return entity.split(".")[0] ?? "";
}

function nameOf(entity: string, attributes: Fields): string {
  return `${textAt(attributes, "friendly_name") || entity} (${entity})`;
}

function told(
  entity: string,
  state: { readonly was: string; readonly is: string; readonly attributes: Fields },
): string {
  const { was, is, attributes } = state;
  const name = nameOf(entity, attributes);
  switch (domainOf(entity)) {
    case "climate": {
      const [current, wanted] = [textAt(attributes, "current_temperature"), textAt(attributes, "temperature")];
      return `${name}: mode ${was} → ${is}, now ${current || "?"}°, set to ${wanted || "?"}°`;
    }
    case "sensor": {
      const unit = textAt(attributes, "unit_of_measurement");
      return `${name}: ${was}${unit} → ${is}${unit}`;
    }
    case "binary_sensor":
      return `${name}: ${is === "on" ? "triggered" : "cleared"} (was ${was === "on" ? "triggered" : "cleared"})`;
    case "light":
    case "switch":
    case "fan":
      return `${name}: turned ${is} (was ${was})`;
    case "alarm_control_panel":
      return `${name}: alarm ${was} → ${is}`;
    default:
      return `${name}: ${was} → ${is}`;
  }
}
