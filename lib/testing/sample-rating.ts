import type { RatingStudy } from '../api/rating.ts';

/** The first line of a study without texts. @param attempt tells the requests with one key apart */
export function sampleCreatedLine(attempt: string) {
  const study: RatingStudy = {
    ...{ id: 's', name: attempt, created_at: 1, part: 'output', subjects: [], models: [] },
    questionnaire: {
      name: 'Clarity',
      description: '',
      instructions: '',
      scale: { min: 1, max: 10, min_label: 'no', max_label: 'yes', level: 'ordinal' },
      items: [{ id: 'plain', text: 'It is plain.', reversed: false }],
    },
  };
  return { type: 'created' as const, study, attempt };
}
