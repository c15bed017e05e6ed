import { describe, expect, it } from 'vitest';
import { experimentRequest } from '../api/experiment.ts';
import { suite } from '../api/suite.ts';
import { chosenCases, requireEffect } from './experiment-suite.ts';

const { cases } = suite.parse({
  name: 'Mixed',
  cases: [
    { id: 'a', input: 'One', tags: ['x'] },
    { id: 'b', input: 'Two', tags: ['y'], mode: 'prompt' },
    { id: 'c', input: 'Three', tags: ['x', 'y'] },
  ],
});
const found = { name: 'Mixed', hash: 'h', cases };

describe('chosenCases', () => {
  it('takes all cases, or those with one of the tags and of the IDs, in the order of the suite', () => {
    const ids = (asked: object) => chosenCases(found, asked).cases.map(({ id }) => id);
    expect(ids({})).toEqual(['a', 'b', 'c']);
    expect(ids({ tags: ['y'] })).toEqual(['b', 'c']);
    expect(ids({ tags: ['x', 'y'], cases: ['c', 'a'] })).toEqual(['a', 'c']);
    expect(chosenCases({ ...found, id: 'S' }, {}).suite).toEqual({
      ...{ id: 'S', name: 'Mixed', hash: 'h', cases: 3 },
      modes: ['task', 'prompt'],
    });
  });

  it('refuses tags and IDs that no case has, and a choice that leaves none', () => {
    expect(() => chosenCases(found, { tags: ['xx', 'zz'] })).toThrow(
      /suite.tags: .* no case with the tag "xx". Did you mean "x"\? 1 more name/,
    );
    expect(() => chosenCases(found, { cases: ['zebra'] })).toThrow(/suite.cases: .* has no case "zebra"/);
    expect(() => chosenCases(found, { tags: ['x'], cases: ['b'] })).toThrow(
      /one of these tags and one of these IDs/,
    );
  });
});

it('refuses settings and factors that no case has', () => {
  const { suite: prompts } = chosenCases(found, { cases: ['b'] });
  const plan = (more: object) =>
    experimentRequest.parse({ name: 'x', models: ['a'], suite: { id: 'S' }, ...more });
  expect(() => requireEffect(plan({ settings: { stall_guard: true } }), prompts)).toThrow(
    /settings.stall_guard/,
  );
  expect(() => requireEffect(plan({ factors: { max_iterations: [3, 5] } }), prompts)).toThrow(
    /factors.max_iterations/,
  );
  expect(() => requireEffect(plan({ cycles: 3 }), prompts)).toThrow(/cycles/);
  expect(() => requireEffect(plan({ factors: { temperature: [0, 1] } }), prompts)).not.toThrow();
  expect(() => requireEffect(plan({ settings: { system: 'Be terse.' } }), prompts)).not.toThrow();
});
