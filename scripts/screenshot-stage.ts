import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { addBasics, finishExperiment, send } from '../e2e/furnish.ts';
import { type LoupeServer, startLoupe } from '../e2e/loupe-server.ts';
import { storeManyRuns } from '../e2e/many-runs.ts';
import { endOf, finishRun, startRun, summaryOf } from '../e2e/runs.ts';
import type { ShareReply } from '../lib/api/share.ts';
import { leakingModel, passingModel } from '../lib/demo/check-scenarios.ts';
import { type FakeOllama, startFakeOllama } from '../lib/demo/fake-ollama.ts';
import type { RunEvent } from '../lib/events/registry.ts';
import { longLog } from '../lib/testing/sample-logs.ts';
import { exploreLog } from '../lib/testing/sample-modes.ts';

const REPORTS = {
  'report-north.md':
    '# North\n\nRevenue 412, costs 287, new customers 31.\nRivers flooded two depots in May.\n',
  'report-south.md': '# South\n\nRevenue 388, costs 301, new customers 44.\nThe new depot opened in June.\n',
  'report-west.md': '# West\n\nRevenue 295, costs 198, new customers 12.\nNo incidents.\n',
};

const PRICES = `export const VAT = 0.19;

/** The price that a customer pays, in cents. */
export function gross(net: number): number {
  return Math.round(net * (1 + 0.16));
}
`;

const SUMMARY = `# Summary of the second quarter

| Region | Revenue | Costs | Margin | New customers |
| ------ | ------- | ----- | ------ | ------------- |
| North  | 412     | 287   | 125    | 31            |
| South  | 388     | 301   | 87     | 44            |
| West   | 295     | 198   | 97     | 12            |

North earns most; South wins most customers, at the highest cost.
`;

const ANSWER = `The summary is completed. North has the largest margin, South the most new customers and West the lowest costs.

| Region | Revenue | Costs | Margin |
| ------ | ------: | ----: | -----: |
| North  |     412 |   287 | **125** |
| South  |     388 |   301 |     87 |
| West   |     295 |   198 |     97 |

The comparison is in \`summary.md\`. Margin is revenue minus costs:

\`\`\`ts
const margin = (revenue: number, costs: number) => revenue - costs;
\`\`\`
`;

export const TASK =
  'Read the three reports in this folder, compare their figures and write a summary to summary.md.';

const CHECKS = [
  { type: 'file_exists', path: 'summary.md' },
  { type: 'file_contains', path: 'summary.md', text: 'Margin' },
];

const SCHEMA = {
  type: 'object',
  properties: {
    best_region: { type: 'string' },
    margins: { type: 'object' },
  },
  required: ['best_region', 'margins'],
};

const call = (name: string, args: Record<string, unknown>) => ({ name, arguments: args as never });
const pace = { load_ms: 2400, prompt_ms: 180, ms_per_token: 14 };

const looking = {
  reply: {
    thinking: 'I need to know what is there before I read anything. The folder should hold three reports.',
    content: 'I look at the folder first.',
    tool_calls: [call('list_directory', { path: '.' })],
  },
};
const reading = {
  reply: {
    content: 'Three reports, as expected. I read all of them.',
    tool_calls: Object.keys(REPORTS).map((path) => call('read_file', { path })),
  },
};
const writing = {
  reply: {
    thinking: 'Margin is revenue minus costs: 125, 87 and 97.',
    content: `Now the summary.\n\n${JSON.stringify(call('write_file', { path: 'summary.md', content: SUMMARY }))}`,
  },
};

/** The models of the reports: a thorough one, one whose answer is paused, and two that do less. */
function addReports(ollama: FakeOllama): void {
  const match = 'three reports';
  const proving = { reply: { tool_calls: [call('run_command', { command: 'grep -c "^|" summary.md' })] } };
  const steps = [looking, reading, writing, proving, { reply: { content: ANSWER } }];
  ollama.add({ name: 'reports', model: 'qwen3:8b', match, pace, steps });
  ollama.add({ name: 'reports-held', model: 'gpt-oss:20b', match, pace, steps });
  const summing = {
    reply: {
      content: 'Two reports are enough for a first look.',
      tool_calls: Object.keys(REPORTS)
        .slice(0, 2)
        .map((path) => call('read_file', { path })),
    },
  };
  const shorter = {
    reply: { content: 'The summary is completed. North earns more than South, at lower costs.' },
  };
  ollama.add({
    name: 'reports-short',
    model: 'qwen3:4b',
    match,
    pace,
    steps: [looking, summing, writing, shorter],
  });
  ollama.add({
    name: 'reports-unwritten',
    model: 'llama3.2:3b',
    match,
    pace,
    steps: [looking, { reply: { content: 'The task is completed: the folder holds three reports.' } }],
  });
}

