/** A tool as its server describes it. */
export interface McpToolDefinition {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema?: unknown;
  readonly isReadOnly: boolean;
  readonly isDestructive: boolean;
  readonly isIdempotent: boolean;
}

/** What a server offers now. */
export interface McpCatalogue {
  readonly tools: readonly McpToolDefinition[];
  readonly hasResources: boolean;
  readonly hasPrompts: boolean;
}

export const emptyCatalogue: McpCatalogue = { tools: [], hasResources: false, hasPrompts: false };
