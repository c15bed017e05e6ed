import { expect, it } from 'vitest';
import type { RunSummary } from '../api/run-summary.ts';
import type { ChatRequest } from '../model/chat-model.ts';
import { sampleConfig } from '../testing/sample-logs.ts';
import { ModelUse } from './model-use.ts';
import type { SentRequest } from './sent-request.ts';

const request: ChatRequest = {
  model: 'qwen3',
  messages: [{ role: 'user', content: 'Hello' }],
  tools: [],
  options: { num_ctx: 4096, num_predict: 100 },
  think: false,
  stream: true,
  keepAlive: '5m',
};
const config = sampleConfig({ model: 'qwen3' });

/** Renders the call of a run while a slot of the same server is used for a model. */
function render(inUse: string) {
  const use = new ModelUse({
    stored: {
      get: async () => ({ run: {} as RunSummary, config }),
      sentRequest: async () => ({ request, recorded: {} }) as SentRequest,
      imageBytes: async () => undefined,
    },
    runs: { configsAtWork: [] },
    slots: { activeUses: [{ purpose: 'check', model: inUse, host: 'here' }] },
    hostOf: () => 'here',
    render: async () => ({ prompt: '<|user|>Hello', by: {} }),
    namesOfRunner: async (model) => [model],
    unload: async () => undefined,
  });
  return use.render('run', 1, new AbortController().signal);
}

it('renders with a model that is in use under its full name, and refuses to replace another', async () => {
  expect(await render('qwen3:latest')).toMatchObject({ rendered: '<|user|>Hello' });
  await expect(render('other')).rejects.toMatchObject({ code: 'model_in_use' });
});
