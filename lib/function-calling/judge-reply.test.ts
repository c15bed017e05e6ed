import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FUNCTION_CALL_SAMPLES } from '../testing/function-call-samples.ts';
import type { FunctionCase } from './function-case.ts';
import { type JudgedCall, judgeReply } from './judge-reply.ts';
import { isList, isObject, parsePythonJson, pythonValue } from './python-value.ts';
import { readCases } from './read-cases.ts';

function caseOf({ category, question, answer }: (typeof FUNCTION_CALL_SAMPLES)[number]): FunctionCase {
  const answers = answer === undefined ? undefined : { name: 'answers', text: answer };
  const [one] = readCases(category, { questions: { name: 'questions', text: question }, answers });
  if (!one) throw new Error('no case');
  return one;
}

function callsOf(text: string): JudgedCall[] {
  const calls = parsePythonJson(text);
  return (isList(calls) ? calls : [])
    .filter(isObject)
    .flatMap((call) => Object.entries(call).map(([name, args]) => ({ name, arguments: args })));
}

const replies = FUNCTION_CALL_SAMPLES.flatMap((sample) =>
  sample.replies.map(([reply, right]) => ({ one: caseOf(sample), reply, right, id: caseOf(sample).id })),
);

it.each(replies)('judges the reply $reply to $id as the leaderboard does', ({ one, reply, right }) => {
  expect(judgeReply(one, callsOf(reply)).right).toBe(right);
});

it('says why a reply is wrong', () => {
  const [lamp] = FUNCTION_CALL_SAMPLES;
  const reasons = lamp?.replies.flatMap(([reply]) => {
    const judged = judgeReply(caseOf(lamp), callsOf(reply));
    return judged.right ? [] : [judged.reason];
  });
  expect(reasons).toContain('The value of "room" is wrong: "kitchen" is none of ["living room","lounge"].');
  expect(reasons).toContain('The type of "level" is wrong: integer is expected, "5" is str.');
  expect(reasons).toContain('The required argument "level" is missing.');
  expect(reasons).toContain('"lamp.set" is called, not "lamp_set".');
  expect(reasons).toContain('The reply has 0 calls, not 1.');
});

it('judges parallel calls the same in any order where no two expected calls accept the same call', () => {
  const parallel = FUNCTION_CALL_SAMPLES.filter(({ category }) => category.startsWith('parallel'));
  const any = fc.constantFrom(
    ...parallel.flatMap((sample) => sample.replies.map(([reply]) => ({ sample, reply }))),
  );
  fc.assert(
    fc.property(
      any.chain(({ sample, reply }) =>
        fc.record({
          sample: fc.constant(sample),
          calls: fc.constant(callsOf(reply)),
          shuffled: fc.shuffledSubarray(callsOf(reply), { minLength: callsOf(reply).length }),
        }),
      ),
      ({ sample, calls, shuffled }) => {
        const one = caseOf(sample);
        expect(judgeReply(one, shuffled).right).toBe(judgeReply(one, calls).right);
      },
    ),
  );
});

it('judges any reply without failing', () => {
  const calls = fc.array(
    fc.record({
      name: fc.string(),
      arguments: fc.jsonValue().map((value) => pythonValue(JSON.parse(JSON.stringify(value)))),
    }),
  );
  fc.assert(
    fc.property(fc.constantFrom(...FUNCTION_CALL_SAMPLES), calls, (sample, hostile) => {
      const one = caseOf(sample);
      const [answer] = one.answers;
      const known = hostile.map((call) => ({
        ...call,
        name: Object.keys(answer ?? {})[0]?.replaceAll('.', '_') ?? 'x',
      }));
      expect(typeof judgeReply(one, hostile).right).toBe('boolean');
      expect(typeof judgeReply(one, known).right).toBe('boolean');
    }),
  );
});

it('reads a long hostile expression in bounded time', () => {
  const java = FUNCTION_CALL_SAMPLES.find(({ category }) => category === 'simple_java');
  const javascript = FUNCTION_CALL_SAMPLES.find(({ category }) => category === 'simple_javascript');
  const hostile = ['new HashMap<'.repeat(50_000), 'a:,\n'.repeat(1000), `{${'a:'.repeat(1990)}\n}`];
  for (const text of hostile) {
    const args = { key: 'main', size: '10L', options: text, label: 'square', style: text };
    for (const sample of [java, javascript]) {
      if (!sample) throw new Error('no sample');
      const call = { name: sample === java ? 'Store_put' : 'draw', arguments: args };
      expect(judgeReply(caseOf(sample), [call]).right).toBe(false);
    }
  }
});
