import { endAtIterationLimit } from '../policies/iteration-limit.ts';
import { answerOrNudge, nudgeOrEnd } from '../policies/nudge.ts';
import { endOnRepetition } from '../policies/repetition.ts';
import { endOnStall } from '../policies/stall.ts';
import { buildMessages } from './build-messages.ts';
import type { Mode } from './mode.ts';

/** Tools in a workspace, in a loop, until the model answers or a guard ends it (T1). */
export const taskMode: Mode = {
  name: 'task',
  usesTools: true,
  shortens: true,
  offer: (available) => available,
  streams: (config) => config.live_tokens,
  openingMessages: buildMessages,
  betweenIterations: [endAtIterationLimit],
  beforeRound: [endOnRepetition],
  afterRound: [endOnStall],
  onText: answerOrNudge,
  onSilence: nudgeOrEnd,
};
