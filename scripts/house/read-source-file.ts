import {
  type Declaration,
  type ExportFact,
  type ImportFact,
  type MemberFact,
  resolveSpecifier,
  type SourceFile,
} from "./source-file.ts";
import { child, children, isLabel, type Node, nameOf, statementsOf, walk } from "./syntax.ts";
import { takenNames, typeNames } from "./taken-names.ts";

/** What the gates ask about a file, from one walk over its syntax. */
export function readSourceFile(file: string, text: string): SourceFile {
  const reader = new Reader(file, text);
  for (const statement of statementsOf(file, text)) reader.take(statement);
  return reader.result();
}

class Reader {
  readonly #file: string;
  readonly #lineStarts: number[] = [0];
  readonly #imports: ImportFact[] = [];
  readonly #bindings = new Map<string, { target: string; name: string }>();
  readonly #exports = new Map<string, ExportFact>();
  readonly #wholesale: { target: string; line: number }[] = [];
  readonly #declarations: Declaration[] = [];
  readonly #members: MemberFact[] = [];
  readonly #readMembers = new Set<string>();
  readonly #suppliedMembers = new Set<string>();
  readonly #functions: { name: string; line: number; lines: number }[] = [];
  readonly #names = new Map<string, number>();
  readonly #texts: { text: string; line: number }[] = [];

