import { readCalls, readJsonArguments, readTolerantly } from '../call-shape.ts';
import type { BodyContext, BodyReading } from '../reading.ts';
import { readName, skipSeparators } from './call-head.ts';

/** A name followed by its arguments: `f{…}`, `f[ARGS]{…}`, `f\n{…}`, `f<｜tool▁sep｜>{…}`, `f` and a JSON fence. */
export function readNamedJsonBody(context: BodyContext, at: number): BodyReading | undefined {
  const { text } = context.source;
  const named = readName(text, at);
  if (named === undefined) return undefined;
  const start = skipSeparators(context.source, named.end);
  if (text[start] !== '{' && !(text[start] === '[' && start > named.end)) return undefined;
  const { name } = named;
  const reading = readTolerantly(context, start);
  if (reading.ok && context.tools.offered(name) === undefined) {
    // `json {"name": …}`: the word is not the tool's name when the object has a name itself.
    const inner = readCalls(reading.value, { ...context, unsafeKey: reading.unsafeKey });
    if (inner.some((verdict) => 'call' in verdict))
      return { kind: 'json', end: reading.end, verdicts: inner };
  }
  const { verdict, end } = readJsonArguments(context, { name, at: start, reading });
  return { kind: 'named-json', end: reading.ok ? skipBraces(text, end) : end, verdicts: [verdict] };
}

/** Skips surplus braces, which are common and harmless. */
function skipBraces(text: string, from: number): number {
  let end = from;
  while (text[end] === '}') end++;
  return end;
}
