import { objectsIn, stringAt, type WireObject } from "../wire-object.ts";
import { type Check, type Complaint, firstComplaint, type Subject } from "./rule.ts";

export interface ItemLocation {
  readonly subject: Subject;
  /** For example `input[2]`. */
  readonly path: string;
}

export function eachItem(check: (item: WireObject, location: ItemLocation) => Complaint | undefined): Check {
  return (subject) =>
    firstComplaint(objectsIn(subject.body.input), (item, index) => check(item, { subject, path: `input[${index}]` }));
}

/** A message may leave its type out. */
export function typeOf(item: WireObject): string {
  return item.type === undefined && item.role !== undefined ? "message" : stringAt(item.type);
}
