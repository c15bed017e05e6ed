import { isRubric } from '../events/check-kinds.ts';
import type { NewRun } from './create-run.ts';

/** The models that a run asks besides its own. */
export interface FurtherModels {
  operatorModel?: string | undefined;
  embeddingModel?: string | undefined;
  /** Those that give opinions on its answer. */
  judges?: readonly string[];
}

/** The models that a requested run asks. Pure. */
export function askedModels({
  model,
  diversity,
  operator_policy,
  operator_model,
  checks = [],
}: Pick<NewRun, 'model' | 'diversity' | 'operator_policy' | 'operator_model' | 'checks'>): FurtherModels & {
  model: string;
} {
  const judges = checks.filter(isRubric).flatMap((check) => check.model ?? []);
  return {
    model,
    embeddingModel: diversity?.embedding_model,
    operatorModel: operator_policy === 'model' ? operator_model : undefined,
    judges: [...new Set(judges)].filter((judge) => judge !== model),
  };
}
