/** What the process that runs models is started with; not a secret among it. */
export interface ServerSettings {
  readonly modelsFolder: string;
  readonly engineFolder: string;
  /** Where port and token are written down. */
  readonly serverFile: string;
  readonly idleMs: number;
  readonly maxContext?: number | undefined;
}

/** How the process ends when another program has the port. */
export const portTakenCode = 98;
