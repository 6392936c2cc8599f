import { useState } from "preact/hooks";

export interface Action {
  /** What the last call was refused with; empty while nothing is wrong. */
  readonly problem: string;
  /** Carries a call out and looks again afterwards; true when it was done. */
  run(work: Promise<unknown>): Promise<boolean>;
}

/** Calls that change something: what goes wrong is shown, and what is on the page is read again. */
export function useAction(again: () => void): Action {
  const [problem, setProblem] = useState("");
  const run = async (work: Promise<unknown>): Promise<boolean> => {
    setProblem("");
    const isDone = await work.then(
      () => true,
      (error: Error) => {
        setProblem(error.message);
        return false;
      },
    );
    again();
    return isDone;
  };
  return { problem, run };
}
