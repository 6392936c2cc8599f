/** How a family of models writes a tool call in its text. */
export interface CallForm {
  readonly name: "hermes" | "llama" | "mistral";
  /** The text that can only be the beginning of a call. */
  readonly trigger: string;
  /** From the beginning of the trigger to the quotation mark that begins the name. */
  readonly open: string;
  readonly beforeArguments: string;
  readonly afterArguments: string;
}

const hermes: CallForm = {
  name: "hermes",
  trigger: "<tool_call>",
  open: '<tool_call>\n{"name": "',
  beforeArguments: '", "arguments": ',
  afterArguments: "}\n</tool_call>",
};

const llama: CallForm = {
  name: "llama",
  trigger: '{"name"',
  open: '{"name": "',
  beforeArguments: '", "parameters": ',
  afterArguments: "}",
};

const mistral: CallForm = {
  name: "mistral",
  trigger: "[TOOL_CALLS]",
  open: '[TOOL_CALLS][{"name": "',
  beforeArguments: '", "arguments": ',
  afterArguments: "}]",
};

/** The form a chat template teaches; where it teaches none, the most common one is explained to the model by us. */
export function callFormOf(template: string): CallForm {
  if (template.includes("[TOOL_CALLS]")) return mistral;
  if (template.includes("<|python_tag|>") || /"parameters"\s*:/.test(template)) return llama;
  return hermes;
}

/** Whether the template itself says which tools there are. */
export function explainsTools(template: string): boolean {
  return /\btools\b/.test(template);
}

/** The name and the arguments of a call whose text follows `open`. */
export function readCall(text: string, form: CallForm): { readonly name: string; readonly args: string } | undefined {
  const nameEnd = text.indexOf(form.beforeArguments);
  if (nameEnd < 0 || !text.endsWith(form.afterArguments)) return undefined;
  const args = text.slice(nameEnd + form.beforeArguments.length, text.length - form.afterArguments.length);
  return { name: text.slice(0, nameEnd), args };
}
