// `npm run fake -- FILE…`: a server that speaks Ollama's protocol and plays scenario files, such as an exported run.
// Point OLLAMA_HOST at the address it prints.
import { parseArgs } from 'node:util';
import { startFakeOllama } from '../lib/demo/fake-ollama.ts';
import { readScenarioFile } from '../lib/demo/scenario.ts';

const { values, positionals } = parseArgs({ options: { port: { type: 'string' } }, allowPositionals: true });
if (positionals.length === 0) {
  console.error('Usage: npm run fake -- FILE… [--port N]   (to create one from a run: Export, Scenario)');
  process.exit(2);
}
try {
  const files = await Promise.all(positionals.map(readScenarioFile));
  const fake = await startFakeOllama({
    port: Number(values.port ?? 0),
    models: files.flatMap(({ models }) => models),
    scenarios: files.flatMap(({ scenarios }) => scenarios),
    record: false,
  });
  const names = files.flatMap(({ models }) => models.map(({ name }) => name));
  console.info(
    `Playing ${names.join(', ')} at ${fake.url}\nStart Loupe with: OLLAMA_HOST=${fake.url} npm start`,
  );
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
