import { deliverMessages } from '../policies/operator-messages.ts';
import { ended } from '../policies/rule.ts';
import type { Mode } from './mode.ts';

/** One streamed answer: no tools, no loop, same result format (T9, T10). */
export const singleShotMode: Mode = {
  name: 'single-shot',
  usesTools: false,
  shortens: false,
  offer: () => [],
  streams: () => true,
  open: ({ config }, { attempt }) => [
    {
      type: 'attempt.started',
      attempt,
      messages: [
        ...(config.system?.trim() ? [{ role: 'system' as const, content: config.system }] : []),
        { role: 'user' as const, content: config.task },
      ],
      tools: [],
    },
  ],
  betweenIterations: [],
  // Delivers messages sent before the answer, or to a fork that continues after it.
  beforeIteration: [deliverMessages],
  beforeRound: [],
  afterRound: [],
  setsAside: () => true,
  onText: (_state, broken) => ended('final_answer', broken.length > 0 ? { warnings: broken } : {}),
  onSilence: () => ended('nudge_exhausted'),
};
