import { expect, it } from 'vitest';
import { newRerunDraft } from '../drafts/rerun-draft.ts';
import type { RerunTry } from '../state/rerun-tries.ts';
import { changesWords, outcomeWords, phaseWords } from './rerun-words.ts';

const body = { model: 'm', messages: [], options: {}, think: false, stream: true };
const each = (changes: Partial<RerunTry>): RerunTry => ({
  number: 1,
  draft: newRerunDraft({ body }),
  changes: [],
  at: 0,
  phase: 'waiting',
  text: '',
  thinking: '',
  ...changes,
});

it('says what a try is waiting for', () => {
  expect(phaseWords(each({}))).toBe('Waiting for a slot');
  expect(phaseWords(each({ position: 1 }))).toBe('Next in line');
  expect(phaseWords(each({ position: 3 }))).toBe('2 ahead in the queue');
  expect(phaseWords(each({ phase: 'sent' }))).toBe('Reading the prompt');
  expect(phaseWords(each({ phase: 'sent', thinking: 'Hm' }))).toBe('Thinking');
  expect(phaseWords(each({ phase: 'sent', thinking: 'Hm', text: 'Yes' }))).toBe('Writing');
});

it('describes the result of a try, and how its request differs', () => {
  expect(outcomeWords(each({ phase: 'cancelled' }))).toBe('cancelled');
  expect(outcomeWords(each({ phase: 'ended', problem: { message: 'No.' } }))).toBe('not sent');
  expect(changesWords([])).toBe('as it was sent');
  expect(changesWords(['messages', 'tools', 'num_ctx', 'temperature', 'num_gpu', 'think'])).toBe(
    'changed: messages, offered tools, window, temperature, num_gpu, thinking',
  );
});
