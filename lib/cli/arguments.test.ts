import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { outcomeKind } from '../events/termination.ts';
import { readArguments } from './arguments.ts';
import { EXIT, exitCodeOf } from './exit-codes.ts';
import { USAGE, usageOfCommand } from './usage-text.ts';

const read = (line: string) => readArguments(line.split(' '));
const refused = (...args: string[]) => expect(() => readArguments(args));

describe('the command line', () => {
  it('builds the body of POST /api/runs from the options of "run" [D10]', () => {
    expect(
      readArguments([
        ...[
          'run',
          'Read the notes',
          '--model',
          'qwen3:8b',
          '--workspace',
          '/data/notes',
          '--tier',
          'complex',
        ],
        ...[
          '--max-iterations',
          '12',
          '--max-seconds',
          '60',
          '--max-cost',
          '0.5',
          '--option',
          'temperature=0.2',
          '--option',
          'seed=7',
        ],
        ...['--option', 'stop=END', '--set', 'checks=[{"type":"file_exists","path":"a.md"}]', '--live'],
      ]),
    ).toEqual({
      name: 'run',
      body: {
        task: 'Read the notes',
        model: 'qwen3:8b',
        workspace: '/data/notes',
        tier: 'complex',
        max_iterations: 12,
        budget: { max_seconds: 60, max_cost_usd: 0.5 },
        model_options: { temperature: 0.2, seed: 7, stop: ['END'] },
        checks: [{ type: 'file_exists', path: 'a.md' }],
        live_tokens: true,
      },
      images: [],
      fields: [],
      json: false,
      live: true,
      detach: false,
      url: undefined,
    });
  });

  it('accepts names separated by commas for --tools', () => {
    expect(read('run Task --tools read_file,search_files')).toMatchObject({
      body: { tools: ['read_file', 'search_files'] },
    });
    expect(USAGE).toContain('--tools NAME,NAME');
  });

  it('names a folder as the server finds it', () => {
    const workspaceOf = (path: string) => {
      const command = read(`run Task --model m --workspace ${path}`);
      return command.name === 'run' ? command.body.workspace : undefined;
    };
    expect(workspaceOf('notes')).toBe(join(process.cwd(), 'notes'));
    expect(workspaceOf('.')).toBe(process.cwd());
    expect(workspaceOf('/data/notes')).toBe('/data/notes');
    expect(workspaceOf('~/notes')).toBe('~/notes');
    expect(read('list --folder notes')).toMatchObject({ query: { folder: join(process.cwd(), 'notes') } });
    expect(() => readArguments(['run', 'Task', '--model', 'm', '--workspace', ''])).toThrow(
      '--workspace needs the path of a folder.',
    );
  });

  it('accepts a switch without a value', () => {
    expect(read('run --mode session -m m --autopilot')).toMatchObject({
      body: { mode: 'session', model: 'm', autopilot: true },
    });
    expect(USAGE).toMatch(/--autopilot(?! TEXT)/);
  });

  it('accepts 0 for a setting that can be 0, to override a preset', () => {
    expect(readArguments(['run', '-p', 'many tools', '--distractor-tools', '0'])).toMatchObject({
      body: { distractor_tools: 0 },
    });
    expect(() => readArguments(['run', 'Hi', '--max-iterations', '0'])).toThrow(
      'a whole number of at least 1',
    );
  });

  it('omits options that were not given, so that the server uses its defaults', () => {
    expect(readArguments(['run', '--mode', 'explore', '-m', 'm'])).toMatchObject({
      body: { mode: 'explore', model: 'm' },
    });
    expect(readArguments(['run', 'Hi', '-m', 'm', '--no-tools'])).toMatchObject({
      body: { task: 'Hi', model: 'm', agentic: false },
    });
  });

  it('refuses two ways of printing a run', () => {
    refused('run', 'Hi', '-m', 'm', '--detach', '--json').toThrow(/Remove --json.*loupe follow RUN --json/);
    refused('run', 'Hi', '-m', 'm', '--detach', '--live').toThrow(/Remove --live.*loupe follow RUN\.$/);
    refused('run', 'Hi', '-m', 'm', '--live', '--json').toThrow(/Remove --live or --json\.$/);
  });

  it('accepts a list of texts for the model option stop', () => {
    expect(readArguments(['run', 'Hi', '-m', 'm', '--option', 'stop=["END","\\n\\n"]'])).toMatchObject({
      body: { model_options: { stop: ['END', '\n\n'] } },
    });
  });

  it('reads the other commands', () => {
    expect(read('follow r1 --after 12 --json')).toMatchObject({ runId: 'r1', after: 12, json: true });
    expect(read('list --limit 3')).toMatchObject({ limit: 3, json: false, query: {} });
    expect(read('list --tag a,b --sort score --archived all')).toMatchObject({
      query: { tag: 'a,b', sort: 'score', archived: 'all' },
    });
    expect(read('note a1 --tag x --tag y --untag z --score 0 --pin --unarchive')).toMatchObject({
      runId: 'a1',
      change: { add_tags: ['x', 'y'], remove_tags: ['z'], score: 0, pinned: true, archived: false },
    });
    expect(readArguments(['note', 'a1', 'Good', '--title', ''])).toMatchObject({
      change: { note: 'Good', title: '' },
    });
    refused('note', 'a1').toThrow(/Give a note/);
    refused('note', 'a1', '--pin', '--unpin').toThrow(/cannot be combined/);
    refused('note', 'a1', '--tag', 'x', '--tag', 'y', '--untag', ' y').toThrow(
      '--tag and --untag both name "y". Remove one of them.',
    );
    expect(read('stop r1 --force')).toMatchObject({ runId: 'r1', force: true });
    expect(readArguments(['say', 'r1', 'use the other file'])).toMatchObject({
      text: 'use the other file',
      images: [],
    });
    expect(readArguments(['say', 'r1', 'look', '--image', 'a.png', '--image', 'b.png'])).toMatchObject({
      images: ['a.png', 'b.png'],
    });
    expect(read('export r1 --format html --raw -o run.html')).toMatchObject({ format: 'html', raw: true });
    expect(read('export r1 --format session -o out.jsonl')).toMatchObject({
      raw: false,
      format: 'session',
      output: 'out.jsonl',
    });
    expect(read('export r1 -o -')).toMatchObject({ output: undefined });
    expect(read('export r1 --output ./-')).toMatchObject({ output: './-' });
    expect(read('experiment export e1 --output=-')).toEqual({
      name: 'experiment',
      command: { action: 'export', id: 'e1', format: 'csv', redact: true },
    });
    expect(read('check qwen3:8b --json')).toMatchObject({ name: 'check', model: 'qwen3:8b', json: true });
    expect(readArguments([])).toEqual({ name: 'help' });
  });

  it('reports what is wrong with a command line, and how to fix it', () => {
    refused('folow').toThrow('"folow" is not a command; did you mean "follow"?');
    refused('run', 'two', 'words', '-m', 'm').toThrow('in quotes');
    refused('run', 'Hi', '-m', 'm', '--max-iterations', 'ten').toThrow('whole number');
    refused('run', 'Hi', '-m', 'm', '--set', 'checks=[').toThrow('must be JSON');
    refused('run', 'Hi', '-m', 'm', '--option', 'seed').toThrow('KEY=VALUE');
    refused('run', 'Hi', '-m', 'm', '--modle', 'x').toThrow(
      /^There is no option --modle; did you mean --mode\?$/,
    );
    refused('list', '--bogus').toThrow(/^There is no option --bogus\.$/);
    refused('list', '-x').toThrow(/^There is no option -x\.$/);
    refused('run', '- List the files.', '-m', 'm').toThrow(
      /^"- List the files\." begins with a dash, as options do\. Put such a text last, after --\.$/,
    );
    expect(readArguments(['run', '-m', 'm', '--', '- List the files.'])).toMatchObject({
      body: { task: '- List the files.' },
    });
    refused('list', '--modl=a b').toThrow(/^There is no option --modl; did you mean --model\?$/);
    refused('list', '--json=1').toThrow(/^--json takes no value\.$/);
    refused('follow', 'r1', '--after').toThrow(/^--after needs a value\.$/);
    refused('say', 'r1', '--image', '--url').toThrow(/^--image needs a value\. .*--image=--url\.$/);
    refused('export', 'r1', '--format', 'pdf').toThrow('must be one of');
    refused('say', 'r1').toThrow('in quotes');
    refused('follow').toThrow('follow RUN');
    // A script with an unset variable.
    refused('follow', '').toThrow('follow RUN');
    refused('export', 'r1', '--output', '').toThrow('--output needs the path of a file.');
    refused('experiment', 'export', 'e1', '--output=').toThrow('--output needs the path of a file.');
    refused('say', '', 'Hi').toThrow('in quotes');
    refused('say', 'r1', 'Look', '--image=').toThrow('--image needs the path of a file.');
    refused('run', 'Look', '-m', 'm', '--image', 'a.png', '--image=').toThrow(
      '--image needs the path of a file.',
    );
    refused('note', '', 'Good').toThrow('in quotes');
    refused('experiment', 'status', '').toThrow('status [ID]');
    refused('rate', '--continue', '').toThrow('--continue needs the ID of a rating.');
    refused('benchmark', '--continue=').toThrow('--continue needs the ID of a benchmark.');
    refused('check', 'm', '--mcp', '').toThrow('--mcp needs a value.');
    refused('rate', 'r1', '--by', 'm', '--title=').toThrow('--title needs a value.');
    refused('rate', 'r1', '--by', 'm', '--with', '').toThrow('--with needs a value.');
    refused('run', 'Hi', '-m', 'm', '--option', 'stop=').toThrow('--option stop needs a value.');
    refused('check').toThrow('check MODEL');
    refused('--url', 'http://127.0.0.1:4120', 'list').toThrow(
      '--url comes before the command. Put options after it.',
    );
    refused('export', 'r1', '--format', 'bundle', '--raw').toThrow(/always redacted.*--format run/);
    refused('presets', 'x').toThrow('no arguments');
  });
});

