import { AppError } from '../errors/app-error.ts';
import type { StoredRuns } from '../runs/stored-runs.ts';
import { runFile } from '../sharing/exports/run-file.ts';
import { runScenario } from '../sharing/exports/run-scenario.ts';
import { fileResponse } from './file-response.ts';
import { jsonLines } from './json-lines.ts';
import { oneOf } from './query-choice.ts';
import { requestedExport } from './requested-export.ts';

const FORMATS = ['run', 'bundle', 'scenario', 'spans'] as const;
const YES_NO = ['0', '1'] as const;

/**
 * Exports a run as a file: `?format=run|bundle|scenario|spans`, with the parameters of `requestedExport`. A run file is
 * unredacted unless `?redact=1`, because it must import byte for byte; the others are redacted unless `?redact=0`, and a bug
 * bundle always is. `?content=1` includes texts in spans.
 *
 * @throws {AppError} `invalid_request`, `run_not_found`
 */
export async function runExport(request: Request, runs: StoredRuns, runId: string): Promise<Response> {
  const query = new URL(request.url).searchParams;
  const format = oneOf(query, 'format', FORMATS) ?? 'run';
  if (format === 'bundle' && (query.get('redact') === '0' || query.has('show'))) {
    throw new AppError({
      code: 'invalid_request',
      message: 'A bug bundle is always redacted.',
      hint: 'Use format=run for the unredacted log.',
    });
  }
  const content = oneOf(query, 'content', YES_NO);
  if (content !== undefined && format !== 'spans') {
    throw new AppError({ code: 'invalid_request', message: 'content needs format=spans.' });
  }
  const log = await requestedExport(request, runs, runId, { redact: format !== 'run' });
  switch (format) {
    case 'run': {
      const isMasked = query.get('redact') === '1';
      // Annotations are not masked and have no scope, so only complete files contain them.
      const annotations =
        isMasked || log.scope !== 'everything' ? undefined : (await runs.get(runId)).run.annotations;
      // Nothing in an image is masked either.
      const images = isMasked ? undefined : await runs.imagesForFile(runId, log.images);
      return lines(`loupe-${runId}.jsonl`, runFile(runId, log.pages(), { annotations }, images));
    }
    case 'bundle': {
      const about = await runs.about(runId, request.signal);
      return lines(`loupe-${runId}-bundle.jsonl`, runFile(runId, log.pages(), { about }));
    }
    case 'scenario':
      return json(
        `loupe-${runId}-scenario.json`,
        `${JSON.stringify(await runScenario(log.pages()), null, 2)}\n`,
      );
    case 'spans': {
      // Imported lazily, because OpenTelemetry takes much memory and few people export spans.
      const { otlpJson } = await import('../sharing/exports/run-spans.ts');
      return json(`loupe-${runId}-otlp.json`, otlpJson(log.pages(), { content: content === '1' }));
    }
  }
}

function lines(name: string, pages: AsyncIterable<readonly unknown[]>): Response {
  return fileResponse(jsonLines(pages), { name, type: 'application/x-ndjson' });
}

function json(name: string, text: string | AsyncGenerator<string>): Response {
  return fileResponse(text, { name, type: 'application/json' });
}
