import { expect, it } from 'vitest';
import { sampleConfig } from '../testing/sample-logs.ts';
import { settingDifferences } from './settings.ts';

it('lists the settings that differ between configurations, with all values', () => {
  const configs = [
    sampleConfig({ model: 'a', model_options: { temperature: 0 } }),
    sampleConfig({ model: 'a', model_options: { temperature: 0, seed: 3 } }),
    sampleConfig({
      model: 'b',
      model_options: { temperature: 0 },
      title: 'another',
      copied_from: '/home/ada/notes',
    }),
  ];
  expect(settingDifferences(configs)).toEqual([
    { name: 'model', values: ['a', 'a', 'b'] },
    { name: 'seed', values: [undefined, 3, undefined] },
  ]);
  expect(settingDifferences([sampleConfig(), sampleConfig()])).toEqual([]);
});

it('treats the two names of a model as the same setting', () => {
  const configs = ['qwen3', 'qwen3:latest'].map((model) => sampleConfig({ model }));
  expect(settingDifferences(configs)).toEqual([]);
});
