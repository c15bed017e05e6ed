import { readPythonBody } from '../bodies/python-body.ts';
import { skipSpace } from '../source.ts';
import type { ToolIndex } from '../tool-index.ts';
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
    if (body === undefined) return undefined;
    const broken = body.verdicts.find((verdict) => !('call' in verdict));
    if (broken) {
      // What its texts hold is no call either, so a cut one is read as one piece.
      const isCut =
        'refusal' in broken && broken.refusal.reason === 'cut' && isOffered(tools, broken.refusal.name);
      return isCut ? { kind: 'calls', end: source.text.length, verdicts: [broken] } : undefined;
    }
    if (skipSpace(source.text, body.end) < source.text.length) return undefined;
    return { kind: 'calls', end: body.end, verdicts: body.verdicts };
  },
};

function isOffered(tools: ToolIndex, name: string | undefined): boolean {
  return name !== undefined && tools.offered(name) !== undefined;
}
