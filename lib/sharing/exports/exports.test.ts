import fc from 'fast-check';
import { expect, it } from 'vitest';
import { foldAll } from '../../events/fold-run.ts';
import type { RunEvent } from '../../events/registry.ts';
import { emptyRunState } from '../../events/run-state.ts';
import type { ShareScope } from '../../events/share-scopes.ts';
import {
  approvalLog,
  completedLog,
  endedLog,
  repairedLog,
  runningLog,
  SampleLog,
  sampleFork,
  verifiedLog,
} from '../../testing/sample-logs.ts';
import { exploreLog, sessionLog } from '../../testing/sample-modes.ts';
import { formatUsd } from '../../util/format-usd.ts';
import type { RedactorOptions } from '../redaction/redactor.ts';
import { exportedLog } from './exported-log.ts';
import { htmlExport } from './html-export.ts';
import { codeSpan, fenced, markdownExport } from './markdown-export.ts';

const assets = {
  script: 'show()',
  formulas: 'draw()',
  style: '',
  scriptHash: 'sha256-A',
  formulasHash: 'sha256-C',
  styleHash: 'sha256-B',
};

async function* pagesOf(events: readonly RunEvent[]) {
  for (let from = 0; from < events.length; from += 7) yield events.slice(from, from + 7);
}

function leaving(
  log: Pick<SampleLog, 'events'>,
  options: { scope?: ShareScope; redaction?: RedactorOptions } = {},
) {
  const [first] = log.events;
  if (first?.type !== 'run.created') throw new Error('a log begins with its run');
  return exportedLog({
    config: first.config,
    read: () => pagesOf(log.events),
    scope: options.scope ?? 'everything',
    redaction: options.redaction,
  });
}

async function html(log: Pick<SampleLog, 'events'>, options: Parameters<typeof leaving>[1] = {}) {
  let text = '';
  for await (const piece of htmlExport(await leaving(log, options), assets)) text += piece;
  return text;
}

/** The data that the player in the page reads. */
function sourceIn(page: string): { events: unknown[]; shared: { redacted?: number; frozen_at?: number } } {
  const [, json = ''] =
    /<script type="application\/json" id="loupe-source">(.*?)<\/script>/s.exec(page) ?? [];
  return JSON.parse(json);
}

it('the page holds the whole log, unchanged when it is asked for as it is', async () => {
  for (const log of [completedLog({}), sessionLog({}), exploreLog(4), repairedLog({})]) {
    const { events, shared } = sourceIn(await html(log));
    expect(events).toEqual(JSON.parse(JSON.stringify(log.events)));
    expect(shared.redacted).toBeUndefined();
  }
});

it('a value that turns out to be a secret late in the log is masked from its beginning, in both files', async () => {
  const secret = 'hunter2-Horse-Battery';
  const { events } = completedLog({ config: { task: `Log in with ${secret} and look.` } });
  const telling = events.map(
    (event): RunEvent =>
      event.type === 'tool-call.ended' && event.result.success
        ? { ...event, result: { ...event.result, output: { content: `password: ${secret}` } } }
        : event,
  );
  const options = { redaction: { workspace: '/home/ada/projects/quarterly-reports' } };
  const page = await html({ events: telling }, options);
  const summary = await markdownExport(await leaving({ events: telling }, options));
  for (const file of [page, summary]) {
    expect(file).not.toContain(secret);
    expect(file).not.toContain('/home/ada');
  }
  expect(sourceIn(page).events).toHaveLength(telling.length);
  expect(sourceIn(page).shared.redacted).toBeGreaterThan(0);
});

it('a file of a smaller scope has every event and fewer words', async () => {
  const log = completedLog({});
  const page = await html(log, { scope: 'summary' });
  expect(sourceIn(page).events).toHaveLength(log.events.length);
  expect(page).not.toContain('Revenue rose');
  expect(page).toContain('"scope":"summary"');
});

