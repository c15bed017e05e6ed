import { readPythonBody } from '../bodies/python-body.ts';
import type { Format } from './format.ts';

const LIST_START = /\[\s{0,200}[\p{L}_][\p{L}\p{N}_.-]{0,127}\(/uy;

/** A list of calls to offered tools in Python notation: `[f(a='x'), g()]` (Llama 3.2, Llama 4, ToolACE). */
export const pythonic: Format = {
  name: 'pythonic',
  layer: 'json',
  triggers: ['['],
  read({ source, tools }, { at }) {
    LIST_START.lastIndex = at;
    if (!LIST_START.test(source.text)) return undefined;
    const body = readPythonBody({ source, tools, strength: 'weak' }, at);
    if (
      !body?.verdicts.some(
        (verdict) => 'call' in verdict || tools.offered(verdict.refusal.name ?? '') !== undefined,
      )
    ) {
      return undefined;
    }
    // `[f()](https://…)` is a link.
    if (source.text[body.end] === '(') return undefined;
    return { kind: 'calls', end: body.end, verdicts: body.verdicts };
  },
};
