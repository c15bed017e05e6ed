const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const upToThousandths = new Intl.NumberFormat('en', { maximumFractionDigits: 3 });

/** A whole number with thousands separators: `12,345`. */
export function formatCount(count: number): string {
  return whole.format(count);
}

/** A number with thousands separators and its fraction, to the thousandth: `12,345`, `0.5`. */
export function formatNumber(value: number): string {
  return upToThousandths.format(value);
}

/** `1 file`, `3 files`, `0.5 seconds`. */
export function plural(value: number, singular: string, many = `${singular}s`): string {
  return `${formatNumber(value)} ${value === 1 ? singular : many}`;
}
