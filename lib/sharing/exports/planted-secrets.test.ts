import { text as readAll } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { SHARE_SCOPES, type ShareScope } from '../../events/share-scopes.ts';
import { leaksIn, PLANTED_ENVIRONMENT, PLANTED_SECRETS, plantedLog } from '../../testing/planted-secrets.ts';
import { exploreLog } from './explore-log.ts';
import { type ExportedLog, exportedLog } from './exported-log.ts';
import { htmlExport } from './html-export.ts';
import { markdownExport } from './markdown-export.ts';
import { runFile } from './run-file.ts';
import { runScenario } from './run-scenario.ts';
import { otlpJson } from './run-spans.ts';
import { sessionLog } from './session-log.ts';

const ASSETS = {
  script: 'player',
  formulas: 'formulas',
  style: 'player',
  scriptHash: 'sha256-x',
  formulasHash: 'sha256-x',
  styleHash: 'sha256-x',
};

async function text(pieces: AsyncIterable<unknown>): Promise<string> {
  let whole = '';
  for await (const piece of pieces) whole += typeof piece === 'string' ? piece : `${JSON.stringify(piece)}\n`;
  return whole;
}

const FORMATS: Record<string, (log: ExportedLog) => Promise<string>> = {
  'HTML page': (log) => text(htmlExport(log, ASSETS)),
  'Markdown summary': markdownExport,
  'run file': (log) => text(runFile('planted', log.pages())),
  scenario: async (log) => JSON.stringify(await runScenario(log.pages())),
  'session log': (log) => text(sessionLog(log.pages())),
  'exploration log': (log) => text(exploreLog(log.pages())),
  spans: async (log) => await readAll(otlpJson(log.pages(), { content: true })),
};

/** The log of each mode; a session has lines from its first attempt on. */
function plantedAs(mode: 'task' | 'session' | 'explore') {
  const { events } = plantedLog({ config: { mode } });
  const [created] = events;
  if (created?.type !== 'run.created') throw new Error('a log begins with run.created');
  return { events, config: created.config };
}

function opened(format: string, scope: ShareScope, masked: boolean): Promise<ExportedLog> {
  const mode = format === 'session log' ? 'session' : format === 'exploration log' ? 'explore' : 'task';
  const { events: planted, config } = plantedAs(mode);
  return exportedLog({
    config,
    scope,
    read: async function* () {
      for (let from = 0; from < planted.length; from += 5) yield planted.slice(from, from + 5);
    },
    redaction: masked ? { workspace: config.workspace, environment: [PLANTED_ENVIRONMENT] } : undefined,
  });
}

it.each(Object.keys(FORMATS))(
  'of %s planted secrets of 20 kinds none leaves, in any scope',
  async (format) => {
    expect(PLANTED_SECRETS.length).toBeGreaterThanOrEqual(20);
    const write = FORMATS[format];
    if (!write) throw new Error(format);
    // They are in the log, so that their absence from the export means something.
    expect(leaksIn(await write(await opened(format, 'everything', false))).length).toBeGreaterThan(5);
    for (const scope of SHARE_SCOPES) {
      const sent = await write(await opened(format, scope, true));
      expect(leaksIn(sent), `${format}, ${scope}`).toEqual([]);
      expect(sent.length).toBeGreaterThan(100);
    }
  },
);
