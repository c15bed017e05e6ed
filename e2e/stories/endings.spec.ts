import { endAdvice, endWords } from '../../lib/browser/words/end-words.ts';
import type { ScenarioInput } from '../../lib/demo/scenario.ts';
import type { OutcomeKind, TerminationReason } from '../../lib/events/termination.ts';
import { expect, test } from '../fixtures.ts';
import { RunView } from '../run-view.ts';
import { endOf, finishRun, logOf, startRun, summaryOf } from '../runs.ts';

const call = (name: string, args: Record<string, string>) => ({ name, arguments: args });

/** Every run does some work first, so that each ending can show its partial results (T17). */
const work: ScenarioInput['steps'][number] = {
  reply: {
    content: 'I begin with a draft.',
    tool_calls: [call('write_file', { path: 'draft.md', content: 'A draft.' })],
  },
};

interface Ending {
  reason: TerminationReason;
  /** Set if the outcome is not the reason itself. */
  outcome?: OutcomeKind;
  steps: ScenarioInput['steps'];
  options?: Record<string, unknown>;
  /** The sentence with the figures. */
  message: RegExp;
  /** The targets of the links to the evidence. */
  evidence: string[];
  /** The error's own advice, instead of the general one. */
  hint?: string;
  /** The pattern of calls that the run repeated, which has its own advice. */
  pattern?: string;
  /** The last text of the run; `I begin with a draft.` unless given. */
  text?: string;
}

const endings: Ending[] = [
  {
    reason: 'final_answer',
    steps: [work, { reply: { content: 'The task is completed: see draft.md.' } }],
    message: /answered in iteration 2/,
    evidence: ['Model call 2'],
    text: 'The task is completed: see draft.md.',
  },
  {
    reason: 'final_answer',
    outcome: 'answered_cut_off',
    steps: [work, { reply: { content: 'The draft says', done_reason: 'length', eval_count: 4096 } }],
    message: /was cut off at the reply limit of 4,096 tokens, the second time in a row/,
    evidence: ['Model call 3'],
    text: 'The draft says',
  },
  {
    reason: 'final_answer',
    outcome: 'announced_work_did_none',
    steps: [work, { reply: { content: 'Now I will read the draft.' } }],
    message: /announced work and did none of it: no tool call succeeded after 2 nudges/,
    evidence: ['Nudge', 'Nudge', 'Model call 4'],
    text: 'Now I will read the draft.',
  },
  {
    reason: 'max_iterations',
    steps: [
      work,
      { repeat: 9, steps: [{ reply: { tool_calls: [call('list_directory', { path: '.' })] } }, work] },
    ],
    options: { max_iterations: 3 },
    message: /All 3 iterations were used/,
    evidence: ['Model call 3'],
  },
  {
    reason: 'repetition',
    steps: [work, { reply: { tool_calls: [call('read_file', { path: 'draft.md' })] } }],
    message: /same calls 3 times in a row \(read_file\)\. They were not run again/,
    evidence: ['Model call 2', 'Model call 3', 'Model call 4'],
  },
  {
    reason: 'stall',
    steps: [
      work,
      {
        repeat: 9,
        steps: [
          { reply: { tool_calls: [call('search_files', { pattern: 'idea' })] } },
          { reply: { tool_calls: [call('read_file', { path: 'draft.md' })] } },
        ],
      },
    ],
    message: /No new information in the 5 iterations since iteration 3/,
    evidence: ['read_file', 'Model call 8'],
    pattern: 'The last 6 iterations with calls repeat the same 2: read_file, search_files.',
  },
  {
    reason: 'nudge_exhausted',
    steps: [work, { reply: {} }],
    message: /gave an empty reply although it was asked 2 times/,
    evidence: ['Nudge', 'Nudge', 'Model call 4'],
  },
  {
    reason: 'budget_exceeded',
    steps: [{ repeat: 9, steps: [work, { reply: { tool_calls: [call('list_directory', { path: '.' })] } }] }],
    options: { budget: { max_tokens_total: 1000 } },
    message: /The budget of 1,000 tokens is spent/,
    evidence: ['Budget check'],
  },
  {
    reason: 'timeout',
    steps: [work, { fault: { kind: 'hang' } }],
    // Enough time for the call before it, even on a busy machine.
    options: { call_timeout_seconds: 10 },
    message: /Ollama per-call timeout/,
    hint: 'Raise the call timeout or choose a smaller model.',
    evidence: ['Model call 2'],
  },
  {
    reason: 'context_full',
    // A result that may be longer than the window.
    steps: [
      work,
      { reply: { tool_calls: [call('write_file', { path: 'long.md', content: 'word '.repeat(1000) })] } },
      {
        reply: {
          tool_calls: [call('read_file', { path: 'long.md' }), call('read_file', { path: 'long.md' })],
        },
      },
    ],
    options: { window_tokens: 4096, result_chars: 100_000 },
    message:
      /Ollama refused the conversation as too long for its window of 4,096 tokens, and nothing is left to shorten/,
    hint: 'Shorten it or raise the window of the run.',
    evidence: ['Model call 4'],
  },
  {
    reason: 'error',
    steps: [
      work,
      { fault: { kind: 'http', status: 400, body: { error: 'the model was eaten by a fault' } } },
    ],
    message: /Ollama HTTP 400.*eaten by a fault/,
    hint: 'Look at the log of the Ollama server.',
    evidence: ['Model call 2'],
  },
];

