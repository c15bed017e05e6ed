import { textArgument } from './arguments.ts';
import { jsonTextBytes } from './fit-text.ts';
import { runOf } from './memory.ts';
import type { Tool, ToolRun } from './tool.ts';
import { failed, MAX_RESULT_BYTES, RESULT_OVERHEAD_BYTES, succeeded } from './tool-results.ts';

const MAX_MESSAGE_CHARS = 16_000;

/**
 * Sends a message to the operator and returns the operator messages queued since (O14). Does not wait for an answer;
 * a later call returns it (K-42).
 */
export const messageOperator: Tool = {
  isReadOnly: true,
  definition: {
    type: 'function',
    function: {
      name: 'send_message_to_operator',
      description:
        'Send a message to the operator. The operator may answer later; the result of your next message then contains the answer.',
      parameters: {
        type: 'object',
        properties: { message: { type: 'string', minLength: 1, description: 'What to say' } },
        required: ['message'],
      },
    },
  },
  async run(args, context) {
    const { queued, record } = runOf(context);
    const text = textArgument(args, 'message');
    if (text.trim() === '') return failed('send_message_to_operator', { error: 'The message is empty.' });
    if (text.length > MAX_MESSAGE_CHARS) {
      return failed('send_message_to_operator', {
        error: `The message has ${text.length} characters; at most ${MAX_MESSAGE_CHARS} are allowed.`,
      });
    }
    record({ kind: 'said-to-operator', text });
    if (queued.length === 0) {
      return succeeded('send_message_to_operator', 'The message was sent. There is no answer yet.');
    }
    const delivered = fittingMessages(queued);
    record({ kind: 'messages-read', ids: delivered.map(({ id }) => id) });
    const answers = delivered.map((message) => message.text).join('\n\n');
    return succeeded('send_message_to_operator', `The message was sent. The operator said:\n\n${answers}`);
  },
};

/** As many messages as fit into one result (O9), at least one; the next call returns the rest. */
function fittingMessages(queued: ToolRun['queued']): ToolRun['queued'] {
  let room = MAX_RESULT_BYTES - RESULT_OVERHEAD_BYTES;
  const last = queued.findIndex((message) => {
    room -= jsonTextBytes(message.text);
    return room < 0;
  });
  return last === -1 ? queued : queued.slice(0, Math.max(1, last));
}
