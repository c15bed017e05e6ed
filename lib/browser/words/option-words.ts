import type { ExperimentItem, ExperimentResult } from '../../api/experiment.ts';
import { shortLine } from './visible-text.ts';

const VALUE_CHARS = 60;

/**
 * The options and factors of a run as text: those that were requested, and beside a window or a reply limit the value
 * that was sent instead, for example because the model holds less.
 *
 * @param result of the run, or of one with the same options; missing before there is one
 */
export function variationWords(
  { options, factors = {} }: Pick<ExperimentItem, 'options' | 'factors'>,
  result?: Pick<ExperimentResult, 'num_ctx' | 'num_predict'>,
): string {
  const sent: Readonly<Record<string, number | undefined>> = {
    num_ctx: result?.num_ctx,
    num_predict: result?.num_predict,
    window_tokens: result?.num_ctx,
  };
  return Object.entries({ ...options, ...factors })
    .map(([name, value]) => {
      const instead = Object.hasOwn(sent, name) && typeof value === 'number' ? sent[name] : undefined;
      const words = `${shortLine(name, VALUE_CHARS)} ${valueWords(value)}`;
      return instead === undefined || instead === value ? words : `${words} (sent ${instead})`;
    })
    .join(', ');
}

/** A value of a factor as text: strings unchanged, lists and objects as JSON. */
export function valueWords(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return shortLine(text, VALUE_CHARS);
}
