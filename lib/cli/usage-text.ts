import { RUN_SORTS } from '../api/run-order.ts';
import { EXPORT_FORMATS } from '../client/loupe.ts';
import { DEFAULT_PORT } from '../config/environment.ts';
import { MAX_SCORE } from '../events/limits.ts';
import { CHECK_USAGE } from './check-argument.ts';
import type { CommandName } from './command-names.ts';
import { EXPERIMENT_USAGE } from './experiment-arguments.ts';
import { BUDGET_FLAGS, type Flag, SETTING_FLAGS } from './setting-flags.ts';

/** The options, on lines of at most 100 characters. */
function usageOf(options: readonly string[]): string {
  const [first = '', ...rest] = options;
  const lines = [first];
  for (const option of rest) {
    const longer = `${lines.at(-1)}  ${option}`;
    if (longer.length > 100) lines.push(option);
    else lines.splice(-1, 1, longer);
  }
  return lines.join('\n      ');
}

function nameOf(flag: Flag): string {
  return flag.type === 'switch' ? `--${flag.flag}` : `--${flag.flag} ${placeholder(flag)}`;
}

function placeholder({ type, options, unit, isList, isJson }: Flag): string {
  if (options) return options.join('|');
  if (isJson) return 'JSON';
  if (isList) return 'NAME,NAME';
  if (type === 'number') return unit === 'USD' ? unit : 'N';
  return 'TEXT';
}

export const USAGE = `loupe: control Loupe runs from a terminal. The server must be running (npm start).

  loupe run "TASK" --model|-m NAME [--workspace|-w FOLDER] [options]
  loupe run --preset|-p NAME [--set PLACEHOLDER=TEXT] [options]     options override the preset
      --mode task|session|explore   default: task
      ${usageOf(['--title TEXT', ...SETTING_FLAGS.map(nameOf)])}
      ${usageOf(BUDGET_FLAGS.map(nameOf))}   budget (cost: the model needs a price)
      --check KIND=VALUE            a check of the finished work; may be repeated:
${CHECK_USAGE.map((usage) => `                                      ${usage}`).join('\n')}
                                    with further fields as JSON: '{"type":"answer_equals","value":42,"tolerance":0.5}'
      --option KEY=VALUE            model option, such as temperature=0 or seed=7; may be repeated
      --set FIELD=JSON              any other field of POST /api/runs (docs/api.md); may be repeated
      --image FILE                  an image for the task (PNG, JPEG, WebP, GIF); may be repeated
      --no-tools                    one answer without tools
      --live                        print the text while the model writes it
      --detach                      start it, print its ID, and return
      --json                        print events as JSON Lines
  loupe follow RUN [--after SEQ] [--json]
  loupe list [--limit N] [--tag TAG] [--folder PATH] [--model NAME] [--outcome KIND] [--since DAY] [--until DAY]
             [--archived only|all] [--sort ${Object.keys(RUN_SORTS).join('|')}] [--json]
      list runs, by default the newest 20
  loupe note RUN ["TEXT"] [--title TEXT] [--tag TAG] [--untag TAG] [--score 0-${MAX_SCORE}] [--pin|--unpin] [--archive|--unarchive]
      add a note, tags or a score to a run; its log stays as it is. --tag and --untag may be repeated;
      an empty TEXT or title removes it
  loupe stop RUN [--force]          after the current step, or immediately
  loupe say RUN "TEXT" [--image FILE]
  loupe export RUN [--format ${EXPORT_FORMATS.join('|')}] [--raw] [--output|-o FILE]
      default: run. Only run, bundle and events can be imported. bundle is always redacted; scenario, spans, html and md
      unless --raw is given
  loupe import FILE
  loupe presets [--json]            list the presets with their placeholders
  loupe rate RUN… --by MODEL [--with NAME|FILE] [--part output|reflections|last_cycle] [--title TEXT] [--json]
  loupe rate --continue RATING      rate texts of runs by models (--by may be repeated; --with defaults to experience);
                                    exits with 0 if every model has rated every text, else 1
  loupe check MODEL [--json]        run ten probes of the model's tool use; exits with 0 if all pass, else 1
  loupe check MODEL --mcp NAME      ask the model to call the accepted tools of an MCP server, or the custom tools ("custom");
                                    no call is made; exits with 0 if all calls are right, else 1
${EXPERIMENT_USAGE}
  loupe mcp                         serve Loupe to other agents as an MCP server on standard input and output (docs/mcp.md)
  loupe benchmark FOLDER --model|-m NAME [--categories NAME,NAME] [--limit N] [--think] [--json]
      cases of the Berkeley Function Calling Leaderboard, judged on native calls alone and on calls as Loupe reads them; FOLDER is
      the unpacked Python package bfcl-eval; --model may be repeated. To continue a stopped one: loupe benchmark --continue ID
  loupe version                     print the version of Loupe

All commands: --url http://127.0.0.1:${DEFAULT_PORT}, or LOUPE_URL. The token is LOUPE_TOKEN, else the one in the data directory.
Ctrl-C stops a check, a rating or a benchmark, a run after the current step, and an experiment after the current run; pressed again, it stops the
run or the experiment immediately. In "follow" it only disconnects.
With --json, each event, or each entry of a list, is one line of JSON.
An export goes to standard output unless --output names a new file; --output - is standard output.
Progress goes to standard error, the answer to standard output. A session prints everything the model says, as it is written.
A session waits for a message after each answer: "run" sends each line of standard input as one, and ends the session when the input
ends. With --autopilot it continues by itself within its limits (autopilot_turns, autopilot_seconds).

Exit codes: 0 answered, or a session that ended with its input;
10 iteration limit, 11 repetition, 12 stall, 13 stayed silent, 14 budget, 15 timeout, 16 window full, 17 stopped,
18 error, 19 answered but checks failed, 20 answer cut off, 21 announced work and did none, 22 answer does not fit its schema;
1 any other failure, 2 usage error, 69 server unreachable, 77 not signed in, 141 output closed by its reader.
`;

/** The part of `USAGE` about one command. */
export function usageOfCommand(name: CommandName): string {
  let about = '';
  const lines = USAGE.split('\n').filter((line) => {
    about = /^ {2}loupe (\S+)/.exec(line)?.[1] ?? (line.startsWith(' ') ? about : '');
    return about === name;
  });
  const common = USAGE.split('\n').find((line) => line.startsWith('All commands:'));
  return lines.length === 0
    ? USAGE
    : `${lines.join('\n')}\n\n${common}\nThe other commands and the exit codes: loupe help\n`;
}
