export interface ConsoleMessage {
  readonly type: string;
  readonly text: string;
  readonly source: string;
}

export interface ScriptError {
  readonly message: string;
  readonly source: string;
}

const kept = 50;
const longestText = 2_000;

/** What pages wrote to their console, the newest fifty of each kind. */
export class ConsoleLog {
  #messages: ConsoleMessage[] = [];
  #errors: ScriptError[] = [];

  addMessage(message: ConsoleMessage): void {
    this.#messages = [...this.#messages, { ...message, text: message.text.slice(0, longestText) }].slice(-kept);
  }

  addError(error: ScriptError): void {
    this.#errors = [...this.#errors, { ...error, message: error.message.slice(0, longestText) }].slice(-kept);
  }

  read(): { readonly messages: readonly ConsoleMessage[]; readonly errors: readonly ScriptError[] } {
    return { messages: this.#messages, errors: this.#errors };
  }

  clear(): void {
    this.#messages = [];
    this.#errors = [];
  }
}
