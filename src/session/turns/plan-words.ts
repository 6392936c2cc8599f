/** A task, with what the model must know while only a plan is wanted. */
export function planRequest(task: string): string {
  return `${task}\n\n[Make a plan first. Look at whatever you need; nothing can be changed until I accept the plan. Answer with the plan: what you will change, in which order, and how you will check it.]`;
}
