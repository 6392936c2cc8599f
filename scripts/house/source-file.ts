import path from "node:path";

/** What one file takes from another: names, or everything. */
export interface ImportFact {
  readonly specifier: string;
  /** The file it comes from, relative to the root; undefined for packages. */
  readonly target: string | undefined;
  readonly names: readonly string[] | "all";
  readonly isTypeOnly: boolean;
  readonly isDynamic: boolean;
  readonly line: number;
}

export interface ExportFact {
  readonly name: string;
  readonly line: number;
  /** What it is called inside the file. */
  readonly local: string;
  /** Set when it is handed on from another file. */
  readonly from: string | undefined;
}

/** A declaration at the top of a file, or (without a name) a statement that runs when the file is loaded. */
export interface Declaration {
  readonly name: string | undefined;
  readonly kind: "function" | "class" | "value" | "type" | "effect";
  readonly line: number;
  /** Identifiers it mentions. */
  readonly mentions: ReadonlySet<string>;
  /** What it takes from other files without an import at the top. */
  readonly imports: readonly ImportFact[];
}

/** A member that an interface, a type or a class declares. */
export interface MemberFact {
  readonly owner: string;
  readonly name: string;
  /** An option is an optional member that is no function. */
  readonly kind: "port" | "method" | "option";
  readonly isOptional: boolean;
  readonly line: number;
}

export interface SourceFile {
  readonly path: string;
  readonly lines: number;
  readonly imports: readonly ImportFact[];
  /** Names of imports at the top, with where they come from. */
  readonly bindings: ReadonlyMap<string, { readonly target: string; readonly name: string }>;
  readonly exports: ReadonlyMap<string, ExportFact>;
  /** Files whose exports are all handed on (`export * from`), with the line. */
  readonly wholesale: readonly { readonly target: string; readonly line: number }[];
  readonly declarations: readonly Declaration[];
  readonly members: readonly MemberFact[];
  /** Names of members that are read or called, and of members that are supplied (object keys, class members, assignments). */
  readonly readMembers: ReadonlySet<string>;
  readonly suppliedMembers: ReadonlySet<string>;
  readonly functions: readonly { readonly name: string; readonly line: number; readonly lines: number }[];
  /** Every name the file declares, with the line of its first appearance. */
  readonly names: ReadonlyMap<string, number>;
  readonly texts: readonly { readonly text: string; readonly line: number }[];
}

/** The file a specifier means; undefined for packages and modules of Node. */
export function resolveSpecifier(file: string, specifier: string): string | undefined {
  if (specifier.startsWith(".")) return path.posix.normalize(path.posix.join(path.posix.dirname(file), specifier));
  if (!specifier.startsWith("#")) return undefined;
  const [subsystem = "", ...rest] = specifier.slice(1).split("/");
  return rest.length === 0 ? `src/${subsystem}/index.ts` : `src/${subsystem}/${rest.join("/")}.ts`;
}
