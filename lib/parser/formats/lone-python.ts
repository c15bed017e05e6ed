import { readPythonBody } from '../bodies/python-body.ts';
import type { OfferedTools } from '../reading.ts';
import { skipSpace } from '../space.ts';
import type { Format } from './format.ts';

/** A message that consists only of Python calls: `f(a='x')`. In prose they are only mentions. */
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
      // A cut-off call is consumed as a whole, so that nothing inside its strings is read as a call.
      const isCut =
        'refusal' in broken && broken.refusal.reason === 'cut' && isOffered(tools, broken.refusal.name);
      return isCut ? { kind: 'calls', end: source.text.length, verdicts: [broken] } : undefined;
    }
    if (skipSpace(source.text, body.end) < source.text.length) return undefined;
    return { kind: 'calls', end: body.end, verdicts: body.verdicts };
  },
};

function isOffered(tools: OfferedTools, name: string | undefined): boolean {
  return name !== undefined && tools.offered(name) !== undefined;
}
