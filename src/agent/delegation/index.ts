/** Delegation: children with a conversation of their own, and what keeps them within bounds. */
export { type ChildApprovals, childApprover, isChildTask } from "./child-approver.ts";
export { blockedTools, type ChildListingWish, childListing } from "./child-listing.ts";
export type { ChildEntry } from "./child-result.ts";
export type {
  ChildCall,
  ChildIdentity,
  ChildParent,
  ChildSpec,
  ChildStop,
  ChildTarget,
  DelegationDeps,
  DelegationParent,
  DelegationPorts,
  OpenChild,
} from "./child-spec.ts";
export { type ActiveChild, ChildTable, type ChildTableOptions } from "./child-table.ts";
export { createDelegation } from "./delegate.ts";
export { createDelegateTool, type DelegateToolOptions } from "./delegate-tool.ts";
export { boundedSettings, type DelegationSettings, defaultDelegationSettings } from "./settings.ts";
export type { ChildRole, DelegatedTask } from "./task.ts";
