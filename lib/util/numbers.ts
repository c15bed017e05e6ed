// Implemented here, because creating an `Intl.NumberFormat` delays the first paint of a page by up to 30 ms.

/** A whole number with thousands separators: `12,345`. */
export function formatCount(count: number): string {
  return withSeparators(Math.round(count).toString());
}

/** A number with thousands separators and its fraction, to the thousandth: `12,345`, `0.5`. */
export function formatNumber(value: number): string {
  return withSeparators((Math.round(value * 1000) / 1000).toString());
}

/** Thousands separators for a number in decimal digits, with or without a fraction. */
export function withSeparators(decimal: string): string {
  const [whole = '', fraction] = decimal.split('.');
  const separated = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? separated : `${separated}.${fraction}`;
}

/** `1 file`, `3 files`, `0.5 seconds`. */
export function plural(value: number, singular: string, many = `${singular}s`): string {
  return `${formatNumber(value)} ${value === 1 ? singular : many}`;
}

/** A share of 1 as a whole percentage; never 100% before it is full, never 0% if there is something. */
export function formatPercent(share: number): string {
  if (share <= 0) return '0%';
  if (share < 0.01) return '< 1%';
  if (share < 1) return `${Math.min(99, Math.round(share * 100))}%`;
  return `${Math.round(share * 100)}%`;
}

/** A limit in bytes as its megabytes: `20 MB`. */
export function megabytes(bytes: number): string {
  return `${bytes / 1024 / 1024} MB`;
}

/** The number in a text of at most 15 digits, which a number represents exactly; `undefined` for any other text. */
export function wholeNumberIn(text: string): number | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
