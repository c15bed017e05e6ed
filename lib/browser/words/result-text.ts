import { isRecord } from '../../util/json.ts';

/** The editable part of a tool message, and how to rebuild the full message from it. */
export interface ResultText {
  readonly text: string;
  /** Which part of the message it is: `output`, `content`, …; `message` for all of it. */
  readonly part: string;
  readonly whole: (text: string) => string;
}

/** The fields of an output that are plain text to read, the likeliest first. */
const TEXT_FIELDS = ['content', 'stdout', 'text', 'error', 'message'] as const;

/**
 * The part of a tool's message that a person edits: the tool's text without the JSON around it, if the JSON contains
 * one plain text; otherwise the whole message. Pure.
 */
export function resultText(content: string): ResultText {
  const asItIs: ResultText = { text: content, part: 'message', whole: (text) => text };
  let parsed: unknown;
  try {
    parsed = JSON.parse(content);
  } catch {
    return asItIs; // plain text, as explorations have it
  }
  if (!isRecord(parsed)) return asItIs;
  const { output } = parsed;
  if (typeof output === 'string') {
    const result = parsed;
    return { text: output, part: 'output', whole: (text) => JSON.stringify({ ...result, output: text }) };
  }
  if (!isRecord(output)) return asItIs;
  for (const field of TEXT_FIELDS) {
    const text = output[field];
    if (typeof text !== 'string') continue;
    const result = parsed;
    return {
      text,
      part: field,
      whole: (changed) => JSON.stringify({ ...result, output: { ...output, [field]: changed } }),
    };
  }
  return asItIs;
}
