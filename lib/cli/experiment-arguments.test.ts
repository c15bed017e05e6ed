import { describe, expect, it } from 'vitest';
import { readExperiment } from './experiment-arguments.ts';

const read = (line: string) => readExperiment(line.split(' '));

describe('loupe experiment', () => {
  it.each([
    ['run plan.yaml', { action: 'run', file: 'plan.yaml', models: [], detach: false, json: false }],
    [
      'run plan.yaml -m a --model b --confirm 2000 --fail-under 0.8 --json',
      {
        ...{ action: 'run', file: 'plan.yaml', models: ['a', 'b'] },
        ...{ confirmed: 2000, failUnder: 0.8, detach: false, json: true },
      },
    ],
    ['run plan.yaml --detach', { action: 'run', file: 'plan.yaml', models: [], detach: true, json: false }],
    ['study', { action: 'studies', json: false }],
    [
      'study guards --model a --small',
      { action: 'study', study: 'guards', size: 'small', models: ['a'], detach: false, json: false },
    ],
    ['status', { action: 'status', json: false }],
    ['status E1 --json', { action: 'status', id: 'E1', json: true }],
    ['results E1 --fail-under 1', { action: 'results', id: 'E1', json: false, failUnder: 1 }],
    ['export E1', { action: 'export', id: 'E1', format: 'csv', redact: true }],
    [
      'export E1 --format html --raw -o r.html',
      { action: 'export', id: 'E1', format: 'html', redact: false, output: 'r.html' },
    ],
    ['stop E1 --force', { action: 'stop', id: 'E1', force: true }],
    ['continue E1', { action: 'continue', id: 'E1' }],
    ['retry E1', { action: 'retry', id: 'E1' }],
    ['delete E1', { action: 'delete', id: 'E1', runs: false }],
    ['delete E1 --runs', { action: 'delete', id: 'E1', runs: true }],
  ])('reads "%s"', (line, command) => {
    expect(read(line)).toEqual({ command });
  });

  it('takes the address of the server with every action', () => {
    for (const line of [
      'run a',
      'study',
      'study x -m y',
      'status',
      'results a',
      'export a',
      'stop a',
      'continue a',
      'delete a',
    ]) {
      expect(read(`${line} --url http://127.0.0.1:1`).url).toBe('http://127.0.0.1:1');
    }
  });

  it.each([
    ['run', /Usage: loupe experiment run PLAN/],
    ['run a b', /Usage/],
    ['run a --confirm none', /whole number/],
    ['results a --fail-under 80', /from 0 to 1/],
    ['run a --detach --fail-under 0.8', /--detach does not wait/],
    ['run a --detach --json', /--detach prints only the ID/],
    ['study x -m y --detach --fail-under 0', /--detach does not wait/],
    ['study x', /Name the model/],
    ['study --model y', /Name the study that --model is for/],
    ['study --small --json', /Name the study that --small is for/],
    ['status a b', /Usage/],
    ['export a --format pdf', /must be one of csv, jsonl, plan, html, bundle/],
    [
      'begin',
      /^"experiment begin" is not a command\. .* run PLAN, or study, status, results, export, stop, continue, retry, delete\.$/,
    ],
    ['reslts a', /"experiment reslts" is not a command; did you mean "results"\?/],
    ['run a --nothing', /nothing/],
  ])('refuses "%s"', (line, reason) => {
    expect(() => read(line)).toThrow(reason);
  });
});
