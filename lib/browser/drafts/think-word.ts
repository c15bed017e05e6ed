import type { ThinkSetting } from '../../events/setting-values.ts';

/** How much a model may think before it answers, as forms have it. */
export const THINK_WORDS = ['off', 'on', 'low', 'medium', 'high', 'max'] as const;
export type ThinkWord = (typeof THINK_WORDS)[number];

export function thinkOf(word: ThinkWord): ThinkSetting {
  return word === 'on' ? true : word === 'off' ? false : word;
}

export function thinkWord(think: ThinkSetting): ThinkWord {
  return think === true ? 'on' : think === false ? 'off' : think;
}
