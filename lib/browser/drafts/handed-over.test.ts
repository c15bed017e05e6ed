import { expect, it } from 'vitest';
import { linkedTask, openingTask } from './handed-over.ts';

it('a long task is handed over whole, although an address has only its beginning', () => {
  for (const task of ['word '.repeat(2000), `${'x'.repeat(1499)}😀 and more`, 'short', '']) {
    const address = new URLSearchParams({ task: linkedTask(task) });
    expect(openingTask(new URLSearchParams(`${address}`).get('task') ?? '', task)).toBe(task);
  }
});

it('the address decides if another task was handed over, or none', () => {
  expect(openingTask('From a link', 'Typed elsewhere')).toBe('From a link');
  expect(openingTask('From a link', undefined)).toBe('From a link');
});
