import type { CallOrigin, ParsedReply } from './types.ts';

/** How the call with this index was read. */
export function originOf({ origins }: Pick<ParsedReply, 'origins'>, index: number): CallOrigin {
  return origins[index] ?? { layer: 'native', format: 'native' };
}
