import { expect, it } from 'vitest';
import { foldAll } from '../events/fold-run.ts';
import { runEvent } from '../events/registry.ts';
import { emptyRunState } from '../events/run-state.ts';
import { ladderLog } from './sample-ladder.ts';

it('the replies of the ladder use every layer, a repair, a coercion and refusals [P17]', () => {
  const log = ladderLog();
  for (const event of log.events) runEvent.parse(event);
  const { parsed, phase } = foldAll(emptyRunState(log.runId), log.events);
  expect(phase).toBe('ended');
  expect(parsed.native).toBeGreaterThan(0);
  expect(parsed.json).toBeGreaterThan(0);
  expect(parsed.xml).toBeGreaterThan(0);
  expect(parsed.repaired).toBeGreaterThan(0);
  expect(parsed.refused).toBeGreaterThan(0);
});
