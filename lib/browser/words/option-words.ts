import type { ExperimentItem, ExperimentResult } from '../../api/experiment.ts';

/**
 * The model options of a run in words: those that were asked for, and beside a window or a reply limit what was sent in its
 * place, for example because the model holds less.
 *
 * @param result of the run, or of one with the same options; missing before there is one
 */
export function optionWords(
  options: ExperimentItem['options'],
  result?: Pick<ExperimentResult, 'num_ctx' | 'num_predict'>,
): string {
  const sent: Readonly<Record<string, number | undefined>> = {
    num_ctx: result?.num_ctx,
    num_predict: result?.num_predict,
  };
  return Object.entries(options)
    .map(([name, value]) => {
      const instead = Object.hasOwn(sent, name) ? sent[name] : undefined;
      return instead === undefined || instead === value
        ? `${name} ${value}`
        : `${name} ${value} (sent ${instead})`;
    })
    .join(', ');
}
