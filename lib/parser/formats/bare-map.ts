import { readMapBody } from '../bodies/map-body.ts';
import { skipSpace } from '../source.ts';
import type { Format } from './format.ts';

const CALL = /[ \t]{0,8}call:[ \t]{0,4}([^\s{}()<>"'`:,]{1,128})\{/y;

/** Gemma's map, its tokens lost on the way: `call:f{a:<escape>x<escape>}` on a line of its own. */
export const bareMap: Format = {
  name: 'gemma-bare',
  layer: 'json',
  triggers: ['\n'],
  read({ source, tools }, { at }) {
    CALL.lastIndex = at;
    const name = CALL.exec(source.text)?.[1];
    if (name === undefined || tools.offered(name) === undefined) return undefined;
    const body = readMapBody({ source, tools, strength: 'weak' }, skipSpace(source.text, at));
    return body && { kind: 'calls', end: body.end, verdicts: body.verdicts };
  },
};
