#!/usr/bin/env node
// `npm start`: runs the server in this process. Plain JavaScript up to the import of the program, so that an old Node
// prints an error instead of crashing.
import { existsSync } from 'node:fs';
import module from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import v8 from 'node:v8';
import { serverFiles, serverFolder } from './build-state.mjs';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
// better-sqlite3 needs N-API 10 and silently ends the process without it.
if (major < 22 || (major === 22 && minor < 19) || Number(process.versions.napi) < 10) {
  console.error(
    `Loupe needs Node 22.19 or newer; this is ${process.versions.node}. Start it with "npm start", which brings its own.`,
  );
  process.exit(1);
}

const usage = `Usage: npm start [-- --host ADDRESS]

  --host ADDRESS   the address to listen on (default: 127.0.0.1); any other may be reachable from other machines
  --help           print this help

The other settings are environment variables: docs/settings.md
`;
const options = { host: { type: 'string' }, help: { type: 'boolean', short: 'h' } };
let host;
try {
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  if (positionals.length > 0) throw new Error(`Unexpected argument "${positionals[0]}".`);
  if (values.help) {
    process.stdout.write(usage);
    process.exit(0);
  }
  ({ host } = values);
  // Node would listen on every address of the machine.
  if (host === '') throw new Error('--host needs an address.');
} catch (error) {
  const { tokens, values } = parseArgs({ options, strict: false, tokens: true });
  const unknown = tokens.find((token) => token.kind === 'option' && !(token.name in options));
  const needsAddress = values.host === true ? '--host needs an address.' : error.message;
  const problem = unknown ? `There is no option ${unknown.rawName}.` : needsAddress;
  console.error(`${problem}\n\n${usage}`);
  process.exit(2);
}

// By default V8 compiles late and starts with a small heap, which slows down the first thousand steps of a server
// (docs/decisions/0075). The heap size can only be set on the command line, so the process replaces itself. The flags are
// those of V8 in Node 24 and 26; another version may not know them and refuse to start.
const V8_FLAGS = [
  '--invocation-count-for-maglev=100',
  '--minimum-invocations-after-ic-update=20',
  '--invocation-count-for-turbofan=30000',
  '--initial-heap-size=160',
];
const isTuned = V8_FLAGS.every((flag) => process.execArgv.includes(flag));
if ((major === 24 || major === 26) && process.execve && !isTuned) {
  const { execArgv, argv, execPath } = process;
  process.execve(execPath, [execPath, ...V8_FLAGS, ...execArgv, ...argv.slice(1)]);
}

process.env.NEXT_TELEMETRY_DISABLED = '1';
process.env.NODE_ENV = 'production';
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
process.chdir(root);
// Node caches compiled code, so that the next start takes half the time. Without a build there is no folder
// for it.
const built = join(root, serverFolder());
if (existsSync(built)) module.enableCompileCache(join(built, 'compiled'));
const { entry, routes } = serverFiles();
const { main } = await import(pathToFileURL(entry).href);
await main({ root, routes, host });
// Not earlier: code that only runs at the start would stay in memory compiled.
if (isTuned) v8.setFlagsFromString('--always-sparkplug');
