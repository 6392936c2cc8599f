import path from "node:path";
import ts from "typescript";

const root = path.join(import.meta.dirname, "..");
const sections = path.join(root, "src/config/sections/");
const config = path.join(root, "src/config/");
/** The one place of the configuration that reads settings for others. */
const reader = path.join(config, "platform-settings.ts");

/**
 * Which settings some code reads, by the types of the sources. A setting is read where its property of `Config` is
 * named, or the property of a type of another layer that a part of `Config` was handed over as.
 */
export class SettingReads {
  readonly #program: ts.Program;
  readonly #checker: ts.TypeChecker;
  /** Properties of other types, with the settings that were handed over as them. */
  readonly #aliases = new Map<ts.Declaration, Set<ts.Declaration>>();
  readonly #linked = new Set<string>();
  readonly #holding = new Map<ts.Type, boolean>();
  readonly #read = new Set<ts.Declaration>();

  constructor() {
    this.#program = sourceProgram();
    this.#checker = this.#program.getTypeChecker();
    const uses = this.#program
      .getSourceFiles()
      .filter(({ fileName }) => fileName.startsWith(path.join(root, "src/")))
      .filter(({ fileName }) => !fileName.startsWith(config) || fileName === reader)
      .flatMap((file) => [...this.#usesIn(file)]);
    for (const declaration of uses) this.#mark(declaration);
  }

  /** Whether code outside the configuration reads the setting; `key` is written as in the reference. */
  isRead(key: string): boolean {
    return this.#declarationsOf(key).some((declaration) => this.#read.has(declaration));
  }

  #mark(declaration: ts.Declaration): void {
    if (this.#read.has(declaration)) return;
    this.#read.add(declaration);
    for (const setting of this.#aliases.get(declaration) ?? []) this.#mark(setting);
  }

  /** What names a property in a file; on the way, what is handed over as something else is noted. */
  *#usesIn(node: ts.Node): Generator<ts.Declaration> {
    this.#noteHandOver(node);
    yield* this.#propertyNamed(node)?.declarations ?? [];
    // Not a generator of the compiler's own, so that a deep tree costs no more than its depth.
    for (const child of childrenOf(node)) yield* this.#usesIn(child);
  }

  #propertyNamed(node: ts.Node): ts.Symbol | undefined {
    if (ts.isPropertyAccessExpression(node)) return this.#checker.getSymbolAtLocation(node.name);
    if (ts.isElementAccessExpression(node) && ts.isStringLiteralLike(node.argumentExpression))
      return this.#propertyOf(this.#checker.getTypeAtLocation(node.expression), node.argumentExpression.text);
    if (!ts.isBindingElement(node) || !ts.isObjectBindingPattern(node.parent)) return undefined;
    const name = node.propertyName ?? node.name;
    return ts.isIdentifier(name)
      ? this.#propertyOf(this.#checker.getTypeAtLocation(node.parent), name.text)
      : undefined;
  }

  #propertyOf(type: ts.Type, name: string): ts.Symbol | undefined {
    return this.#checker.getPropertyOfType(this.#checker.getNonNullableType(type), name);
  }

