import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";

const special = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"];

const template =
  "{%- if tools %}{{ '<|im_start|>tools\\n' + (tools | tojson) + '<|im_end|>\\n' }}{%- endif %}{%- for message in messages %}{{ '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}{%- endfor %}{%- if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{%- endif %}";

/** Writes the files of a tokenizer in which every byte is a token, with a few special ones and a chat template. */
export async function writeByteTokenizer(folder: string): Promise<void> {
  const characters = byteCharacters();
  const vocab = Object.fromEntries([...special, ...characters].map((token, id) => [token, id]));
  await mkdir(folder, { recursive: true });
  await writeFile(
    path.join(folder, "tokenizer.json"),
    JSON.stringify({
      version: "1.0",
      truncation: null,
      padding: null,
      added_tokens: special.map((content, id) => ({
        ...{ id, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special: true },
      })),
      normalizer: null,
      pre_tokenizer: { type: "ByteLevel", add_prefix_space: false, trim_offsets: true, use_regex: true },
      post_processor: null,
      decoder: { type: "ByteLevel", add_prefix_space: true, trim_offsets: true, use_regex: true },
      model: {
        ...{ type: "BPE", dropout: null, unk_token: null, continuing_subword_prefix: null, end_of_word_suffix: null },
        ...{ fuse_unk: false, byte_fallback: false, vocab, merges: [] },
      },
    }),
  );
  await writeFile(
    path.join(folder, "tokenizer_config.json"),
    JSON.stringify({ eos_token: "<|im_end|>", chat_template: template, tokenizer_class: "GPT2Tokenizer" }),
  );
}

/** The characters that stand for bytes in byte-level vocabularies. */
function byteCharacters(): readonly string[] {
  const isShown = (byte: number): boolean =>
    (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || (byte >= 174 && byte <= 255);
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(isShown(byte) ? byte : next++));
}
