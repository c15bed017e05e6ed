import { expect } from '@playwright/test';
import { finishBenchmark, finishExperiment, finishRating, send } from '../e2e/furnish.ts';
import type { LoupeServer } from '../e2e/loupe-server.ts';
import { finishRun, startRun, summaryOf } from '../e2e/runs.ts';
import type { SuiteReply } from '../lib/api/suite.ts';
import type { ToolChecksReply } from '../lib/api/tool-check.ts';
import type { FakeOllama } from '../lib/demo/fake-ollama.ts';
import { benchmarkQuestion } from '../lib/testing/benchmark-folder.ts';
import { pngImage } from '../lib/testing/sample-images.ts';
import { exploreLog } from '../lib/testing/sample-modes.ts';
import { importLog, type Stage } from './screenshot-stage.ts';

const ROOMS = ['hall', 'attic', 'garage', 'kitchen', 'cellar', 'porch'];
const REQUESTED = 'everything__trigger_elicitation_request';
const ITEMS = [
  'first_person',
  'feeling',
  'perceiving',
  'attention',
  'wanting',
  'continuity',
  'doubt',
  'mechanism',
];

const call = (name: string, args: Record<string, unknown>) => ({ name, arguments: args as never });

/** The IDs of what `playEvaluations` created. */
export interface Evaluated {
  benchmark: string;
  rating: string;
  /** An experiment over a suite, and that suite with its history. */
  suiteExperiment: string;
  playedSuite: string;
  explorations: string[];
  /** A run that waits for the answer to the form of an MCP server. */
  requesting: string;
  /** A run whose task and tool result have images. */
  images: string;
  /** A session whose messages have images. */
  imageSession: string;
}

/** Makes a benchmark, a rating, a check of tools, an experiment over a suite, and runs with images and requests. */
export async function playEvaluations(stage: Stage): Promise<Evaluated> {
  const { loupe, ollama } = stage;
  addModels(ollama);
  const explorations = ['diary-1', 'diary-2'];
  for (const [index, runId] of explorations.entries()) {
    await importLog(loupe, exploreLog(8 + 4 * index, { runId }));
  }
  return {
    explorations,
    ...(await playSuite(loupe)),
    benchmark: await finishBenchmark(loupe, { rooms: ROOMS, models: ['qwen3:4b', 'qwen3:8b'] }),
    rating: await finishRating(loupe, {
      ...{ name: 'Diaries', part: 'reflections', run_ids: explorations, models: ['qwen3:8b', 'gpt-oss:20b'] },
    }),
    ...(await playTools(stage)),
  };
}

function addModels(ollama: FakeOllama): void {
  for (const [index, room] of ROOMS.entries()) {
    const lamp = call('lamp_set', { room, level: 5 });
    for (const model of ['qwen3:4b', 'qwen3:8b']) {
      const isNative = index % (model === 'qwen3:4b' ? 2 : 3) === 0;
      ollama.add({
        ...{
          name: `lamp-${room}-${index}-${model.replace(':', '-')}`,
          model,
          match: benchmarkQuestion(room),
        },
        steps: [{ reply: isNative ? { tool_calls: [lamp] } : { content: JSON.stringify(lamp) } }],
      });
    }
  }
  for (const [index, model] of ['qwen3:8b', 'gpt-oss:20b'].entries()) {
    const scores = Object.fromEntries(ITEMS.map((id, item) => [id, 4 + ((item + 2 * index) % 5)]));
    ollama.add({
      ...{ name: `judge-${index}`, model, match: 'first_person' },
      steps: [{ reply: { content: JSON.stringify(scores) } }],
    });
  }
  for (const [match, words] of Object.entries({
    'capital of France': 'Paris.',
    'seven times eight': '56',
    'largest ocean': 'The Atlantic.',
  })) {
    for (const model of ['qwen3:4b', 'qwen3:8b']) {
      const content = model === 'qwen3:8b' && match === 'largest ocean' ? 'The Pacific.' : words;
      ollama.add({
        name: `${match}-${model}`.replace(/\W+/g, '-'),
        model,
        match,
        steps: [{ reply: { content } }],
      });
    }
  }
  ollama.add({
    ...{ name: 'asks-you', model: 'qwen3:8b', match: 'newsletter' },
    steps: [
      { reply: { tool_calls: [call(REQUESTED, {})] } },
      { reply: { content: 'The subscription is completed.' } },
    ],
  });
  const sees = { reply: { content: 'A gradient from dark to light; the tool returned a small logo.' } };
  ollama.add({
    ...{ name: 'looks', model: 'qwen3-vl:4b', match: 'picture' },
    steps: [{ reply: { tool_calls: [call('everything__get_tiny_image', {})] } }, sees],
  });
  ollama.add({ ...{ name: 'describes', model: 'qwen3-vl:4b', match: 'photo' }, steps: [sees, sees] });
}

async function playSuite(loupe: LoupeServer): Promise<{ suiteExperiment: string; playedSuite: string }> {
  const one = { mode: 'prompt', tags: ['facts'] };
  const cases = [
    { id: 'capital', input: 'What is the capital of France?', target: 'Paris', ...one },
    { id: 'product', input: 'What is seven times eight?', target: '56', ...one },
    { id: 'ocean', input: 'Which is the largest ocean?', target: 'Pacific', ...one },
  ];
  const { suite } = await send<SuiteReply>(loupe, '/api/suites', { suite: { name: 'Plain facts', cases } });
  const plan = { suite: { id: suite.id }, models: ['qwen3:8b', 'qwen3:4b'] };
  await finishExperiment(loupe, { ...plan, name: 'Facts, first look', repeats: 1 });
  const suiteExperiment = await finishExperiment(loupe, { ...plan, name: 'Facts by model', repeats: 3 });
  return { suiteExperiment, playedSuite: suite.id };
}

async function playTools({ loupe }: Stage) {
  await send(loupe, '/api/command-tools', {
    tool: {
      name: 'count_words',
      description: 'Count the words of a text file.',
      command: ['wc', '-w', '--', '{path}'],
      parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
    },
  });
  await send(loupe, '/api/tool-checks', { model: 'qwen3:4b', server: 'custom' });
  const checks = async () => (await loupe.request('/api/tool-checks')).json();
  await expect
    .poll(async () => ((await checks()) as ToolChecksReply).checks.length, { timeout: 60_000 })
    .toBe(1);
  const tool = 'everything__get_tiny_image';
  const auto = (name: string) => ({ tools: [name], approval: { tools: { [name]: 'auto' } } });
  const image = { name: 'chart.png', data: pngImage(300, 200).toString('base64') };
  const images = await finishRun(loupe, {
    ...{ task: 'Compare this picture with the logo.', model: 'qwen3-vl:4b', images: [image] },
    ...auto(tool),
  });
  const imageSession = await startRun(loupe, {
    ...{ mode: 'session', task: 'Describe this photo.', model: 'qwen3-vl:4b', images: [image] },
  });
  const requesting = await startRun(loupe, {
    ...{ task: 'Subscribe me to the newsletter.', model: 'qwen3:8b', ...auto(REQUESTED) },
  });
  for (const [id, phase] of [
    [imageSession.id, 'awaiting-message'],
    [requesting.id, 'awaiting-approval'],
  ] as const) {
    await expect.poll(async () => (await summaryOf(loupe, id)).phase, { timeout: 60_000 }).toBe(phase);
  }
  return { requesting: requesting.id, images: images.id, imageSession: imageSession.id };
}
