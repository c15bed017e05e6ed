import { expect, it } from 'vitest';
import type { ExperimentSummary } from '../api/experiment.ts';
import type { CheckProgress } from '../api/model-check.ts';
import type { Preset } from '../api/preset.ts';
import type { RunSummary } from '../api/run-summary.ts';
import { summarizeRun } from '../api/summarize-run.ts';
import { foldAll } from '../events/fold-run.ts';
import type { RunEvent } from '../events/registry.ts';
import { emptyRunState } from '../events/run-state.ts';
import type { Outcome } from '../events/termination.ts';
import { completedLog, SampleLog } from '../testing/sample-logs.ts';
import { exploreLog } from '../testing/sample-modes.ts';
import { progressLines } from './check-lines.ts';
import { statusLines } from './experiment-lines.ts';
import { autoRunLine, endLine, linesOf, listLines, presetLines } from './lines.ts';
import { toolProgressLines } from './tool-check-lines.ts';

it('prints the text streamed before a call failed, and marks totals that contain estimates', () => {
  const log = new SampleLog({ runId: 'r' }).prepare().iteration().callStarts();
  log.callFails({
    kind: 'timeout',
    error: { code: 'model_timeout', message: 'Too slow.' },
    partial_text: 'One file\nis read. <think>Next',
    visible_text: 'One file\nis read.',
    estimated_prompt_tokens: 900,
    estimated_reply_tokens: 100,
  });
  const state = foldAll(emptyRunState('r'), log.events);
  const [failed] = log.events.slice(-1);
  if (!failed) throw new Error('no event');
  expect(linesOf(failed, state).map((line) => line.trim().replace(/^[\d.:]+ s?\s*/, ''))).toEqual([
    'Call 1 failed after ≈100 tokens: Too slow.',
    'Text so far: One file is read.',
  ]);
  expect(endLine(summarizeRun(state))).toContain('≈1,000 tokens');
});

it('prints that a run was resumed after its server was lost, not that it went on after a wait', () => {
  const log = new SampleLog({ runId: 'r' }).prepare();
  const state = foldAll(emptyRunState('r'), log.events);
  const resumed = (after: { after_wait?: true }) =>
    linesOf({ ...log.events[0], type: 'run.resumed', worker: 'w', epoch: 2, ...after } as RunEvent, state);
  expect(resumed({})).toEqual([expect.stringContaining('Worker w resumed the run (epoch 2)')]);
  expect(resumed({ after_wait: true })).toEqual([]);
});

it('prints no text again that was printed while the model wrote it', () => {
  const log = completedLog();
  const state = foldAll(emptyRunState('sample'), log.events);
  const replies = log.events.filter(({ type }) => type === 'reply.parsed');
  const printed = (options?: { textIsShown: boolean }) =>
    replies.flatMap((event) => linesOf(event, state, options)).join('\n');
  expect(printed()).toContain('Text: ');
  expect(printed({ textIsShown: true })).toContain('1 call read from native');
  expect(printed({ textIsShown: true })).not.toContain('Text: ');
});

const ended = (outcome: Outcome): RunSummary => ({
  ...summarizeRun(foldAll(emptyRunState('sample'), completedLog().events)),
  outcome,
});

