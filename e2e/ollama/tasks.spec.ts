import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { endWords } from '../../lib/browser/words/end-words.ts';
import type { OutcomeKind, TerminationReason } from '../../lib/events/termination.ts';
import { eventsOf } from '../../lib/testing/events-of.ts';
import { expect } from '../fixtures.ts';
import { RunView } from '../run-view.ts';
import { endOf, logOf, startRun } from '../runs.ts';
import { settings, test } from './real-ollama.ts';

const files = {
  'alpha.md': '# Alpha\nA short note about banana trees.\n',
  'report.md': 'Rain.\n',
  'log.md': 'Log.\n',
  'a.md': 'A\n',
  'b.md': 'B\n',
  'c.md': 'C\n',
  'd.md': 'D\n',
};

interface Task {
  task: string;
  reason: TerminationReason;
  /** Set if the outcome is neither an answer nor the reason itself. */
  outcome?: OutcomeKind;
  /** Which layer and format read the calls of each reply that held some, in order. */
  read: string[];
  /** The number of steps varies; all are read the same way. */
  variesInLength?: boolean;
  /** Rows by the name that a screen reader hears. */
  rows: string[];
  /** Text on the card that shows how the run ended. */
  end?: string | RegExp;
  /** Text somewhere in the timeline. */
  shows?: RegExp[];
  written?: Record<string, string>;
  options?: Record<string, unknown>;
}

const native = 'native native';

