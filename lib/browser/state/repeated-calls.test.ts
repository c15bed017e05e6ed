import fc from 'fast-check';
import { expect, it } from 'vitest';
import { foldAll } from '../../events/fold-run.ts';
import { emptyRunState } from '../../events/run-state.ts';
import type { TerminationReason } from '../../events/termination.ts';
import { SampleLog } from '../../testing/sample-logs.ts';
import { sessionLog } from '../../testing/sample-modes.ts';
import { patternWords } from '../words/pattern-words.ts';
import { callPattern } from './repeated-calls.ts';

/** A run that reads these files, one in each iteration. */
function logOf(paths: string): SampleLog {
  const log = new SampleLog({ config: { max_iterations: 100, repetition_threshold: 100 } }).prepare();
  for (const path of paths) {
    log.round({ calls: [{ name: `read_${path}`, arguments: { path }, result: { output: path } }] });
  }
  return log;
}

const stateOf = ({ runId, events }: Pick<SampleLog, 'runId' | 'events'>) =>
  foldAll(emptyRunState(runId), events);
const patternOf = (paths: string) => callPattern(stateOf(logOf(paths)));

it('finds two iterations that are repeated in turn, and where they begin', () => {
  const state = stateOf(logOf('xababab'));
  const pattern = callPattern(state);
  expect(pattern).toEqual({
    tools: ['read_a', 'read_b'],
    length: 2,
    times: 3,
    seqs: state.callHistorySeqs.slice(1),
  });
  expect(pattern && patternWords(pattern)).toBe(
    'The last 6 iterations with calls repeat the same 2: read_a, read_b.',
  );
});

it.each(['abab', 'xaaa', 'abcabc', 'ababax', 'abcdeabcdeabcde'])('finds none in %s', (paths) => {
  expect(patternOf(paths)).toBeUndefined();
});

it('finds none after an answer or a failed call, or in a session, which repetition does not end', () => {
  const afterEnd = (reason: TerminationReason) =>
    callPattern(stateOf(logOf('ababab').end(reason, { message: 'The run ended.' })));
  expect(afterEnd('max_iterations')).toBeDefined();
  expect(afterEnd('final_answer')).toBeUndefined();
  expect(afterEnd('error')).toBeUndefined();
  expect(afterEnd('timeout')).toBeUndefined();
  expect(callPattern(stateOf(sessionLog()))).toBeUndefined();
});

it('finds every pattern of two to four different iterations, whatever came before it', () => {
  const pattern = fc.constantFrom('ab', 'abc', 'aab', 'abcd', 'abac');
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('x', 'y') }), pattern, fc.nat(3), (before, once, more) => {
      const times = 3 + more;
      const found = patternOf(`${before}${once.repeat(times)}`);
      expect(found).toMatchObject({ length: once.length, times });
      expect(found?.tools.join()).toBe([...once].map((path) => `read_${path}`).join());
    }),
    { numRuns: 40 },
  );
});
