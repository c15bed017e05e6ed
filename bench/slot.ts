import { startOllama } from '../e2e/ollama/start-ollama.ts';
import { connectOllama } from '../lib/model/ollama-connection.ts';
import { parseOllamaHost } from '../lib/model/ollama-host.ts';
import { freeSlot, releaseSlotAfterAbort } from '../lib/model/slot-release.ts';
import { createOllamaChatModel } from '../lib/testing/ollama-chat-model.ts';
import { quantile } from './quantile.ts';

// What it costs to ask a real Ollama whether the slot of a model is free (docs/decisions/0028), beside a reply of one token of
// the same model, by turns, at two windows.
//   node bench/slot.ts [rounds]

const rounds = Number(process.argv[2] ?? 50);
const WINDOWS = [2048, 8192];

const ollama = await startOllama().catch((error: unknown) => {
  console.info(`Not measured: it needs a real Ollama.\n${error instanceof Error ? error.message : error}`);
});
if (ollama) {
  try {
    const host = parseOllamaHost(ollama.url);
    const connection = connectOllama(host);
    const model = createOllamaChatModel({ host });
    console.info(`tiny-tools, ${rounds} rounds, ms: p50, p90`);
    for (const num_ctx of WINDOWS) {
      const slot = { model: 'tiny-tools', options: { num_ctx, num_predict: 1 }, keepAlive: '5m' };
      const messages = [{ role: 'user' as const, content: 'Hello' }];
      const ways = [
        {
          name: 'a reply of one token',
          run: () =>
            model.chat(
              { ...slot, messages, tools: [], think: false, stream: false },
              { signal: new AbortController().signal, timeoutMs: 60_000 },
            ),
          times: [] as number[],
        },
        { name: 'is the slot free', run: () => freeSlot(connection, slot), times: [] as number[] },
        {
          name: 'releases the slot',
          run: () => releaseSlotAfterAbort(connection, slot),
          times: [] as number[],
        },
      ];
      for (let round = -3; round < rounds; round++) {
        for (const { run, times } of ways) {
          const startedAt = performance.now();
          await run();
          if (round >= 0) times.push(performance.now() - startedAt);
        }
      }
      const base = quantile(ways[0]?.times ?? [], 0.5);
      console.info(`  window of ${num_ctx} tokens`);
      for (const { name, times } of ways) {
        const [half, most] = [quantile(times, 0.5), quantile(times, 0.9)];
        const ratio = (half / base).toFixed(1);
        console.info(
          `    ${name.padEnd(24)} ${half.toFixed(1).padStart(7)} ${most.toFixed(1).padStart(7)}   ${ratio} of one token`,
        );
      }
    }
  } finally {
    await ollama.stop();
  }
}
