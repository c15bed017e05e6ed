import { ended } from '../policies/rule.ts';
import type { Mode } from './mode.ts';

/** One streamed answer: no tools, no loop, the same result (T9, T10). */
export const singleShotMode: Mode = {
  name: 'single-shot',
  usesTools: false,
  shortens: false,
  offer: () => [],
  streams: () => true,
  openingMessages: ({ config }) => [
    ...(config.system?.trim() ? [{ role: 'system' as const, content: config.system }] : []),
    { role: 'user' as const, content: config.task },
  ],
  betweenIterations: [],
  beforeRound: [],
  afterRound: [],
  onText: () => ended('final_answer'),
  onSilence: () => ended('nudge_exhausted'),
};
