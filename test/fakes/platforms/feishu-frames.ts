/** The frames of Feishu's long connection as its `pbbp2.proto` describes them, written apart from the adapter's own. */
export interface WireFrame {
  readonly service: number;
  readonly method: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: Buffer;
}

function size(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...size(Math.floor(value / 128))];
}

function text(tag: number, value: Buffer): number[] {
  return [tag, ...size(value.length), ...value];
}

export function writeFeishuFrame({ service, method, headers, payload }: WireFrame): Buffer {
  const pairs = Object.entries(headers).flatMap(([key, value]) =>
    text(0x2a, Buffer.from([...text(0x0a, Buffer.from(key)), ...text(0x12, Buffer.from(value))])),
  );
  const [seqId, logId] = [
    [0x08, ...size(300)],
    [0x10, ...size(70_000)],
  ];
  // An encoding and a kind of payload stand before it, and a second log id after it.
  const names = [...text(0x32, Buffer.from("")), ...text(0x3a, Buffer.from("json"))];
  const rest = [...names, ...text(0x42, payload), ...text(0x4a, Buffer.from("log"))];
  return Buffer.from([...seqId, ...logId, 0x18, ...size(service), 0x20, ...size(method), ...pairs, ...rest]);
}

export function readFeishuFrame(data: Buffer): WireFrame {
  const headers: Record<string, string> = {};
  let [service, method, payload] = [0, 0, Buffer.alloc(0)];
  for (const [field, value] of parts(data)) {
    if (field === 3) service = value as number;
    else if (field === 4) method = value as number;
    else if (field === 8) payload = Buffer.from(value as Buffer);
    else if (field === 5) {
      const [[, key], [, text]] = parts(value as Buffer) as [[number, Buffer], [number, Buffer]];
      headers[key.toString()] = text.toString();
    }
  }
  return { service, method, headers, payload };
}

function parts(data: Buffer): [field: number, value: number | Buffer][] {
  const found: [number, number | Buffer][] = [];
  let at = 0;
  const next = (): number => {
    let [value, scale] = [0, 1];
    for (;;) {
      const byte = data[at] ?? 0;
      at += 1;
      value += (byte % 128) * scale;
      if (byte < 128) return value;
      scale *= 128;
    }
  };
  while (at < data.length) {
    const tag = next();
    const value = next();
    if (tag % 8 === 0) found.push([tag >> 3, value]);
    else {
      found.push([tag >> 3, data.subarray(at, at + value)]);
      at += value;
    }
  }
  return found;
}
