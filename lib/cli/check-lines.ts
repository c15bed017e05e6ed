import type { CheckProgress, CheckReply, CheckVerdict } from '../api/model-check.ts';
import { adviceOf, CHECK_AXES, measuredFacts, scoreWords } from '../browser/words/check-words.ts';
import { formatDuration } from '../browser/words/format.ts';
import { plainVisibleLine } from '../browser/words/visible-text.ts';

const VERDICTS: Record<CheckVerdict, string> = { pass: 'passed', fail: 'failed', unknown: 'not judged' };

/** A verdict that only a later version has is printed as it is. */
function verdictWords(verdict: CheckVerdict): string {
  return VERDICTS[verdict] ?? verdict;
}

/** The progress so far, one line per step; callers print only the lines that are new. */
export function progressLines({ model, status, position, probes, error }: CheckProgress): string[] {
  const lines: string[] = [];
  if (status === 'waiting') lines.push(`${model} is queued${position ? ` at position ${position}` : ''}.`);
  if (status === 'loading') lines.push(`Loading ${model}.`);
  for (const { title, status: state, duration_ms } of probes) {
    if (state === 'open' || state === 'running') continue;
    lines.push(`  ${verdictWords(state).padEnd(10)}  ${title}  ${formatDuration(duration_ms ?? 0)}`);
  }
  if (status === 'stopped') lines.push('Stopped.');
  if (error) lines.push(`The check failed: ${error.message}`, ...(error.hint ? [error.hint] : []));
  return lines.map(plainVisibleLine);
}

/** A check as a table: failed rules, the four axes, measurements, and advice. */
export function checkLines({ check, summary }: CheckReply): string[] {
  const width = Math.max(...check.probes.map(({ title }) => title.length));
  const probes = check.probes.flatMap(({ title, verdict, criteria }) => [
    `${title.padEnd(width)}  ${verdictWords(verdict)}`,
    ...criteria.flatMap((criterion) =>
      criterion.verdict === 'pass' ? [] : [`    ${criterion.rule}: ${criterion.found}`],
    ),
  ]);
  const rows = [
    ...CHECK_AXES.map(({ axis, label }) => ({ name: label, value: scoreWords(summary.axes[axis]) })),
    ...measuredFacts(check),
  ];
  const names = Math.max(...rows.map(({ name }) => name.length));
  return [
    ...probes,
    '',
    `${summary.passed} of ${check.probes.length} probes passed${summary.unknown > 0 ? `, ${summary.unknown} could not be judged` : ''}.`,
    '',
    ...rows.map(({ name, value }) => `${name.padEnd(names)}  ${value}`),
    '',
    ...adviceOf(check).map(({ text }) => `- ${text}`),
  ].map(plainVisibleLine);
}
