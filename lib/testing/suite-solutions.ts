import type { ScenarioStepInput } from '../demo/scenario.ts';
import type { JsonObject } from '../util/json.ts';

/** A good agent's solution of each case of Basics, as steps of the fake Ollama: calls, then the answer. */
export const BASICS_SOLUTIONS: Readonly<Record<string, readonly ScenarioStepInput[]>> = {
  'read.one-file': [reads('notes.txt'), answers('The meeting is in room Kestrel.')],
  'read.json-value': [reads('config.json'), answers('The server uses port 48173.')],
  'read.last-line': [runs('tail -n 1 service.log'), answers('The last status is quiescent-714.')],
  'read.nested-folder': [reads('docs/team/on-call.md'), answers('Ines Okafor is on call in week 32.')],
  'read.two-files': [reads('stock.csv'), reads('prices.csv'), answers('The kettle costs 17.35.')],

  'search.definition': [searches('function computeChecksum'), answers('It is in src/util/digest.js.')],
  'search.count-files': [searches('overdue'), writes('count.txt', '3\n'), answers('Three files contain it.')],
  'search.todo': [searches('TODO'), writes('todo.txt', 'docs/setup.md\n'), answers('It is docs/setup.md.')],
  'search.flag': [searches('fast_lane = on'), answers('It is on in staging.')],
  'search.error-code': [searches('E4417'), answers('The request req-9f3c failed.')],

  'edit.value': [
    reads('app.ini'),
    writes('app.ini', '[net]\ntimeout = 45\nretries = 3\n\n[ui]\ntheme = dark\n'),
    answers('The timeout is 45 now.'),
  ],
  'edit.append': [
    reads('todo.md'),
    writes('todo.md', '- [x] buy stamps\n- [ ] call Ada\n- [ ] water the plants\n'),
    answers('The line is at the end.'),
  ],
  'edit.bug': [
    reads('add.sh'),
    writes('add.sh', '#!/bin/sh\n# Prints the sum of two numbers.\necho $(($1 + $2))\n'),
    answers('It subtracted; now it adds.'),
  ],
  'edit.key': [
    reads('theme.json'),
    writes('theme.json', '{\n  "name": "sea",\n  "color": "teal",\n  "dense": false\n}\n'),
    answers('The key is "color" now.'),
  ],
  'edit.remove-line': [
    runs('grep -vxF old.example.org hosts.txt > hosts.new && mv hosts.new hosts.txt'),
    answers('The host is removed.'),
  ],

  'steps.split': [
    runs("grep '^north' sales.txt > north.txt"),
    runs("grep '^south' sales.txt > south.txt"),
    answers('Both files are written.'),
  ],
  'steps.move': [runs('mkdir -p final && mv draft.md final/article.md'), answers('The file is moved.')],
  'steps.project': [
    writes('hello/README.md', '# Hello\n'),
    writes('hello/main.sh', 'echo "hello world"\n'),
    answers('Both files are there.'),
  ],
  'steps.join': [runs('cat part1.txt part2.txt part3.txt > all.txt'), answers('The parts are joined.')],
  'steps.index': [
    searches('^# '),
    writes(
      'INDEX.md',
      '- guides/clean.md: Cleaning the filter\n- guides/install.md: Installing the pump\n- guides/store.md: Storing for winter\n',
    ),
    answers('The index is written.'),
  ],

  'results.trail': [
    reads('start.txt'),
    reads('hall/clock.txt'),
    reads('cellar/shelf.txt'),
    answers('The code is MARLIN-58.'),
  ],
  'results.longest-file': [
    runs('wc -l data/*'),
    writes('longest.txt', 'beta.csv\n'),
    answers('It is beta.csv.'),
  ],
  'results.output': [runs('sh token.sh'), writes('token.txt', 'K-42378\n'), answers('The output is saved.')],
  'results.branch': [reads('mode.txt'), writes('b.txt', 'beta\n'), answers('The mode is B.')],
  'results.filter': [
    reads('people.csv'),
    writes('older.txt', 'Otto\nLena\nRosa\n'),
    answers('Three people are older than 40.'),
  ],

  'recover.wrong-path': [
    reads('report.txt'),
    searches('Sales'),
    reads('archive/2024/report.txt'),
    answers('Sales grew by 11.8 percent.'),
  ],
  'recover.failing-script': [
    runs('sh build.sh'),
    runs('cp settings.example.env settings.env'),
    runs('sh build.sh && echo succeeded'),
    answers('The build succeeds now.'),
  ],
  'recover.broken-json': [
    reads('data.json'),
    writes('data.json', '{\n  "a": 1,\n  "b": [2, 3]\n}\n'),
    answers('Two commas were too many.'),
  ],
  'recover.missing-file': [
    reads('ledger.txt'),
    writes('first.txt', 'no ledger\n'),
    answers('There is no ledger.txt.'),
  ],
  'recover.missing-command': [
    runs('linecount poem.txt'),
    runs('wc -l < poem.txt > lines.txt'),
    answers('The poem has 7 lines.'),
  ],

  'arithmetic.product': [runs('echo $((48391 * 72917))'), answers('The product is 3528526547.')],
  'arithmetic.column': [
    runs(`awk -F, 'NR > 1 { sum += $2 } END { printf "%.2f\\n", sum }' amounts.csv > total.txt`),
    answers('The sum is 162.01.'),
  ],
  'arithmetic.average': [
    runs(`awk '{ sum += $1 } END { printf "%.1f\\n", sum / NR }' values.txt > average.txt`),
    answers('The average is 37.5.'),
  ],
  'arithmetic.seconds': [
    runs('echo $((((17 * 24 + 5) * 60 + 42) * 60)) > seconds.txt'),
    answers('The number is in seconds.txt.'),
  ],
  'arithmetic.count': [
    runs('tr -cd e < line.txt | wc -c > letters.txt'),
    answers('The number is in letters.txt.'),
  ],

  'restraint.greeting': [answers('hello')],
  'restraint.known': [answers('Tokyo')],
  'restraint.given-text': [answers('Otter')],
  'restraint.already-done': [reads('app.ini'), answers('already off')],
  'restraint.advice-only': [runs('find old -type f -size 0'), answers('old/b.log is empty.')],
};

