import type { AskedField, EnteredContent } from '../events/mcp-request.ts';

/** The content that the server suggests. */
export function presetContent(fields: readonly AskedField[]): EnteredContent {
  return Object.fromEntries(
    fields.flatMap(({ name, preset }) => (preset === undefined ? [] : [[name, preset] as const])),
  );
}
