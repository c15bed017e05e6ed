import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  checkSuiteInThread,
  readPlanInThread,
  readQuestionnaireInThread,
  readSuiteInThread,
} from './read-in-thread.ts';

let threads: Worker[];
const count = (thread: Worker) => threads.push(thread);
beforeEach(() => {
  threads = [];
  process.on('worker', count);
});
afterEach(() => {
  process.off('worker', count);
});

/** Longer than what is read without a thread. */
const many = Array.from({ length: 5000 }, (_, at) => `k${at}`);
const lines = many.map((name) => `${name}: 1\n`).join('');

it('reads large suite files in a thread', async () => {
  const cases = many.map((id) => ({ id, input: 'Read it.' }));
  const text = JSON.stringify({ name: 'Many', cases });
  expect(await readSuiteInThread({ text, format: 'yaml' })).toEqual({ name: 'Many', description: '', cases });
  expect(threads).toHaveLength(1);
});

it.each([
  ['suite files', () => readSuiteInThread({ text: lines, format: 'yaml' }), 'line 1: k0'],
  ['suites', () => checkSuiteInThread(Object.fromEntries(many.map((name) => [name, 1]))), 'k0'],
  ['plans', () => readPlanInThread(lines), 'line 1: k0'],
  ['questionnaires', () => readQuestionnaireInThread(lines), 'line 1: k0'],
])('finds the problems of large %s in a thread', async (_, read, place) => {
  await expect(read()).rejects.toMatchObject({
    code: 'invalid_request',
    message: expect.stringContaining(`${place}: unknown field.`),
    hint: expect.stringContaining('docs/'),
  });
  expect(threads).toHaveLength(1);
});

it('starts no thread for a small file', async () => {
  const text = 'name: One\ncases:\n  - id: a\n    input: Read it.\n';
  expect((await readSuiteInThread({ text, format: 'yaml' })).cases).toHaveLength(1);
  expect(threads).toHaveLength(0);
});

it('refuses a file with more values than there is memory for', async () => {
  const text = `[${'1,'.repeat(200_000)}]`;
  await expect(readSuiteInThread({ text, format: 'yaml' }, { maxMemoryMb: 32 })).rejects.toMatchObject({
    code: 'invalid_request',
    message: 'Reading this file takes more than 32 MB of memory.',
    hint: 'It has too many values. Split it into smaller files.',
  });
});

it('gives up on a file that takes too long', async () => {
  const text = `[${'1,'.repeat(2_000_000)}]`;
  await expect(readSuiteInThread({ text, format: 'yaml' }, { maxMs: 1 })).rejects.toMatchObject({
    code: 'invalid_request',
    message: 'Reading this file takes more than 0.001 s.',
  });
});
