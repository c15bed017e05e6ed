import { readJsonArguments, refusal } from '../call-shape.ts';
import type { Format } from './format.ts';

const HEAD = /functions\.([^\s{}()<>"'`:]{1,128})(?::\d{1,10}|\s(?:json|code))?\s{0,20}/y;

/** A namespaced name with arguments whose tokens were lost: `functions.f:0{…}` (Kimi K2, gpt-oss). */
export const bareFunction: Format = {
  name: 'kimi-k2-bare',
  layer: 'json',
  triggers: ['functions'],
  read({ source, tools }, { at }) {
    HEAD.lastIndex = at;
    const head = HEAD.exec(source.text);
    const name = head?.[1];
    if (!head || name === undefined || tools.offered(name) === undefined) return undefined;
    const start = at + head[0].length;
    if (start >= source.text.length && head[0].includes(':')) {
      const verdict = refusal('cut', `The call of ${name} is cut off before its arguments.`, name);
      return { kind: 'calls', end: start, verdicts: [verdict] };
    }
    if (source.text[start] !== '{') return undefined;
    const { verdict, end } = readJsonArguments({ source, tools, strength: 'weak' }, { name, at: start });
    return { kind: 'calls', end: source.text[end] === '}' ? end + 1 : end, verdicts: [verdict] };
  },
};