it('texts over 64 KB are whole in the page, and the summary says how much of them it left out', async () => {
  const secret = 'AKIAIOSFODNN7EXAMPLF';
  const words = `${'lorem '.repeat(20_000).slice(0, 65_529)} ${secret} ${'ipsum '.repeat(20_000)}The task is completed.`;
  const log = completedLog({});
  const events = log.events.map((event): RunEvent => {
    switch (event.type) {
      case 'model-call.ended':
        return { ...event, message: { ...event.message, content: words } };
      case 'reply.parsed':
        return { ...event, text: words };
      case 'run.ended':
        return { ...event, result: { ...event.result, output: words } };
      default:
        return event;
    }
  });
  const masked = words.replace(secret, '‹aws key 1›');
  const page = await html({ events }, { redaction: {} });
  const summary = await markdownExport(await leaving({ events }, { redaction: {} }));
  const shown = JSON.stringify(sourceIn(page).events);
  expect(shown.includes(JSON.stringify(masked))).toBe(true);
  expect(shown.includes('"cuts"')).toBe(false);
  expect((page + summary).includes('AKIA')).toBe(false);
  expect(summary).toMatch(/\(\d+ more characters\)/);
  // The answer is the main part of the summary.
  expect(summary.includes(masked)).toBe(true);
});

it('says when a run had not ended', async () => {
  const { events } = completedLog({});
  const part = { events: events.slice(0, 12) };
  expect(sourceIn(await html(part)).shared.frozen_at).toBe(events[11]?.at);
  expect(await markdownExport(await leaving(part))).toContain(
    'The run had not ended when this was exported.',
  );
});

it('the summary of a run reads like this', async () => {
  expect(await markdownExport(await leaving(completedLog({})))).toMatchSnapshot();
  expect(await markdownExport(await leaving(endedLog('repetition'), { redaction: {} }))).toMatchSnapshot();
});

