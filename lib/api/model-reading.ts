import type { NewEvent } from '../events/registry.ts';
import { PARSER_LAYERS, type ParserLayer } from '../parser/layers.ts';
import { recordOf } from '../util/records.ts';

/** How replies of one model were parsed, across all its runs (P17). */
export interface ModelReading {
  /** Replies that were parsed, or that Ollama failed to parse. */
  replies: number;
  /** Calls found in them: the sum of `layers`, and of `formats`. */
  calls: number;
  layers: Record<ParserLayer, number>;
  /** Replies without a call. */
  none: number;
  /** Calls by format, most frequent first. */
  formats: Record<string, number>;
  /** Replies with text that was repaired before parsing. */
  repaired: number;
  /** Replies with an argument that was converted to its declared type. */
  coerced: number;
  /** Texts that look like a call but were not treated as one. */
  refused: number;
  /** Replies with a call that neither Loupe nor Ollama could parse. */
  malformed: number;
}

/** The counters that an event adds for its model, by name, as `addCount` expects them. Usually none. */
export function countsOf(event: NewEvent): Map<string, number> {
  const counts = new Map<string, number>();
  const count = (name: string, by = 1) => {
    if (by > 0) counts.set(name, (counts.get(name) ?? 0) + by);
  };
  if (event.type === 'model-call.failed' && event.kind === 'malformed_call') {
    count('replies');
    count('none');
    count('malformed');
  }
  if (event.type === 'reply.parsed') {
    count('replies');
    if (event.calls.length === 0) count('none');
    for (const { layer, format } of event.calls) {
      count(`layer:${layer}`);
      count(`format:${format}`);
    }
    if (event.repairs.length > 0) count('repaired');
    if (event.coercions.length > 0) count('coerced');
    count('refused', event.refusals.length);
    if (event.malformed) count('malformed');
  }
  return counts;
}

export function emptyReading(): ModelReading {
  return {
    replies: 0,
    calls: 0,
    layers: recordOf(PARSER_LAYERS, () => 0),
    none: 0,
    formats: {},
    repaired: 0,
    coerced: 0,
    refused: 0,
    malformed: 0,
  };
}

/**
 * Adds one counter to a reading.
 *
 * @throws {RangeError} for a name that `countsOf` never returns
 */
export function addCount(reading: ModelReading, name: string, count: number): void {
  const [kind = '', ...rest] = name.split(':');
  const detail = rest.join(':');
  switch (kind) {
    case 'layer': {
      const layer = PARSER_LAYERS.find((known) => known === detail);
      if (!layer) break;
      reading.layers[layer] += count;
      reading.calls += count;
      return;
    }
    case 'format':
      reading.formats[detail] = (reading.formats[detail] ?? 0) + count;
      return;
    case 'replies':
    case 'none':
    case 'repaired':
    case 'coerced':
    case 'refused':
    case 'malformed':
      reading[kind] += count;
      return;
  }
  throw new RangeError(`"${name}" is not a counter of a model reading`);
}

/** The sum of two readings. */
export function addReading(one: ModelReading, other: ModelReading): ModelReading {
  const formats = { ...one.formats };
  for (const [format, count] of Object.entries(other.formats))
    formats[format] = (formats[format] ?? 0) + count;
  return {
    replies: one.replies + other.replies,
    calls: one.calls + other.calls,
    layers: recordOf(PARSER_LAYERS, (layer) => one.layers[layer] + other.layers[layer]),
    none: one.none + other.none,
    formats,
    repaired: one.repaired + other.repaired,
    coerced: one.coerced + other.coerced,
    refused: one.refused + other.refused,
    malformed: one.malformed + other.malformed,
  };
}
