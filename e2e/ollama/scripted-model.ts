import { createHash } from 'node:crypto';

/** Width of the model, large enough that no two of some thousand random sign vectors are similar. */
const WIDTH = 128;
const HEADS = 2;
const FEED_FORWARD = 32;
const CHUNK_CHARS = 12;
/** Marks of chat templates are one token each in real vocabularies, and some parsers know them only whole. */
const PIECE = /<[^<>\s]{1,60}>|\[[A-Z_]{3,20}\]|[\s\S]/gu;
const ALIGNMENT = 32;
const F32 = 0;

const TOKEN = { normal: 1, control: 3, userDefined: 4 } as const;

/** A model that generates given texts, and the prompt that triggers each of them. */
export interface ScriptedModel {
  gguf: Buffer;
  /** `prompts[i]` is answered with `texts[i]`, whatever precedes it. */
  prompts: string[];
}

/**
 * Writes a model whose answers are fixed, so that a real Ollama can be given any text to read.
 *
 * It is a llama model in which attention and feed-forward are zero: the next token depends only on the last one. Each
 * text is cut into tokens that occur once in the vocabulary, and the output weights of a token are the embedding of the
 * one before it. A prompt is one token followed by the first, and the last is followed by the end token.
 */
export function scriptedModel(texts: readonly string[]): ScriptedModel {
  const vocabulary = new Vocabulary();
  const prompts: string[] = [];
  for (const [index, text] of texts.entries()) {
    const prompt = `<|say_${index}|>`;
    prompts.push(prompt);
    let last = vocabulary.add(prompt, TOKEN.control);
    for (const chunk of vocabulary.split(text)) {
      const token = vocabulary.add(chunk, TOKEN.userDefined);
      vocabulary.follows(last, token);
      last = token;
    }
    vocabulary.endsWith(last);
  }
  return { gguf: gguf(vocabulary), prompts };
}

class Vocabulary {
  readonly tokens: string[] = [];
  readonly types: number[] = [];
  readonly embeddings: Float32Array[] = [];
  readonly outputs: Float32Array[] = [];
  readonly #known = new Set<string>();
  readonly #endMark: number;
  readonly #last = signs('last');

