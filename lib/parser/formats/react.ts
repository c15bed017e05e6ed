import { buildCall, readJsonArguments, soleTextParameter } from '../call-shape.ts';
import { skipSpace } from '../space.ts';
import type { Format } from './format.ts';

const ACTION =
  /[ \t*]{0,8}(Action|Tool|Function)(?: Name)?[ \t*]{0,8}:[ \t*]{0,8}([^\s<>{}()[\]"'`,;|*]{1,128})[ \t*]{0,8}\n[ \t*]{0,8}(?:(?:Action |Tool )?Input|Arguments|Parameters|Args)[ \t*]{0,8}:[ \t*]{0,8}/iy;
const FENCE = /```(?:json)?\s{0,8}/y;

/** The lines of a ReAct prompt: `Action: f`, `Action Input: {…}`. An invented observation after them is not a result. */
export const react: Format = {
  name: 'react',
  layer: 'json',
  triggers: ['\n'],
  read({ source, tools }, { at }) {
    const { text } = source;
    ACTION.lastIndex = at;
    const action = ACTION.exec(text);
    const name = action?.[2];
    if (!action || name === undefined || tools.offered(name) === undefined) return undefined;
    let start = skipSpace(text, at + action[0].length);
    FENCE.lastIndex = start;
    start += FENCE.exec(text)?.[0].length ?? 0;
    if (text[start] === '{') {
      const { verdict, end } = readJsonArguments({ source, tools, strength: 'weak' }, { name, at: start });
      return { kind: 'calls', end, verdicts: [verdict] };
    }
    // Without braces only ReAct's own keywords are reliable: `Tool: f`, `Input: text` may be a heading and a note.
    if (action[1]?.toLowerCase() !== 'action') return undefined;
    const lineEnd = text.indexOf('\n', start);
    const end = lineEnd === -1 ? text.length : lineEnd;
    const sole = soleTextParameter(tools.schema(tools.resolve(name)));
    const input = text.slice(start, end).trim();
    // A last line without a line break may be cut off.
    if (sole === undefined || input === '' || lineEnd === -1) return undefined;
    return {
      kind: 'calls',
      end,
      verdicts: [buildCall(name, { [sole]: input }, { tools, strength: 'weak' })],
    };
  },
};
