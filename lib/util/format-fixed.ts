/** A number with this many decimals. One that rounds to zero has no minus sign. */
export function formatFixed(value: number, decimals: number): string {
  return value.toFixed(decimals).replace(/^-(?=[0.]+$)/, '');
}
