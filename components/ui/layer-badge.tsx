import { LAYER_WORDS } from '#lib/browser/words/layer-words.ts';
import type { ParserLayer } from '#lib/parser/layers.ts';
import { Badge } from './badge.tsx';

/** Which layer of the parser read a call, and in which format it was written. */
export function LayerBadge({ layer, format }: { layer: ParserLayer; format?: string }) {
  const { label, source } = LAYER_WORDS[layer];
  const named = format && format !== layer ? `${label} · ${format}` : label;
  const title = layer === 'native' ? `Came through ${source}` : `Read from ${source}`;
  return (
    <Badge tone={layer === 'native' ? undefined : 'live'} title={title}>
      {named}
    </Badge>
  );
}