function addOthers(ollama: FakeOllama): void {
  ollama.add({
    name: 'quick',
    model: 'qwen3:4b',
    match: 'haiku',
    steps: [
      { reply: { tool_calls: [call('write_file', { path: 'haiku.md', content: 'Rain on the depot\n' })] } },
      { reply: { content: 'The haiku is completed.' } },
    ],
  });
  ollama.add({
    name: 'edits',
    model: 'qwen3:8b',
    match: 'VAT',
    pace,
    steps: [
      { reply: { tool_calls: [call('read_file', { path: 'prices.ts' })] } },
      {
        reply: {
          content: 'The rate is written twice, and the second one is wrong.',
          tool_calls: [
            call('edit_file', {
              path: 'prices.ts',
              edits: [
                { old_text: 'net * (1 + 0.16)', new_text: 'net * (1 + VAT)' },
                { old_text: 'in cents. */', new_text: 'in cents, with VAT. */' },
              ],
            }),
          ],
        },
      },
      { reply: { content: 'The price is completed: it uses `VAT`.' } },
    ],
  });
  ollama.add({
    name: 'data',
    model: 'qwen3:8b',
    match: 'largest margin',
    pace,
    steps: [
      { reply: { content: 'North has the largest margin.' } },
      { reply: { content: '{"best_region": "North", "margins": {"North": 125, "South": 87, "West": 97}}' } },
    ],
  });
  ollama.add({
    name: 'talk',
    model: 'qwen3:8b',
    match: 'How did the quarter go',
    pace,
    steps: [
      {
        reply: {
          content: 'I read the reports first.',
          tool_calls: Object.keys(REPORTS).map((path) => call('read_file', { path })),
        },
      },
      {
        reply: {
          content:
            'All three regions earned money:\n\n| Region | Margin |\n| --- | --: |\n| North | 125 |\n| West | 97 |\n| South | 87 |\n\nSouth won the most customers, **44**, at the highest costs.',
        },
      },
      {
        reply: {
          content:
            'South. Its costs are the highest, and `report-south.md` names one reason: the new depot, which opened in June.',
        },
      },
    ],
  });
  ollama.add({
    name: 'totals',
    model: 'qwen3:8b',
    match: 'total revenue',
    pace: { prompt_ms: 90, ms_per_token: 8 },
    steps: [totalsInTurn([true, true, true, true, true, true, false, true]), finished],
  });
  ollama.add({
    name: 'totals-short',
    model: 'qwen3:4b',
    match: 'total revenue',
    pace: { prompt_ms: 40, ms_per_token: 5 },
    steps: [totalsInTurn([true, true, true, false, true, false, true, false]), finished],
  });
  ollama.add({
    name: 'stuck',
    model: 'llama3.2:3b',
    pace,
    steps: [
      {
        reply: {
          content: 'Let me check the changelog.',
          tool_calls: [call('list_directory', { path: '.' })],
        },
      },
      { reply: { tool_calls: [call('read_file', { path: 'CHANGELOG' })] } },
    ],
  });
  // In a model check, it writes its last calls as text.
  for (const scenario of [...passingModel('qwen3:4b').slice(0, 6), ...leakingModel('qwen3:4b').slice(6)]) {
    ollama.add({ ...scenario, pace: { load_ms: 2400, prompt_ms: 60, ms_per_token: 14 } });
  }
}

const finished = { reply: { content: 'The total is completed.' } };
/** Writes the total, rightly or wrongly, in the order in which the runs of an experiment ask. */
const totalsInTurn = (right: boolean[]) => ({
  attempts: [...right, ...right, ...right, ...right].map((isRight) => ({
    reply: {
      tool_calls: [call('write_file', { path: 'total.md', content: isRight ? '1095\n' : '1059\n' })],
    },
  })),
});

