import type { McpToolReply } from '../api/mcp.ts';
import type { ToolCheckProgress, ToolCheckReply } from '../api/tool-check.ts';
import { argumentProblems, confusionRows, layerWords } from '../browser/words/tool-check-words.ts';
import { plainVisibleLine } from '../browser/words/visible-text.ts';

/** The progress so far, one line per step; callers print only the lines that are new. */
export function toolProgressLines({
  model,
  status,
  position,
  done,
  total,
  right,
  error,
}: ToolCheckProgress): string[] {
  const lines: string[] = [];
  if (status === 'waiting') lines.push(`${model} is queued${position ? ` at position ${position}` : ''}.`);
  if (status === 'loading') lines.push(`Loading ${model}.`);
  if (total > 0) lines.push(`  ${done} of ${total} calls asked for, ${right} right`);
  if (status === 'stopped') lines.push('Stopped.');
  if (error) lines.push(`The check failed: ${error.message}`, ...(error.hint ? [error.hint] : []));
  return lines.map(plainVisibleLine);
}

/**
 * A check of tools as a table: right calls per tool, wrong arguments, and what was called instead.
 *
 * @param unusable tools of the server that were not offered
 */
export function toolCheckLines(
  { check, summary }: ToolCheckReply,
  unusable: readonly Pick<McpToolReply, 'offered' | 'problem'>[],
): string[] {
  const names = [...summary.tools.map(({ name }) => name), ...unusable.map(({ offered }) => offered)];
  const width = Math.max(...names.map((name) => name.length));
  const confusions = new Map(confusionRows(check).map(({ asked, called }) => [asked, called]));
  const tools = summary.tools.flatMap(({ name, right, judged }) => [
    `${name.padEnd(width)}  ${judged === 0 ? 'not asked for' : `${right} of ${judged} right`}`,
    ...argumentProblems(check.probes, name).map(
      (each) => `    ${each.name}: ${each.problem}, ${each.count}x`,
    ),
    ...(confusions.get(name) ?? []).flatMap((called) =>
      called.name === name
        ? []
        : [`    ${called.isTool ? `called ${called.name} instead` : called.name}, ${called.count}x`],
    ),
  ]);
  return [
    ...tools,
    ...unusable.map(({ offered, problem = '' }) => `${offered.padEnd(width)}  not offered: ${problem}`),
    '',
    `${summary.right} of ${summary.judged} calls were right. No call was made.`,
    layerWords(check.measured),
  ].map(plainVisibleLine);
}
