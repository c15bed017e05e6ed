import { expect, it } from 'vitest';
import { emptyTimeline, foldTimeline } from '../../events/fold-timeline.ts';
import type { NewEvent, RunEvent } from '../../events/registry.ts';
import type { CallRow } from '../../events/timeline.ts';
import { SampleLog } from '../../testing/sample-logs.ts';
import { promptEstimate, promptShare } from './prompt-estimate.ts';

interface Call {
  estimated: number;
  prompt?: number;
  reply?: number;
  promptMs?: number;
  cached?: number;
}

/** A log with these calls, the last one open. */
function timelineOf(calls: readonly Call[], between: NewEvent[] = []) {
  const { events: start } = new SampleLog().prepare();
  const events: RunEvent[] = [...start];
  const push = (event: NewEvent) =>
    events.push({ ...event, run_id: start[0]?.run_id ?? '', seq: events.length + 1, at: 0 } as RunEvent);
  calls.forEach(({ estimated, prompt, reply = 0, promptMs, cached }, index) => {
    const call = index + 1;
    const isLast = call === calls.length;
    if (isLast) for (const event of between) push(event);
    push({
      type: 'model-call.started',
      call,
      iteration: 1,
      message_count: 1,
      tool_count: 0,
      options: {},
      think: false,
      stream: true,
      estimated_tokens: estimated,
    });
    if (isLast) return;
    push({
      type: 'model-call.ended',
      call,
      message: { role: 'assistant', content: '' },
      prompt_tokens: prompt,
      cached_tokens: cached,
      reply_tokens: reply,
      duration_ms: 1,
      timings: { promptEvalMs: promptMs },
    });
  });
  const timeline = foldTimeline(emptyTimeline, events);
  const row = timeline.rows.findLast((each): each is CallRow => each.kind === 'call');
  return row && promptEstimate(timeline, row);
}

const first = { estimated: 1000, prompt: 2000, cached: 0, promptMs: 4000, reply: 100 };

it('expects what is new to be read at the speed of the earlier calls, in the tokens of this model', () => {
  // 500 tokens per second; 2 tokens per estimated one; 2100 tokens are cached.
  expect(timelineOf([first, { estimated: 4000 }])).toEqual({ tokens: 5900, ms: 11_800 });
});

it('expects the whole prompt to be read after results were shortened', () => {
  const compacted: NewEvent = {
    type: 'policy.compacted',
    iteration: 1,
    before_tokens: 9,
    after_tokens: 5,
    limit_tokens: 9,
    folded: [],
  };
  expect(timelineOf([first, { estimated: 4000 }], [compacted])).toMatchObject({ tokens: 8000 });
});

it('uses the last known speed and the size of the last call', () => {
  const second = { estimated: 2000, prompt: 4000, promptMs: 10 };
  expect(timelineOf([first, second, { estimated: 4000 }])).toEqual({ tokens: 4000, ms: 8000 });
});

it('estimates nothing for the first call, without a known speed, or where there is little to read', () => {
  expect(timelineOf([{ estimated: 4000 }])).toBeUndefined();
  expect(timelineOf([{ ...first, promptMs: undefined }, { estimated: 4000 }])).toBeUndefined();
  expect(timelineOf([first, { estimated: 1100 }])).toBeUndefined();
});

it('never reports that reading is finished', () => {
  const estimate = { tokens: 10, ms: 1000 };
  expect([-5, 0, 400, 5000].map((ms) => promptShare(estimate, ms))).toEqual([0, 0, 0.4, 0.95]);
});
