import { expect, it } from 'vitest';
import { summarizeArgs, summarizeResult } from './tool-summaries.ts';

it('short arguments and results are shown as JSON [E5]', () => {
  expect(summarizeArgs({ path: 'a.md' })).toBe('{"path":"a.md"}');
  expect(summarizeResult({ success: true, tool: 't', output: 'x' })).toBe(
    '{"success":true,"tool":"t","output":"x"}',
  );
});

it('long ones are truncated to 200 characters without splitting a surrogate pair [E5]', () => {
  for (let shift = 0; shift < 4; shift++) {
    const summary = summarizeArgs({ content: 'x'.repeat(shift) + '🙂'.repeat(5000) });
    expect(summary.length).toBeLessThanOrEqual(200);
    expect(summary.length).toBeGreaterThan(196);
    expect(summary.isWellFormed()).toBe(true);
  }
});