it('reads both forms of the version', () => {
  for (const line of ['version', '--version']) expect(read(line)).toEqual({ name: 'version' });
  refused('version', 'x').toThrow('no arguments');
});

describe('help', () => {
  it.each(['run --help', 'run -h', 'run Task --model m -h --bogus', 'help run', '--help run'])(
    '"%s" explains the command',
    (line) => {
      expect(read(line)).toEqual({ name: 'help', about: 'run' });
    },
  );

  it('explains all commands unless one is named', () => {
    for (const line of ['help', '--help', '-h']) expect(read(line)).toEqual({ name: 'help' });
    refused('help', 'folow').toThrow('did you mean "follow"?');
    refused('folow', '--help').toThrow('did you mean "follow"?');
  });

  it('explains one command, and ignores no word after it', () => {
    expect(read('help experiment results')).toEqual({ name: 'help', about: 'experiment' });
    refused('help', 'run', 'list').toThrow('"help" explains one command. Leave out "list".');
    refused('help', 'experiment', 'results', 'all').toThrow('Leave out "all".');
    refused('help', 'experiment', 'reslts').toThrow('did you mean "results"?');
  });

  it('treats everything after "--" as text', () => {
    expect(readArguments(['say', 'r1', '--', '-h'])).toMatchObject({ text: '-h' });
  });

  it('of a command has its options, and not those of others', () => {
    const help = usageOfCommand('export');
    expect(help).toMatch(/^ {2}loupe export RUN /);
    expect(help).toContain('--url');
    expect(help).not.toContain('loupe import FILE');
    expect(usageOfCommand('experiment')).toContain('loupe experiment stop ID');
    expect(usageOfCommand('run')).toContain('answer_contains=TEXT');
    expect(usageOfCommand('help')).toBe(USAGE);
  });
});

