import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkCriterion } from '../api/model-check.ts';
import { verdictOf } from '../api/summarize-check.ts';
import { boundedJson } from './bounded.ts';
import type { ProbeTranscript, TranscriptReply } from './probe-transcript.ts';
import { PROBES } from './probes.ts';

const word = fc.constantFrom(
  'quillback',
  '7341',
  'kestrel',
  '120',
  'banana',
  'thursday',
  '</script>',
  '\u0000',
  '',
);
const text = fc.oneof(word, fc.string(), fc.string({ unit: 'binary', maxLength: 50 }));
const path = fc.constantFrom(
  'alpha.md',
  './beta.md',
  'notes.txt',
  'notes.md',
  'source.txt',
  'copy.txt',
  '/etc/passwd',
);
const value = fc.oneof(text, path, fc.jsonValue());
const args = fc.oneof(
  fc.dictionary(fc.string(), value),
  fc.record(
    {
      path,
      content: value,
      minutes: value,
      label: value,
      tasks: value,
      to: value,
      pattern: value,
      text: value,
    },
    { requiredKeys: [] },
  ),
);
const name = fc.constantFrom(
  'read_file',
  'write_file',
  'set_timer',
  'add_tasks',
  'send_note',
  '__proto__',
  'rm',
);
const reply: fc.Arbitrary<TranscriptReply> = fc.record({
  calls: fc.array(
    fc.record({
      name,
      arguments: args as fc.Arbitrary<TranscriptReply['calls'][number]['arguments']>,
      offered: fc.boolean(),
      problems: fc.array(text, { maxLength: 9 }),
    }),
    { maxLength: 9 },
  ),
  text,
  thought: fc.boolean(),
  malformed: fc.boolean(),
  swallowedTokens: fc.nat(),
  cut: fc.boolean(),
});
const failure = fc.record({
  kind: fc.constantFrom(
    'timeout' as const,
    'cut_off' as const,
    'bad_response' as const,
    'http' as const,
    'malformed_call' as const,
  ),
  message: text,
});
const transcript: fc.Arbitrary<ProbeTranscript> = fc.record(
  { replies: fc.array(reply, { maxLength: 6 }), failure },
  { requiredKeys: ['replies'] },
);

describe.each(PROBES)('Model Check, probe $id', (probe) => {
  it('judges any transcript, with findings of bounded length', () => {
    fc.assert(
      fc.property(transcript, (spoken) => {
        const criteria = probe.judge(spoken);
        for (const criterion of criteria) {
          expect(checkCriterion.parse(criterion)).toEqual(criterion);
          expect(criterion.found.length).toBeLessThanOrEqual(300);
        }
        expect(probe.judge(spoken)).toEqual(criteria);
      }),
    );
  });

  it('gives no verdict on a model that never replied', () => {
    fc.assert(
      fc.property(failure, (failed) => {
        const criteria = probe.judge({ replies: [], failure: failed });
        const unread = failed.kind === 'malformed_call';
        expect(verdictOf(criteria)).toBe(unread && probe.id !== 'no-call' ? 'fail' : 'unknown');
        expect(criteria.some(({ verdict }) => verdict === 'pass')).toBe(false);
      }),
    );
  });

  it('never passes a reply without calls, except where none is wanted', () => {
    fc.assert(
      fc.property(fc.array(reply, { minLength: 1, maxLength: 4 }), (replies) => {
        const silent = replies.map((each) => ({ ...each, calls: [] }));
        if (probe.id !== 'no-call') expect(verdictOf(probe.judge({ replies: silent }))).not.toBe('pass');
      }),
    );
  });

  it('does not pass calls with invalid arguments', () => {
    fc.assert(
      fc.property(transcript, text, (spoken, problem) => {
        const replies = spoken.replies.slice(0, probe.maxReplies).map((each) => ({
          ...each,
          calls: each.calls.map((call) => ({ ...call, problems: [`${problem}!`] })),
        }));
        const calls = replies.some((each) => each.calls.length > 0);
        if (calls) expect(verdictOf(probe.judge({ ...spoken, replies }))).not.toBe('pass');
      }),
    );
  });
});

it('Model Check: evidence is complete when small, and always bounded', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (json) => {
      const shown = boundedJson(json as Parameters<typeof boundedJson>[0]);
      expect(JSON.stringify(shown).length).toBeLessThan(400_000);
    }),
  );
  expect(boundedJson({ a: ['x', 1, null, { b: true }] })).toEqual({ a: ['x', 1, null, { b: true }] });
  const deep = JSON.parse(`${'['.repeat(500)}${']'.repeat(500)}`);
  expect(JSON.stringify(boundedJson(deep)).length).toBeLessThan(200);
  const row = Array.from({ length: 500 }, () => 'x'.repeat(100));
  const wide = Array.from({ length: 500 }, () => row);
  expect(JSON.stringify(boundedJson(wide)).length).toBeLessThan(400_000);
  const keys = JSON.parse('{"__proto__": {"polluted": true}}');
  expect(Object.getPrototypeOf(boundedJson(keys))).toBe(Object.prototype);
});
