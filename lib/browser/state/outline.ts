import type { TimelineRow } from '../../events/timeline.ts';
import { isRepaired, troubleOf } from './row-filter.ts';

export type MarkTone = 'fail' | 'warn' | 'brass' | 'ink' | 'quiet';

export interface Outline {
  /** One SVG path per tone: a line for each place that has such a mark, in units of one pixel. */
  readonly paths: Readonly<Record<MarkTone, string>>;
  /** The starts of iterations, or of cycles if there are any, as many as fit. */
  readonly labels: readonly { y: number; text: string; index: number }[];
}

/** Two labels keep this distance, in pixels. */
const LABEL_PX = 22;
const TONES: readonly MarkTone[] = ['quiet', 'ink', 'brass', 'warn', 'fail'];
const reach: Record<MarkTone, readonly [from: number, to: number]> = {
  quiet: [10, 14],
  ink: [8, 16],
  brass: [7, 17],
  warn: [5, 19],
  fail: [4, 20],
};

/** The position of a row in an outline of this height; rows are evenly spaced. */
export function outlineY(index: number, count: number, height: number): number {
  return count <= 1 ? 0 : (index / count) * height;
}

/** The row at a height of the picture. */
export function outlineIndex(y: number, count: number, height: number): number {
  if (count === 0 || height <= 0) return 0;
  return Math.max(0, Math.min(count - 1, Math.floor((y / height) * count)));
}

/**
 * A run as a strip of marks: failures, reports of Loupe, repairs, speakers. Several rows of one pixel become one line
 * in the most severe of their tones, so that the picture of 10,000 rows is as small as that of 100.
 *
 * @param height of the strip, in pixels
 */
export function outlineOf(rows: readonly TimelineRow[], height: number): Outline {
  const grades = new Uint8Array(Math.max(1, Math.ceil(height)));
  const labels: { y: number; text: string; index: number }[] = [];
  const hasCycles = rows.some((row) => cycleOf(row) !== undefined);
  for (const [index, row] of rows.entries()) {
    const y = Math.floor(outlineY(index, rows.length, height));
    const grade = TONES.indexOf(toneOf(row));
    if (grade > (grades[y] ?? 0)) grades[y] = grade;
    const chapter = chapterOf(row, { hasCycles });
    const last = labels.at(-1);
    if (chapter !== undefined && (!last || y - last.y >= LABEL_PX))
      labels.push({ y, text: String(chapter), index });
  }
  const filled = new Uint8Array(grades.length);
  for (let index = 0; index < rows.length; index += 1) {
    filled[Math.floor(outlineY(index, rows.length, height))] = 1;
  }
  const paths: Record<MarkTone, string> = { quiet: '', ink: '', brass: '', warn: '', fail: '' };
  for (const [y, grade] of grades.entries()) {
    const tone = TONES[grade];
    if (filled[y] !== 1 || tone === undefined) continue;
    const [from, to] = reach[tone];
    paths[tone] += `M${from} ${y + 0.5}H${to}`;
  }
  return { paths, labels };
}

function toneOf(row: TimelineRow): MarkTone {
  const trouble = troubleOf(row);
  if (trouble === 'failed') return 'fail';
  if (trouble === 'warned') return 'warn';
  if (isRepaired(row)) return 'brass';
  return row.kind === 'created' || row.kind === 'call' || row.kind === 'note' || row.kind === 'end'
    ? 'ink'
    : 'quiet';
}

/**
 * The number of the iteration that begins with this row. An exploration is counted in cycles: its iterations are
 * numbered separately, and a reader who saw both would confuse the counts.
 */
export function chapterOf(row: TimelineRow, { hasCycles }: { hasCycles: boolean }): number | undefined {
  if (hasCycles) return cycleOf(row);
  return row.kind === 'iteration' && !row.handsOver ? row.step : undefined;
}

function cycleOf(row: TimelineRow): number | undefined {
  return row.kind === 'note' && row.event.type === 'cycle.started' ? row.event.cycle : undefined;
}
