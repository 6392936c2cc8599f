/** As much of the wire form of protocol buffers as messages of Modal need. */
export type Field = string | number | boolean | Uint8Array | readonly string[] | undefined;

/** Fields by number; a nested message is bytes of its own. */
export function encode(fields: Readonly<Record<number, Field>>): Buffer {
  const pieces: Buffer[] = [];
  for (const [key, value] of Object.entries(fields)) {
    const number = Number(key);
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one === undefined) continue;
      if (typeof one === "number" || typeof one === "boolean") pieces.push(varint(number << 3), varint(Number(one)));
      else {
        const bytes = Buffer.from(one as string | Uint8Array as string);
        pieces.push(varint((number << 3) | 2), varint(bytes.length), bytes);
      }
    }
  }
  return Buffer.concat(pieces);
}

/** A message that was read: every field by number, in order. */
export class Message {
  readonly #fields = new Map<number, (number | Buffer)[]>();

  constructor(bytes: Buffer) {
    let at = 0;
    const number = (): number => {
      let value = 0;
      for (let shift = 0; ; shift += 7) {
        const byte = bytes[at++] ?? 0;
        value += (byte & 0x7f) * 2 ** shift;
        if ((byte & 0x80) === 0) return value;
      }
    };
    while (at < bytes.length) {
      const tag = number();
      const values = this.#fields.get(Math.floor(tag / 8)) ?? [];
      this.#fields.set(Math.floor(tag / 8), values);
      const kind = tag & 7;
      if (kind === 0) values.push(number());
      else {
        const length = kind === 2 ? number() : kind === 1 ? 8 : 4;
        values.push(bytes.subarray(at, at + length));
        at += length;
      }
    }
  }

  text(field: number): string {
    return this.bytes(field).toString();
  }

  texts(field: number): readonly string[] {
    return (this.#fields.get(field) ?? []).map(String);
  }

  number(field: number): number {
    const value = this.#fields.get(field)?.at(-1);
    return typeof value === "number" ? value : 0;
  }

  bytes(field: number): Buffer {
    const value = this.#fields.get(field)?.at(-1);
    return Buffer.isBuffer(value) ? value : Buffer.alloc(0);
  }

  message(field: number): Message {
    return new Message(this.bytes(field));
  }
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let left = value;
  while (left > 0x7f) {
    bytes.push((left % 128) | 0x80);
    left = Math.floor(left / 128);
  }
  return Buffer.from([...bytes, left]);
}