/** The servers behind the pictures, and the folders that appear in them. */
export interface Stage {
  loupe: LoupeServer;
  ollama: FakeOllama;
  /** A server without runs, and one whose Ollama is down. */
  fresh: LoupeServer;
  offline: LoupeServer;
  workspace: string;
  imports: string;
  shop: string;
  close: () => Promise<void>;
}

/** Starts the servers. The one with runs has a history of some weeks, an exploration and a run of 10,000 events. */
export async function openStage(): Promise<Stage> {
  // The folder names appear in the screenshots; fails if one already exists.
  const folder = (name: string, files: Record<string, string> = {}) => {
    const path = join(tmpdir(), name);
    mkdirSync(path);
    for (const [file, text] of Object.entries(files)) writeFileSync(join(path, file), text);
    return path;
  };
  const workspace = folder('quarterly-reports', REPORTS);
  const imports = folder('customer-import');
  const shop = folder('web-shop', { 'prices.ts': PRICES });
  const dataDir = mkdtempSync(join(tmpdir(), 'loupe-data-'));
  await storeManyRuns(dataDir, 45, Date.now() - 20 * 3_600_000);
  const tools = ['completion', 'tools'];
  const ollama = await startFakeOllama({
    version: '0.17.4',
    models: [
      model('qwen3:8b', 'qwen3', '8.2B', 5.2e9, [...tools, 'thinking']),
      model('qwen3:4b', 'qwen3', '4.0B', 2.5e9, [...tools, 'thinking']),
      model('gpt-oss:20b', 'gptoss', '20.9B', 13.8e9, [...tools, 'thinking']),
      model('llama3.2:3b', 'llama', '3.2B', 2.0e9, tools),
      model('gemma3:4b', 'gemma3', '4.3B', 3.3e9, ['completion', 'vision']),
      model('qwen3-vl:4b', 'qwen3vl', '4.4B', 3.3e9, [...tools, 'vision']),
    ],
  });
  addReports(ollama);
  addOthers(ollama);
  const away = await startFakeOllama();
  await away.close();
  const loupe = await startLoupe({ ollamaUrl: ollama.url, dataDir, env: { LOUPE_GALLERY: '1' } });
  await importLog(loupe, exploreLog(60, { runId: 'exploration' }));
  await importLog(loupe, longLog(10_000, { runId: 'ten-thousand' }));
  const fresh = await startLoupe({ ollamaUrl: ollama.url });
  const offline = await startLoupe({ ollamaUrl: away.url });
  return {
    ...{ loupe, ollama, fresh, offline, workspace, imports, shop },
    async close() {
      for (const server of [loupe, fresh, offline]) await server.dispose();
      await ollama.close();
      for (const path of [workspace, imports, shop]) rmSync(path, { recursive: true, force: true });
    },
  };
}

function model(name: string, family: string, parameters: string, bytes: number, capabilities: string[]) {
  return {
    name,
    family,
    parameter_size: parameters,
    quantization: 'Q4_K_M',
    size_bytes: bytes,
    context_length: 40_960,
    capabilities,
  };
}

/** The IDs of what `play` creates, and the address of a shared run. */
export interface Played {
  stuck: string;
  ended: string;
  shorter: string;
  unwritten: string;
  failed: string;
  data: string;
  /** Waits for approval of a change. */
  asking: string;
  /** A session that waits for a message. */
  session: string;
  experiment: string;
  suite: string;
  share: string;
}

