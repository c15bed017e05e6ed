import { afterEach, expect, it, vi } from 'vitest';
import { GroupedText } from './grouped-text.ts';

afterEach(() => vi.useRealTimers());

it('sends what a model writes in groups, in order, and the rest at the end', () => {
  vi.useFakeTimers();
  const sent: { type: string; text: string }[] = [];
  const grouped = new GroupedText((group) => sent.push(group));
  grouped.add('thinking', 'So');
  grouped.add('thinking', ' be it.');
  grouped.add('text', 'One');
  expect(sent).toEqual([]);
  vi.advanceTimersByTime(10);
  expect(sent).toEqual([
    { type: 'thinking', text: 'So be it.' },
    { type: 'text', text: 'One' },
  ]);
  grouped.add('text', ' and');
  grouped.add('text', ' two');
  grouped.flush();
  expect(sent.slice(2)).toEqual([{ type: 'text', text: ' and two' }]);
  vi.advanceTimersByTime(1000);
  expect(sent).toHaveLength(3);
});
