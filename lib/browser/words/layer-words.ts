import type { ParserLayer } from '../../parser/layers.ts';

/** What the layers of the parser are called: beside a count, on a badge, and what each of them reads. */
export const LAYER_WORDS: Readonly<Record<ParserLayer, { name: string; label: string; source: string }>> = {
  native: { name: 'native', label: 'native', source: "Ollama's own tool calls" },
  json: { name: 'JSON', label: 'JSON in text', source: 'JSON in the text' },
  xml: { name: 'XML', label: 'XML in text', source: 'tags in the text' },
};
