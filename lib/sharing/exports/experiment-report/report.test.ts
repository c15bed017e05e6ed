import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type ExperimentItem, type ExperimentSummary, experimentRequest } from '../../../api/experiment.ts';
import type { OutcomeKind } from '../../../events/termination.ts';
import { cellsOf } from '../../../experiments/cells.ts';
import { experimentReport } from './report.ts';
import { endingsPlot, type NamedCell } from './report-plots.ts';
import { PLOT_COLORS, REPORT_STYLE } from './report-style.ts';

const HOSTILE = '"><script>alert(1)</script>';
const { confirm_runs: _, ...plan } = experimentRequest.parse({
  name: `Windows ${HOSTILE}`,
  models: ['small', HOSTILE],
  suite: { shipped: 'basics', hash: 'a'.repeat(64) },
  factors: { temperature: [0, 1] },
  settings: { system: 'The key is sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789' },
});

function item(position: number, change: Partial<ExperimentItem>, passed?: boolean): ExperimentItem {
  return {
    ...{
      position,
      model: 'small',
      options: {},
      repeat: 1,
      status: 'done',
      case: 'read.one',
      run_id: `R${position}`,
    },
    ...(passed !== undefined && {
      result: {
        ...{ status: 'completed', termination_reason: 'final_answer', message: '', output: HOSTILE },
        ...{
          seconds: position,
          iterations: 1,
          cycles: 0,
          model_calls: 1,
          tool_calls: 0,
          failed_tool_calls: 0,
        },
        ...{ tokens_in: 10, tokens_out: 5, memories: 0, messages: 0, files_written: 0, digest: 'd1' },
        outcome: { kind: passed ? 'answered' : 'stall' },
      },
    }),
    ...change,
  };
}

const items = [
  item(1, { factors: { temperature: 0 } }, true),
  item(2, { factors: { temperature: 0 }, case: 'read.two' }, false),
  item(3, { factors: { temperature: 1 }, case: HOSTILE }, true),
  item(4, { model: HOSTILE, factors: { temperature: 0 } }, false),
  item(5, {
    model: HOSTILE,
    factors: { temperature: 1 },
    status: 'failed',
    error: { code: 'x', message: HOSTILE },
  }),
];
const experiment: ExperimentSummary = {
  ...{ id: 'E1', name: plan.name, mode: 'task', status: 'stopped', created_at: 0, updated_at: 0 },
  ...{ total: 5, done: 4, failed: 1, plan },
  suite: { name: 'Basics', hash: 'a'.repeat(64), cases: 3, modes: ['task'] },
};
const report = (redaction: object | undefined) =>
  experimentReport({ experiment, items }, { redaction, version: '1.2.3' });

