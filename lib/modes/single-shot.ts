import { deliverMessages } from '../policies/operator-messages.ts';
import { ended } from '../policies/rule.ts';
import type { Mode } from './mode.ts';

/** One streamed answer: no tools, no loop, the same result (T9, T10). */
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
  // Something that was said before the answer, or to a run that goes on after it.
  beforeIteration: [deliverMessages],
  beforeRound: [],
  afterRound: [],
  setsAside: () => true,
  onText: (_state, broken) => ended('final_answer', broken.length > 0 ? { warnings: broken } : {}),
  onSilence: () => ended('nudge_exhausted'),
};