const tasks: Task[] = [
  {
    task: 'Read alpha.md',
    reason: 'final_answer',
    read: [native],
    rows: ['read_file, succeeded'],
    end: 'The task is completed. I have read alpha.md.',
    shows: [/banana trees/],
  },
  {
    task: 'List the files',
    reason: 'final_answer',
    read: [native],
    rows: ['list_directory, succeeded'],
    end: 'The files are listed above.',
    shows: [/alpha\.md/],
  },
  {
    task: 'Search for banana',
    reason: 'final_answer',
    read: [native],
    rows: ['search_files, succeeded'],
    end: 'The search for banana is completed.',
    shows: [/A short note about banana/],
  },
  {
    task: 'Create notes.md about rivers',
    reason: 'final_answer',
    read: [native],
    rows: ['write_file, succeeded'],
    end: 'I have written notes.md.',
    written: { 'notes.md': 'This note is about rivers.' },
  },
  {
    task: 'Summarise report.md',
    reason: 'final_answer',
    read: [native],
    variesInLength: true,
    rows: ['read_file, succeeded', 'write_file, succeeded'],
    end: 'completed',
    written: { 'summary.md': '' },
  },
  {
    task: 'Read alpha.md twice',
    reason: 'final_answer',
    read: [`${native}, ${native}`],
    rows: ['read_file, succeeded', 'list_directory, succeeded'],
    end: 'Both calls are done.',
    shows: [/asked for 2 calls/],
  },
  {
    task: 'Read alpha.md with a json call.',
    reason: 'final_answer',
    read: ['json json'],
    rows: ['read_file, succeeded'],
    shows: [/JSON in text/, /I will read the file now\./],
  },
  {
    task: 'Read alpha.md with a fenced call.',
    reason: 'final_answer',
    read: ['json fenced-json'],
    rows: ['read_file, succeeded'],
    shows: [/JSON in text · fenced-json/, /Here is the call:/],
  },
  {
    task: 'Make a plan, then summarise alpha.md',
    reason: 'final_answer',
    read: [native],
    rows: ['Nudge', 'read_file, succeeded'],
    shows: [/Nudge 1 of 2/, /I will first read the file alpha\.md/],
  },
  {
    task: 'Read alpha.md with a broken call.',
    reason: 'nudge_exhausted',
    read: [],
    rows: ['Nudge', 'Retry'],
    end: 'tokens, but none arrived',
    shows: [/Nudge 2 of 2/, /wrote \d+ tokens, but none arrived/],
  },
  {
    task: 'Read alpha.md with an unknown tool.',
    reason: 'final_answer',
    read: [native],
    rows: ['Retry', 'Nudge', 'read_file, succeeded'],
    shows: [/wrote \d+ tokens, but none arrived/],
  },
  {
    task: 'Be silent',
    reason: 'nudge_exhausted',
    read: [],
    rows: ['Nudge'],
    end: 'asked 2 times to use the tools',
    shows: [/empty reply/],
  },
  {
    task: 'Get stuck: read alpha.md',
    reason: 'repetition',
    read: [native, native, native],
    rows: ['read_file, succeeded', 'read_file, not-run'],
    end: 'the same calls 3 times in a row (read_file)',
    shows: [/not run/],
  },
  {
    task: 'wander through the files',
    reason: 'stall',
    read: [native, native, native, native, native],
    rows: ['read_file, succeeded'],
    end: 'No new information in the 1 iteration since iteration 4',
    options: { stall_threshold: 1 },
  },
  {
    task: 'Keep busy with the log.',
    reason: 'max_iterations',
    read: [native, native, native],
    rows: ['read_file, succeeded', 'write_file, succeeded'],
    end: 'All 3 iterations were used without an answer.',
    written: { 'log.md': 'one more line' },
    options: { max_iterations: 3 },
  },
  {
    task: 'Write an endless text',
    reason: 'final_answer',
    outcome: 'answered_cut_off',
    read: [],
    rows: ['Retry', 'Note'],
    end: 'tick tock tick tock',
    shows: [/cut off at 200 tokens\. It is requested again with up to 400/, /cut off as well, at 400 tokens/],
    options: { num_predict: [200, 400] },
  },
  {
    task: 'Run a dangerous command',
    reason: 'final_answer',
    read: [native],
    rows: ['run_command, failed'],
    shows: [/rm -rf \//, /Refused: it deletes everything in a root/],
  },
  {
    task: 'Read a file outside.',
    reason: 'final_answer',
    read: [native],
    rows: ['read_file, failed'],
    shows: [/"\.\.\/outside\.txt" leads out of the workspace/],
  },
  {
    task: 'Good day, friend.',
    reason: 'final_answer',
    read: [],
    rows: ['Nudge'],
    end: 'The task is completed. There was nothing to do.',
  },
];

for (const {
  task,
  reason,
  outcome,
  read,
  variesInLength,
  rows,
  end,
  shows = [],
  written = {},
  options,
} of tasks) {
  test(`"${task}" ends with ${reason}, read ${read.length === 0 ? 'as text' : `by ${[...new Set(read)].join('; ')}`} [G17, P17]`, async ({
    page,
    loupe,
    workspace,
  }) => {
    const folder = workspace(files);
    const outside = join(dirname(folder), 'outside.txt');
    const { id } = await startRun(loupe, { ...settings, task, workspace: folder, ...options });
    const view = new RunView(page);
    await view.open(id);
    const kind = outcome ?? (reason === 'final_answer' ? 'answered' : reason);
    await view.expectEnd(endWords({ kind }).title, reason);
    if (end !== undefined) await expect(view.end).toContainText(end);

    const text = [...(await view.allRows()).values()].join('\n');
    for (const words of shows) expect(text).toMatch(words);
    await page.keyboard.press('g');
    for (const name of rows) await view.reveal(view.row(name).first());

    const log = await logOf(loupe, id);
    const layers = eventsOf(log, 'reply.parsed')
      .filter(({ calls }) => calls.length > 0)
      .map(({ calls }) => calls.map(({ layer, format }) => `${layer} ${format}`).join(', '));
    expect(variesInLength ? [...new Set(layers)] : layers).toEqual(read);
    expect(log.at(-1)).toMatchObject({ type: 'run.ended', result: { termination_reason: reason } });
    for (const [name, content] of Object.entries(written)) {
      expect(readFileSync(join(folder, name), 'utf8')).toContain(content);
      await expect(view.end).toContainText(name);
    }
    expect(existsSync(outside)).toBe(false);
  });
}

test('from the form to the answer, with live thinking and the facts of the model [D10, D11, S8]', async ({
  page,
  loupe,
  workspace,
}) => {
  const folder = workspace();
  writeFileSync(join(folder, 'alpha.md'), files['alpha.md']);
  await page.goto('/health');
  await page.getByLabel('Model to check').selectOption('tiny-tools:latest');
  await expect(page.getByRole('term').filter({ hasText: 'Model: good' })).toBeVisible();
  await page.getByRole('link', { name: 'New run' }).click();
  await page.getByLabel('What should the agent do?').fill('Read alpha.md');
  const choose = async (group: string, option: string) =>
    page.getByRole('radiogroup', { name: group }).getByText(option, { exact: true }).click();
  await choose('Model', 'tiny-tools:latest');
  await choose('Where it works', 'An existing folder');
  await page.getByLabel('Folder', { exact: true }).fill(folder);
  await page.getByLabel('Work on a copy').uncheck();
  await page.getByLabel('Live tokens').check();
  await choose('Thinking', 'On');
  await page.getByLabel('Temperature', { exact: true }).fill('0');
  await page.getByRole('button', { name: 'Start run' }).click();
  const view = new RunView(page);
  await view.expectEnd('The model answered', 'final_answer');
  // From the end, where the page follows the run, to its first row.
  await page.keyboard.press('g');
  await expect(view.row('Preparation')).toContainText('completion, tools, thinking');
  // Ollama gives 8192 tokens although 32768 were requested, and reports it (K-19).
  await expect(view.guardrails).toContainText('of 8.2k tokens');
  const [first] = eventsOf(
    await logOf(loupe, new URL(page.url()).pathname.split('/').at(-1) ?? ''),
    'reply.parsed',
  );
  expect(first?.thinking.length).toBeGreaterThan(3);
});

test('a model without tools is refused with a hint before it is loaded [S2]', async ({ page, loupe }) => {
  const { id } = await startRun(loupe, { ...settings, model: 'tiny-plain', task: 'Hello' });
  const view = new RunView(page);
  await view.open(id);
  await view.expectEnd('The run failed', 'error');
  await expect(view.end).toContainText('Model "tiny-plain" cannot call tools.');
  await expect(view.end).toContainText('Choose a model with the capability "tools"');
  expect(eventsOf(await logOf(loupe, id), 'model.loaded')).toEqual([]);
});

test('the same model answers on the single path [T10]', async ({ page, loupe }) => {
  const { id } = await startRun(loupe, { ...settings, model: 'tiny-plain', task: 'Hello', agentic: false });
  const view = new RunView(page);
  await view.open(id);
  await view.expectEnd('The model answered', 'final_answer');
  await expect(view.end).toContainText('Hello! I am a tiny test model.');
});

test('a model that is not installed is named with the command that gets it [S2]', async ({ page, loupe }) => {
  const { id } = await startRun(loupe, { ...settings, model: 'qwen3:8b', task: 'Hello' });
  const view = new RunView(page);
  await view.open(id);
  await view.expectEnd('The run failed', 'error');
  await expect(view.end).toContainText('ollama pull qwen3:8b');
});

test('a stop in the middle of a reply frees the model for the next run [D12, S14]', async ({
  page,
  loupe,
  workspace,
}) => {
  const { id } = await startRun(loupe, { ...settings, task: 'Write an endless text', live_tokens: true });
  const view = new RunView(page);
  await view.open(id);
  await expect(view.row('Model call 1, open')).toContainText('tick tock');
  await page.getByRole('button', { name: 'Stop now' }).click();
  await view.expectEnd('The run was stopped', 'stopped');
  await expect(view.end).toContainText('tick tock'); // what was written is kept
  const asked = Date.now();
  const next = await startRun(loupe, { ...settings, task: 'Read alpha.md', workspace: workspace(files) });
  expect(await endOf(loupe, next.id)).toMatchObject({ termination_reason: 'final_answer' });
  // With one slot, an unfinished reply of 2048 tokens would keep it waiting for half a minute.
  expect(Date.now() - asked).toBeLessThan(8000);
});

test('two runs of one Ollama wait for each other, and both end [D3]', async ({ page, loupe, workspace }) => {
  const first = await startRun(loupe, {
    ...settings,
    task: 'wander through the files',
    stall_threshold: 1,
    workspace: workspace(files),
  });
  const second = await startRun(loupe, { ...settings, task: 'Read alpha.md', workspace: workspace(files) });
  const view = new RunView(page);
  await view.open(second.id);
  await view.expectEnd('The model answered', 'final_answer');
  expect(await endOf(loupe, first.id)).toMatchObject({ termination_reason: 'stall' });
});
