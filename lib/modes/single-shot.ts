import type { RunConfig } from '../events/config.ts';
import type { AttemptOutcome } from '../events/run-state.ts';
import { deliverMessages } from '../policies/operator-messages.ts';
import { ended } from '../policies/rule.ts';
import { schemaRule } from '../policies/schema-rule.ts';
import { attachedImages } from './build-messages.ts';
import { buildCorrectivePrompt } from './corrective-prompt.ts';
import type { Mode } from './mode.ts';

/** One streamed answer: no tools, no loop, same result format (T9, T10). Failed checks of it ask for another (V6). */
export const singleShotMode: Mode = {
  name: 'single-shot',
  usesTools: false,
  answersAtOnce: true,
  shortens: false,
  offer: () => [],
  streams: () => true,
  open: ({ config, attempts }, { attempt }) => [
    {
      type: 'attempt.started',
      attempt,
      messages: [
        ...(config.system?.trim() ? [{ role: 'system' as const, content: config.system }] : []),
        { role: 'user' as const, content: taskOf(config, attempts.at(-1)), ...attachedImages(config) },
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

function taskOf({ task, answer_schema }: RunConfig, last: AttemptOutcome | undefined): string {
  const asked = last ? buildCorrectivePrompt({ task, last }) : task;
  return answer_schema ? `${asked}\n\nAnswer with ${schemaRule(answer_schema)}` : asked;
}
