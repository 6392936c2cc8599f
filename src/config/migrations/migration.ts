import type { Tree } from "../tree.ts";

/** All a migration may look at. It is a pure function from one layout to the next. */
export interface Migrating {
  readonly tree: Tree;
  /** Variables of the home's `.env`; some old settings lived there. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Names of the plugins in the home's plugin folder. */
  readonly installedPlugins: readonly string[];
  /** Variables of `.env` that must not count any more. */
  readonly cleared: readonly string[];
}

export interface Migration {
  /** The layout it starts from; it leads to the next number. */
  readonly from: number;
  readonly what: string;
  /**
   * A file without a version was written by hand and may be of any age. Renaming keys is safe there;
   * taking variables away or giving plugins permission to run is not.
   */
  readonly alsoWithoutVersion: boolean;
  migrate(state: Migrating): Migrating;
}
