import { expect, it } from 'vitest';
import { newCheck } from './check-draft.ts';
import { readSettingsText, settingsText } from './kept-settings.ts';
import { emptyDraft, type RunDraft } from './run-draft.ts';

it('keeps the settings that differ from an empty form', () => {
  const changes: Partial<RunDraft> = {
    kind: 'session',
    workspaceKind: 'folder',
    workspace: '/home/ada/reports',
    temperature: '0.7',
    think: 'high',
    withheldTools: ['run_command'],
    approval: { write_file: 'ask' },
    checks: [newCheck('file_exists')],
  };
  expect(readSettingsText(settingsText({ ...emptyDraft, ...changes }))).toEqual(changes);
});

it('keeps nothing of an empty form', () => {
  expect(settingsText(emptyDraft)).toBe('');
  expect(readSettingsText('')).toEqual({});
});

it('keeps neither the task nor images', () => {
  const draft = { ...emptyDraft, task: 'Say hello', images: [{ name: 'a.png', data: 'AAAA' }] };
  expect(settingsText(draft)).toBe('');
});

it('leaves out values that the form cannot show', () => {
  const text = JSON.stringify({
    kind: 'dance',
    tier: 'huge',
    temperature: 0.7,
    untilStopped: 'yes',
    withheldTools: [1],
    approval: { write_file: 'sometimes' },
    checks: [{ choice: 'guess', texts: {}, caseSensitive: false }],
    task: 'Another task',
    constructor: 'x',
    keep_alive: '5m',
  });
  expect(readSettingsText(text)).toEqual({ keep_alive: '5m' });
  expect(readSettingsText('[1]')).toEqual({});
  expect(readSettingsText('no JSON')).toEqual({});
});
