import { readPythonBody } from '../bodies/python-body.ts';
import { skipSpace } from '../source.ts';
import type { Format } from './format.ts';

/** Calls in Python's notation that are all there is: `f(a='x')`. Within prose the same is only mentioned. */
export const lonePython: Format = {
  name: 'pythonic',
  layer: 'json',
  triggers: ['\n'],
  read({ source, tools }, { at, isFirst }) {
    if (!isFirst) return undefined;
    const start = skipSpace(source.text, at);
    const body = readPythonBody({ source, tools, strength: 'weak' }, start);
    if (!body?.verdicts.every((verdict) => 'call' in verdict)) return undefined;
    if (skipSpace(source.text, body.end) < source.text.length) return undefined;
    return { kind: 'calls', end: body.end, verdicts: body.verdicts };
  },
};
