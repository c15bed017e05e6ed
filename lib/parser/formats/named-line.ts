import { skipSeparators } from '../bodies/call-head.ts';
import { readNamedElementsBody } from '../bodies/element-body.ts';
import { fitsSchema, namesParameters, readJsonArguments, readTolerantly } from '../call-shape.ts';
import type { JsonReading } from '../json/json-cursor.ts';
import type { BodyContext } from '../reading.ts';
import { skipSpace } from '../space.ts';
import type { ParameterSchema } from '../types.ts';
import type { Format, FormatReading } from './format.ts';

const LINE = /[ \t]{0,8}(>>>)?([^\s<>{}()[\]"'`,;|]{1,128})[ \t]{0,8}(?=\n|$)/y;
const LOST_TOKENS = /^function(?=.)/;

/**
 * A line with only a tool's name, followed by its arguments: `>>>f\n{…}` (Functionary 3.2), `f\n{…}` (GLM-4),
 * `functionf` and a JSON fence (DeepSeek without its tokens), `f\n  <path>…</path>`.
 */
export const namedLine: Format = {
  name: 'functionary',
  layer: 'json',
  triggers: ['\n', '>>>'],
  read({ source, tools }, { at }) {
    LINE.lastIndex = at;
    const line = LINE.exec(source.text);
    const word = line?.[2];
    if (!line || word === undefined) return undefined;
    const end = at + line[0].length;
    const marked = line[1] !== undefined;
    if (marked && word === 'all') return { kind: 'control', end, hidden: 'always' };
    const name = tools.offered(word) === undefined ? word.replace(LOST_TOKENS, '') : word;
    if (!marked && tools.offered(name) === undefined) return undefined;
    const context: BodyContext = { source, tools, strength: marked ? 'strong' : 'weak' };
    return (
      jsonBelow(context, name, end) ??
      (marked ? undefined : elementsBelow(context, skipSpace(source.text, at)))
    );
  },
};

function jsonBelow(context: BodyContext, name: string, from: number): FormatReading | undefined {
  const { source, tools } = context;
  const start = skipSeparators(source, from);
  if (source.text[start] !== '{') return undefined;
  const reading = readTolerantly(context, start);
  const { verdict, end } = readJsonArguments(context, { name, at: start, reading });
  // A heading may share a tool's name and be followed by an example. Only a call has the tool's parameters.
  if (context.strength === 'weak') {
    const schema = tools.schema(tools.resolve(name));
    const fits = 'call' in verdict ? fitsSchema(verdict.call.arguments, schema) : isCutFrom(reading, schema);
    if (!fits) return undefined;
  }
  const fence = skipSpace(source.text, end);
  const fenced = source.text.startsWith('```', fence) && source.text.slice(from, start).includes('```');
  return { kind: 'calls', end: fenced ? fence + 3 : end, verdicts: [verdict] };
}

/** Whether arguments were cut off, and those that arrived are parameters of the tool. */
function isCutFrom(reading: JsonReading, schema: ParameterSchema | undefined): boolean {
  return !reading.ok && reading.reason === 'cut' && namesParameters(reading.partial, schema);
}

function elementsBelow(context: BodyContext, at: number): FormatReading | undefined {
  const body = readNamedElementsBody(context, at);
  return body && { kind: 'calls', format: 'tool-named-xml', end: body.end, verdicts: body.verdicts };
}