/** The same for the suite of the probes. */
export const PROBE_SOLUTIONS: Readonly<Record<string, readonly ScenarioStepInput[]>> = {
  'probe.one-call': [reads('alpha.md'), answers('Alpha is a lighthouse.')],
  'probe.types': [calls('set_timer', { label: 'tea', minutes: 4 }), answers('It is set.')],
  'probe.which-tool': [searches('banana'), answers('It is in list.md.')],
  'probe.no-call': [answers('The task is completed: 120.')],
  'probe.two-calls': [
    {
      reply: {
        tool_calls: ['alpha.md', 'beta.md'].map((path) => ({ name: 'read_file', arguments: { path } })),
      },
    },
    answers('They say Alpha and Beta.'),
  ],
  'probe.nested': [
    calls('add_tasks', {
      tasks: [
        { title: 'paint the door', days: 2 },
        { title: 'mow the lawn', days: 1 },
      ],
    }),
    answers('They are in the plan.'),
  ],
  'probe.required': [
    calls('send_note', { to: 'maria@example.org', subject: 'Meeting', text: 'On Thursday at noon.' }),
    answers('She has the note.'),
  ],
  'probe.result': [reads('alpha.md'), answers('The code word is quillback.')],
  'probe.error': [reads('notes.txt'), reads('notes.md'), answers('The number is 7341.')],
  'probe.chain': [reads('source.txt'), writes('copy.txt', 'kestrel\n'), answers('It is done.')],
};

const CHAPTERS = Array.from({ length: 8 }, (_, index) => reads(`chapter-${index + 1}.txt`));

/** A reference solution of each case of the suite Long reading. */
export const LONG_READING_SOLUTIONS: Readonly<Record<string, readonly ScenarioStepInput[]>> = {
  'long.total': [...CHAPTERS, answers('122 sacks arrived in all.')],
  'long.code-word': [...CHAPTERS, answers('They spell LANTERNS.')],
  'long.missing-ship': [...CHAPTERS, answers('The Irma is in none of them.')],
  'long.latest': [...CHAPTERS, answers('It was lit latest in chapter 5, at 21:58.')],
};

function calls(name: string, args: JsonObject): ScenarioStepInput {
  return { reply: { tool_calls: [{ name, arguments: args }] } };
}

function reads(path: string): ScenarioStepInput {
  return calls('read_file', { path });
}

function writes(path: string, content: string): ScenarioStepInput {
  return calls('write_file', { path, content });
}

function searches(pattern: string): ScenarioStepInput {
  return calls('search_files', { pattern });
}

function runs(command: string): ScenarioStepInput {
  return calls('run_command', { command });
}

function answers(content: string): ScenarioStepInput {
  return { reply: { content } };
}
