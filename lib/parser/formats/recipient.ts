import { readNamedJsonBody } from '../bodies/named-json-body.ts';
import { skipSpace } from '../space.ts';
import type { Format } from './format.ts';

const TALK = /\s*all\s*<\|content\|>/y;

/** Functionary 2: `<|recipient|>f\n<|content|>{…}`; a message to `all` is text. */
export const recipient: Format = {
  name: 'functionary-v2',
  layer: 'xml',
  triggers: ['<'],
  read({ source, tools }, { tag }) {
    if (tag?.token === '|from|' || tag?.token === '|stop|')
      return { kind: 'control', end: tag.end, hidden: 'always' };
    if (tag?.token !== '|recipient|') return undefined;
    TALK.lastIndex = tag.end;
    const talk = TALK.exec(source.text)?.[0];
    if (talk !== undefined) return { kind: 'control', end: tag.end + talk.length, hidden: 'always' };
    const body = readNamedJsonBody({ source, tools, strength: 'strong' }, skipSpace(source.text, tag.end));
    return body && { kind: 'calls', end: body.end, verdicts: body.verdicts };
  },
};
