import type { Page } from '@playwright/test';

/** A position, and the CPU time that the page has used up to it, in ms. */
export interface WorkSample {
  at: number;
  workMs: number;
}

/**
 * Reads the CPU time that the main thread of a page has used. Unlike the time between its frames, it is the same on a busy
 * machine as on a quiet one.
 */
export async function workOf(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  return async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    const spent = metrics.find(({ name }) => name === 'TaskDuration');
    if (!spent) throw new Error('This browser does not say how long its tasks took.');
    return spent.value * 1000;
  };
}

/** The work per step in the last third, divided by that in the first third: about 1 if nothing grows. */
export function growthOf(samples: readonly WorkSample[]): number {
  const [first, last] = [samples[0], samples.at(-1)];
  if (!first || !last || last.at - first.at < 30) throw new Error('Too short a way to be judged.');
  const third = (last.at - first.at) / 3;
  const sampleAt = (at: number) => samples.find((sample) => sample.at >= at) ?? last;
  const perStep = (from: WorkSample, to: WorkSample) => (to.workMs - from.workMs) / (to.at - from.at);
  return perStep(sampleAt(last.at - third), last) / perStep(first, sampleAt(first.at + third));
}