  constructor() {
    // A byte-level vocabulary needs a token for each byte, though no prompt of ours uses them.
    for (let byte = 0; byte < 256; byte++) this.add(byteSymbol(byte), TOKEN.normal);
    this.#endMark = this.add('<|the_end|>', TOKEN.control);
    this.outputs[this.#endMark] = this.#last;
  }

  get endMark(): number {
    return this.#endMark;
  }

  add(token: string, type: number): number {
    this.#known.add(token);
    this.types.push(type);
    this.embeddings.push(signs(token));
    this.outputs.push(new Float32Array(WIDTH));
    return this.tokens.push(token) - 1;
  }

  follows(before: number, token: number): void {
    this.outputs[token] = this.embeddings[before] ?? this.#last;
  }

  endsWith(token: number): void {
    this.embeddings[token] = this.#last;
  }

  /** Short tokens that no other text uses. A remainder that is already in use is joined to the token before it. */
  split(text: string): string[] {
    const chunks: string[] = [];
    const taken = (chunk: string) => this.#known.has(chunk) || chunks.includes(chunk);
    let chunk = '';
    for (const [piece] of text.matchAll(PIECE)) {
      chunk += piece;
      if (chunk.length < CHUNK_CHARS || taken(chunk)) continue;
      chunks.push(chunk);
      chunk = '';
    }
    while (chunk !== '' && taken(chunk) && chunks.length > 0) chunk = (chunks.pop() ?? '') + chunk;
    if (chunk !== '' && taken(chunk)) throw new Error(`Two texts are too much alike: ${text}`);
    return chunk === '' ? chunks : [...chunks, chunk];
  }
}

/** A vector of +1 and -1 derived from a text. Two of them are nearly orthogonal. */
function signs(text: string): Float32Array {
  const bits = createHash('sha512').update(text).digest();
  return Float32Array.from({ length: WIDTH }, (_, i) => (((bits[i >> 3] ?? 0) >> (i & 7)) & 1 ? 1 : -1));
}

/** GPT-2's printable stand-in for a byte. */
function byteSymbol(byte: number): string {
  const printable = (code: number) =>
    (code >= 0x21 && code <= 0x7e) || (code >= 0xa1 && code <= 0xac) || (code >= 0xae && code <= 0xff);
  if (printable(byte)) return String.fromCharCode(byte);
  const before = Array.from({ length: byte }, (_, code) => code).filter((code) => !printable(code)).length;
  return String.fromCharCode(256 + before);
}

interface Tensor {
  name: string;
  shape: number[];
  data: Float32Array;
}

function tensorsOf(vocabulary: Vocabulary): Tensor[] {
  const size = vocabulary.tokens.length;
  const zeros = (name: string, ...shape: number[]): Tensor => ({
    name,
    shape,
    data: new Float32Array(shape.reduce((product, length) => product * length, 1)),
  });
  const ones = (name: string): Tensor => ({ name, shape: [WIDTH], data: new Float32Array(WIDTH).fill(1) });
  const rows = (name: string, vectors: readonly Float32Array[]): Tensor => {
    const data = new Float32Array(size * WIDTH);
    for (const [row, vector] of vectors.entries()) data.set(vector, row * WIDTH);
    return { name, shape: [WIDTH, size], data };
  };
  return [
    rows('token_embd.weight', vocabulary.embeddings),
    rows('output.weight', vocabulary.outputs),
    ones('output_norm.weight'),
    ones('blk.0.attn_norm.weight'),
    ones('blk.0.ffn_norm.weight'),
    ...['attn_q', 'attn_k', 'attn_v', 'attn_output'].map((part) =>
      zeros(`blk.0.${part}.weight`, WIDTH, WIDTH),
    ),
    zeros('blk.0.ffn_gate.weight', WIDTH, FEED_FORWARD),
    zeros('blk.0.ffn_up.weight', WIDTH, FEED_FORWARD),
    zeros('blk.0.ffn_down.weight', FEED_FORWARD, WIDTH),
  ];
}

const u32 = (value: number) => {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32LE(value);
  return buffer;
};
const u64 = (value: number) => {
  const buffer = Buffer.alloc(8);
  buffer.writeBigUInt64LE(BigInt(value));
  return buffer;
};
const f32 = (value: number) => {
  const buffer = Buffer.alloc(4);
  buffer.writeFloatLE(value);
  return buffer;
};
const text = (value: string) => Buffer.concat([u64(Buffer.byteLength(value)), Buffer.from(value)]);
const padding = (length: number) => Buffer.alloc((ALIGNMENT - (length % ALIGNMENT)) % ALIGNMENT);

/** The type numbers of the GGUF format, version 3. */
const KIND = { u32: 4, i32: 5, f32: 6, text: 8, array: 9 } as const;
const field = (key: string, kind: number, value: Buffer) => Buffer.concat([text(key), u32(kind), value]);
const list = (key: string, kind: number, values: readonly Buffer[]) =>
  field(key, KIND.array, Buffer.concat([u32(kind), u64(values.length), ...values]));

function gguf(vocabulary: Vocabulary): Buffer {
  const number = (key: string, value: number) => field(key, KIND.u32, u32(value));
  const fields = [
    field('general.architecture', KIND.text, text('llama')),
    field('general.name', KIND.text, text('scripted')),
    number('general.file_type', 0),
    number('general.alignment', ALIGNMENT),
    number('llama.block_count', 1),
    number('llama.context_length', 4096),
    number('llama.embedding_length', WIDTH),
    number('llama.feed_forward_length', FEED_FORWARD),
    number('llama.attention.head_count', HEADS),
    number('llama.attention.head_count_kv', HEADS),
    number('llama.rope.dimension_count', WIDTH / HEADS),
    field('llama.attention.layer_norm_rms_epsilon', KIND.f32, f32(1e-5)),
    number('llama.vocab_size', vocabulary.tokens.length),
    field('tokenizer.ggml.model', KIND.text, text('gpt2')),
    field('tokenizer.ggml.pre', KIND.text, text('default')),
    list('tokenizer.ggml.tokens', KIND.text, vocabulary.tokens.map(text)),
    list('tokenizer.ggml.token_type', KIND.i32, vocabulary.types.map(u32)),
    list('tokenizer.ggml.merges', KIND.text, []),
    number('tokenizer.ggml.bos_token_id', vocabulary.endMark),
    number('tokenizer.ggml.eos_token_id', vocabulary.endMark),
  ];
  const tensors = tensorsOf(vocabulary);
  let offset = 0;
  const infos = tensors.map(({ name, shape, data }) => {
    const info = [text(name), u32(shape.length), ...shape.map(u64), u32(F32), u64(offset)];
    offset += data.byteLength + padding(data.byteLength).length;
    return Buffer.concat(info);
  });
  const head = Buffer.concat([
    Buffer.from('GGUF'),
    u32(3),
    u64(tensors.length),
    u64(fields.length),
    ...fields,
    ...infos,
  ]);
  const bodies = tensors.flatMap(({ data }) => [
    Buffer.from(data.buffer, data.byteOffset, data.byteLength),
    padding(data.byteLength),
  ]);
  return Buffer.concat([head, padding(head.length), ...bodies]);
}
