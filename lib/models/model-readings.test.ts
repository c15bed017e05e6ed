import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { createRunRequest } from '../api/create-run.ts';
import { addCount, emptyReading } from '../api/model-reading.ts';
import { openRunService } from '../app/open-run-service.ts';
import { readEnvironment } from '../config/environment.ts';
import { startFakeOllama } from '../demo/fake-ollama.ts';
import { withReadings } from './model-readings.ts';

it('counts runs per parser layer, and one whose calls Ollama drops, for their model [P17]', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'loupe-readings-'));
  const ollama = await startFakeOllama({ record: false });
  const call = { name: 'list_directory', arguments: { path: '.' } };
  const replies = {
    native: { tool_calls: [call] },
    json: { content: JSON.stringify(call) },
    xml: { content: `<tool_call>${JSON.stringify(call)}</tool_call>` },
  };
  for (const [layer, reply] of Object.entries(replies)) {
    ollama.add({
      name: `in-${layer}`,
      model: 'reader',
      match: layer,
      steps: [{ reply }, { reply: { content: 'The work is completed.' } }],
    });
  }
  ollama.add({
    name: 'dropped',
    model: 'reader',
    match: 'dropped',
    // Generated but never returned: retried once with the same outcome, then nudged.
    steps: [{ reply: { content: '', eval_count: 27 } }, { reply: { content: 'The work is completed.' } }],
  });
  const environment = readEnvironment({ LOUPE_DATA_DIR: dataDir, OLLAMA_HOST: ollama.url });
  const opened = await openRunService(environment);
  try {
    for (const layer of [...Object.keys(replies), 'dropped']) {
      const { run } = await opened.service.start(
        createRunRequest.parse({
          task: `Look around, ${layer}`,
          model: layer === 'xml' ? 'reader:latest' : 'reader',
        }),
      );
      await vi.waitFor(
        async () =>
          expect((await opened.service.stored.get(run.id)).run.termination_reason).toBe('final_answer'),
        { timeout: 10_000 },
      );
    }
    const { models } = await opened.service.models(new AbortController().signal);
    expect(models.find(({ name }) => name.startsWith('reader'))?.reading).toMatchObject({
      replies: 9,
      calls: 3,
      none: 6,
      layers: { native: 1, json: 1, xml: 1 },
      malformed: 2,
    });
    expect(models.find(({ demo }) => demo)?.reading).toBeUndefined();
  } finally {
    await opened.close();
    await ollama.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
});

it('a name without its tag is the same model [P17]', () => {
  const reading = emptyReading();
  addCount(reading, 'layer:json', 2);
  addCount(reading, 'format:fenced', 2);
  const [model, other] = withReadings(
    [
      { name: 'qwen3:latest', demo: false },
      { name: 'qwen3:8b', demo: false },
    ],
    new Map([
      ['qwen3', reading],
      ['qwen3:latest', reading],
    ]),
  );
  expect(model?.reading).toMatchObject({ calls: 4, layers: { json: 4 }, formats: { fenced: 4 } });
  expect(other?.reading).toBeUndefined();
  expect(() => addCount(reading, 'color:red', 1)).toThrow(RangeError);
});
