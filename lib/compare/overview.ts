import { MAX_STREAMED_CHARS } from '../events/limits.ts';
import type { RunEvent } from '../events/registry.ts';
import { textStart } from '../util/short-text.ts';
import { ConditionReader, type Conditions, FigureReader, type Figures } from './figures.ts';
import type { Pages } from './pages.ts';
import { type TextPlace, WrittenFileReader, type WrittenFiles } from './written-files.ts';

/** The results of a run: its totals, the conditions it ran under, its final answer and the files it changed. */
export interface Overview extends WrittenFiles {
  figures: Figures;
  conditions: Conditions;
  /** The last output: all of it, or its start if it is longer than viewers get. Missing until the run has ended. */
  answer?: TextPlace & { text: string };
}

/**
 * Reads the results of a run from its log, page by page.
 *
 * @throws the signal's reason
 */
export async function readOverview(log: Pages, signal: AbortSignal): Promise<Overview> {
  const figures = new FigureReader();
  const conditions = new ConditionReader();
  const files = new WrittenFileReader();
  let answer: Overview['answer'];
  for await (const page of log) {
    signal.throwIfAborted();
    for (const event of page) {
      figures.take(event);
      conditions.take(event);
      files.take(event);
      answer = answerOf(event) ?? answer;
    }
  }
  return {
    figures: figures.figures(),
    conditions: conditions.conditions(),
    ...(answer && { answer }),
    ...files.result(),
  };
}

function answerOf(event: RunEvent): Overview['answer'] {
  if (event.type !== 'run.ended') return undefined;
  const { output } = event.result;
  return {
    text: textStart(output, MAX_STREAMED_CHARS),
    seq: event.seq,
    path: 'result.output',
    chars: output.length,
  };
}