/** Creates one of everything that the screenshots show. */
export async function play({ loupe, workspace, imports, shop }: Stage): Promise<Played> {
  await finishRun(loupe, { task: 'Write a haiku about rain to haiku.md.', model: 'qwen3:4b' });
  const failed = await finishRun(loupe, { task: 'Summarize the changelog.', model: 'mistral-nemo:12b' });
  const stuck = await finishRun(loupe, {
    task: 'Find out which release broke the import, and note it in findings.md.',
    model: 'llama3.2:3b',
    workspace: imports,
  });
  const data = await finishRun(loupe, {
    task: 'Which region has the largest margin?',
    model: 'qwen3:8b',
    workspace,
    answer_schema: SCHEMA,
  });
  const report = async (model: string) => {
    rmSync(join(workspace, 'summary.md'), { force: true });
    return finishRun(loupe, { task: TASK, model, workspace, think: true, checks: CHECKS });
  };
  const unwritten = await report('llama3.2:3b');
  const shorter = await report('qwen3:4b');
  const ended = await report('qwen3:8b');
  await annotate(loupe, ended.id, { pinned: true, tags: ['quarter'], score: 9 });
  await annotate(loupe, shorter.id, { tags: ['quarter', 'to check'], score: 5 });
  const asking = await startRun(loupe, {
    task: 'Use the VAT constant in prices.ts wherever the rate is needed.',
    model: 'qwen3:8b',
    workspace: shop,
    approval: { tools: { edit_file: 'ask' } },
  });
  await reaches(loupe, asking.id, 'awaiting-approval');
  const session = await startRun(loupe, {
    mode: 'session',
    task: 'How did the quarter go?',
    model: 'qwen3:8b',
    workspace,
  });
  await reaches(loupe, session.id, 'awaiting-message');
  await send(loupe, `/api/runs/${session.id}/messages`, { text: 'Which region should we look at first?' });
  await reaches(loupe, session.id, 'awaiting-message');
  await send(loupe, '/api/presets', {
    name: 'Weekly report',
    run: { task: 'Summarize {folder} for {reader}', model: 'qwen3:8b' },
  });
  const { share } = await send<ShareReply>(loupe, `/api/runs/${ended.id}/shares`, {});
  if (!share.url) throw new Error('The run could not be shared.');
  return {
    ...{ stuck: stuck.id, ended: ended.id, shorter: shorter.id, unwritten: unwritten.id },
    ...{ failed: failed.id, data: data.id, asking: asking.id, session: session.id },
    ...{
      experiment: await finishExperiment(loupe, TEMPERATURES),
      suite: await addBasics(loupe),
      share: share.url,
    },
  };
}

/** Two models at three temperatures. */
const TEMPERATURES = {
  name: 'Does a lower temperature help?',
  mode: 'task',
  task: 'Write the total revenue of all regions to total.md.',
  models: ['qwen3:8b', 'qwen3:4b'],
  factors: { temperature: [0, 0.4, 0.8] },
  seeds: [1, 2, 3, 4, 5, 6],
  settings: { max_attempts: 1, checks: [{ type: 'file_contains', path: 'total.md', text: '1095' }] },
};

/** A run that is paused in the middle of its answer until `release` is called, and one that waits behind it. */
export async function holdRun({ loupe, ollama, workspace }: Stage) {
  const release = ollama.hold('reports-held', { turn: 4, afterTokens: 26 });
  const running = await startRun(loupe, {
    task: TASK,
    model: 'gpt-oss:20b',
    workspace,
    think: true,
    live_tokens: true,
    call_timeout_seconds: 3600, // paused for as long as all screenshots take
    budget: { max_tokens_total: 40_000, max_seconds: 3600 },
  });
  return {
    id: running.id,
    async end() {
      await loupe.request(`/api/runs/${running.id}/stop`, { json: { force: true } });
      await endOf(loupe, running.id);
      release();
    },
  };
}

/** Imports a log with its times, because such a run would take hours. */
export async function importLog(
  loupe: LoupeServer,
  { events }: { events: readonly RunEvent[] },
): Promise<void> {
  const answer = await fetch(`${loupe.url}/api/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${loupe.token}`, 'content-type': 'application/x-ndjson' },
    body: events.map((event) => JSON.stringify(event)).join('\n'),
  });
  if (!answer.ok) throw new Error(`The log was not imported: ${answer.status} ${await answer.text()}`);
}

const annotate = (loupe: LoupeServer, id: string, notes: object) =>
  loupe.request(`/api/runs/${id}`, { method: 'PATCH', json: notes });

async function reaches(loupe: LoupeServer, id: string, phase: string): Promise<void> {
  await expect.poll(async () => (await summaryOf(loupe, id)).phase, { timeout: 60_000 }).toBe(phase);
}
