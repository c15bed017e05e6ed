import { durationWords } from '../../util/durations.ts';
import { formatCount, plural } from '../../util/numbers.ts';
import type { EventHandlers, EventOf } from '../registry.ts';
import { swallowedWords } from '../swallowed-reply.ts';

const NUDGE_CAUSES: Readonly<Record<EventOf<'policy.nudged'>['cause'], string>> = {
  empty: 'the reply was empty',
  plan: 'the reply was only a plan',
  malformed: 'the reply was a call that could not be parsed',
  schema: 'the answer does not fit the schema',
};

/** The effects of a run's rules: nudges, retries, shortened messages and warnings. */
export const policies = {
  'answer.checked': ({ fits, problem }) =>
    fits ? 'The answer fits the schema' : `The answer does not fit the schema: ${problem ?? ''}`,
  'policy.nudged': ({ cause, count, limit, swallowed_tokens }) =>
    `${cause === 'schema' ? 'Schema retry' : 'Nudge'} ${count} of ${limit}: ${
      swallowed_tokens ? swallowedWords(swallowed_tokens) : NUDGE_CAUSES[cause]
    }`,
  'policy.retried': ({ wait_ms, message }) =>
    `Retrying${wait_ms > 0 ? ` in ${durationWords(wait_ms)}` : ''}: ${message}`,
  'policy.compacted': ({ folded, before_tokens, after_tokens }) =>
    `${plural(folded.length, 'older result')} shortened: about ${formatCount(before_tokens)} tokens became ${formatCount(after_tokens)}`,
  'policy.warned': ({ message }) => message,
} satisfies Partial<EventHandlers<string>>;
