import { readMapBody } from '../bodies/map-body.ts';
import { skipSpace } from '../space.ts';
import type { Format } from './format.ts';

const CALL = /[ \t]{0,8}call:[ \t]{0,4}([^\s{}()<>"'`:,]{1,128})\{/y;
const TAGGED = /([^\s{}()<>"'`:,]{1,128})\{/y;

/** Gemma's map whose tokens were lost: `call:f{a:<escape>x<escape>}` on its own line, or `<call>f{…}`. */
export const bareMap: Format = {
  name: 'gemma-bare',
  layer: 'json',
  triggers: ['\n', '<'],
  read({ source, tools }, { at, tag }) {
    if (tag && tag.token !== 'call') return undefined;
    const start = tag ? tag.end : at;
    const head = tag ? TAGGED : CALL;
    head.lastIndex = start;
    const name = head.exec(source.text)?.[1];
    if (name === undefined || tools.offered(name) === undefined) return undefined;
    const body = readMapBody({ source, tools, strength: 'weak' }, skipSpace(source.text, start));
    return body && { kind: 'calls', end: body.end, verdicts: body.verdicts };
  },
};
