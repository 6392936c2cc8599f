/** Long answers as providers stream them, a few characters at a time. */
const words = [
  "The",
  " quick",
  " brown",
  " fox",
  " jumps",
  " over",
  " the",
  " lazy",
  " dog",
  ".",
  " Grüße",
  " and",
  " so",
  " on",
  ",",
];
const code = ["const", " x", " =", ' "', "value", '"', ";", "\n", "  return", " x", "\n", "}", "\n\n", "//", " done"];

export function chatStream(size: number, kind: "plain" | "obfuscated" | "code"): Buffer {
  const head =
    '{"id":"chatcmpl-CkZ1yq7bA0","object":"chat.completion.chunk","created":1764000000,"model":"gpt-4.1-2025-04-14","service_tier":"default","system_fingerprint":"fp_51e1070cf2","choices":[{"index":0,"delta":';
  const middle = ',"logprobs":null,"finish_reason":null}],"usage":null';
  const texts = kind === "code" ? code : words;
  return repeat(size, {
    head: `data: ${head}{"role":"assistant","content":"","refusal":null}${middle}}\n\n`,
    event: (at) => {
      const padding = kind === "obfuscated" ? `,"obfuscation":"${"aB3xQ9kLm".slice(at % 9)}"` : "";
      return `data: ${head}{"content":${JSON.stringify(texts[at % texts.length])}}${middle}${padding}}\n\n`;
    },
    tail: `data: ${head}{},"logprobs":null,"finish_reason":"stop"}],"usage":null}\n\ndata: [DONE]\n\n`,
  });
}

export function toolStream(size: number): Buffer {
  const head =
    '{"id":"chatcmpl-CkZ1yq7bA0","object":"chat.completion.chunk","created":1764000000,"model":"gpt-4.1-2025-04-14","choices":[{"index":0,"delta":';
  const tail = ',"logprobs":null,"finish_reason":null}]}\n\n';
  return repeat(size, {
    head: `data: ${head}{"role":"assistant","tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"write_file","arguments":"{\\"content\\":\\""}}]}${tail}`,
    event: (at) =>
      `data: ${head}{"tool_calls":[{"index":0,"function":{"arguments":${JSON.stringify(words[at % words.length])}}}]}${tail}`,
    tail: `data: ${head}{"tool_calls":[{"index":0,"function":{"arguments":"\\"}"}}]}${tail}data: ${head}{},"finish_reason":"tool_calls"}]}\n\ndata: [DONE]\n\n`,
  });
}

export function anthropicStream(size: number): Buffer {
  const event = (type: string, rest: string): string => `event: ${type}\ndata: {"type":"${type}"${rest}}\n\n`;
  return repeat(size, {
    head:
      event(
        "message_start",
        ',"message":{"id":"msg_1","type":"message","role":"assistant","model":"claude","content":[],"usage":{"input_tokens":9,"output_tokens":1}}',
      ) + event("content_block_start", ',"index":0,"content_block":{"type":"text","text":""}'),
    event: (at) =>
      event(
        "content_block_delta",
        `,"index":0,"delta":{"type":"text_delta","text":${JSON.stringify(words[at % words.length])}}`,
      ),
    tail:
      event("content_block_stop", ',"index":0') +
      event("message_delta", ',"delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":99}') +
      event("message_stop", ""),
  });
}

export function responsesStream(size: number): Buffer {
  let number = 0;
  const event = (type: string, rest: string): string => {
    number += 1;
    return `event: ${type}\ndata: {"type":"${type}","sequence_number":${number}${rest}}\n\n`;
  };
  const item = '"item_id":"msg_68af4030592c81938ec0a5fbab4a3e9f05438e46b5f69a3b","output_index":0,"content_index":0';
  return repeat(size, {
    head: event("response.created", ',"response":{"id":"resp_1","model":"gpt-5.4","status":"in_progress","output":[]}'),
    event: (at) =>
      event(
        "response.output_text.delta",
        `,${item},"delta":${JSON.stringify(words[at % words.length])},"logprobs":[],"obfuscation":"${"aB3xQ9kLm".slice(at % 9)}"`,
      ),
    tail: event(
      "response.completed",
      ',"response":{"id":"resp_1","model":"gpt-5.4","status":"completed","output":[],"usage":{"input_tokens":9,"output_tokens":9}}',
    ),
  });
}

function repeat(size: number, parts: { head: string; event: (at: number) => string; tail: string }): Buffer {
  const pieces = [parts.head];
  let length = parts.head.length;
  for (let at = 0; length < size; at += 1) {
    const piece = parts.event(at);
    pieces.push(piece);
    length += piece.length;
  }
  return Buffer.from(pieces.join("") + parts.tail);
}
