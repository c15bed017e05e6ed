// `npm run fake -- FILE…`: a server that speaks Ollama's protocol and plays scenario files, such as an exported run.
// Point OLLAMA_HOST at the address it prints.
import { parse, usage, wholeNumber } from '../lib/cli/options.ts';
import { startFakeOllama } from '../lib/demo/fake-ollama.ts';
import { readScenarioFile } from '../lib/demo/scenario.ts';
import { AppError } from '../lib/errors/app-error.ts';

const USAGE = 'Usage: npm run fake -- FILE… [--port N]   (to create one from a run: Export, Scenario)';

try {
  const { values, positionals } = parse(process.argv.slice(2), { port: { type: 'string' } });
  if (positionals.length === 0) throw usage('Name a scenario file.');
  const files = await Promise.all(positionals.map(readScenarioFile));
  const fake = await startFakeOllama({
    port: wholeNumber('--port', values.port ?? '0', 0),
    models: files.flatMap(({ models }) => models),
    scenarios: files.flatMap(({ scenarios }) => scenarios),
    record: false,
  });
  const names = files.flatMap(({ models }) => models.map(({ name }) => name));
  console.info(
    `Playing ${names.join(', ')} at ${fake.url}\nStart Loupe with: OLLAMA_HOST=${fake.url} npm start`,
  );
} catch (error) {
  const isUsage = error instanceof AppError && error.code === 'usage';
  console.error(error instanceof Error ? error.message : error);
  if (isUsage) console.error(USAGE);
  process.exit(isUsage ? 2 : 1);
}
