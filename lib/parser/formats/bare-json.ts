import { readJsonBody } from '../bodies/json-body.ts';
import type { Format } from './format.ts';

/** A cheap check that rules out most brackets in prose and code: an object starts with a key, a list with a bracket. */
const KEY = `(?:["'“”][^"'“”\\n]{0,200}["'“”]|[\\p{L}_$][\\p{L}\\p{N}_$.-]{0,128})\\s{0,20}:`;
const START = new RegExp(`\\{\\s{0,200}(?:${KEY}|/[/*])|\\[\\s{0,200}[{[]`, 'uy');

/**
 * A JSON object or list of objects that names an offered tool, anywhere in the text (P6, P16). Other JSON is skipped as
 * a whole: a call inside it is data, as in a log of earlier calls.
 */
export const bareJson: Format = {
  name: 'json',
  layer: 'json',
  triggers: ['{', '['],
  read({ source, tools }, { at }) {
    START.lastIndex = at;
    if (!START.test(source.text)) return undefined;
    const body = readJsonBody({ source, tools, strength: 'weak' }, at);
    if (body?.verdicts.length === 0) return { kind: 'text', end: body.end };
    return body && { kind: 'calls', end: body.end, verdicts: body.verdicts };
  },
};
