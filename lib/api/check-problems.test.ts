import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Check } from '../events/check.ts';
import type { JsonObject } from '../util/json.ts';
import { checkProblems } from './check-problems.ts';
import { createRunRequest } from './create-run.ts';

const tools = ['read_file', 'write_file'];
const schema = (of: JsonObject): Check => ({ type: 'answer_schema', schema: of });

it.each<[Check, RegExp]>([
  [{ type: 'answer_matches', pattern: '(' }, /"\(" is not a valid regular expression/],
  [{ type: 'answer_equals', value: '42', tolerance: 1 }, /tolerance applies to numbers/],
  [{ type: 'tool_called', tool: 'read_fil' }, /did you mean "read_file"/],
  [{ type: 'tool_not_called', tool: 'browse' }, /must be one of read_file, write_file/],
  [
    { type: 'tool_called', tool: 'read_file', at_least: 3, at_most: 2 },
    /at_most is 2, below at_least, which is 3/,
  ],
  [schema({ properties: { a: { type: 'strin' } } }), /schema\/properties\/a\/type: "strin" is not a type/],
  [schema({ type: ['null', 'text'] }), /"text" is not a type/],
  [schema({ items: { pattern: '[' } }), /schema\/items: "\[" is not a valid regular expression/],
  [schema({ patternProperties: { '(': {} } }), /"\(" is not a valid regular expression/],
  [schema({ $ref: 'https://example.com/a.json' }), /does not point to a part of this schema/],
  [schema({ anyOf: [{ $ref: '#/$defs/b' }], $defs: { a: {} } }), /schema\/anyOf\/0\/\$ref: "#\/\$defs\/b"/],
])('%o is refused', (check, message) => {
  const [problem] = checkProblems([{ type: 'file_exists', path: 'a' }, check], tools);
  expect(problem).toMatch(message);
  expect(problem).toMatch(new RegExp(`^Check 2 \\(${check.type}\\): `));
});

const long = 'x'.repeat(15_000);
it.each<Check>([
  { type: 'tool_called', tool: long },
  schema({ type: long }),
  schema({ items: { pattern: `(${long}` } }),
  schema({ properties: { [long]: { type: 'strin' } } }),
  schema({ $ref: `#/${long}` }),
])('says what is wrong without repeating all of a long text: %o', (check) => {
  const [problem] = checkProblems([check], tools);
  expect(problem?.length).toBeLessThan(400);
  expect(problem).toMatch(/ is not a |does not point to/);
});

it('accepts valid input that only looks like a mistake', () => {
  const fine: Check[] = [
    schema({ properties: { type: { enum: ['strin'] }, pattern: { const: '(' } }, required: ['type'] }),
    schema({ enum: [{ pattern: '(', $ref: 'x' }] }),
    schema({ $ref: '#/$defs/a~1b', $defs: { 'a/b': { $ref: '#' } } }),
    { type: 'tool_called', tool: 'read_file', at_least: 0, at_most: 1 },
    { type: 'answer_equals', value: 1, tolerance: 0 },
  ];
  expect(checkProblems(fine, tools)).toEqual([]);
});

it('reads any schema without throwing', () => {
  const json = fc.dictionary(
    fc.oneof(fc.constantFrom('$ref', 'type', 'pattern', 'properties'), fc.string()),
    fc.jsonValue(),
  );
  fc.assert(
    fc.property(json, (of) => {
      for (const problem of checkProblems([schema(of as JsonObject)], tools))
        expect(problem).toMatch(/^Check 1/);
    }),
  );
});

const accepted = (checks: unknown[]) =>
  createRunRequest
    .safeParse({ task: 'Do it.', model: 'm', checks })
    .error?.issues.map(({ path }) => path.join('.'));

it('names the invalid field of a check, even if it is unknown or nested too deeply', () => {
  expect(accepted([{ type: 'answer_equals', value: 4, tolerence: 1 }])).toEqual(['checks.0']);
  expect(accepted([{ type: 'answer_contains', text: '' }])).toEqual(['checks.0.text']);
  expect(accepted([{ type: 'answer_matches', pattern: '(' }])).toEqual(['checks']);
  const deep = JSON.parse(`${'{"not":'.repeat(50_000)}{}${'}'.repeat(50_000)}`);
  expect(accepted([schema(deep)])).toEqual(['checks.0.schema']);
  expect(accepted([schema({ description: 'x'.repeat(20_000) })])).toEqual(['checks.0.schema']);
});