describe('exit codes', () => {
  it('each outcome has its own code, and only a complete answer is 0 [G17]', () => {
    const codes = outcomeKind.exclude(['cycles_done']).options.map(exitCodeOf);
    expect(new Set([...codes, ...Object.values(EXIT)]).size).toBe(
      codes.length + Object.keys(EXIT).length - 1,
    );
    expect([exitCodeOf('answered'), exitCodeOf('cycles_done')]).toEqual([0, 0]);
    const explained = USAGE.slice(USAGE.indexOf('Exit codes: '));
    for (const code of [...codes, ...Object.values(EXIT)]) {
      expect(explained).toMatch(new RegExp(`\\b${code} `));
    }
  });

  it('an answer that was cut off, failed its checks or only announces work is not a success [V8]', () => {
    expect(exitCodeOf('answered_checks_failed')).toBe(19);
    expect(exitCodeOf('answered_cut_off')).toBe(20);
    expect(exitCodeOf('announced_work_did_none')).toBe(21);
  });
});

it('reads the folder, models and categories of a benchmark', () => {
  expect(read('benchmark /data -m a -m b --categories multiple,parallel --limit 5 --think')).toMatchObject({
    start: {
      body: {
        ...{
          folder: '/data',
          models: ['a', 'b'],
          categories: ['multiple', 'parallel'],
          limit: 5,
          think: true,
        },
      },
    },
  });
  expect(read('benchmark --continue b1')).toMatchObject({ start: { continued: 'b1' } });
  refused('benchmark', '/data').toThrow('Name the model');
  refused('benchmark', '/data', '-m', 'a', '--limit', '0').toThrow('whole number of at least 1');
});

