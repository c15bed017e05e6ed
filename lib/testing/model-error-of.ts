import { ModelError } from '../model/model-error.ts';

/** The `ModelError` that a promise rejects with; throws when it resolves, or rejects with anything else. */
export async function modelErrorOf(promise: Promise<unknown>): Promise<ModelError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ModelError))
    throw new Error(`expected a ModelError, got ${error}`, { cause: error });
  return error;
}
