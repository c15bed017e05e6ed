/** The layers that read text, in the order in which they are tried. */
export const TEXT_LAYERS = ['json', 'xml'] as const;
export type TextLayer = (typeof TEXT_LAYERS)[number];

/** All layers in the order in which they are tried (P2): the calls that the server parsed come first. */
export const PARSER_LAYERS = ['native', ...TEXT_LAYERS] as const;
export type ParserLayer = (typeof PARSER_LAYERS)[number];

/** All calls, from how many each layer read. */
export function totalCalls(byLayer: Readonly<Record<ParserLayer, number>>): number {
  return PARSER_LAYERS.reduce((sum, layer) => sum + byLayer[layer], 0);
}