it('the summary of a fork says where the copied part ends, from where times count anew', async () => {
  const { events } = completedLog();
  const source = events.filter(({ type }) => type !== 'run.ended');
  const { seq = 0, at = 0 } = source.at(-1) ?? {};
  const fork = { ...sampleFork({ run_id: 'first', seq }), run_id: 'sample', seq: seq + 1, at };
  const text = await markdownExport(await leaving({ events: [...source, fork] }));
  expect(text).toMatch(/### Iteration 4 [^#]*- `Forked from run first after event \d+; no changes`\n/);
});

it('the summary of a run with a price says what it has cost before it ends, as its page does', async () => {
  const price = { kind: 'api', input_usd_per_million: 3, output_usd_per_million: 15 } as const;
  const { events } = completedLog({ config: { price } });
  const text = async (part: readonly RunEvent[]) => markdownExport(await leaving({ events: [...part] }));
  const costUsd = (part: readonly RunEvent[]) =>
    foldAll(emptyRunState(events[0]?.run_id ?? ''), part).costUsd;
  for (const part of [events, events.slice(0, -1)]) {
    expect(await text(part)).toContain(`- Cost: ${formatUsd(costUsd(part) ?? 0)}\n`);
  }
});

it('the summary has the figures of the page of the run', async () => {
  const figures = async (log: Pick<SampleLog, 'events'>) => {
    const text = await markdownExport(await leaving(log));
    return text.split('\n').filter((line) => /^- (Ended|Tool calls): /.test(line));
  };
  // Two calls ran, and a person refused one; the wait for the person is not work.
  expect(await figures(approvalLog())).toEqual([
    '- Ended: not yet, after working for 14.5 s',
    '- Tool calls: 2',
  ]);
  // One of its calls has not returned yet.
  expect(await figures(runningLog())).toContain('- Tool calls: 4');
  // It waits in the queue.
  expect(await figures(new SampleLog())).toEqual(['- Ended: not yet', '- Tool calls: 0']);
});

it.each([
  ['session', sessionLog(), { type: 'turn.ended', iteration: 5, outcome: 'text' }],
  [
    'exploration',
    exploreLog(2, { open: true }),
    { type: 'cycle.reflected', cycle: 2, text: 'Noted.', ended_by: 'reflection' },
  ],
] as const)('the summary of a run says when it handed over, and with what: %s', async (_, log, ended) => {
  const iteration = 6;
  log.reply({ text: 'Noted.' }).push(ended);
  log.push({
    ...{ type: 'handover.started', iteration, tokens: 900, limit_tokens: 1000, measured: true },
    text: 'Write a summary.',
  });
  log.iteration().callStarts().reply({ text: 'What I must not forget.' });
  const summary = 'You wrote: What I must not forget.';
  log.push({ type: 'handover.ended', iteration, outcome: 'done', text: summary });
  const text = await markdownExport(await leaving(log));
  const at = [
    'Handover: the conversation has 900 of 1,000 tokens, so the model is asked for a summary',
    '```text\nWhat I must not forget.\n```',
    'The conversation continues in a fresh context that begins with the summary',
  ].map((words) => text.indexOf(words));
  expect(at).toEqual(at.toSorted((a, b) => a - b));
  expect(at).not.toContain(-1);
});

it('the summary of a session numbers and counts its turns without those that wrote a summary for a handover', async () => {
  const log = sessionLog();
  log.reply({ text: 'Noted.' }).push({ type: 'turn.ended', iteration: 5, outcome: 'text' });
  log.push({
    ...{ type: 'handover.started', iteration: 5, tokens: 900, limit_tokens: 1000, measured: true },
    text: 'Write a summary.',
  });
  log.iteration().callStarts().reply({ text: 'What I must not forget.' });
  log.push({ type: 'handover.ended', iteration: 6, outcome: 'done', text: 'You wrote: this.' });
  log.iteration().callStarts().reply({ text: 'Done.' });
  log.push({ type: 'turn.ended', iteration: 7, outcome: 'text' });
  const text = await markdownExport(await leaving(log));
  expect(text).toContain('\n- Turns: 6\n');
  const headings = [...text.matchAll(/^### (.*) \(/gm)].map(([, heading]) => heading);
  expect(headings.slice(-3)).toEqual(['Turn 5', 'Summary', 'Turn 6']);
});

it('the summary puts messages beside the list of calls, not into it', async () => {
  const text = await markdownExport(await leaving(exploreLog(7)));
  expect(text).toMatch(/\n\nTo the operator:\n\n```/);
  expect(text).toMatch(/\n\nFrom the operator:\n\n```/);
  expect(text).not.toMatch(/[^\n]\n(To|From) the operator:/);
});

it('counts the characters that the summary cuts off', async () => {
  const said = async (text: string) =>
    markdownExport(await leaving(new SampleLog().prepare().iteration().callStarts().reply({ text })));
  expect(await said('a'.repeat(700))).toContain(`${'a'.repeat(599)}…`);
  expect(await said('a'.repeat(700))).toContain('(101 more characters)');
  expect(await said(`Done.${'\n'.repeat(700)}`)).not.toContain('more characters');
});

it('the summary names the outcome, even where the scope leaves out what the model said', async () => {
  const log = verifiedLog({});
  const cut = log.events.map(
    (event): RunEvent =>
      event.type === 'run.ended'
        ? { ...event, outcome: { kind: 'answered_cut_off', checks: { failed: 1, total: 2 } } }
        : event,
  );
  for (const scope of ['summary', 'everything'] as const) {
    const text = await markdownExport(await leaving({ events: cut }, { scope }));
    expect(text).toContain('- Ended: Answered, cut off (`final_answer`), after');
    expect(text).toContain('- Checks: 1 of 2 checks passed');
    expect(text).toContain('### Answer, cut off');
  }
  const announced = {
    events: completedLog({}).events.map((event) =>
      event.type === 'run.ended'
        ? { ...event, outcome: { kind: 'announced_work_did_none' as const } }
        : event,
    ),
  };
  expect(await markdownExport(await leaving(announced, { scope: 'summary' }))).toContain(
    '- Ended: Announced work, did none (`final_answer`)',
  );
  expect(await html(announced, { scope: 'summary' })).toContain('"kind":"announced_work_did_none"');
});

it('makes the same summary of the same log, in every mode', async () => {
  for (const make of [() => verifiedLog({}), () => sessionLog({}), () => exploreLog(4)]) {
    expect(await markdownExport(await leaving(make()))).toBe(await markdownExport(await leaving(make())));
  }
});

/** Texts that would become markup if they escaped their code block or span. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '`',
        '``',
        '```',
        '\n```\n',
        '~~~',
        '\n',
        '\r',
        '\r\n',
        '![x](http://a.test/p.png)',
        '<img src=x>',
      ),
      fc.string({ unit: 'binary' }),
    ),
  )
  .map((pieces) => pieces.join(''));

it('no text gets out of its block of code', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const [opening = '', ...lines] = fenced(text).split('\n');
      const [, fence = ''] = /^(`{3,})text$/.exec(opening) ?? [];
      // CommonMark: a block ends at the first line that is nothing but at least as many backticks.
      const end = lines.findIndex((line) => new RegExp(`^ {0,3}\`{${fence.length},}[ \\t]*$`).test(line));
      expect(fence).not.toBe('');
      expect(end).toBe(lines.length - 1);
    }),
  );
});

it('no text gets out of its line of code', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const span = codeSpan(text);
      expect(span).not.toMatch(/[\n\r]/);
      // CommonMark: a span ends at the next run of exactly as many backticks as it began with.
      const [mark = ''] = /^`+/.exec(span) ?? [];
      const inner = span.slice(mark.length, -mark.length);
      expect(inner.match(/`+/g)?.some((run) => run.length === mark.length) ?? false).toBe(false);
      expect(inner).not.toMatch(/^`|`$|^$/);
    }),
  );
});

it('names hidden characters, and keeps those that scripts and emoji need', () => {
  const needed = 'می\u200cخواهم क्\u200dष 👩\u200d💻 a\tb';
  expect(fenced(needed)).toContain(`\n${needed}\n`);
  const tags = [...'hide me'].map((sign) => String.fromCodePoint(0xe0000 + sign.charCodeAt(0))).join('');
  for (const write of [fenced, codeSpan]) {
    expect(write(`a\u202eb\u061cc\u00add\u0000e${tags}f`)).toContain(
      'a⟨RLO⟩b⟨ALM⟩c⟨SHY⟩d⟨NUL⟩e⟨TAG hide me⟩f',
    );
  }
});

it('nothing that a model, a tool or a person wrote is markup in a summary', async () => {
  const markup =
    '![p](http://192.0.2.1/p.png) <img src="http://192.0.2.1/i.png"> [l](javascript:x)\n# Heading\n```\nout';
  const log = completedLog({ config: { task: markup, title: `\`${markup}`, model: `m\`${markup}` } });
  const events = log.events.map((event): RunEvent => {
    if (event.type === 'run.ended') {
      return {
        ...event,
        message: markup,
        files_written: [markup],
        result: { ...event.result, output: markup },
      };
    }
    if (event.type === 'tool-call.ended') {
      return { ...event, tool: markup, result: { success: false, tool: markup, output: { error: markup } } };
    }
    return event.type === 'reply.parsed' ? { ...event, text: markup } : event;
  });
  const summary = await markdownExport(await leaving({ events }));
  const outside = withoutCode(summary);
  expect(summary).toContain('192.0.2.1');
  expect(outside).not.toMatch(/192\.0\.2\.1|javascript|<img|Heading/);
});

/** A Markdown text without its code. */
function withoutCode(text: string): string {
  return text
    .replaceAll(/^(`{3,})text\n[\s\S]*?\n\1$/gm, '')
    .replaceAll(/(?<!`)(`+)(?!`)[^\n]*?(?<!`)\1(?!`)/g, '');
}

it('the summary lists auto-run files with the calls that wrote them, as code', async () => {
  const log = new SampleLog({ runId: 'r' }).prepare().round({
    calls: [
      {
        name: 'write_file',
        arguments: { path: '.envrc' },
        result: {
          output: { path: '.envrc', auto_run_files: ['.envrc', '![x](http://192.0.2.1)\n# Heading'] },
        },
      },
    ],
  });
  const { seq } = log;
  log.end('final_answer', { message: 'Done.' });
  const summary = await markdownExport(await leaving(log));
  expect(summary).toContain(`- \`.envrc\` (\`write_file\`, event ${seq})`);
  expect(withoutCode(summary)).not.toMatch(/192\.0\.2\.1|Heading/);
  expect(await markdownExport(await leaving(log, { scope: 'without_results' }))).not.toContain('Auto-run');
});

it('the summary keeps the empty lines of the task and of what the model wrote', async () => {
  const code = 'def first():\n    pass\n\n\ndef second():\n    pass';
  const { events } = new SampleLog({ config: { task: `Write this:\n\n\n\n${code}` } }).push({
    type: 'cycle.reflected',
    cycle: 1,
    text: code,
    ended_by: 'reflection',
  });
  const summary = await markdownExport(await leaving({ events }));
  expect(summary).toContain(`Write this:\n\n\n\n${code}\n`);
  expect(summary).toContain(`\`\`\`text\n${code}\n\`\`\``);
  expect(summary.replaceAll(code, '').replaceAll('\n\n\n\n', '')).not.toContain('\n\n\n');
});
