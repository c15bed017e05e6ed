/** The part of a tool's message that a person edits, and how it becomes the whole message again. */
export interface ResultText {
  readonly text: string;
  /** What the text is of the message: `output`, `content`, …; `message` when it is the whole. */
  readonly part: string;
  readonly whole: (text: string) => string;
}

/** The fields of an output that are plain text to read, the likeliest first. */
const TEXT_FIELDS = ['content', 'stdout', 'error', 'message'] as const;

/**
 * What there is to edit in a tool's message: the text that the tool brought, without the JSON around it where there is one
 * plain text in it; else the whole as it is. Pure.
 */
export function resultText(content: string): ResultText {
  const asItIs: ResultText = { text: content, part: 'message', whole: (text) => text };
  let parsed: unknown;
  try {
    parsed = JSON.parse(content);
  } catch {
    return asItIs; // plain text, as explorations have it
  }
  if (!isObject(parsed)) return asItIs;
  const { output } = parsed;
  if (typeof output === 'string') {
    const result = parsed;
    return { text: output, part: 'output', whole: (text) => JSON.stringify({ ...result, output: text }) };
  }
  if (!isObject(output)) return asItIs;
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

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
