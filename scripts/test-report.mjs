// Converts the reports of both test runners to one format: the counts, and each test that failed or needed a retry with
// the start of its error. `npm test` repeats these at the end, because long logs are often truncated at the front.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/**
 * A failure: `title` has the file and name of the test, or what failed outside a test; `flaky`: it passed on a retry;
 * `message` is the beginning of the error, without colors.
 *
 * @typedef {{ title: string, flaky: boolean, message: string }} Trouble
 * @typedef {{ passed: number, failed: number, skipped: number, troubles: Trouble[] }} Outcome
 */

const LINES_OF_AN_ERROR = 14;
const LINES_OF_STDERR = 30;
const CHARACTERS_OF_A_LINE = 300;

/**
 * @param {string} title
 * @param {string} stderr what the program wrote there last, which usually says why
 * @returns {Outcome} one failure that no report names
 */
export function failure(title, stderr = '') {
  const message = end(stderr) || 'See the output of this stage above.';
  return { passed: 0, failed: 1, skipped: 0, troubles: [{ title, flaky: false, message }] };
}

/**
 * @param {string} path report of `vitest --reporter=json`
 * @param {number} status exit code of the run: not 0 without a failed test means a file that could not be loaded or
 *   an error outside a test, which must not look green
 * @param {string} stderr the end of what the run wrote there: the report has no errors outside a test
 * @returns {Outcome}
 */
export function readVitestReport(path, status, stderr = '') {
  const report = JSON.parse(readFileSync(path, 'utf8'));
  /** @type {Trouble[]} */
  const troubles = [];
  for (const file of report.testResults) {
    const failed = file.assertionResults.filter((test) => test.status === 'failed');
    const name = relative(process.cwd(), file.name);
    for (const test of failed) {
      troubles.push({
        title: `${name} > ${test.fullName}`,
        flaky: false,
        message: brief(test.failureMessages),
      });
    }
    if (failed.length === 0 && file.status === 'failed') {
      const message = brief([file.message]);
      // The report omits errors thrown by hooks of a `describe` block.
      if (message === '') troubles.push(...failure(name, stderr).troubles);
      else troubles.push({ title: name, flaky: false, message });
    }
  }
  if (troubles.length === 0 && status !== 0)
    troubles.push(...failure('an error outside a test', stderr).troubles);
  return {
    passed: report.numPassedTests,
    failed: Math.max(report.numFailedTests, troubles.length),
    skipped: report.numPendingTests + report.numTodoTests,
    troubles,
  };
}

/**
 * @param {string} path report of `playwright --reporter=json`
 * @param {number} status exit code of the run
 * @param {string} stderr the end of what the run wrote there
 * @returns {Outcome} a test that passed on a retry counts as passed and is named as flaky
 */
export function readPlaywrightReport(path, status, stderr = '') {
  const report = JSON.parse(readFileSync(path, 'utf8'));
  /** @type {Trouble[]} */
  const troubles = report.errors.map((error) => ({
    title: 'an error outside a test',
    flaky: false,
    message: brief([error.message ?? error.value ?? '']),
  }));
  for (const { spec, test } of specsOf(report.suites)) {
    if (test.status !== 'unexpected' && test.status !== 'flaky') continue;
    const first = test.results.find((result) => result.status !== 'passed');
    troubles.push({
      title: `${spec.file}:${spec.line} ${spec.title}`,
      flaky: test.status === 'flaky',
      message: brief((first?.errors ?? []).map((error) => error.message ?? '')),
    });
  }
  const { expected, flaky, skipped, unexpected } = report.stats;
  const named = troubles.filter((trouble) => !trouble.flaky).length;
  if (named === 0 && status !== 0) troubles.push(...failure('an error outside a test', stderr).troubles);
  return {
    passed: expected + flaky,
    failed: Math.max(unexpected, named, status === 0 ? 0 : 1),
    skipped,
    troubles,
  };
}

function* specsOf(suites) {
  for (const suite of suites) {
    for (const spec of suite.specs ?? []) for (const test of spec.tests) yield { spec, test };
    yield* specsOf(suite.suites ?? []);
  }
}

function brief(messages) {
  const lines = linesOf(messages.join('\n'));
  const shown = lines.slice(0, LINES_OF_AN_ERROR);
  if (lines.length > shown.length) shown.push(`(${lines.length - shown.length} more lines above)`);
  return shown.join('\n');
}

/** The last lines, because a runner prints what it found outside of tests after everything else. */
function end(stderr) {
  return linesOf(stderr).slice(-LINES_OF_STDERR).join('\n');
}

function linesOf(text) {
  return stripVTControlCharacters(text)
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => line.slice(0, CHARACTERS_OF_A_LINE));
}

/** @param {(Trouble & { stage: string })[]} troubles @returns {string} for the end of the log; '' without any */
export function troubleText(troubles) {
  return troubles
    .map(({ stage, title, flaky, message }) => {
      const head = `${flaky ? 'passed on a retry' : 'FAILED'}  ${stage}: ${title}`;
      return `${head}\n${message.replace(/^/gm, '    ')}\n`;
    })
    .join('\n');
}
