import { formatCount } from '../util/numbers.ts';

interface NamedFacts {
  readonly name: string;
  readonly type: string;
  readonly width: number;
  readonly height: number;
  readonly bytes: number;
}

/** An image as text: `chart.png (PNG, 640 × 480, 12 kB)`. */
export function imageWords({ name, type, width, height, bytes }: NamedFacts): string {
  const size = bytes < 1000 ? `${bytes} bytes` : `${formatCount(Math.round(bytes / 1000))} kB`;
  return `${name} (${type.toUpperCase()}, ${width} × ${height}, ${size})`;
}
