import { expect, it } from 'vitest';
import { foldAll } from '../events/fold-run.ts';
import { emptyRunState } from '../events/run-state.ts';
import { SampleLog } from '../testing/sample-logs.ts';
import { answerOrNudge } from './nudge.ts';
import { isReady, type ReadyState } from './rule.ts';

/** A task after one tool round, with a short answer as its reply. */
function afterRound(): ReadyState {
  const log = new SampleLog({ runId: 'r' })
    .prepare()
    .round({
      calls: [{ name: 'read_file', arguments: { path: 'a.md' }, result: { output: { content: 'x' } } }],
    })
    .iteration()
    .callStarts()
    .reply({ text: 'It holds 42 lines.' });
  const state = foldAll(emptyRunState('r'), log.events);
  if (!isReady(state)) throw new Error('no configuration');
  return state;
}

it('accepts a text as the answer once the conversation contains a tool result [G13]', () => {
  expect(answerOrNudge(afterRound(), [])).toMatchObject({ ending: { reason: 'final_answer' } });
});

it('accepts it in a fork too, where the tool result is in the copied conversation', () => {
  const fork = { ...afterRound(), callHistory: [] };
  expect(answerOrNudge(fork, [])).toMatchObject({ ending: { reason: 'final_answer' } });
});

it('nudges the same text before any tool result, with the words that are required [G12]', () => {
  const state = afterRound();
  const { messages } = state;
  const early = { ...state, messages: messages.filter(({ role }) => role !== 'tool') };
  const text =
    'Please use the available tools to complete the task. Do not just describe what to do -- actually call the tools.';
  expect(answerOrNudge(early, [])).toMatchObject({
    events: [{ type: 'policy.nudged', cause: 'plan', text }],
  });
});
