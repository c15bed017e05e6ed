import { expect, it } from 'vitest';
import { MAX_DISTRACTOR_TOOLS } from '../events/limits.ts';
import { kindFacts, modeNames } from '../events/modes.ts';
import { distractorTools } from './distractor-tools.ts';
import { createToolBox } from './registry.ts';

it('has as many as can be asked for, all with names of their own', () => {
  const names = distractorTools(MAX_DISTRACTOR_TOOLS).map(({ definition }) => definition.function.name);
  expect(new Set(names).size).toBe(MAX_DISTRACTOR_TOOLS);
  const real = modeNames.flatMap((mode) => kindFacts(mode).tools);
  expect(names.filter((name) => real.includes(name))).toEqual([]);
  expect(distractorTools(3)).toHaveLength(3);
  expect(distractorTools()).toEqual([]);
});

it('a call fails, and says that the tool is of no use', async () => {
  const box = createToolBox(distractorTools(1), '/nowhere');
  const signal = new AbortController().signal;
  const result = await box.execute({ name: 'get_weather', arguments: { city: 'Rome' } }, { signal });
  expect(result).toMatchObject({ success: false, output: { error: expect.stringContaining('of no use') } });
});
