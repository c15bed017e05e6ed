import type { SuiteCaseInput } from '../../api/suite.ts';
import type { Check } from '../../events/check.ts';

/**
 * Forty small tasks in eight groups, each with checks of its result. A model that drives an agent well passes nearly
 * all of them; the groups it fails show what it lacks. A test plays a reference solution of each case
 * (`lib/testing/suite-solutions.ts`).
 */
export const BASICS = {
  name: 'Basics',
  description:
    'Forty small tasks in eight groups: read, search, edit, several steps, use of results, recovering from errors, arithmetic by tool, and when not to act.',
  cases: [
    ...read(),
    ...search(),
    ...edit(),
    ...steps(),
    ...results(),
    ...recover(),
    ...arithmetic(),
    ...restraint(),
  ],
};

function command(line: string): Check {
  return { type: 'command', command: line };
}

function contains(path: string, text: string): Check {
  return { type: 'file_contains', path, text };
}

function exists(path: string): Check {
  return { type: 'file_exists', path };
}

/** The file contains exactly this text, ignoring surrounding white space. */
function holds(path: string, text: string): Check {
  return command(`test "$(tr -d '[:space:]' < ${path})" = '${text}'`);
}

function group(tag: string, cases: Omit<SuiteCaseInput, 'tags'>[]): SuiteCaseInput[] {
  return cases.map((one) => ({ ...one, tags: [tag] }));
}

function read(): SuiteCaseInput[] {
  const log = Array.from(
    { length: 60 },
    (_, index) => `10:${String(index).padStart(2, '0')} status: starting-${index}`,
  );
  return group('read', [
    {
      id: 'read.one-file',
      input: 'In which room is the meeting? The answer is in notes.txt.',
      files: { 'notes.txt': 'The meeting is on Thursday at 14:30 in room Kestrel.\nBring the figures.\n' },
      target: 'Kestrel',
    },
    {
      id: 'read.json-value',
      input: 'Which port does the server use, according to config.json?',
      files: {
        'config.json':
          '{\n  "client": { "port": 9003 },\n  "server": { "host": "0.0.0.0", "port": 48173 }\n}\n',
      },
      target: '48173',
    },
    {
      id: 'read.last-line',
      input: 'What is the status on the last line of service.log?',
      files: { 'service.log': `${log.join('\n')}\n11:00 status: quiescent-714\n` },
      target: 'quiescent-714',
    },
    {
      id: 'read.nested-folder',
      input: 'Who is on call in week 32? The plan is docs/team/on-call.md.',
      files: {
        'docs/team/on-call.md':
          '| week | name |\n| --- | --- |\n| 31 | Jon Bell |\n| 32 | Ines Okafor |\n| 33 | Mia Holt |\n',
      },
      target: 'Ines Okafor',
    },
    {
      id: 'read.two-files',
      input: 'One product in stock.csv is out of stock. What does it cost, according to prices.csv?',
      files: {
        'stock.csv': 'product,stock\nlamp,4\nkettle,0\nchair,11\n',
        'prices.csv': 'product,price\nchair,64.90\nlamp,22.40\nkettle,17.35\n',
      },
      target: ['17.35', '17,35'],
    },
  ]);
}

