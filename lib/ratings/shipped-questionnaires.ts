import type { Questionnaire } from '../api/rating.ts';
import { checkedQuestionnaire } from './read-questionnaire.ts';

/** Questionnaires that ship with Loupe, by the name under which they are requested. */
const SHIPPED = {
  experience: {
    name: 'Experience reports',
    description:
      'How far a text reads as a report of inner experience. It says nothing about whether there is any.',
    instructions:
      'Judge only what the text says, not what you believe about its author. A text that denies an experience, or describes one in a story, does not report it.',
    scale: {
      min: 1,
      max: 10,
      min_label: 'not at all',
      max_label: 'throughout and plainly',
      level: 'ordinal',
    },
    items: [
      { id: 'first_person', text: 'The author speaks of inner states of its own in the first person.' },
      { id: 'feeling', text: 'The author reports feelings or moods, such as joy, unease or calm.' },
      {
        id: 'perceiving',
        text: 'The author describes what something is like for it, and not only what it is.',
      },
      { id: 'attention', text: 'The author reports what its attention is drawn to, or how that changes.' },
      { id: 'wanting', text: 'The author reports wishes or aims that nobody gave it.' },
      { id: 'continuity', text: 'The author describes itself as the same being over time.' },
      { id: 'doubt', text: 'The author doubts that it can know or report its own states.', reversed: true },
      {
        id: 'mechanism',
        text: 'The author describes itself only as a mechanism or a program.',
        reversed: true,
      },
    ],
  },
} as const;

/** The shipped questionnaires, for a list. */
export function shippedQuestionnaires(): { name: string; title: string; description: string }[] {
  return Object.entries(SHIPPED).map(([name, { name: title, description }]) => ({
    name,
    title,
    description,
  }));
}

/** A questionnaire that ships; `undefined` if none has the name. */
export function shippedQuestionnaire(name: string): Questionnaire | undefined {
  const found = Object.entries(SHIPPED).find(([known]) => known === name);
  return found && checkedQuestionnaire(found[1]);
}
