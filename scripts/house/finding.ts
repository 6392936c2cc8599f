/** Something a gate objects to. */
export interface Finding {
  readonly file: string;
  readonly line: number;
  readonly problem: string;
}
