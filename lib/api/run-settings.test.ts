import { expect, it } from 'vitest';
import type { RunConfig } from '../events/config.ts';
import { defaultSettings } from '../events/settings.ts';
import { resolveConfig } from '../modes/resolve-config.ts';
import { createRunRequest } from './create-run.ts';
import { askedSettings, settingsOf } from './run-settings.ts';

const resolved = (body: object): RunConfig =>
  resolveConfig(createRunRequest.parse({ model: 'm', ...body }), {
    workspace: '/work',
    offeredTools: ['write_file'],
  });

const requests: readonly object[] = [
  { task: 'Do it.' },
  { task: 'Do it.', agentic: false, system: 'Be terse.' },
  {
    ...{ task: 'Do it.', tier: 'complex', window_tokens: 4096, result_chars: 500, num_predict: [100, 200] },
    ...{ call_timeout_seconds: 1.5, budget: { max_seconds: 9 }, blocked_patterns: ['rm'], think: 'low' },
  },
  { mode: 'session', window_tokens: 8192, turn_delay: 10, shell_timeout_secs: 4, live_tokens: false },
  { mode: 'explore', max_cycles: null, diversity: { embedding_model: 'e' }, model_options: { seed: 7 } },
];

it.each(requests)('recreates the run from the settings that were set: %j', (request) => {
  const config = resolved(request);
  const { mode, agentic, task } = config;
  const again = resolved({ mode, agentic, task, ...askedSettings(config) });
  const { asked: _, ...values } = config;
  expect(again).toMatchObject(values);
  // In an older log without `asked`, every default is recognized by its value.
  expect(resolved({ mode, agentic, task, ...askedSettings({ ...config, asked: undefined }) })).toMatchObject(
    values,
  );
});

it.each(requests)('has a default for every optional setting: %j', (request) => {
  const config = resolved(request);
  const optional = [
    'system',
    'answer_schema',
    'approval',
    'shell_timeout_secs',
    'blocked_patterns',
    'tools',
    'distractor_tools',
    'fetch_hosts',
    'diversity',
    'handover_at',
    'operator_replies',
    'operator_model',
    'operator_prompt',
  ];
  const known = Object.keys(defaultSettings(config));
  const settings = Object.keys(settingsOf(config)).filter((name) => !optional.includes(name));
  expect(settings.filter((name) => !known.includes(name))).toEqual([]);
});

it('leaves out what a fork took over without effect', () => {
  const model = { operator_policy: 'model', operator_model: 'other', operator_prompt: 'Be kind.' };
  const config = resolved({ mode: 'explore', ...model });
  expect(askedSettings(config)).toEqual(model);
  expect(askedSettings({ ...config, operator_policy: 'none' })).toEqual({ operator_policy: 'none' });
});

it('shortens the replies of a fork that sends only the first', () => {
  const list = { operator_policy: 'list', operator_replies: ['Yes.', 'No.'] };
  const config = resolved({ mode: 'explore', ...list });
  expect(askedSettings({ ...config, operator_policy: 'fixed' })).toEqual({
    operator_policy: 'fixed',
    operator_replies: ['Yes.'],
  });
});

it('leaves out the threshold of a stall guard that a fork turned off', () => {
  const config = resolved({ task: 'Do it.', stall_guard: true, stall_threshold: 3 });
  expect(askedSettings({ ...config, stall_guard: false })).toEqual({ stall_guard: false });
});
