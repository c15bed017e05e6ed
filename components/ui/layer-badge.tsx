import { Badge } from './badge.tsx';

const words = {
  native: { label: 'native', title: "Came through Ollama's own tool calls" },
  json: { label: 'JSON in text', title: 'Read from JSON in the text' },
  xml: { label: 'XML in text', title: 'Read from tags in the text' },
};

/** Which layer of the parser read a call, and in which format it was written. */
export function LayerBadge({ layer, format }: { layer: 'native' | 'json' | 'xml'; format?: string }) {
  const { label, title } = words[layer];
  const named = format && format !== layer ? `${label} · ${format}` : label;
  return (
    <Badge tone={layer === 'native' ? undefined : 'live'} title={title}>
      {named}
    </Badge>
  );
}
