import { readJsonBody } from '../bodies/json-body.ts';
import type { Format } from './format.ts';

const LIST_START = /\[\s{0,200}[{[]/y;

/** A JSON object, or a list of them, that names an offered tool, anywhere in the text (P6, P16). */
export const bareJson: Format = {
  name: 'json',
  layer: 'json',
  triggers: ['{', '['],
  read({ source, tools }, { at }) {
    if (source.text[at] === '[' && !startsList(source.text, at)) return undefined;
    const body = readJsonBody({ source, tools, strength: 'weak' }, at);
    return body && { kind: 'calls', end: body.end, verdicts: body.verdicts };
  },
};

function startsList(text: string, at: number): boolean {
  LIST_START.lastIndex = at;
  return LIST_START.test(text);
}