  constructor(file: string, text: string) {
    this.#file = file;
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) this.#lineStarts.push(at + 1);
  }

  result(): SourceFile {
    return {
      path: this.#file,
      lines: this.#lineStarts.length - 1,
      imports: this.#imports,
      bindings: this.#bindings,
      exports: this.#exports,
      wholesale: this.#wholesale,
      declarations: this.#declarations,
      members: this.#members,
      readMembers: this.#readMembers,
      suppliedMembers: this.#suppliedMembers,
      functions: this.#functions,
      names: this.#names,
      texts: this.#texts,
    };
  }

  take(statement: Node): void {
    switch (statement.type) {
      case "ImportDeclaration":
        this.#takeImport(statement);
        break;
      case "ExportAllDeclaration":
        this.#takeExportAll(statement);
        break;
      case "ExportNamedDeclaration": {
        const declaration = child(statement, "declaration");
        if (declaration === undefined) this.#takeExportList(statement);
        else this.#takeDeclaration(declaration, { isExported: true });
        break;
      }
      default:
        this.#takeDeclaration(statement, { isExported: false });
    }
  }

  #takeImport(statement: Node): void {
    const target = this.#resolve(statement);
    const specifiers = children(statement, "specifiers");
    const names: string[] = [];
    for (const one of specifiers) {
      const name = importedName(one);
      names.push(name);
      const local = nameOf(child(one, "local"));
      if (target !== undefined && local !== undefined) this.#bindings.set(local, { target, name });
    }
    const isTypeOnly =
      statement["importKind"] === "type" ||
      (specifiers.length > 0 && specifiers.every((one) => one["importKind"] === "type"));
    this.#addImport(statement, { target, names: names.includes("*") ? "all" : names, isTypeOnly, isDynamic: false });
  }

  #takeExportAll(statement: Node): void {
    const isTypeOnly = statement["exportKind"] === "type";
    const target = this.#resolve(statement);
    if (target !== undefined) this.#wholesale.push({ target, line: this.#lineOf(statement) });
    this.#addImport(statement, { target, names: "all", isTypeOnly, isDynamic: false });
  }

  #takeExportList(statement: Node): void {
    const from = this.#resolve(statement);
    const specifiers = children(statement, "specifiers");
    const line = this.#lineOf(statement);
    for (const one of specifiers) {
      const local = nameOf(child(one, "local")) ?? "";
      const name = nameOf(child(one, "exported")) ?? local;
      this.#exports.set(name, { name, local, from, line: this.#lineOf(one) || line });
    }
    if (child(statement, "source") === undefined) return;
    const isTypeOnly = statement["exportKind"] === "type" || specifiers.every((one) => one["exportKind"] === "type");
    const names = specifiers.map((one) => nameOf(child(one, "local")) ?? "");
    this.#addImport(statement, { target: from, names, isTypeOnly, isDynamic: false });
  }

  #takeDeclaration(declaration: Node, { isExported }: { readonly isExported: boolean }): void {
    const { mentions, imports } = this.#survey(declaration);
    for (const name of declaredNames(declaration)) {
      const line = this.#lineOf(declaration);
      this.#declarations.push({ name, kind: kindOf(declaration), line, mentions, imports });
      if (isExported) this.#exports.set(name, { name, line, local: name, from: undefined });
    }
    if (declaredNames(declaration).length > 0 && !awaitsAtTheTop(declaration)) return;
    const line = this.#lineOf(declaration);
    this.#declarations.push({ name: undefined, kind: "effect", line, mentions, imports });
  }

  /** One walk over a declaration collects everything that is asked of it. */
  #survey(declaration: Node): { readonly mentions: ReadonlySet<string>; readonly imports: readonly ImportFact[] } {
    const mentions = new Set<string>();
    const imports: ImportFact[] = [];
    walk(declaration, (node, above) => {
      const parent = above.at(-1);
      switch (node.type) {
        case "Identifier":
        case "PrivateIdentifier":
          this.#takeIdentifier(node, parent, mentions);
          break;
        case "JSXIdentifier":
          if (parent?.type === "JSXOpeningElement") mentions.add(nameOf(node) ?? "");
          if (parent?.type === "JSXAttribute") this.#suppliedMembers.add(nameOf(node) ?? "");
          break;
        case "ImportExpression":
        case "TSImportType": {
          const fact = this.#takeDynamic(node, above, declaration);
          if (fact !== undefined) imports.push(fact);
          break;
        }
        case "Literal":
          this.#takeText(node, node["value"]);
          break;
        case "TemplateElement":
          this.#takeText(node, (node["value"] as { readonly cooked?: unknown } | undefined)?.cooked);
          break;
        case "FunctionDeclaration":
        case "FunctionExpression":
        case "ArrowFunctionExpression":
          this.#takeFunction(node, above);
          break;
        default:
          this.#takeMember(node, above);
      }
    });
    return { mentions, imports };
  }

  #takeIdentifier(node: Node, parent: Node | undefined, mentions: Set<string>): void {
    const name = nameOf(node) ?? "";
    const label = isLabel(node, parent);
    if (!label) mentions.add(name);
    if (label && parent?.type === "MemberExpression") this.#readMembers.add(name);
    // Members of foreign values are not ours to name.
    else if (!this.#names.has(name)) this.#names.set(name, this.#lineOf(node));
  }

  #takeText(node: Node, value: unknown): void {
    if (typeof value === "string" && value !== "") this.#texts.push({ text: value, line: this.#lineOf(node) });
  }

  #takeFunction(node: Node, above: readonly Node[]): void {
    const first = this.#lineOf(node);
    const lines = this.#lineAt(node.end) - first + 1;
    this.#functions.push({ name: functionName(node, above), line: first, lines });
  }

  #takeMember(node: Node, above: readonly Node[]): void {
    const parent = above.at(-1);
    const name = node["computed"] === true ? undefined : nameOf(child(node, "key"));
    switch (node.type) {
      case "Property": {
        if (name === undefined) return;
        if (parent?.type === "ObjectPattern") this.#readMembers.add(name);
        else this.#suppliedMembers.add(name);
        return;
      }
      case "MemberExpression": {
        const literal = node["computed"] === true ? nameOf(child(node, "property")) : undefined;
        if (literal !== undefined) this.#readMembers.add(literal);
        return;
      }
      case "AssignmentExpression": {
        const left = child(node, "left");
        const assigned = left?.type === "MemberExpression" ? nameOf(child(left, "property")) : undefined;
        if (assigned !== undefined) this.#suppliedMembers.add(assigned);
        return;
      }
      case "MethodDefinition":
      case "PropertyDefinition": {
        if (name === undefined || child(node, "key")?.type === "PrivateIdentifier") return;
        this.#suppliedMembers.add(name);
        const isMethod = node.type === "MethodDefinition" && node["kind"] === "method";
        if (isMethod && node["accessibility"] !== "private") this.#addMember(node, above, name);
        return;
      }
      case "TSMethodSignature":
      case "TSPropertySignature": {
        if (name !== undefined && (isFunctionMember(node) || node["optional"] === true))
          this.#addMember(node, above, name);
        return;
      }
    }
  }

  #addMember(node: Node, above: readonly Node[], name: string): void {
    this.#members.push({
      owner: ownerName(above),
      name,
      kind: node.type === "MethodDefinition" ? "method" : isFunctionMember(node) ? "port" : "option",
      isOptional: node["optional"] === true,
      line: this.#lineOf(node),
    });
  }

  #takeDynamic(node: Node, above: readonly Node[], declaration: Node): ImportFact | undefined {
    const source = child(node, "source");
    if (source?.type !== "Literal") return undefined;
    const names = node.type === "TSImportType" ? typeNames(node) : takenNames(node, above, declaration);
    const fact = { target: this.#resolve(node), names, isTypeOnly: node.type === "TSImportType", isDynamic: true };
    return this.#addImport(node, fact);
  }

  #addImport(node: Node, fact: Omit<ImportFact, "specifier" | "line">): ImportFact {
    const whole = { ...fact, specifier: nameOf(child(node, "source")) ?? "", line: this.#lineOf(node) };
    this.#imports.push(whole);
    return whole;
  }

  #resolve(statement: Node): string | undefined {
    const specifier = nameOf(child(statement, "source"));
    return specifier === undefined ? undefined : resolveSpecifier(this.#file, specifier);
  }

  #lineOf(node: Node): number {
    return this.#lineAt(node.start);
  }

  #lineAt(offset: number): number {
    let low = 0;
    let high = this.#lineStarts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((this.#lineStarts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  }
}

