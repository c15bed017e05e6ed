import { assertNever } from '../../util/assert-never.ts';
import { durationWords } from '../../util/durations.ts';
import { formatCount, plural } from '../../util/numbers.ts';
import type { EventHandlers, EventOf } from '../registry.ts';
import { swallowedWords } from '../swallowed-reply.ts';

/** Calls of the model, and what was read from its replies. */
export const modelCalls = {
  'model-call.started': ({ call, message_count, estimated_tokens }) =>
    `Call ${call}: ${plural(message_count, 'message')}, about ${formatCount(estimated_tokens)} tokens`,
  'model-call.ended': (event) =>
    `Call ${event.call} answered in ${durationWords(event.duration_ms)} with ${writtenWords(event)}${
      event.done_reason === 'length' ? ', cut off' : ''
    }`,
  'model-call.failed': (event) => `Call ${event.call} failed${keptWords(event)}: ${event.error.message}`,
  'reply.parsed': replySentence,
} satisfies Partial<EventHandlers<string>>;

function replySentence(event: EventOf<'reply.parsed'>): string {
  const cut = event.cut ? ' (cut off)' : '';
  switch (event.outcome) {
    case 'tool_calls':
      return `${plural(event.calls.length, 'call')} read from ${event.layer}: ${event.calls.map((call) => call.name).join(', ')}${cut}`;
    case 'final_answer':
      return `Text${event.malformed ? ' with an invalid call' : ''}${cut}: ${event.text}`;
    case 'empty':
      if (event.swallowed_tokens) return `${swallowedWords(event.swallowed_tokens)}${cut}`;
      return `Empty reply${cut}${event.malformed ? ' with an invalid call' : ''}`;
    default:
      return assertNever(event.outcome);
  }
}

function writtenWords(event: EventOf<'model-call.ended'>): string {
  const { reply_tokens: counted, estimated_reply_tokens: estimated } = event;
  if (counted !== undefined) return plural(counted, 'token');
  return estimated === undefined ? 'an unknown number of tokens' : `≈${plural(estimated, 'token')}`;
}

/** How much of a failed call's reply was kept, in estimated tokens. */
function keptWords({ estimated_reply_tokens: tokens }: EventOf<'model-call.failed'>): string {
  return tokens === undefined ? '' : ` after ≈${plural(tokens, 'token')}`;
}
