/**
 * Model options without `num_ctx` and `num_predict`, which are separate settings: a run sends its window and reply
 * limit instead. Older configurations may contain values of both that were never sent.
 */
export function withoutNamedOptions<Options extends Readonly<Record<string, unknown>>>(
  options: Options,
): Omit<Options, 'num_ctx' | 'num_predict'> {
  const { num_ctx: _window, num_predict: _limit, ...others } = options;
  return others;
}
