import { readJsonBody } from '../bodies/json-body.ts';
import type { BodyContext, BodyReading } from '../reading.ts';
import { skipSpace } from '../space.ts';
import type { Format } from './format.ts';

const FENCE = /```[ \t]{0,4}([\w-]{0,20})[ \t]{0,4}\n/y;

/** Languages that announce a call (Gemma's `tool_code`, and templates of small models). */
const MARKS = new Set(['tool_code', 'tool_call', 'tool_calls', 'tool_use', 'function_call', 'tool']);
const DATA = new Set(['', 'json']);

/** A fence with nothing but calls: a `tool_code` fence, or a plain one with JSON calls of offered tools. */
export const fenced: Format = {
  name: 'fenced-json',
  layer: 'json',
  triggers: ['`'],
  read({ source, tools, readBody }, { at }) {
    FENCE.lastIndex = at;
    const fence = FENCE.exec(source.text);
    const language = fence?.[1]?.toLowerCase();
    if (!fence || language === undefined) return undefined;
    const marked = MARKS.has(language);
    if (!marked && !DATA.has(language)) return undefined;
    const context: BodyContext = { source, tools, strength: marked ? 'strong' : 'weak' };
    const start = skipSpace(source.text, at + fence[0].length);
    const body = marked ? readBody(context, start) : readJsonBodies(context, start);
    if (body === undefined) return undefined;
    const close = skipSpace(source.text, body.end);
    const closed = source.text.startsWith('```', close);
    if (!closed && !marked) return undefined;
    const end = closed ? close + 3 : body.end;
    return {
      kind: 'calls',
      format: marked ? language.replace('_', '-') : undefined,
      end,
      verdicts: body.verdicts,
    };
  },
};

/** Reads consecutive JSON calls. */
function readJsonBodies(context: BodyContext, from: number): BodyReading | undefined {
  const verdicts: BodyReading['verdicts'] = [];
  let end = from;
  for (
    let body = readJsonBody(context, from);
    body !== undefined && body.verdicts.length > 0;
    body = readJsonBody(context, skipSpace(context.source.text, end))
  ) {
    verdicts.push(...body.verdicts);
    end = body.end;
  }
  return verdicts.some((verdict) => 'call' in verdict) ? { kind: 'json', end, verdicts } : undefined;
}
