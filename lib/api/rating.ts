import { z } from 'zod';
import { numberSchema } from '../events/config.ts';
import {
  MAX_MODEL_NAME_CHARS,
  MAX_QUESTIONNAIRE_ITEMS,
  MAX_RATED_CHARS,
  MAX_RATERS,
  MAX_RATING_SUBJECTS,
} from '../events/limits.ts';
import type { IntraclassCorrelations } from '../statistics/agreement.ts';
import { distinctModels } from '../util/model-name.ts';

const text = (max: number) => z.string().trim().min(1).max(max);

const scaleEnd = numberSchema({ whole: true, min: -100, max: 100 });

/** A questionnaire: items that are answered by a whole number on one scale (docs/ratings.md). */
export const questionnaire = z.strictObject({
  name: text(80),
  description: z.string().max(2000).default(''),
  /** The instructions for raters, before the items. */
  instructions: z.string().max(4000).default(''),
  scale: z
    .strictObject({
      min: scaleEnd,
      max: scaleEnd,
      /** The meaning of the ends of the scale. */
      min_label: text(80),
      max_label: text(80),
      /** Whether its steps count as equal. */
      level: z.enum(['ordinal', 'interval']).default('ordinal'),
    })
    .refine(({ min, max }) => max > min && max - min <= 100, {
      path: ['max'],
      message: 'must be greater than min, by at most 100.',
    }),
  items: z
    .array(
      z.strictObject({
        id: z
          .string()
          .regex(
            /^[a-z][a-z0-9_]{0,39}$/,
            'An ID must consist of lowercase letters, digits and underscores.',
          ),
        text: text(1000),
        /** A high number means the opposite, so means use the reversed score. */
        reversed: z.boolean().default(false),
      }),
    )
    .min(1, 'A questionnaire needs at least one item.')
    .max(MAX_QUESTIONNAIRE_ITEMS)
    .superRefine((items, context) => {
      const first = new Map<string, number>();
      for (const [index, { id }] of items.entries()) {
        const earlier = first.get(id);
        if (earlier === undefined) first.set(id, index);
        else {
          const message = `Another item has this ID: number ${earlier + 1}.`;
          context.addIssue({ code: 'custom', path: [index, 'id'], message });
        }
      }
    }),
});
export type Questionnaire = z.output<typeof questionnaire>;

/** Which text of a run is rated: its last output, all its reflections, or all texts of its last cycle. */
export const ratedPart = z.enum(['output', 'reflections', 'last_cycle']);
export type RatedPart = z.infer<typeof ratedPart>;

const rater = z.string().trim().min(1).max(MAX_MODEL_NAME_CHARS);

/** Body of `POST /api/ratings`. */
export const createRatingRequest = z
  .strictObject({
    name: text(80),
    /** The questionnaire as a file, as an object, or one that ships with Loupe. */
    text: z.string().max(200_000).optional(),
    questionnaire: z.unknown().optional(),
    shipped: z.string().max(80).optional(),
    part: ratedPart.default('output'),
    run_ids: z.array(z.string().min(1).max(100)).min(1).max(MAX_RATING_SUBJECTS),
    /** Models. People add themselves by rating. */
    models: z.array(rater).max(MAX_RATERS).default([]),
  })
  .refine(
    (body) => [body.text, body.questionnaire, body.shipped].filter((each) => each !== undefined).length === 1,
    {
      path: ['questionnaire'],
      message: 'Send exactly one of text, questionnaire and shipped.',
    },
  )
  .refine(({ run_ids: ids }) => new Set(ids).size === ids.length, {
    path: ['run_ids'],
    message: 'A run is named twice.',
  })
  .refine(({ models }) => distinctModels(models).length === models.length, {
    path: ['models'],
    message: 'A model is named twice.',
  });
export type CreateRatingRequest = z.input<typeof createRatingRequest>;

/** Body of `POST /api/ratings/{id}/scores`: a person's scores of one text. */
export const personScoresRequest = z.strictObject({
  person: text(60),
  run_id: z.string().min(1).max(100),
  scores: z.record(z.string(), z.int()),
});

const subject = z.object({
  run_id: z.string(),
  title: z.string(),
  model: z.string(),
  text: z.string().max(MAX_RATED_CHARS),
});

/** A study: which texts are rated, by which questionnaire and which models. Fixed when it is created. */
export const ratingStudy = z.object({
  id: z.string(),
  name: z.string(),
  created_at: z.number(),
  questionnaire,
  part: ratedPart,
  subjects: z.array(subject),
  models: z.array(z.string()),
});
export type RatingStudy = z.infer<typeof ratingStudy>;

/** The scores that one rater gave one text. */
export const ratedText = z.object({
  rater: z.string(),
  run_id: z.string(),
  scores: z.record(z.string(), z.int()),
  at: z.number(),
});
export type RatedText = z.infer<typeof ratedText>;

type RatingStatus = 'stopped' | 'running' | 'done';

export interface RatingSummary {
  id: string;
  name: string;
  created_at: number;
  questionnaire: string;
  subjects: number;
  models: number;
  status: RatingStatus;
  /** Ratings by models that are done, and all that are planned. */
  rated: number;
  planned: number;
}

/** `GET /api/ratings` */
export interface RatingListReply {
  ratings: RatingSummary[];
  /** Why ratings are missing: their files cannot be read. */
  problems: { code: string; message: string; hint?: string }[];
  shipped: { name: string; title: string; description: string }[];
}

/** `GET /api/ratings/{id}`: everything but the scores, so that a person can rate without seeing them. */
export interface RatingReply {
  rating: RatingSummary;
  study: RatingStudy;
  /** The texts that models could not rate, and why. */
  failures: { rater: string; run_id: string; error: string }[];
  /** The runs that each person has rated, by the person's name. */
  people: Record<string, string[]>;
  /** The rating in progress. */
  current?: { rater: string; run_id: string };
}

/** `GET /api/ratings/{id}/results` */
export interface RatingResults {
  raters: { name: string; kind: 'model' | 'person' }[];
  /** Mean score by rater (rows) and text (columns), with reversed items inverted; `null` if there is none. */
  matrix: (number | null)[][];
  /** Mean over raters by text. */
  means: (number | null)[];
  items: { id: string; text: string; alpha: number | null; means: (number | null)[] }[];
  /** Agreement on the mean scores of the texts that at least two raters rated. */
  alpha: number | null;
  /** The number of those texts. */
  paired: number;
  /** The agreement on the texts that all raters rated. */
  icc: IntraclassCorrelations | null;
  /** The number of those texts. */
  complete: number;
}
