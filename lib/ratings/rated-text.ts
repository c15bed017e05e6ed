import type { RatedPart } from '../api/rating.ts';
import { MAX_RATED_CHARS } from '../events/limits.ts';
import type { RunEvent } from '../events/registry.ts';
import { textStart } from '../util/short-text.ts';

/** The rated text of a run, read from its log; only the start of a long one. */
export async function ratedTextOf(log: AsyncIterable<readonly RunEvent[]>, part: RatedPart): Promise<string> {
  let output = '';
  const reflections: string[] = [];
  let cycle: string[] = [];
  for await (const page of log) {
    for (const event of page) {
      if (event.type === 'cycle.started') cycle = [];
      if (event.type === 'reply.parsed' && event.text.trim() !== '') cycle.push(event.text);
      if (event.type === 'agent.messaged') cycle.push(event.text);
      if (event.type === 'cycle.reflected' && event.text.trim() !== '') {
        reflections.push(`Cycle ${event.cycle}\n${event.text}`);
      }
      if (event.type === 'run.ended') output = event.result.output;
    }
  }
  const texts = { output, reflections: reflections.join('\n\n'), last_cycle: cycle.join('\n\n') };
  return textStart(texts[part], MAX_RATED_CHARS);
}
