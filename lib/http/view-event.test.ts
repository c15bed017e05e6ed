import { expect, it } from 'vitest';
import type { RunEvent } from '../events/registry.ts';
import { viewEvent, viewEventJson, viewJson } from './view-event.ts';

function toolEnded(output: string): RunEvent {
  return {
    run_id: 'a',
    seq: 7,
    at: 1,
    type: 'tool-call.ended',
    call_id: 'c1',
    tool: 'read_file',
    result: { success: true, tool: 'read_file', output: { parts: ['short', output] } },
    duration_ms: 1,
  };
}

it('returns an event with short texts unchanged', () => {
  const event = toolEnded('x'.repeat(65_536));
  expect(viewEvent(event)).toBe(event);
  expect(JSON.parse(viewEventJson(event))).toEqual(event);
});

it('truncates texts over 64 KB, reports their paths and lengths, and changes nothing else', () => {
  const event = toolEnded('x'.repeat(100_000));
  const view = viewEvent(event);
  expect(view.cuts).toEqual([{ path: 'result.output.parts.1', chars: 100_000 }]);
  expect(view).toMatchObject({ ...toolEnded('x'.repeat(65_536)) });
  expect(event).toEqual(toolEnded('x'.repeat(100_000)));
});

it('truncates stored JSON like the event itself, and leaves a long event of short texts unchanged', () => {
  const long = toolEnded('x'.repeat(100_000));
  expect(JSON.parse(viewJson(JSON.stringify(long)))).toEqual(viewEvent(long));
  const wide = JSON.stringify({ ...long, result: Array.from({ length: 10 }, () => 'y'.repeat(60_000)) });
  expect(viewJson(wide)).toBe(wide);
});

it('never splits a surrogate pair', () => {
  const view = viewEvent(toolEnded(`${'x'.repeat(65_535)}🦊${'y'.repeat(10)}`));
  expect(JSON.stringify(view)).not.toContain('\\ud83e');
});
