/** A line that matched. */
export interface LineMatch {
  /** Absolute. */
  readonly path: string;
  readonly line: number;
  readonly text: string;
  /** False for a line shown around a match. */
  readonly isMatch: boolean;
}

export interface ContentQuery {
  readonly pattern: string;
  /** Absolute file or folder. */
  readonly root: string;
  readonly glob?: string | undefined;
  readonly context: number;
  readonly signal: AbortSignal;
}

export interface FilesQuery {
  readonly glob: string;
  readonly root: string;
  readonly signal: AbortSignal;
}

/** The pattern is not a regular expression. */
export class BadPatternError extends Error {
  override readonly name: string = "BadPatternError";
  readonly position: number | undefined;

  constructor(message: string, position: number | undefined) {
    super(message);
    this.position = position;
  }
}

/**
 * Finds lines and files. Engines differ in speed only: both leave out hidden files, what ignore files
 * name, and binary files. Results come as they are found; leaving the loop ends the search.
 */
export interface SearchEngine {
  readonly name: string;
  content(query: ContentQuery): AsyncIterable<LineMatch>;
  files(query: FilesQuery): AsyncIterable<string>;
  /** When a file it found was changed, in milliseconds; absent: this machine is asked. */
  modifiedMs?(file: string): number;
}