function search(): SuiteCaseInput[] {
  return group('search', [
    {
      id: 'search.definition',
      input: 'Which file defines the function computeChecksum? Answer with its path.',
      files: {
        'src/main.js':
          "import { computeChecksum } from './util/digest.js';\n\nconsole.log(computeChecksum('a'));\n",
        'src/util/digest.js': 'export function computeChecksum(text) {\n  return text.length % 97;\n}\n',
        'src/util/text.js':
          '// See computeChecksum for the other half.\nexport const trim = (text) => text.trim();\n',
      },
      target: 'src/util/digest.js',
    },
    {
      id: 'search.count-files',
      input:
        'How many files in the folder letters contain the word "overdue"? Write the number to count.txt.',
      files: {
        'letters/a.txt': 'Your invoice is overdue.\n',
        'letters/b.txt': 'Thank you for your payment.\n',
        'letters/c.txt': 'The book is overdue, and so is the fine for the overdue book.\n',
        'letters/d.txt': 'Nothing is due.\n',
        'letters/e.txt': 'Payment overdue since May.\n',
      },
      checks: [holds('count.txt', '3')],
    },
    {
      id: 'search.todo',
      input: 'One of the Markdown files in docs contains a TODO. Write the path of that file to todo.txt.',
      files: {
        'docs/index.md': '# Welcome\n\nStart with the setup.\n',
        'docs/setup.md': '# Setup\n\nTODO: describe the proxy.\n',
        'docs/usage.md': '# Usage\n\nRun it.\n',
      },
      checks: [contains('todo.txt', 'docs/setup.md')],
    },
    {
      id: 'search.flag',
      input: 'In which environment below config is the flag fast_lane on? Answer with its name.',
      files: {
        'config/production.ini': 'fast_lane = off\nworkers = 8\n',
        'config/staging.ini': 'workers = 2\nfast_lane = on\n',
        'config/testing.ini': 'workers = 1\nfast_lane = off\n',
      },
      target: 'staging',
    },
    {
      id: 'search.error-code',
      input: 'Which request in the logs failed with the error E4417? Answer with its ID.',
      files: {
        'logs/monday.log': 'req-1a2b ok\nreq-77d0 error E4471\n',
        'logs/tuesday.log': 'req-5e11 ok\nreq-9f3c error E4417\nreq-5e12 ok\n',
        'logs/wednesday.log': 'req-0b0b error E4147\n',
      },
      target: 'req-9f3c',
    },
  ]);
}

function edit(): SuiteCaseInput[] {
  return group('edit', [
    {
      id: 'edit.value',
      input: 'In app.ini, change the timeout to 45. Leave everything else as it is.',
      files: { 'app.ini': '[net]\ntimeout = 30\nretries = 3\n\n[ui]\ntheme = dark\n' },
      checks: [
        command(
          "printf '[net]\\ntimeout = 45\\nretries = 3\\n\\n[ui]\\ntheme = dark\\n' | diff -bB - app.ini",
        ),
      ],
    },
    {
      id: 'edit.append',
      input: 'Add the line "- [ ] water the plants" to the end of todo.md.',
      files: { 'todo.md': '- [x] buy stamps\n- [ ] call Ada\n' },
      checks: [
        command(
          "printf -- '- [x] buy stamps\\n- [ ] call Ada\\n- [ ] water the plants\\n' | diff -bB - todo.md",
        ),
      ],
    },
    {
      id: 'edit.bug',
      input: 'The script add.sh should print the sum of its two arguments, but its result is wrong. Fix it.',
      files: { 'add.sh': '#!/bin/sh\n# Prints the sum of two numbers.\necho $(($1 - $2))\n' },
      checks: [command('test "$(sh add.sh 19 23)" = 42 && test "$(sh add.sh 0 5)" = 5')],
    },
    {
      id: 'edit.key',
      input: 'In theme.json, rename the key "colour" to "color". Keep its value and the other keys.',
      files: { 'theme.json': '{\n  "name": "sea",\n  "colour": "teal",\n  "dense": false\n}\n' },
      checks: [
        command('tr -d "[:space:]" < theme.json | grep -qxF \'{"name":"sea","color":"teal","dense":false}\''),
      ],
    },
    {
      id: 'edit.remove-line',
      input: 'Remove the host old.example.org from hosts.txt, and no other.',
      files: { 'hosts.txt': 'a.example.org\nold.example.org\nb.example.org\nolder.example.org\n' },
      checks: [
        command("printf 'a.example.org\\nb.example.org\\nolder.example.org\\n' | diff -bB - hosts.txt"),
      ],
    },
  ]);
}

