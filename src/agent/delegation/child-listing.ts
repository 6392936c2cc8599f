import type { Listing, Tool, Toolsets } from "#tools";
import { narrowListing } from "../narrow-listing.ts";
import type { ChildRole } from "./task.ts";

export interface ChildListingOptions {
  /** Toolsets and single tools; undefined: everything the parent has. */
  readonly toolsets?: readonly string[] | undefined;
  readonly role: ChildRole;
  readonly inheritsMcpTools: boolean;
}

/**
 * The tools of a child: what it asked for, as far as its parent has it, less what no child may have. Everything is
 * decided by the names of single tools after toolsets are resolved, so that no collection can carry a tool in.
 */
export function childListing(
  parent: Listing,
  options: ChildListingOptions,
  toolsets: Pick<Toolsets, "resolve" | "isKnown">,
): Listing {
  const asked =
    options.toolsets === undefined
      ? undefined
      : new Set(options.toolsets.flatMap((name) => (toolsets.isKnown(name) ? toolsets.resolve(name) : [name])));
  const narrowed = narrowListing(parent, (tool) => {
    if (!isAllowed(tool, options.role)) return false;
    return asked === undefined || asked.has(tool.name) || (options.inheritsMcpTools && tool.origin === "mcp");
  });
  const isUnknown = (name: string): boolean => !toolsets.isKnown(name) && !parent.names.has(name);
  return { ...narrowed, unknownToolsets: (options.toolsets ?? []).filter(isUnknown) };
}

/** The toolsets these tools belong to, sorted. */
export function toolsetNames(listing: Listing): readonly string[] {
  return [...new Set([...listing.tools.values()].map((tool) => tool.toolset))].sort();
}

/** What speaks for the person's own agent stays with it: to people, to its memory, to the schedule, or around its limits. */
function isAllowed(tool: Tool, role: ChildRole): boolean {
  if (tool.isForMainAgent === true) return false;
  return tool.isDelegation !== true || role === "orchestrator";
}