describe('--continue', () => {
  it.each([
    [
      'benchmark --continue b1 --json --url http://127.0.0.1:7500',
      { start: { continued: 'b1' }, json: true },
    ],
    ['rate --continue r1 --json --url http://127.0.0.1:7500', { id: 'r1', json: true }],
  ])('takes the options of every command: %s', (line, command) => {
    expect(read(line)).toMatchObject(command);
  });

  it.each([
    ['benchmark /data', '"/data"'],
    ['benchmark -m a', '--model'],
    ['benchmark --categories multiple', '--categories'],
    ['benchmark --limit 5 --think', '--limit and --think'],
    ['rate run1', '"run1"'],
    ['rate --by qwen3', '--by'],
    ['rate --with experience', '--with'],
    ['rate --part output --title Study', '--part and --title'],
  ])('refuses options that are fixed at the start: %s', (line, unused) => {
    refused(...line.split(' '), '--continue', 'one').toThrow(
      new RegExp(`with its original options. Leave out ${unused}, or start a new \\w+ without --continue`),
    );
  });
});

it.each(['tag', 'model', 'outcome', 'since', 'until', 'archived', 'sort'])(
  'refuses an empty --%s of a list, which would list all runs',
  (filter) => {
    refused('list', `--${filter}=`).toThrow(`--${filter} needs a value.`);
    refused('list', `--${filter}`, ' ').toThrow(`--${filter} needs a value.`);
  },
);

it('refuses a list of no tags, which would list all runs', () => {
  refused('list', '--tag', ' , ').toThrow('--tag needs a value.');
  expect(readArguments(['list', '--tag', 'a, b'])).toMatchObject({ query: { tag: 'a, b' } });
});

it('refuses an option with a single value that is given twice, instead of dropping the first', () => {
  expect(() => read('list --tag a --tag b')).toThrow('--tag is given twice; it takes one value.');
  expect(() => read('run Task --model a -m b')).toThrow('--model is given twice; it takes one value.');
  expect(() => read('follow r --after 1 --after=2')).toThrow('--after is given twice; it takes one value.');
  expect(read('list --json --json --tag a')).toMatchObject({ json: true, query: { tag: 'a' } });
});

it('refuses a model option or a field that is set twice', () => {
  expect(() => read('run Task --model m --option seed=1 --option seed=2')).toThrow(
    '--option seed is given twice.',
  );
  expect(() => read('run Task --model m --option stop=a --option stop=b')).toThrow(
    `--option stop is given twice. Write several as a list: --option 'stop=["a", "b"]'.`,
  );
  expect(() => read('run Task --model m --set tier="complex" --set tier="trivial"')).toThrow(
    '--set tier is given twice.',
  );
  expect(() => read('run Task --model m --set model="n"')).toThrow(
    '--set model: another option also sets this field.',
  );
  expect(() => read('run Task --model m --option seed=1 --set model_options={"temperature":0}')).toThrow(
    '--set model_options: another option also sets this field.',
  );
});
