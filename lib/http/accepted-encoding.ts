/** The supported HTTP content codings, in order of preference. */
const ENCODINGS = ['br', 'gzip'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/**
 * The client's preferred supported compression, by its `Accept-Encoding`; Brotli if it has no preference.
 *
 * @returns `undefined` if it accepts none of them, or sends no header
 */
export function acceptedEncoding(header: string | undefined): Encoding | undefined {
  const weights = new Map<string, number>();
  for (const part of (header ?? '').toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim());
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    weights.set(name, weight === undefined ? 1 : Number(weight) || 0);
  }
  const weightOf = (encoding: Encoding) => weights.get(encoding) ?? weights.get('*') ?? 0;
  const [best] = ENCODINGS.filter((encoding) => weightOf(encoding) > 0).sort(
    (a, b) => weightOf(b) - weightOf(a),
  );
  return best;
}