function importedName(specifier: Node): string {
  if (specifier.type === "ImportNamespaceSpecifier") return "*";
  if (specifier.type === "ImportDefaultSpecifier") return "default";
  return nameOf(child(specifier, "imported")) ?? "";
}

function kindOf(declaration: Node): Declaration["kind"] {
  switch (declaration.type) {
    case "FunctionDeclaration":
    case "TSDeclareFunction":
      return "function";
    case "ClassDeclaration":
      return "class";
    case "TSInterfaceDeclaration":
    case "TSTypeAliasDeclaration":
      return "type";
    default: {
      const [first] = children(declaration, "declarations");
      const isFunction = first !== undefined && child(first, "init")?.type === "ArrowFunctionExpression";
      return isFunction ? "function" : "value";
    }
  }
}

function declaredNames(declaration: Node): readonly string[] {
  if (declaration.type === "VariableDeclaration") {
    return children(declaration, "declarations").flatMap((one) => patternNames(child(one, "id")));
  }
  const id = declaration.type === "ExpressionStatement" ? undefined : nameOf(child(declaration, "id"));
  return id === undefined ? [] : [id];
}

/** `const { main } = await import(...)` does something when the file is loaded. */
function awaitsAtTheTop(declaration: Node): boolean {
  return children(declaration, "declarations").some((one) => child(one, "init")?.type === "AwaitExpression");
}

function patternNames(pattern: Node | undefined): readonly string[] {
  if (pattern === undefined) return [];
  const name = pattern.type === "Identifier" ? nameOf(pattern) : undefined;
  if (name !== undefined) return [name];
  return children(pattern, "properties").flatMap((one) => patternNames(child(one, "value")));
}

function functionName(node: Node, above: readonly Node[]): string {
  const parent = above.at(-1);
  const own = nameOf(child(node, "id"));
  if (own !== undefined || parent === undefined) return own ?? "";
  return nameOf(child(parent, "key")) ?? nameOf(child(parent, "id")) ?? "(nameless)";
}

function isFunctionMember(node: Node): boolean {
  if (node.type === "TSMethodSignature") return node["kind"] === "method";
  const annotation = child(node, "typeAnnotation");
  return annotation !== undefined && isFunctionType(child(annotation, "typeAnnotation"));
}

function isFunctionType(type: Node | undefined): boolean {
  if (type === undefined) return false;
  if (type.type === "TSParenthesizedType") return isFunctionType(child(type, "typeAnnotation"));
  if (type.type === "TSUnionType") return children(type, "types").some(isFunctionType);
  return type.type === "TSFunctionType";
}

function ownerName(above: readonly Node[]): string {
  const owners = ["TSInterfaceDeclaration", "TSTypeAliasDeclaration", "ClassDeclaration", "ClassExpression"];
  const owner = above.findLast((node) => owners.includes(node.type));
  return (owner === undefined ? undefined : nameOf(child(owner, "id"))) ?? "(nameless)";
}
