/** A key that says failure and has something to say. */
const failureKey = /"(?:error|failed)"\s*:\s*(?!null|false|""|\[\]|0\b)/;
const lookedAt = 500;

/** Whether a result is shown as a failure, for tools that report trouble in a result of their own. */
export function showsFailure(tool: string, text: string): boolean {
  if (tool === "terminal") return /"exit_code"\s*:\s*(?!0\b)-?\d/.test(text);
  const head = text.slice(0, lookedAt);
  return failureKey.test(head) || /^\s*"?Error\b/.test(head);
}
