import { describe, expect, it } from 'vitest';
import { foldAll } from '../events/fold-run.ts';
import { emptyRunState } from '../events/run-state.ts';
import { cpuMs } from '../testing/cpu-time.ts';
import { runningLog } from '../testing/sample-logs.ts';
import { announcedOnly, endsAnnouncing } from './announced-work.ts';
import { isReady, type ReadyState } from './rule.ts';

it.each([
  'I will first read the file alpha.md and then write about it.',
  "I'll start by listing the folder.",
  'The folder holds three reports. Let me read them.',
  'To do this I need to look at the reports first.',
  'I will read alpha.md. Then I summarise it. The summary will be in summary.md.',
  'My plan is to read the files:\n\n1. Open alpha.md\n2. Summarise it\n',
  '**Plan**: I am going to run the tests. Shall I proceed?',
  'I’ll now write the summary.',
])('detects an announcement at the end of: %s', (text) => expect(endsAnnouncing(text)).toBe(true));

it.each([
  '42',
  'Paris.',
  'Let me think. The capital of France is Paris.',
  'I will answer this: the capital is Paris.',
  'The capital is Paris. Let me know if you need more.',
  'It is Paris. I will be glad to help with more.',
  'I should note that this changed in 2019.',
  'First, boil the water. Next, add the tea.',
  'Let me summarise: the report says 42.',
  'You will need a pan. Then heat it.',
  'I will not delete these files.',
  'I will need the name of the file.',
  'It holds three reports. I will stop here.',
  'I will need three things:\n\nThe report says 42.',
  '',
])('detects no announcement at the end of: %s', (text) => expect(endsAnnouncing(text)).toBe(false));

it('runs in linear time', () => {
  const parts = ['i will then ', 'then ', '- then x.\n', '.', ' ', 'i will', ', ', '\n'];
  for (const text of parts.map((part) => `x${part.repeat(300_000)}x`)) {
    expect(cpuMs(() => endsAnnouncing(text))).toBeLessThan(10_000);
  }
});

describe('announced work that was not done', () => {
  const { events } = runningLog();
  const folded = foldAll(emptyRunState(events[0]?.run_id ?? ''), events);
  const state = (change: Partial<ReadyState>): ReadyState => {
    if (!isReady(folded)) throw new Error('the sample has no configuration');
    return {
      ...folded,
      tools: [{ type: 'function', function: { name: 'read_file', description: '', parameters: {} } }],
      callsSucceeded: 0,
      callHistory: [],
      lastText: 'I will read alpha.md.',
      ...change,
    };
  };

  it('is detected if tools were offered and none succeeded', () => {
    expect(announcedOnly(state({}))).toBe(true);
    expect(announcedOnly(state({ lastText: 'I read it. Now I will write.', nudges: 2 }))).toBe(true);
    expect(
      announcedOnly(
        state({ lastText: 'See <tool_call>', lastReplyLoss: { swallowedTokens: 0, malformed: true } }),
      ),
    ).toBe(true);
  });

  it.each([
    ['an answer without an announcement', { lastText: 'The capital of France is Paris.' }],
    ['a claim that it is done', { lastText: 'The task is completed. Now I will rest.' }],
    ['a call that succeeded', { callsSucceeded: 1 }],
    ['no tools offered', { tools: [] }],
    ['plans allowed as answers', { config: { ...state({}).config, nudge_plans: false } }],
    ['a session', { config: { ...state({}).config, mode: 'session' as const } }],
  ])('is not reported for %s', (_, change) => expect(announcedOnly(state(change))).toBe(false));
});
