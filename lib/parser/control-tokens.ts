/** Chat template tokens that have no text. They appear when a server renders special tokens. */
const HIDDEN: ReadonlySet<string> = new Set([
  '|im_start|',
  '|im_end|',
  '|eot_id|',
  '|eom_id|',
  '|eot|',
  '|eom|',
  '|end_of_text|',
  '|endoftext|',
  '|end_of_sentence|',
  '|begin_of_sentence|',
  '|end_of_turn|',
  'end_of_turn',
  '|turn',
  'turn|',
  '|start_response|',
  '|end_response|',
  '|start_text|',
  '|end_text|',
  '|end|',
  '|return|',
  '|message_model|',
  '|content_text|',
  '|end_message|',
  '|content_model_end_sampling|',
  '|message_sep|',
  '|observation|',
  '|assistant|',
]);

/** Whether a token, as normalized by `readTag`, is a control token. */
export function isControlToken(token: string): boolean {
  return HIDDEN.has(token);
}
