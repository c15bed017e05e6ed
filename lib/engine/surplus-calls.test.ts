import { expect, it } from 'vitest';
import { MAX_CALLS_PER_REPLY } from '../events/limits.ts';
import { eventsOf } from '../testing/events-of.ts';
import { driveLoop } from '../testing/loop-harness.ts';
import { MemoryLog } from '../testing/memory-log.ts';
import { sampleConfig } from '../testing/sample-logs.ts';
import { callingModel, openerOf, scriptedTools } from '../testing/simulate-run.ts';

/** The errors that the model gets for the calls of a reply that were not run. */
async function toldAbout(count: number): Promise<string[]> {
  const log = new MemoryLog();
  const calls = Array.from({ length: count }, (_, n) => ({
    name: 'read_file',
    arguments: { path: `${n}.md` },
  }));
  await driveLoop(log, sampleConfig(), {
    model: callingModel(log, [calls]),
    openTools: openerOf(scriptedTools(['read_file'], (tool) => ({ success: true, tool, output: '' }))),
  });
  return eventsOf(log.events, 'tool-call.ended').flatMap(({ result }) =>
    result.success ? [] : [String(result.output.error)],
  );
}

it.each([
  [MAX_CALLS_PER_REPLY + 1, '33'],
  [2000, '2,000'],
])('tells the model how many calls its reply contained: %d', async (count, words) => {
  const told = await toldAbout(count);
  expect(told.length).toBeGreaterThan(0);
  expect(new Set(told)).toEqual(
    new Set([
      `This call was not run: a reply may contain 32 calls, and this one contained ${words}. ` +
        'Read the results of the other calls first, then repeat the calls that are still needed.',
    ]),
  );
});
