import { parentPort } from 'node:worker_threads';
import { schemaProblems } from '../policies/schema-problems.ts';
import { READY } from '../util/ask-thread.ts';
import { errorMessage } from '../util/error-message.ts';
import type { ToValidate, Validated } from './validate-in-thread.ts';

// The worker thread of `validateInThread`.

parentPort?.on('message', ({ value, schema }: ToValidate) => {
  parentPort?.postMessage(validated(value, schema));
});
parentPort?.postMessage(READY);

function validated(value: ToValidate['value'], schema: ToValidate['schema']): Validated {
  try {
    return schemaProblems(value, schema);
  } catch (error) {
    return { failure: errorMessage(error) };
  }
}