describe('experimentReport', () => {
  it('shows pass rates, cases, endings, figures, provenance, the plan and every run', () => {
    const html = report({});
    for (const part of ['Pass rates', 'Cases', 'Endings', 'Figures', 'Provenance', 'Plan', 'Runs']) {
      expect(html).toContain(`<h2>${part}</h2>`);
    }
    expect(html).toContain('1 of 2');
    expect(html).toContain('5 of 5 runs done (stopped)');
    expect(html).toContain('shipped: basics');
    for (const { run_id } of items) expect(html).toContain(`<code>${run_id}</code>`);
    // Each row of a plot links to the runs of its cell.
    const links = [...html.matchAll(/href="#(.+?)"/g)].map(([, id]) => id);
    expect(new Set(links)).toEqual(new Set(cellsOf(items).map(({ cell }) => `cell-${cell}`)));
    for (const id of links) expect(html).toContain(`id="${id}"`);
  });

  it('fills each ending as the dashboard does, whatever other endings there are', () => {
    const css = readFileSync(new URL('../../../../app/globals.css', import.meta.url), 'utf8');
    for (const [index, color] of PLOT_COLORS.entries())
      expect(css).toContain(`--plot-${index + 1}: ${color};`);
    const ended = (kind: OutcomeKind): NamedCell => {
      const cell = cellsOf(items)[0];
      if (!cell) throw new Error('no cell');
      return { name: 'a', cell: { ...cell, done: 1, endings: { [kind]: 1 } } };
    };
    const alone = endingsPlot([ended('stall')]).text;
    const beside = endingsPlot([ended('answered'), ended('stall')]).text;
    for (const plot of [alone, beside]) {
      expect(plot).toContain('<span class="swatch plot-5 stripes"></span>Stalled');
      expect(plot).toContain('<pattern id="stripes"');
    }
    expect(beside).toContain('<span class="swatch plot-3 solid"></span>Answered');
  });

  it('says for which cases the intervals hold if cases were repeated', () => {
    const page = (...items: ExperimentItem[]) =>
      experimentReport({ experiment, items }, { redaction: {}, version: '' });
    const other = item(2, { case: 'read.two' }, false);
    expect(page(item(1, {}, true), other)).not.toContain('too narrow');
    expect(page(item(1, {}, true), other, item(3, { repeat: 2 }, true))).toContain(
      'They hold for these 2 cases; for other cases, they are too narrow.',
    );
  });

  it('names cells that were judged on other cases than the others', () => {
    const page = (...items: ExperimentItem[]) =>
      experimentReport({ experiment, items }, { redaction: {}, version: '' });
    const first = item(1, { case: 'a' }, true);
    const large = (position: number, id: string) => item(position, { case: id, model: 'large' }, true);
    const lost = item(4, { case: 'b', model: 'large', status: 'failed', result: undefined });
    expect(page(first, item(2, { case: 'b' }, true), large(3, 'a'), lost)).toContain(
      'Cell 2 was judged on 1 of 2 cases:',
    );
    expect(page(first, item(2, { case: 'b' }, true), large(3, 'a'), large(4, 'b'))).not.toContain(
      'judged on',
    );
  });

  it('counts every run without a verdict as not judged, and says which', () => {
    const stopped = item(2, {}, false);
    if (stopped.result) stopped.result.outcome = { kind: 'stopped' };
    const waiting = item(3, { status: 'waiting', run_id: undefined });
    const html = experimentReport(
      { experiment, items: [item(1, {}, true), stopped, waiting] },
      { redaction: {}, version: '' },
    );
    expect(html).toContain(
      '<p>1 run has no result yet.</p><p>Pass rates and figures leave out 1 run that was stopped.</p>',
    );
    expect(html).toContain('<td class="n">1 of 1</td><td class="n">100%</td>');
    expect(html).toContain('<td class="n">100%</td><td class="n">2</td></tr>');
  });

  it('leaves out of shares what did not run', () => {
    const lost = (position: number) => {
      const { result } = item(position, {}, false);
      if (!result) throw new Error('no result');
      return item(position, { result: { ...result, model_calls: 0, outcome: { kind: 'error' } } });
    };
    const [cell] = cellsOf([item(1, {}, true), lost(2), lost(3)]);
    if (!cell) throw new Error('no cell');
    expect(cell).toMatchObject({ done: 3, not_run: 2, judged: 1 });
    const { text } = endingsPlot([{ name: 'a', cell }]);
    expect(text).toContain('<title>a: Answered 1 of 1</title>');
    // The whole bar.
    expect(text).toContain('width="454"');
    expect(experimentReport({ experiment, items: [lost(1)] }, { redaction: {}, version: '' })).not.toContain(
      '0%</td>',
    );
  });

  it('has no empty tables and no column of cases without a suite', () => {
    const without = (position: number) => item(position, { case: undefined }, true);
    const page = (...items: ExperimentItem[]) =>
      experimentReport({ experiment, items }, { redaction: {}, version: '' });
    const one = page(without(1));
    expect(one).toContain('<caption>1 run</caption>');
    expect(one).not.toContain('>Case</th>');
    expect(page(item(1, {}, true))).toContain('>Case</th>');
    const none = page(item(1, { status: 'failed', error: { code: 'x', message: 'Refused.' } }));
    expect(none).not.toContain('<tbody></tbody>');
    expect(none).not.toContain('<h2>Figures</h2>');
  });

  it('writes medians of large figures without exponents', () => {
    const withTokens = (position: number, tokens_in: number) => {
      const { result } = item(position, {}, true);
      if (!result) throw new Error('no result');
      return item(position, { result: { ...result, tokens_in, tokens_per_second: 0.0314 } });
    };
    const two = [withTokens(1, 1234), withTokens(2, 1235)];
    const html = experimentReport({ experiment, items: two }, { redaction: {}, version: '' });
    expect(html).toContain('<td class="n">1234.5 (1234.3 to 1234.8)</td>');
    expect(html).toContain('<td class="n">0.0314</td>');
  });

  it('says of how many runs a median is if some runs lack the figure', () => {
    const { result } = item(1, {}, true);
    if (!result) throw new Error('no result');
    const timed = item(1, { result: { ...result, tokens_per_second: 41 } });
    const html = experimentReport(
      { experiment, items: [timed, item(2, {}, true), item(3, {}, false)] },
      { redaction: {}, version: '' },
    );
    expect(html).toContain('<code>tokens_per_second</code></th><td class="n">41, 1 of 3 runs</td>');
    expect(html.match(/of 3 runs/g)).toHaveLength(1);
  });

  it('marks tokens that include estimates [T8]', () => {
    const { result } = item(1, {}, true);
    if (!result) throw new Error('no result');
    const page = (change: Partial<typeof result>) =>
      experimentReport(
        { experiment, items: [item(1, { result: { ...result, ...change } })] },
        { redaction: {}, version: '' },
      );
    expect(page({})).not.toContain('≈');
    const estimated = page({ tokens_in: 10, tokens_out: 5, tokens_estimated: 3 });
    expect(estimated.match(/≈\d+/g)).toEqual(['≈10', '≈5', '≈5']);
  });

  it('follows the text size of the reader, except in plots, which scale as a whole', () => {
    const inPixels = REPORT_STYLE.match(/^.*\bfont(?:-size)?: *[\d.]+px/gm);
    expect(inPixels).toEqual([expect.stringMatching(/^svg /)]);
  });

  it('is inert, whatever names it shows, and loads nothing', () => {
    const html = report(undefined);
    expect(html).not.toMatch(/<script|<img|<link|\ssrc=|javascript:|url\((?!#)/i);
    expect(html).toContain('&lt;script&gt;');
    expect(html).toContain("default-src 'none'");
  });

  it('masks names, reasons and provenance like the plan', () => {
    const key = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789';
    const [first] = items;
    if (!first?.result) throw new Error('no result');
    const options_sent = { stop: key };
    const hostile = [
      { ...first, case: key, result: { ...first.result, options_sent } },
      item(2, { case: 'a', status: 'failed', error: { code: 'x', message: `/home/ada is missing: ${key}` } }),
    ];
    const suite = {
      name: `Suite of ada@example.org`,
      hash: 'a'.repeat(64),
      cases: 1,
      modes: ['task' as const],
    };
    const page = (redaction: object | undefined) =>
      experimentReport({ experiment: { ...experiment, suite }, items: hostile }, { redaction, version: '' });
    expect(page({})).not.toMatch(/api03|home\/ada|ada@/);
    expect(page({})).toContain('‹home 1› is missing');
    // In the plan, the case, the reason with its summary, and the provenance.
    expect(page(undefined).match(/api03/g)?.length).toBeGreaterThanOrEqual(5);
  });

  it('masks secrets unless asked not to, and never has the texts of models', () => {
    expect(report({})).not.toContain('sk-ant-api03');
    expect(report(undefined)).toContain('sk-ant-api03');
    const withoutNames = items.map((each) => ({ ...each, model: 'small', case: 'a', error: undefined }));
    const quiet = { ...experiment, name: 'x', plan: { ...plan, name: 'x', models: ['small'] } };
    const html = experimentReport({ experiment: quiet, items: withoutNames }, { redaction: {}, version: '' });
    expect(html).not.toContain('alert(1)');
  });
});
