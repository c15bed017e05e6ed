import { z } from 'zod';
import type { Category } from '../api/benchmark-categories.ts';
import type { PythonObject } from './python-value.ts';

const parameters = z.looseObject({
  properties: z.record(z.string(), z.looseObject({ type: z.string() })),
  required: z.array(z.string()).default([]),
});

/** A function as the files describe it: like a JSON schema, with type names of its language. */
const functionDescription = z.looseObject({
  name: z.string().min(1),
  description: z.string(),
  parameters,
});
export type FunctionDescription = z.infer<typeof functionDescription>;

/** A message of a question. */
const questionMessage = z.object({
  role: z.enum(['system', 'user', 'assistant']),
  content: z.string(),
});

/** A line of a question file: one turn of messages. */
export const questionLine = z.looseObject({
  id: z.string().min(1),
  question: z.tuple([z.array(questionMessage).min(1)]),
  function: z.array(functionDescription),
});

/** A question with its functions and the calls that are right. */
export interface FunctionCase {
  readonly id: string;
  readonly category: Category;
  readonly messages: readonly z.infer<typeof questionMessage>[];
  readonly functions: readonly FunctionDescription[];
  /** The expected calls: by function name, the possible values of each argument; "" allows to leave it out. */
  readonly answers: readonly PythonObject[];
}
