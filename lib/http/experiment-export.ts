import type { ExperimentPlan, ExperimentReply } from '../api/experiment.ts';
import type { ExperimentExport } from '../api/experiment-files.ts';
import { programVersion } from '../config/program-version.ts';
import { MAX_SUITE_NAME_CHARS } from '../events/limits.ts';
import type { Experiments } from '../experiments/experiments.ts';
import { writePlanFile } from '../experiments/plan-file.ts';
import { resultsCsv } from '../experiments/results-table.ts';
import type { StoredRuns } from '../runs/stored-runs.ts';
import { experimentReport } from '../sharing/exports/experiment-report/report.ts';
import { writeSuite } from '../suites/write-suite.ts';
import { textStart } from '../util/short-text.ts';
import { fileResponse } from './file-response.ts';
import { ZipDownload } from './zip-download.ts';

/** The name of the suite file in a bundle, which its plan file names. */
const SUITE_FILE = 'suite.yaml';
const CHOSEN = ' (chosen cases)';

/**
 * An experiment as a file: its plan, its report, or a zip file with plan, suite, results, report and the file of every run.
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
  const found = await (format === 'bundle' ? experiments.results(id) : experiments.get(id));
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

/**
 * Another name for some cases of a suite: a plan stores its suite file by name, so they would otherwise replace the
 * whole suite.
 */
function suiteName(name: string, { suite }: ExperimentPlan): string {
  if (!suite?.tags && !suite?.cases) return name;
  return `${textStart(name, MAX_SUITE_NAME_CHARS - CHOSEN.length)}${CHOSEN}`;
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
  const zip = new ZipDownload();
  const mtime = new Date(experiment.updated_at);
  const add = (text: string, path: string) => zip.addText(path, text, mtime);
  add(writePlanFile(experiment.plan, experiment.suite ? SUITE_FILE : undefined), 'plan.yaml');
  if (experiment.suite) {
    add(
      writeSuite({ name: suiteName(experiment.suite.name, experiment.plan), description: '', cases }, 'yaml'),
      SUITE_FILE,
    );
  }
  add(resultsCsv(items), 'results.csv');
  add(items.map((item) => `${JSON.stringify(item)}\n`).join(''), 'results.jsonl');
  add(report(), 'report.html');
  for (const { run_id: runId } of items) {
    const run = runId === undefined ? undefined : await stored.summary(runId);
    // A deleted run is left out.
    if (run) zip.addRun(`runs/${run.id}.jsonl`, run, stored);
  }
  return zip.response(`${name}.zip`, signal);
}