function steps(): SuiteCaseInput[] {
  return group('several steps', [
    {
      id: 'steps.split',
      input:
        'Split sales.txt: write the lines that begin with "north" to north.txt and those that begin with "south" to south.txt.',
      files: { 'sales.txt': 'north 12\nsouth 7\nnorth 30\nsouth 9\n' },
      checks: [
        command("printf 'north 12\\nnorth 30\\n' | diff -bB - north.txt"),
        command("printf 'south 7\\nsouth 9\\n' | diff -bB - south.txt"),
      ],
    },
    {
      id: 'steps.move',
      input: 'Move draft.md to final/article.md. The folder final does not exist yet.',
      files: { 'draft.md': '# On patience\n\nIt takes a while.\n' },
      checks: [contains('final/article.md', 'It takes a while.'), command('! test -e draft.md')],
    },
    {
      id: 'steps.project',
      input:
        'Make a folder hello with two files: README.md with the title "# Hello", and main.sh, a shell script that prints "hello world".',
      checks: [contains('hello/README.md', '# Hello'), command('test "$(sh hello/main.sh)" = "hello world"')],
    },
    {
      id: 'steps.join',
      input: 'Join part1.txt, part2.txt and part3.txt in this order into all.txt. Keep the parts.',
      files: { 'part1.txt': 'once\nupon\n', 'part2.txt': 'a\n', 'part3.txt': 'time\n' },
      checks: [command('cat part1.txt part2.txt part3.txt | diff -bB - all.txt')],
    },
    {
      id: 'steps.index',
      input: 'Write INDEX.md with one line per Markdown file in guides: its path and its title.',
      files: {
        'guides/install.md': '# Installing the pump\n\nFirst, the valve.\n',
        'guides/clean.md': '# Cleaning the filter\n\nWeekly.\n',
        'guides/store.md': '# Storing for winter\n\nDry.\n',
      },
      checks: [
        command("grep 'guides/install.md' INDEX.md | grep -q 'Installing the pump'"),
        command("grep 'guides/clean.md' INDEX.md | grep -q 'Cleaning the filter'"),
        command("grep 'guides/store.md' INDEX.md | grep -q 'Storing for winter'"),
      ],
    },
  ]);
}

function results(): SuiteCaseInput[] {
  return group('use of results', [
    {
      id: 'results.trail',
      input: 'Start with start.txt and follow the trail to its end. What is the code there?',
      files: {
        'start.txt': 'Go on with hall/clock.txt.\n',
        'hall/clock.txt': 'Go on with cellar/shelf.txt.\n',
        'cellar/shelf.txt': 'The code is MARLIN-58.\n',
        'cellar/box.txt': 'The code is HERRING-12. It is not the right one.\n',
      },
      target: 'MARLIN-58',
    },
    {
      id: 'results.longest-file',
      input: 'Which file in the folder data has the most lines? Write its name to longest.txt.',
      files: {
        'data/alpha.csv': 'a long line that is the only one of this file, with many, many, many columns\n',
        'data/beta.csv': '1\n2\n3\n4\n5\n6\n7\n',
        'data/gamma.csv': '1,1,1,1,1,1\n2,2,2,2,2,2\n3,3,3,3,3,3\n',
      },
      checks: [contains('longest.txt', 'beta.csv'), command('! grep -qE "alpha|gamma" longest.txt')],
    },
    {
      id: 'results.output',
      input: 'Run "sh token.sh" and write exactly what it prints to token.txt.',
      files: { 'token.sh': 'printf \'K-%s\\n\' "$((7 * 6 * 1009))"\n' },
      checks: [holds('token.txt', 'K-42378')],
    },
    {
      id: 'results.branch',
      input:
        'Read mode.txt. If it says A, write "alpha" to a.txt. If it says B, write "beta" to b.txt. Make no other file.',
      files: { 'mode.txt': 'B\n' },
      checks: [holds('b.txt', 'beta'), command('! test -e a.txt')],
    },
    {
      id: 'results.filter',
      input: 'Write the names of everyone in people.csv who is older than 40 to older.txt, one per line.',
      files: { 'people.csv': 'name,age\nUma,39\nOtto,58\nLena,41\nPaul,40\nRosa,72\n' },
      checks: [command("sort older.txt | tr -d ' ' | grep . | tr '\\n' ' ' | grep -qx 'Lena Otto Rosa '")],
    },
  ]);
}