it.each([
  [{ kind: 'answered' }, /^The model answered \(\d+ iterations, [\d,]+ tokens\)\./],
  [{ kind: 'answered_cut_off' }, /^Answered, cut off \(\d+ iterations,/],
  [{ kind: 'announced_work_did_none' }, /^Announced work, did none \(\d+ iterations,/],
  [
    { kind: 'answered_checks_failed', checks: { failed: 1, total: 3 } },
    /^Answered, 1 of 3 checks failed \(\d+ iterations,/,
  ],
  [
    { kind: 'stall', checks: { failed: 1, total: 3 } },
    /^The run made no progress \(2 of 3 checks passed, \d/,
  ],
] satisfies [Outcome, RegExp][])('the last line states the outcome %j', (outcome, line) => {
  expect(endLine(ended(outcome))).toMatch(line);
});

it('says once that the model answered, and keeps any other message', () => {
  const run = ended({ kind: 'answered' });
  expect(endLine({ ...run, message: 'The model answered in iteration 2.' })).toMatch(/ tokens\)\.$/);
  expect(endLine({ ...run, message: 'All 2 turns are done.' })).toMatch(
    / tokens\)\. All 2 turns are done\.$/,
  );
});

it('counts an exploration in cycles, and gives a limit only where one ends the run', () => {
  const { events } = exploreLog(2);
  const state = foldAll(emptyRunState('sample'), events);
  expect(endLine(summarizeRun(state))).toMatch(/^The run is complete \(2 cycles, [\d,]+ tokens\)\. /);
  const steps = events.filter(({ type }) => type === 'iteration.started');
  expect(steps.flatMap((event) => linesOf(event, state))[0]).toMatch(/ Step 1$/);
});

it('counts a session in turns, and says what a run that has not ended is doing', () => {
  const run = ended({ kind: 'stopped' });
  expect(endLine({ ...run, mode: 'session', iterations_used: 2, turns: 1 })).toMatch(
    /^The run was stopped \(1 turn, /,
  );
  const open = { ...run, outcome: undefined, phase: 'awaiting-approval' } as RunSummary;
  expect(endLine(open)).toMatch(/^Waiting for you \(/);
});

it('the list states the outcome of each run', () => {
  const runs = [ended({ kind: 'answered' }), ended({ kind: 'answered_cut_off' })];
  expect(listLines(runs)).toEqual([
    expect.stringMatching(/^sample {2}Answered {11}/),
    expect.stringMatching(/^sample {2}Answered, cut off {2}/),
  ]);
});

it('the list says what a run is doing as the dashboard does', () => {
  const open = (fields: Partial<RunSummary>) => ({
    ...ended({ kind: 'answered' }),
    outcome: undefined,
    ...fields,
  });
  const runs = [open({ phase: 'awaiting-approval' }), open({ phase: 'queued', queue_position: 2 })];
  expect(listLines(runs as RunSummary[])).toEqual([
    expect.stringMatching(/^sample {2}Waiting for you /),
    expect.stringMatching(/^sample {2}Position 2 in the queue /),
  ]);
});

it('aligns presets and experiments, and puts them on several lines in a narrow terminal', () => {
  const presets = [
    { name: '週報', run: { model: 'qwen3:8b' }, placeholders: ['file', 'other'] },
    { name: 'Report', run: {}, placeholders: [] },
  ] as unknown as Preset[];
  expect(presetLines(presets)).toEqual(['週報    qwen3:8b    {file} {other}', 'Report  (no model)']);
  expect(presetLines(presets.slice(0, 1), 20)).toEqual(['週報  qwen3:8b', '    {file} {other}']);
  const one = {
    id: 'Exp1',
    name: 'Windows',
    status: 'finished',
    done: 7,
    failed: 1,
    total: 8,
  } as ExperimentSummary;
  expect(statusLines([one, { ...one, status: 'running', done: 2, failed: 0 }])).toEqual([
    'Exp1  finished  8 of 8 runs, 1 did not run  Windows',
    'Exp1  running   2 of 8 runs                 Windows',
  ]);
});

it('prints unknown outcomes, phases and verdicts of a later version unchanged', () => {
  const later = { ...ended({ kind: 'answered' }), outcome: { kind: 'delegated' } } as unknown as RunSummary;
  expect(endLine(later)).toMatch(/^delegated \(\d+ iterations,/);
  const delegating = { ...later, outcome: undefined, phase: 'delegating' } as unknown as RunSummary;
  expect(listLines([later, delegating])).toEqual([
    expect.stringMatching(/^sample {2}delegated /),
    expect.stringMatching(/^sample {2}delegating /),
  ]);
  const probes = [{ title: 'One call', status: 'skipped' }];
  const progress = { model: 'm', status: 'probing', started_at: 1, probes } as unknown as CheckProgress;
  expect(progressLines(progress)).toEqual([expect.stringMatching(/^ {2}skipped {4} *One call/)]);
});

it('lists the first auto-run files on one line, with control characters made visible', () => {
  const paths = [
    '.envrc',
    'a\nb\u001b[2J/package.json',
    ...['c', 'd', 'e', 'f'].map((name) => `${name}/Makefile`),
  ];
  const log = new SampleLog({ runId: 'r' }).prepare().round({
    calls: [
      {
        name: 'run_command',
        arguments: { command: 'make' },
        result: { output: { exit_code: 0, auto_run_files: paths } },
      },
    ],
  });
  expect(autoRunLine(foldAll(emptyRunState('r'), log.events))).toBe(
    'Auto-run files written: .envrc, a ⏎ b⟨ESC⟩[2J/package.json, c/Makefile, d/Makefile, e/Makefile and 1 more. Check them before you work in this folder.',
  );
  expect(autoRunLine(foldAll(emptyRunState('r'), completedLog().events))).toBeUndefined();
});

it('prints the hint for a failed check on a separate line, so that a command in it can be copied', () => {
  const error = {
    code: 'model_missing',
    message: 'Model "m" is missing. Run: ollama pull m',
    hint: 'Or choose another.',
  };
  const failed = { model: 'm', status: 'failed', started_at: 1, error } as const;
  const lines = ['The check failed: Model "m" is missing. Run: ollama pull m', 'Or choose another.'];
  expect(progressLines({ ...failed, probes: [] })).toEqual(lines);
  expect(toolProgressLines({ ...failed, id: 'c', server: 's', done: 0, total: 0, right: 0 })).toEqual(lines);
});
