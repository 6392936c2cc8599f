import { calledFromOutside, entryFiles, implementedOutside, publishedFiles } from "./entry-points.ts";
import type { Finding } from "./finding.ts";
import type { Declaration, ImportFact, MemberFact, SourceFile } from "./source-file.ts";
import { exportsOf, originOf, productFiles, type SourceTree } from "./source-tree.ts";

/**
 * Code that nothing in production reaches, and ports that nothing in production supplies.
 * 1. A declaration is reached from an entry point through declarations that mention it; a test is no entry point.
 * 2. A method or port is reached when some code reads a member of that name; names, not types, are compared,
 *    so a finding is certain and a name that two things share hides one of them.
 * 3. An optional port or option is supplied when some object, class or assignment has a member of that name, or some text
 *    is that name. Names with an underscore are those of files and wires, which are read and not supplied.
 */
export function unconnected(tree: SourceTree): readonly Finding[] {
  return [...unreachedDeclarations(tree), ...unreachedMembers(tree), ...unsuppliedPorts(tree)];
}

/**
 * Functions, classes and values at the top of a file that no entry point reaches. What only such code uses goes with
 * it and is counted, not named.
 */
function unreachedDeclarations(tree: SourceTree): readonly Finding[] {
  const reached = new Reach(tree).all();
  const dead = new Map<string, Dead>();
  for (const file of productFiles(tree)) {
    for (const declaration of file.declarations) {
      const { name, kind } = declaration;
      if (name === undefined || kind === "type") continue;
      const key = keyOf(file.path, name);
      if (!reached.has(key)) dead.set(key, { file, declaration });
    }
  }
  return heads(tree, dead).map(({ file, declaration: { name, kind, line }, others }) => {
    const more = others === 0 ? "" : `, and ${others} more that only it uses`;
    return { file: file.path, line, problem: `nothing reaches the ${kind} ${name}${more}` };
  });
}

interface Dead {
  readonly file: SourceFile;
  readonly declaration: Declaration;
}

/** Those that no other dead code uses, each with how many go with it; of a ring, the first. */
function heads(tree: SourceTree, dead: ReadonlyMap<string, Dead>): readonly (Dead & { readonly others: number })[] {
  const uses = new Map(
    [...dead].map(([key, one]) => [key, usesAmong(tree, one, dead).filter((other) => other !== key)]),
  );
  const used = new Set([...uses.values()].flat());
  const taken = new Set<string>();
  const take = (key: string): number => {
    if (taken.has(key)) return 0;
    taken.add(key);
    return 1 + (uses.get(key) ?? []).reduce((sum, other) => sum + take(other), 0);
  };
  const order = [...dead.keys()].filter((key) => !used.has(key));
  return [...order, ...dead.keys()].flatMap((key) => {
    const count = take(key);
    const one = dead.get(key);
    return count === 0 || one === undefined ? [] : [{ ...one, others: count - 1 }];
  });
}

function usesAmong(tree: SourceTree, { file, declaration }: Dead, dead: ReadonlyMap<string, Dead>): readonly string[] {
  return [...declaration.mentions]
    .map((name) => {
      const binding = file.bindings.get(name);
      const { file: path, name: own } = originOf(tree, binding?.target ?? file.path, binding?.name ?? name);
      return keyOf(path, own);
    })
    .filter((key) => dead.has(key));
}

/** Methods of classes and ports of interfaces that no code reads. */
function unreachedMembers(tree: SourceTree): readonly Finding[] {
  const read = union(tree, (file) => file.readMembers);
  return membersOf(tree)
    .filter(([, { name, owner, kind }]) => kind !== "option" && !read.has(name) && !calledFromOutside.has(owner))
    .map(([file, { name, owner, line, kind }]) => ({
      file,
      line,
      problem: `nothing calls the ${kind} ${owner}.${name}`,
    }));
}

