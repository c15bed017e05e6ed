/** A piece of a prompt: text, or a token that steers the model. */
export interface PromptPiece {
  readonly text: string;
  readonly special: boolean;
}

// All repetitions are bounded, so matching is linear.
const SPECIAL = new RegExp(
  [
    '<\\|[^|<>\\s]{1,48}\\|>',
    '<\\uff5c[^\\uff5c<>\\n]{1,48}\\uff5c>',
    '</?(?:s|bos|eos|pad|unk|think|tools|tool_call|tool_response|start_of_turn|end_of_turn|start_of_image)>',
    '\\[/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|CALL_ID|ARGS)\\]',
    '<</?SYS>>',
  ].join('|'),
  'g',
);

/** Splits a prompt at control tokens of common templates. Pure; linear in the text. */
export function promptPieces(text: string): PromptPiece[] {
  const pieces: PromptPiece[] = [];
  let from = 0;
  for (const match of text.matchAll(SPECIAL)) {
    if (match.index > from) pieces.push({ text: text.slice(from, match.index), special: false });
    pieces.push({ text: match[0], special: true });
    from = match.index + match[0].length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), special: false });
  return pieces;
}

/** The control tokens in a text, each once. In text from a file or a tool they may be meant to steer the model. */
export function controlTokensIn(text: string): string[] {
  return [...new Set(text.match(SPECIAL) ?? [])];
}
