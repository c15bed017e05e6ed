import { PARSER_LAYERS, type ParserLayer } from '../../parser/layers.ts';

/** What the layers of the parser are called, and what each of them reads. */
export const LAYER_WORDS: Readonly<Record<ParserLayer, { label: string; source: string }>> = {
  native: { label: 'native', source: "Ollama's own tool calls" },
  json: { label: 'JSON in text', source: 'JSON in the text' },
  xml: { label: 'XML in text', source: 'tags in the text' },
};

/** What a format of calls is called: as its layer where both have one name, such as `json`. */
export function formatName(format: string): string {
  const layer = PARSER_LAYERS.find((each) => each === format);
  return layer ? LAYER_WORDS[layer].label : format;
}
