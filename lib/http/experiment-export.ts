import { Readable } from 'node:stream';
import yazl from 'yazl';
import type { ExperimentReply } from '../api/experiment.ts';
import type { ExperimentExport } from '../api/experiment-files.ts';
import { programVersion } from '../config/program-version.ts';
import type { Experiments } from '../experiments/experiments.ts';
import { writePlanFile } from '../experiments/plan-file.ts';
import { resultsCsv } from '../experiments/results-table.ts';
import type { StoredRuns } from '../runs/stored-runs.ts';
import { experimentReport } from '../sharing/exports/experiment-report/report.ts';
import { runFile } from '../sharing/exports/run-file.ts';
import { RunNotFoundError } from '../store/store-errors.ts';
import { writeSuite } from '../suites/write-suite.ts';
import { fileResponse } from './file-response.ts';
import { jsonLines } from './json-lines.ts';

/** The name of the suite file in a bundle, which its plan file names. */
const SUITE_FILE = 'suite.yaml';

/**
 * An experiment as a file: its plan, its report, or a zip file with plan, suite, results, report and the log of every run.
 *
 * @param options.redact whether secrets and personal data are masked in the report; the other files are never masked
 * @throws {AppError} `experiment_not_found`
 */
export async function experimentExport(
  id: string,
  options: {
    format: ExperimentExport;
    redact: boolean;
    experiments: Experiments;
    stored: StoredRuns;
    signal: AbortSignal;
  },
): Promise<Response> {
  const { format, redact, experiments, stored } = options;
  const found = await experiments.get(id);
  const { workspace = '' } = found.experiment.plan;
  const report = () =>
    experimentReport(found, {
      redaction: redact ? stored.redaction({ workspace }) : undefined,
      version: programVersion(),
    });
  const name = `loupe-experiment-${id}`;
  switch (format) {
    case 'plan':
      return fileResponse(writePlanFile(found.experiment.plan), {
        name: `${name}.yaml`,
        type: 'application/yaml',
      });
    case 'html':
      return fileResponse(report(), { name: `${name}.html`, type: 'text/html' });
    case 'bundle':
      return bundle(found, { ...options, name, report });
  }
}

async function bundle(
  { experiment, items }: ExperimentReply,
  {
    name,
    report,
    experiments,
    stored,
    signal,
  }: {
    name: string;
    report: () => string;
    experiments: Experiments;
    stored: StoredRuns;
    signal: AbortSignal;
  },
): Promise<Response> {
  const cases = experiment.suite ? await experiments.cases(experiment.id) : [];
  const zip = new yazl.ZipFile();
  const output = Readable.from(zip.outputStream);
  const mtime = new Date(experiment.updated_at);
  const add = (text: string, path: string) => zip.addBuffer(Buffer.from(text), path, { mtime });
  add(writePlanFile(experiment.plan, experiment.suite ? SUITE_FILE : undefined), 'plan.yaml');
  if (experiment.suite) {
    add(writeSuite({ name: experiment.suite.name, description: '', cases }, 'yaml'), SUITE_FILE);
  }
  add(resultsCsv(items), 'results.csv');
  add(items.map((item) => `${JSON.stringify(item)}\n`).join(''), 'results.jsonl');
  add(report(), 'report.html');
  for (const { run_id: runId } of items) {
    if (runId === undefined) continue;
    // One log is read at a time, and page by page. A deleted run is left out.
    if (!(await isStored(stored, runId))) continue;
    zip.addReadStreamLazy(`runs/${runId}.jsonl`, { mtime }, (done) => {
      const file = Readable.from(jsonLines(runFile(runId, stored.log(runId))));
      file.once('error', (error) => output.destroy(error));
      done(null, file);
    });
  }
  zip.end();
  signal.addEventListener('abort', () => output.destroy(), { once: true });
  return new Response(Readable.toWeb(output) as ReadableStream<Uint8Array>, {
    headers: {
      'content-type': 'application/zip',
      'content-disposition': `attachment; filename="${name}.zip"`,
      'content-security-policy': "default-src 'none'; sandbox",
    },
  });
}

async function isStored(stored: StoredRuns, runId: string): Promise<boolean> {
  try {
    await stored.get(runId);
    return true;
  } catch (error) {
    if (error instanceof RunNotFoundError) return false;
    throw error;
  }
}
