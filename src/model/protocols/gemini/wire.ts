/** What goes over the wire of `models/{model}:generateContent`, as far as we write it. */
export type GeminiPart =
  | { readonly text: string }
  | { readonly inlineData: { readonly mimeType: string; readonly data: string } }
  | { readonly fileData: { readonly fileUri: string } }
  | {
      readonly functionCall: { readonly name: string; readonly args: Readonly<Record<string, unknown>> };
      readonly thoughtSignature?: string;
    }
  | {
      readonly functionResponse: { readonly name: string; readonly response: Readonly<Record<string, unknown>> };
    };
