import { buildCall, type Verdict } from '../call-shape.ts';
import type { JsonReading } from '../json/json-reader.ts';
import type { BodyContext } from './body.ts';
import { readTolerantly, refusal } from './json-body.ts';

/** A call whose name is known already, of the JSON that stands for its arguments at an offset. */
export function readJsonArguments(
  context: BodyContext,
  { name, at, reading = readTolerantly(context, at) }: { name: string; at: number; reading?: JsonReading },
): { verdict: Verdict; end: number } {
  if (!reading.ok) {
    const what = `The arguments of ${context.tools.resolve(name)}`;
    const problem =
      reading.reason === 'cut' ? 'are cut off' : `could not be read (stopped at offset ${reading.at})`;
    return {
      verdict: refusal(reading.reason, `${what} ${problem}.`, name),
      end: Math.max(reading.at, at + 1),
    };
  }
  const verdict = buildCall(name, reading.value, { ...context, unsafeKey: reading.unsafeKey });
  if ('call' in verdict) verdict.call.repairs.unshift(...reading.repairs);
  return { verdict, end: reading.end };
}
