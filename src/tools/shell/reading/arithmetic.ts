import type { ArithmeticExpression } from "unbash";

/** What arithmetic needs of the shell around it. */
export interface NumberScope {
  /** The text of a variable or an expanded word; undefined when it is not known. */
  text(expression: Extract<ArithmeticExpression, { type: "ArithmeticWord" }>): string | undefined;
  assign(name: string, value: bigint | undefined): void;
  /** Reads the script of a substitution inside. */
  visit(expression: Extract<ArithmeticExpression, { type: "ArithmeticCommandExpansion" }>): void;
}

/** The value of an expression; undefined when it is not known. Every part is looked at, for what it runs. */
export function evaluate(expression: ArithmeticExpression | undefined, scope: NumberScope): bigint | undefined {
  switch (expression?.type) {
    case undefined:
      return 0n;
    case "ArithmeticWord":
      return numberOf(scope.text(expression));
    case "ArithmeticGroup":
      return evaluate(expression.expression, scope);
    case "ArithmeticCommandExpansion":
      scope.visit(expression);
      return undefined;
    case "ArithmeticTernary": {
      const test = evaluate(expression.test, scope);
      const yes = evaluate(expression.consequent, scope);
      const no = evaluate(expression.alternate, scope);
      return test === undefined ? undefined : test === 0n ? no : yes;
    }
    case "ArithmeticUnary":
      return unary(expression, scope);
    case "ArithmeticBinary":
      return binary(expression, scope);
  }
}

/** A number as the shell writes one: decimal, octal, hexadecimal, or with a base. */
function numberOf(text: string | undefined): bigint | undefined {
  const trimmed = text?.trim();
  if (trimmed === undefined) return undefined;
  if (trimmed === "") return 0n;
  const match = /^([+-]?)(?:(0[xX][0-9a-fA-F]+)|(0[0-7]*)|([1-9]\d*))$/.exec(trimmed);
  if (match === null) return undefined;
  const [, sign, hex, octal, decimal] = match;
  const value = BigInt(hex ?? (octal === undefined ? (decimal ?? "0") : octal === "0" ? "0" : `0o${octal.slice(1)}`));
  return sign === "-" ? -value : value;
}

function unary(expression: Extract<ArithmeticExpression, { type: "ArithmeticUnary" }>, scope: NumberScope) {
  const value = evaluate(expression.operand, scope);
  if (expression.operator === "++" || expression.operator === "--") {
    const next = value === undefined ? undefined : expression.operator === "++" ? value + 1n : value - 1n;
    if (expression.operand.type === "ArithmeticWord") scope.assign(expression.operand.value, next);
    return expression.prefix ? next : value;
  }
  if (value === undefined) return undefined;
  switch (expression.operator) {
    case "-":
      return -value;
    case "!":
      return value === 0n ? 1n : 0n;
    case "~":
      return ~value;
    default:
      return value;
  }
}

function binary(expression: Extract<ArithmeticExpression, { type: "ArithmeticBinary" }>, scope: NumberScope) {
  const { operator } = expression;
  const isAssignment = /^(?:[-+*/%&|^]|<<|>>)?=$/.test(operator);
  // Also what is assigned to is looked at: a subscript may run something.
  const left = evaluate(expression.left, scope);
  const right = evaluate(expression.right, scope);
  if (!isAssignment) return left === undefined || right === undefined ? undefined : operate(operator, left, right);
  const value =
    operator === "="
      ? right
      : left === undefined || right === undefined
        ? undefined
        : operate(operator.slice(0, -1), left, right);
  if (expression.left.type === "ArithmeticWord") scope.assign(expression.left.value, value);
  return value;
}

function operate(operator: string, left: bigint, right: bigint): bigint | undefined {
  const truth = (isTrue: boolean): bigint => (isTrue ? 1n : 0n);
  switch (operator) {
    case "+":
      return BigInt.asIntN(64, left + right);
    case "-":
      return BigInt.asIntN(64, left - right);
    case "*":
      return BigInt.asIntN(64, left * right);
    case "/":
      return right === 0n ? undefined : left / right;
    case "%":
      return right === 0n ? undefined : left % right;
    case "**":
      return right < 0n || right > 64n ? undefined : BigInt.asIntN(64, left ** right);
    case "<<":
      return right < 0n || right > 63n ? undefined : BigInt.asIntN(64, left << right);
    case ">>":
      return right < 0n || right > 63n ? undefined : left >> right;
    case "&":
      return left & right;
    case "|":
      return left | right;
    case "^":
      return left ^ right;
    case "&&":
      return truth(left !== 0n && right !== 0n);
    case "||":
      return truth(left !== 0n || right !== 0n);
    case "==":
      return truth(left === right);
    case "!=":
      return truth(left !== right);
    case "<":
      return truth(left < right);
    case ">":
      return truth(left > right);
    case "<=":
      return truth(left <= right);
    case ">=":
      return truth(left >= right);
    case ",":
      return right;
    default:
      return undefined;
  }
}
