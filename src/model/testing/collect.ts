import type { ModelEvent } from "#conversation";
import { type Collected, Collector } from "../collect.ts";

/** What a whole stream comes to. */
export function collect(events: Iterable<ModelEvent>): Collected {
  const collector = new Collector();
  for (const event of events) collector.add(event);
  return collector.result();
}
