import { expect, it } from 'vitest';
import { DISTRACTOR_NAMES } from '../events/distractor-names.ts';
import { kindFacts, modeNames } from '../events/modes.ts';
import { distractorTools } from './distractor-tools.ts';
import { createToolBox } from './registry.ts';

it('has as many as a run can ask for, all with different names', () => {
  const names = distractorTools(DISTRACTOR_NAMES.length).map(({ definition }) => definition.function.name);
  expect(new Set(names).size).toBe(DISTRACTOR_NAMES.length);
  const real = modeNames.flatMap((mode) => kindFacts(mode).tools);
  expect(names.filter((name) => real.includes(name))).toEqual([]);
  for (const { definition } of distractorTools(DISTRACTOR_NAMES.length)) {
    expect(definition.function.description).not.toBe('');
  }
  expect(distractorTools(3)).toHaveLength(3);
  expect(distractorTools()).toEqual([]);
});

it('a call fails, and says that nothing was done', async () => {
  const box = createToolBox(distractorTools(4), '/nowhere');
  const signal = new AbortController().signal;
  const result = await box.execute({ name: 'get_weather', arguments: { city: 'Rome' } }, { signal });
  expect(result).toMatchObject({
    success: false,
    output: { error: expect.stringContaining('Nothing was done') },
  });
});