  #noteHandOver(node: ts.Node): void {
    const checker = this.#checker;
    if (ts.isSpreadAssignment(node)) {
      const given = checker.getTypeAtLocation(node.expression);
      const wanted = this.#holdsSettings(given) ? checker.getContextualType(node.parent) : undefined;
      if (wanted !== undefined) this.#link(given, wanted);
    } else if (ts.isShorthandPropertyAssignment(node)) {
      const group = checker.getContextualType(node.parent);
      const field = group === undefined ? undefined : this.#propertyOf(group, node.name.text);
      const value = checker.getShorthandAssignmentValueSymbol(node);
      if (field !== undefined && value !== undefined)
        this.#link(checker.getTypeOfSymbol(value), checker.getTypeOfSymbol(field));
    } else if (isValue(node)) {
      // What a value is wanted as costs far more to find out than what it is; nearly none holds a setting.
      const given = checker.getTypeAtLocation(node);
      const wanted = this.#holdsSettings(given) ? checker.getContextualType(node) : undefined;
      if (wanted !== undefined) this.#link(given, wanted);
    }
  }

  /** Whether a setting could be handed over with a value of this type. */
  #holdsSettings(type: ts.Type): boolean {
    const known = this.#holding.get(type);
    if (known !== undefined) return known;
    this.#holding.set(type, false);
    const holds = partsOf(this.#checker.getNonNullableType(type)).some((part) => {
      if (part.getProperties().some(({ declarations = [] }) => declarations.some(isSetting))) return true;
      const entry = this.#entryOf(part);
      return entry !== undefined && this.#holdsSettings(entry);
    });
    this.#holding.set(type, holds);
    return holds;
  }

  #link(given: ts.Type, wanted: ts.Type): void {
    const [from, to] = [given, wanted].map((type) => this.#checker.getNonNullableType(type));
    if (from === undefined || to === undefined || from === to) return;
    const pair = `${idOf(from)}>${idOf(to)}`;
    if (this.#linked.has(pair)) return;
    this.#linked.add(pair);
    for (const one of partsOf(from)) for (const other of partsOf(to)) this.#linkGroups(one, other);
  }

  #linkGroups(from: ts.Type, to: ts.Type): void {
    const entry = this.#entryOf(to);
    const own = this.#entryOf(from);
    if (own !== undefined && entry !== undefined) this.#link(own, entry);
    for (const property of from.getProperties()) {
      const settings = (property.declarations ?? []).filter(isSetting);
      if (settings.length === 0) continue;
      const type = this.#checker.getTypeOfSymbol(property);
      const counterpart = to.getProperty(property.name);
      if (counterpart === undefined) {
        if (entry !== undefined) this.#link(type, entry);
        continue;
      }
      for (const declaration of counterpart.declarations ?? []) {
        if (isSetting(declaration)) continue;
        const known = this.#aliases.get(declaration) ?? new Set();
        this.#aliases.set(declaration, known);
        for (const setting of settings) known.add(setting);
      }
      this.#link(type, this.#checker.getTypeOfSymbol(counterpart));
    }
  }

  /** The type of the entries of a list or a map. */
  #entryOf(type: ts.Type): ts.Type | undefined {
    return (
      this.#checker.getIndexTypeOfType(type, ts.IndexKind.Number) ??
      this.#checker.getIndexTypeOfType(type, ts.IndexKind.String)
    );
  }

  /** Where the sections state the key: through names and positions down from `Config`. */
  #declarationsOf(key: string): readonly ts.Declaration[] {
    let type = this.#configType();
    let found: readonly ts.Declaration[] = [];
    for (const segment of key.replaceAll("[]", ".[]").split(".")) {
      const groups = partsOf(this.#checker.getNonNullableType(type));
      if (segment === "<name>" || segment === "[]") {
        type = groups.map((group) => this.#entryOf(group)).find((entry) => entry !== undefined) ?? type;
        continue;
      }
      const property = groups.map((group) => group.getProperty(segment)).find((one) => one !== undefined);
      if (property === undefined) throw new Error(`The type of the settings has no ${key}.`);
      found = property.declarations ?? [];
      type = this.#checker.getTypeOfSymbol(property);
    }
    return found;
  }

  #configType(): ts.Type {
    const file = this.#program.getSourceFile(path.join(config, "config.ts"));
    const symbol = file === undefined ? undefined : this.#checker.getSymbolAtLocation(file);
    const type = symbol?.exports?.get(ts.escapeLeadingUnderscores("Config"));
    if (type === undefined) throw new Error("src/config/config.ts has no type Config.");
    return this.#checker.getDeclaredTypeOfSymbol(type);
  }
}

function sourceProgram(): ts.Program {
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => undefined };
  const parsed = ts.getParsedCommandLineOfConfigFile(path.join(root, "tsconfig.json"), {}, host);
  if (parsed === undefined) throw new Error("tsconfig.json cannot be read.");
  const files = parsed.fileNames.filter(
    (name) => name.startsWith(path.join(root, "src/")) && !/\.test\.tsx?$/.test(name),
  );
  return ts.createProgram(files, parsed.options);
}

function childrenOf(node: ts.Node): readonly ts.Node[] {
  const children: ts.Node[] = [];
  ts.forEachChild(node, (child) => void children.push(child));
  return children;
}

const isSetting = (declaration: ts.Declaration): boolean => declaration.getSourceFile().fileName.startsWith(sections);

/** Expressions that hand a value on as it is. */
const isValue = (node: ts.Node): node is ts.Expression =>
  ts.isIdentifier(node) ||
  ts.isPropertyAccessExpression(node) ||
  ts.isElementAccessExpression(node) ||
  ts.isCallExpression(node);

const partsOf = (type: ts.Type): readonly ts.Type[] =>
  (type.isUnion() ? type.types : [type]).filter(
    ({ flags }) => (flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) !== 0,
  );

/** The compiler numbers its types; the number is not part of its types. */
const idOf = (type: ts.Type): number => (type as unknown as { readonly id: number }).id;