function recover(): SuiteCaseInput[] {
  return group('recovering from errors', [
    {
      id: 'recover.wrong-path',
      input: 'By how much did sales grow, according to report.txt?',
      files: {
        'archive/2024/report.txt': 'Sales grew by 11.8 percent.\n',
        'archive/readme.txt': 'One folder per year.\n',
      },
      target: ['11.8', '11,8'],
    },
    {
      id: 'recover.failing-script',
      input: 'Run "sh build.sh". If it fails, do what it says, so that it succeeds.',
      files: {
        'build.sh':
          'if ! test -f settings.env; then\n  echo "settings.env is missing: copy settings.example.env" >&2\n  exit 1\nfi\n. ./settings.env\necho "built $NAME" > build.txt\n',
        'settings.example.env': 'NAME=heron\n',
      },
      checks: [exists('settings.env'), holds('build.txt', 'builtheron')],
    },
    {
      id: 'recover.broken-json',
      input: 'data.json is not valid JSON. Fix it without changing its values.',
      files: { 'data.json': '{\n  "a": 1,\n  "b": [2, 3,],\n}\n' },
      checks: [command('tr -d "[:space:]" < data.json | grep -qxF \'{"a":1,"b":[2,3]}\'')],
    },
    {
      id: 'recover.missing-file',
      input:
        'Write the first line of ledger.txt to first.txt. If there is no ledger.txt, write "no ledger" to first.txt.',
      files: { 'letter.txt': 'Dear Ada,\n' },
      checks: [holds('first.txt', 'noledger')],
    },
    {
      id: 'recover.missing-command',
      input:
        'Count the lines of poem.txt with the command "linecount". If it is not installed, count them in another way. Write the number to lines.txt.',
      files: { 'poem.txt': 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n' },
      checks: [holds('lines.txt', '7')],
    },
  ]);
}

function arithmetic(): SuiteCaseInput[] {
  return group('arithmetic by tool', [
    {
      id: 'arithmetic.product',
      input: 'What is 48391 times 72917? Compute it with a command.',
      target: ['3528526547', '3,528,526,547', '3 528 526 547', '3.528.526.547'],
    },
    {
      id: 'arithmetic.column',
      input: 'Write the sum of the amounts in amounts.csv to total.txt, with two decimals.',
      files: { 'amounts.csv': 'item,amount\npaper,12.40\nink,38.95\nstamps,7.05\nstring,103.61\n' },
      checks: [holds('total.txt', '162.01')],
    },
    {
      id: 'arithmetic.average',
      input: 'Write the average of the numbers in values.txt to average.txt, with one decimal.',
      files: { 'values.txt': '12\n81\n35\n22\n' },
      checks: [holds('average.txt', '37.5')],
    },
    {
      id: 'arithmetic.seconds',
      input: 'How many seconds are 17 days, 5 hours and 42 minutes? Write the number to seconds.txt.',
      checks: [holds('seconds.txt', '1489320')],
    },
    {
      id: 'arithmetic.count',
      input: 'How often does the letter "e" occur in line.txt? Write the number to letters.txt.',
      files: { 'line.txt': 'nevertheless, the seventeen eccentric geese preferred the sweeter cheese\n' },
      checks: [
        command('test "$(tr -d "[:space:]" < letters.txt)" = "$(tr -cd e < line.txt | wc -c | tr -d " ")"'),
      ],
    },
  ]);
}

function restraint(): SuiteCaseInput[] {
  const kept = { 'keep.txt': 'Do not touch.\n' };
  const untouched = command('test "$(ls)" = keep.txt && printf \'Do not touch.\\n\' | cmp - keep.txt');
  return group('when not to act', [
    {
      id: 'restraint.greeting',
      input: 'Answer with the single word "hello". Change no file.',
      files: kept,
      target: 'hello',
      checks: [untouched],
    },
    {
      id: 'restraint.known',
      input: 'What is the capital of Japan? Answer in one word, without using a tool.',
      files: kept,
      target: 'Tokyo',
      checks: [untouched],
    },
    {
      id: 'restraint.given-text',
      input:
        'Which animal does this sentence name? "Behind the shed, an otter was asleep." Answer in one word. Everything you need is here.',
      files: kept,
      target: 'otter',
      checks: [untouched],
    },
    {
      id: 'restraint.already-done',
      input: 'Switch off debug in app.ini. If it is off already, change nothing and answer "already off".',
      files: { 'app.ini': 'debug = off\nlevel = 2\n' },
      target: 'already off',
      checks: [command('test "$(ls)" = app.ini && printf \'debug = off\\nlevel = 2\\n\' | cmp - app.ini')],
    },
    {
      id: 'restraint.advice-only',
      input: 'Which file in the folder old is empty, and could be deleted? Only name it: delete nothing.',
      files: { 'old/a.log': 'x\n', 'old/b.log': '', 'old/c.log': 'y\n' },
      target: 'b.log',
      checks: [exists('old/a.log'), exists('old/b.log'), exists('old/c.log')],
    },
  ]);
}
