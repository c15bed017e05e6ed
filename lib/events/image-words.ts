import type { MessageImage } from '../model/chat-model.ts';
import { formatCount } from '../util/numbers.ts';

/** An image in words: `chart.png (PNG, 640 × 480, 12 kB)`. */
export function imageWords({ name, type, width, height, bytes }: MessageImage): string {
  const size = bytes < 1000 ? `${bytes} bytes` : `${formatCount(Math.round(bytes / 1000))} kB`;
  return `${name} (${type.toUpperCase()}, ${width} × ${height}, ${size})`;
}
