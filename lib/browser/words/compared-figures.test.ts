import { describe, expect, it } from 'vitest';
import type { ComparedRun } from '../../api/comparison.ts';
import { differingLines, figureLines, timeLines } from './compared-figures.ts';

const figures: ComparedRun['figures'] = {
  iterations: 3,
  turns: 0,
  model_calls: 3,
  tool_calls: 2,
  failed_tool_calls: 0,
  tools: { read_file: 2 },
  tokens_in: 1200,
  tokens_out: 90,
  model_ms: 4000,
  tool_ms: 20,
  tokens_per_second: 31.5,
  layers: { native: 2, json: 0, xml: 0, repaired: 0 },
};
const run: ComparedRun['run'] = {
  id: 'r',
  mode: 'task',
  agentic: true,
  model: 'm',
  title: 't',
  phase: 'ended',
  created_at: 0,
  started_at: 1000,
  updated_at: 0,
  iterations_used: 3,
  turns: 0,
  max_iterations: 0,
  cycles: 0,
  tokens_in: 0,
  tokens_out: 0,
  tool_calls: 0,
  stop_requested: false,
  last_seq: 9,
};
const compared = (
  changed: Partial<ComparedRun['figures']> = {},
  conditions: ComparedRun['conditions'] = {},
): ComparedRun => ({ run, figures: { ...figures, ...changed }, conditions, files: [] });
const line = (lines: ReturnType<typeof figureLines>, name: string) =>
  lines.find((each) => each.name === name)?.cells;

describe('the figures of several runs', () => {
  it('are marked where they differ from the baseline, with the difference', () => {
    const lines = figureLines([
      compared(),
      compared({ tool_calls: 5, tools: { read_file: 2, write_file: 3 } }),
      compared({ tool_calls: 1, tools: { read_file: 1 } }),
    ]);
    expect(line(lines, 'Tool calls')).toEqual([
      { text: '2', differs: false },
      { text: '5', differs: true, by: '+3' },
      { text: '1', differs: true, by: '−1' },
    ]);
    expect(line(lines, '  write_file')?.map(({ text }) => text)).toEqual(['0', '3', '0']);
    expect(line(lines, 'Model calls')?.some(({ differs }) => differs)).toBe(false);
    expect(line(lines, 'Failed tool calls')).toBeUndefined();
    expect(line(lines, 'Cost')).toBeUndefined();
  });

  it('count the calls of a tool that is named like a member of every object', () => {
    const tools: Record<string, number> = JSON.parse('{"constructor": 2, "__proto__": 1}');
    const lines = figureLines([compared(), compared({ tools })]);
    expect(line(lines, '  constructor')?.map(({ text }) => text)).toEqual(['0', '2']);
    expect(line(lines, '  __proto__')?.map(({ text }) => text)).toEqual(['0', '1']);
  });

  it('name the formats of calls as everywhere, each count beside its unit', () => {
    const lines = figureLines([compared({ layers: { native: 2, json: 1, xml: 3, repaired: 1 } })]);
    expect(line(lines, 'Call formats')?.[0]?.text).toBe(
      '2\u00a0native, 1\u00a0JSON in text, 3\u00a0XML in text, 1\u00a0repaired',
    );
  });

  it('say which models have no price', () => {
    expect(line(figureLines([compared({ cost_usd: 2 }), compared()]), 'Cost')).toEqual([
      { text: '$2.00', differs: false },
      { text: 'no price', differs: true },
    ]);
  });
});

it('times are shown and never marked as different', () => {
  const slow = compared({ model_ms: 90_000, tool_ms: 5000, tokens_per_second: 2 });
  const lines = timeLines([compared(), { ...slow, run: { ...run, started_at: 9e9 } }]);
  expect(lines.map(({ name }) => name)).toEqual([
    'Started',
    'Duration',
    'Model time',
    'Tool time',
    'Writing speed (tok/s)',
  ]);
  expect(lines.flatMap(({ cells }) => cells).some(({ differs, by }) => differs || by !== undefined)).toBe(
    false,
  );
  expect(line(lines, 'Model time')?.[0]?.text).not.toBe(line(lines, 'Model time')?.[1]?.text);
});

it('only settings and conditions that differ are listed, with a value per run', () => {
  const lines = differingLines({
    runs: [compared({}, { warm: true, digest: 'a' }), compared({}, { warm: false, digest: 'a' }), compared()],
    settings: [{ name: 'seed', values: [undefined, 3, undefined] }],
  });
  expect(lines.map(({ name, cells }) => [name, ...cells.map(({ text }) => text)])).toEqual([
    ['Seed', 'not set', '3', 'not set'],
    ["Model's digest", 'a', 'a', 'unknown'],
    ['Model at the start', 'already loaded', 'loaded for this run', 'unknown'],
  ]);
});
