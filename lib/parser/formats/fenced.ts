import type { BodyContext, BodyReading } from '../bodies/body.ts';
import { readJsonBody } from '../bodies/json-body.ts';
import { readBody } from '../bodies/read-body.ts';
import { skipSpace } from '../source.ts';
import type { Format } from './format.ts';

const FENCE = /```[ \t]{0,4}([\w-]{0,20})[ \t]{0,4}\n/y;

/** Languages that say by themselves that a call follows (Gemma's `tool_code`, and templates of small models). */
const MARKS = new Set(['tool_code', 'tool_call', 'tool_calls', 'tool_use', 'function_call', 'tool']);
const DATA = new Set(['', 'json']);

/** A fence that holds nothing but calls: a `tool_code` fence, or JSON of offered tools in a plain one. */
export const fenced: Format = {
  name: 'fenced-json',
  layer: 'json',
  triggers: ['`'],
  read({ source, tools }, { at }) {
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

/** One JSON call after the other. */
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
