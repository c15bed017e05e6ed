import { expect, it } from 'vitest';
import { linkedTask, openingTask } from './handed-over.ts';

it('hands over a long task in full, although the URL has only its beginning', () => {
  for (const task of ['word '.repeat(2000), `${'x'.repeat(1499)}😀 and more`, 'short', '']) {
    const address = new URLSearchParams({ task: linkedTask(task) });
    expect(openingTask(new URLSearchParams(`${address}`).get('task') ?? '', task)).toBe(task);
  }
});

it('uses the URL if another task was handed over, or none', () => {
  expect(openingTask('From a link', 'Typed elsewhere')).toBe('From a link');
  expect(openingTask('From a link', undefined)).toBe('From a link');
});
