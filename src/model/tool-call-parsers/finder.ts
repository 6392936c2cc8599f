/**
 * `indexOf` for positions that only grow: a found place is remembered until it is passed, so asking
 * for the same needle at every marker of a long text stays linear.
 */
export function finder(text: string, needle: string): (from: number) => number {
  let found = -2;
  return (from) => {
    if (found === -1 || found >= from) return found;
    found = text.indexOf(needle, from);
    return found;
  };
}
