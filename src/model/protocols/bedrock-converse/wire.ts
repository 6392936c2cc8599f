/** What goes over the wire of Bedrock's Converse, as far as we write it. */
export type ConverseBlock =
  | { readonly text: string }
  | { readonly image: { readonly format: string; readonly source: { readonly bytes: string } } }
  | {
      readonly toolUse: {
        readonly toolUseId: string;
        readonly name: string;
        readonly input: Readonly<Record<string, unknown>>;
      };
    }
  | {
      readonly toolResult: {
        readonly toolUseId: string;
        readonly content: readonly ConverseBlock[];
        readonly status: "success";
      };
    };

export interface ConverseTool {
  readonly toolSpec: {
    readonly name: string;
    readonly description: string;
    readonly inputSchema: { readonly json: Readonly<Record<string, unknown>> };
  };
}
