import type { RunSummary } from '../lib/api/run-summary.ts';
import type { FakeOllama } from '../lib/demo/fake-ollama.ts';
import type { LoupeServer } from './loupe-server.ts';
import { finishRun } from './runs.ts';

const write = (path: string, content: string) => ({
  reply: { tool_calls: [{ name: 'write_file', arguments: { path, content } }] },
});
const done = (content: string) => ({ reply: { content } });

const ANSWERS = [
  '## Summary\n\nThe task is completed.\n\n- North leads with **125**.\n- South has 44 new customers.\n\n| Region | Margin |\n|---|---|\n| North | 125 |\n| South | 98 |',
  '## Summary\n\nThe task is completed.\n\n- North leads with **125**.\n- West has the lowest costs.\n\n| Region | Margin |\n|---|---|\n| North | 125 |\n| South | 96 |',
  'The task is completed: the summary is in `summary.md`.',
];

/**
 * Finished runs of one task, each by another model `writer-1`, `writer-2`, … and in a separate folder. Models whose
 * numbers are equal modulo 3 do the same.
 */
export async function finishWriters(
  servers: { loupe: LoupeServer; ollama: FakeOllama },
  { count, workspace }: { count: number; workspace: () => string },
): Promise<RunSummary[]> {
  const runs: RunSummary[] = [];
  for (let index = 0; index < count; index += 1) {
    const model = `writer-${index + 1}`;
    const way = index % 3;
    const north = ['# Regions', '', 'North: 125', `South: ${way === 0 ? 98 : 96}`, 'West: 71', ''].join('\n');
    servers.ollama.add({
      name: model,
      steps: [
        write('summary.md', north),
        ...(way === 2 ? [] : [write('notes/method.md', 'Margins are in thousands.\n')]),
        ...(way === 1 ? [write('costs.csv', 'region,costs\nWest,40\n')] : []),
        done(ANSWERS[way] ?? ''),
      ],
    });
    runs.push(
      await finishRun(servers.loupe, { task: 'Summarize the regions', model, workspace: workspace() }),
    );
  }
  return runs;
}
