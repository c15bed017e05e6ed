import { readJsonBody } from '../bodies/json-body.ts';
import type { Format } from './format.ts';

const WORD = 'functools';

/** A list of calls after a keyword: `functools[{"name": "f", "arguments": {…}}]` (Phi-4-mini, Firefunction). */
export const functools: Format = {
  name: 'functools',
  layer: 'xml',
  triggers: ['functools'],
  read({ source, tools }, { at }) {
    const body = readJsonBody({ source, tools, strength: 'strong' }, at + WORD.length);
    return body && { kind: 'calls', end: body.end, verdicts: body.verdicts };
  },
};
