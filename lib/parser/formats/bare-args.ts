import { skipSeparators } from '../bodies/call-head.ts';
import { readJsonArguments } from '../call-shape.ts';
import type { Format } from './format.ts';

const NAME_BEFORE = /[^\s<>{}()[\]"'`,;|｜]{1,128}$/;
const MAX_NAME = 128;

/** A Mistral call without its first token: `f[ARGS]{…}`, `f[CALL_ID]x[ARGS]{…}`. */
export const bareArgs: Format = {
  name: 'mistral',
  layer: 'xml',
  triggers: ['['],
  read({ source, tools }, { at, bracket, free }) {
    if (bracket?.token !== '[args]' && bracket?.token !== '[call_id]') return undefined;
    const before = source.text.slice(Math.max(free, at - MAX_NAME), at);
    const name = NAME_BEFORE.exec(before)?.[0];
    if (name === undefined || tools.offered(name) === undefined) return undefined;
    const start = skipSeparators(source, at);
    if (source.text[start] !== '{') return undefined;
    const { verdict, end } = readJsonArguments({ source, tools, strength: 'weak' }, { name, at: start });
    return { kind: 'calls', start: at - name.length, end, verdicts: [verdict] };
  },
};