for (const { reason, outcome, steps, options, message, evidence, hint, pattern, text } of endings) {
  test(`a run that ends with ${outcome ?? reason} shows why, its evidence and its results [G17, D8, V4]`, async ({
    page,
    loupe,
    ollama,
  }) => {
    const name = `ends-${outcome ?? reason}`;
    ollama.add({ name, steps });
    const { id } = await finishRun(loupe, { task: `End with ${outcome ?? reason}`, model: name, ...options });
    const view = new RunView(page);
    await view.open(id);
    await expectEnding(view, { reason, outcome, message, evidence, hint, pattern, text });
    const log = await logOf(loupe, id);
    const end = log.at(-1);
    expect(end).toMatchObject({ type: 'run.ended', result: { termination_reason: reason } });
    expect(end).not.toHaveProperty('cost_usd');
    // Exactly one end, and nothing after it.
    expect(log.filter(({ type }) => type === 'run.ended')).toHaveLength(1);
  });
}

test('a stopped run shows why it ended, its evidence and its results [G17, D8]', async ({
  page,
  loupe,
  ollama,
}) => {
  ollama.add({ name: 'ends-stopped', steps: [work, { fault: { kind: 'hang' } }] });
  const { id } = await startRun(loupe, { task: 'End with stopped', model: 'ends-stopped' });
  await expect.poll(async () => (await summaryOf(loupe, id)).iterations_used).toBe(2);
  await loupe.request(`/api/runs/${id}/stop`, { json: { force: true } });
  await endOf(loupe, id);
  const view = new RunView(page);
  await view.open(id);
  await expectEnding(view, {
    reason: 'stopped',
    message: /Stopped immediately, in iteration 2/,
    evidence: [],
  });
});

test('a run that repeats two iterations says so while it runs, and suggests a hint after its end [D8, G9]', async ({
  page,
  loupe,
  ollama,
}) => {
  const pass = [work, { reply: { tool_calls: [call('read_file', { path: 'draft.md' })] } }];
  ollama.add({
    name: 'circles',
    steps: [
      { reply: { tool_calls: [call('list_directory', { path: '.' })] } },
      { repeat: 3, steps: pass },
      { fault: { kind: 'hang' } },
    ],
  });
  const { id } = await startRun(loupe, { task: 'Go in circles', model: 'circles', stall_guard: false });
  const view = new RunView(page);
  await view.open(id);
  const pattern = 'The last 6 iterations with calls repeat the same 2: write_file, read_file.';
  const gauge = view.guardrails.locator('[data-gauge="repetition"]');
  await expect(gauge).toContainText(pattern);
  await expect(gauge).toContainText('does not end the run');

  await loupe.request(`/api/runs/${id}/stop`, { json: { force: true } });
  await endOf(loupe, id);
  await expect(view.end).toContainText(pattern);
  await expect(gauge).not.toContainText('does not end the run');
  await view.end.getByRole('button', { name: 'More' }).click();
  await expect(page.getByRole('button', { name: 'Run again at temperature 0.7' })).toBeVisible();
  await page.getByRole('button', { name: 'Fork before the failure' }).click();
  await expect(page.getByRole('dialog')).toContainText('before iteration 4');
  await page.keyboard.press('Escape');
  await view.end.getByRole('link', { name: 'Where it begins' }).click();
  await expect(view.timeline.locator('article:focus')).toHaveAttribute('aria-label', /^Model call 2/);
});

function kindOf(reason: TerminationReason): OutcomeKind {
  return reason === 'final_answer' ? 'answered' : reason;
}

async function expectEnding(
  view: RunView,
  {
    reason,
    outcome = kindOf(reason),
    message,
    evidence,
    hint,
    pattern,
    text = 'I begin with a draft.',
  }: Omit<Ending, 'steps' | 'options'>,
): Promise<void> {
  const { title } = endWords({ kind: outcome });
  const advice = endAdvice({ kind: pattern === undefined ? outcome : 'repetition' }, 'task');
  await view.expectEnd(title, reason);
  if (outcome === 'answered') {
    // The title and the answer are sufficient.
    await expect(view.end).not.toContainText(advice);
    await expect(view.end).not.toContainText(message);
  } else {
    await expect(view.end).toContainText(message);
    await expect(view.end).toContainText(hint ?? advice);
  }
  if (pattern !== undefined) await expect(view.end).toContainText(pattern);
  if (hint) await expect(view.end).not.toContainText(advice); // one of them is enough
  await expect(view.end).toContainText(text);
  await expect(view.end).toContainText('draft.md');
  // A model without a price has no cost.
  await expect(view.end.getByRole('term').filter({ hasText: 'Tokens in / out' })).toBeVisible();
  await expect(view.end.getByRole('term').filter({ hasText: 'Cost' })).toHaveCount(0);

  const links = view.end.getByRole('link', { name: /\(#\d+\)/ });
  if (evidence.length > 0 && outcome !== 'answered') {
    const words = (await links.allTextContents()).map((link) => link.replace(/ \(#\d+\)$/, ''));
    expect(words).toEqual(evidence);
    await links.last().click();
    const target = view.timeline.locator('article:focus');
    await expect(target).toHaveAttribute('aria-label', new RegExp(`^${evidence.at(-1)}`));
    await expect(target).toBeInViewport();
  }
}
