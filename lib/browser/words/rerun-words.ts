import type { RerunTry } from '../state/rerun-tries.ts';
import { plural } from './format.ts';
import { settingName } from './setting-words.ts';

/** What a try of a call is waiting for. */
export function phaseWords({ phase, position, text, thinking }: RerunTry): string {
  switch (phase) {
    case 'waiting':
      if (position === undefined) return 'Waiting for a slot';
      return position === 1 ? 'Next in line' : `${position - 1} ahead in the queue`;
    case 'loading':
      return 'Loading the model';
    case 'sent':
      return text ? 'Writing' : thinking ? 'Thinking' : 'Reading the prompt';
    case 'cancelled':
      return 'Cancelled';
    case 'ended':
      return 'Complete';
  }
}

/** The result of a try, in a word or two. */
export function outcomeWords(each: RerunTry): string {
  const { result, problem } = each;
  if (problem) return 'not sent';
  if (result?.failed) return 'failed';
  if (!result?.parsed) return phaseWords(each).toLowerCase();
  const { outcome, calls } = result.parsed;
  return outcome === 'tool_calls' ? plural(calls.length, 'call') : outcome === 'empty' ? 'empty' : 'text';
}

/** The changes of the request that no setting of a run is named like. */
const CHANGES: Readonly<Record<string, string>> = {
  stream: 'streaming',
  num_ctx: settingName('window_tokens'),
  num_predict: settingName('num_predict'),
};

/** How a request differs from its call: `changed: messages, temperature`. */
export function changesWords(changes: readonly string[]): string {
  if (changes.length === 0) return 'as it was sent';
  return `changed: ${changes.map((name) => (CHANGES[name] ?? settingName(name)).toLowerCase()).join(', ')}`;
}