/** Optional members of interfaces that no production code supplies. */
function unsuppliedPorts(tree: SourceTree): readonly Finding[] {
  const supplied = union(tree, (file) => file.suppliedMembers);
  const texts = union(tree, (file) => new Set(file.texts.map(({ text }) => text)));
  return membersOf(tree)
    .filter(([, { kind, name, isOptional }]) => kind !== "method" && isOptional && !supplied.has(name))
    .filter(([, { kind, name }]) => kind === "port" || !(name.includes("_") || texts.has(name)))
    .filter(([, { owner }]) => !implementedOutside.has(owner))
    .map(([file, { name, owner, line, kind }]) => ({
      file,
      line,
      problem: `nothing supplies the ${kind === "port" ? "optional port" : "option"} ${owner}.${name}`,
    }));
}

function membersOf(tree: SourceTree): readonly (readonly [string, MemberFact])[] {
  return productFiles(tree).flatMap((file) => file.members.map((member) => [file.path, member] as const));
}

function union(tree: SourceTree, names: (file: SourceFile) => ReadonlySet<string>): ReadonlySet<string> {
  const all = new Set<string>();
  for (const file of tree.files.values()) for (const name of names(file)) all.add(name);
  return all;
}

const keyOf = (file: string, name: string): string => `${file} ${name}`;

class Reach {
  readonly #tree: SourceTree;
  readonly #reached = new Set<string>();
  readonly #loaded = new Set<string>();
  readonly #byName = new Map<string, Declaration>();
  readonly #waiting: (readonly [SourceFile, Declaration])[] = [];

  constructor(tree: SourceTree) {
    this.#tree = tree;
    for (const file of tree.files.values()) {
      for (const one of file.declarations)
        if (one.name !== undefined) this.#byName.set(keyOf(file.path, one.name), one);
    }
  }

  all(): ReadonlySet<string> {
    for (const file of entryFiles(this.#tree)) this.#load(file);
    for (const file of publishedFiles) for (const name of exportsOf(this.#tree, file).keys()) this.#take(file, name);
    for (let next = this.#waiting.pop(); next !== undefined; next = this.#waiting.pop()) this.#follow(...next);
    return this.#reached;
  }

  /** What a file does when it is loaded is reached; so are the files it imports for their values. */
  #load(path: string): void {
    const file = this.#tree.files.get(path);
    if (file === undefined || this.#loaded.has(path)) return;
    this.#loaded.add(path);
    for (const one of file.declarations) if (one.kind === "effect") this.#waiting.push([file, one]);
    for (const { target, isTypeOnly, isDynamic } of file.imports) {
      if (target !== undefined && !isTypeOnly && !isDynamic) this.#load(target);
    }
  }

  #take(target: string, name: string): void {
    const origin = originOf(this.#tree, target, name);
    const file = this.#tree.files.get(origin.file);
    const declaration = this.#byName.get(keyOf(origin.file, origin.name));
    if (file === undefined || declaration === undefined) return;
    const key = keyOf(origin.file, origin.name);
    if (this.#reached.has(key)) return;
    this.#reached.add(key);
    this.#waiting.push([file, declaration]);
  }

  #follow(file: SourceFile, declaration: Declaration): void {
    this.#load(file.path);
    for (const name of declaration.mentions) {
      const binding = file.bindings.get(name);
      if (binding === undefined) this.#take(file.path, name);
      else if (binding.name === "*") this.#takeAll(binding.target);
      else this.#take(binding.target, binding.name);
    }
    for (const fact of declaration.imports) this.#followDynamic(fact);
  }

  #followDynamic({ target, names, isTypeOnly }: ImportFact): void {
    if (target === undefined) return;
    if (!isTypeOnly) this.#load(target);
    if (names === "all") this.#takeAll(target);
    else for (const name of names) this.#take(target, name);
  }

  #takeAll(target: string): void {
    for (const name of exportsOf(this.#tree, target).keys()) this.#take(target, name);
  }
}
