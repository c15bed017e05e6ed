import { deliverMessages } from '../policies/operator-messages.ts';
import { ended, type ReadyState } from '../policies/rule.ts';
import { schemaRule } from '../policies/schema-rule.ts';
import { attachedImages, taskText } from './build-messages.ts';
import type { Mode } from './mode.ts';

/**
 * One streamed answer: no tools, no loop, same result format (T9, T10). If its checks fail, another answer is requested
 * (V6).
 */
export const singleShotMode: Mode = {
  name: 'single-shot',
  usesTools: false,
  answersAtOnce: true,
  shortens: false,
  offer: () => [],
  streams: () => true,
  open: (state, { attempt }) => [
    {
      type: 'attempt.started',
      attempt,
      messages: [
        ...(state.config.system?.trim() ? [{ role: 'system' as const, content: state.config.system }] : []),
        { role: 'user' as const, content: promptOf(state), ...attachedImages(state) },
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

function promptOf(state: ReadyState): string {
  const { answer_schema } = state.config;
  const asked = taskText(state);
  return answer_schema ? `${asked}\n\nAnswer with ${schemaRule(answer_schema)}` : asked;
}
