/** A number with so many decimals. One that rounds to zero has no minus. */
export function formatFixed(value: number, decimals: number): string {
  return value.toFixed(decimals).replace(/^-(?=[0.]+$)/, '');
}
