import { expect, it } from 'vitest';
import { extendExperimentRequest } from '../../api/experiment.ts';
import { emptyExtension, extensionOf } from './extend-draft.ts';

const plan = { factors: { temperature: [0] }, repeats: 3 };

it('reads what is added', () => {
  const read = extensionOf(
    { model: 'beta', factors: 'temperature: 0.5, 1', seeds: '4-6', repeats: '5' },
    plan,
  );
  expect(read.ok && extendExperimentRequest.parse(read.request)).toEqual({
    models: ['beta'],
    factors: { temperature: [0.5, 1] },
    seeds: [4, 5, 6],
    repeats: 5,
  });
  expect(extensionOf({ ...emptyExtension, model: 'beta' }, plan)).toEqual({
    ok: true,
    request: { models: ['beta'] },
  });
});

it.each([
  [{}, 'repeats'],
  [{ repeats: '2' }, 'repeats'],
  [{ repeats: 'many' }, 'repeats'],
  [{ seeds: 'one' }, 'seeds'],
  [{ factors: 'top_p: 1' }, 'factors'],
  [{ factors: 'temperature: hot' }, 'factors'],
])('says what is wrong with %j', (change, field) => {
  const read = extensionOf({ ...emptyExtension, ...change }, plan);
  expect(read.ok === false && Object.keys(read.problems)).toEqual([field]);
});
