import type { SearchHit } from "./backend.ts";
import { textField } from "./service-call.ts";

/** Reads hits in any of the spellings services use; entries without an address are left out. */
export function toHits(entries: readonly Record<string, unknown>[]): readonly SearchHit[] {
  return entries
    .map((entry) => ({
      title: textField(entry, "title", "name"),
      url: textField(entry, "url", "link"),
      description: textField(entry, "description", "snippet", "content", "text") || excerpts(entry),
    }))
    .filter((hit) => hit.url !== "");
}

function excerpts(entry: Record<string, unknown>): string {
  for (const key of ["highlights", "excerpts"]) {
    const list = entry[key];
    if (Array.isArray(list)) return list.filter((one) => typeof one === "string").join(" … ");
  }
  return "";
}
