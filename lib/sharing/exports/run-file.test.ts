import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type RunEvent, runEvent } from '../../events/registry.ts';
import { ladderLog } from '../../testing/sample-ladder.ts';
import { completedLog, endedLog, longLog, runningLog, verifiedLog } from '../../testing/sample-logs.ts';
import { exploreLog, sessionLog } from '../../testing/sample-modes.ts';
import { linesOf, type ReadRun, readRunFile, runFile, runFileHeader } from './run-file.ts';

async function* pagesOf(events: readonly RunEvent[], size = 7) {
  for (let from = 0; from < events.length; from += size) yield events.slice(from, from + size);
}

async function textOf(events: readonly RunEvent[]): Promise<string> {
  let text = '';
  for await (const page of runFile('sample', pagesOf(events))) {
    text += page.map((value) => `${JSON.stringify(value)}\n`).join('');
  }
  return text;
}

/** The bytes of a text in chunks, as from a network. */
async function* bytesOf(text: string, size = 1000) {
  const bytes = new TextEncoder().encode(text);
  for (let from = 0; from < bytes.length; from += size) yield bytes.slice(from, from + size);
}

const read = (text: string, size?: number) => readRunFile(linesOf(bytesOf(text, size)));

/** As the store reads them. */
const eventsOf = ({ rows, state: { runId } }: ReadRun) =>
  rows.map(({ seq, at, body }) => ({ run_id: runId, seq, at, ...JSON.parse(body) }));

/** As the store writes it: through the schema, which orders the fields. */
const stored = (log: { events: readonly RunEvent[] }) => log.events.map((event) => runEvent.parse(event));

const logs = {
  completed: completedLog(),
  running: runningLog(),
  failed: endedLog('error'),
  verified: verifiedLog(),
  ladder: ladderLog(),
  session: sessionLog(),
  exploration: exploreLog(5),
  long: longLog(2000),
};

describe('a run file', () => {
  it.each(Object.entries(logs))('round trip: %s comes back byte for byte', async (_, log) => {
    const text = await textOf(stored(log));
    const run = await read(text);
    expect(eventsOf(run)).toEqual(log.events);
    expect(await textOf(eventsOf(run))).toBe(text);
  });

  it('round trip: wherever the network cuts the bytes', async () => {
    const text = await textOf(
      stored(completedLog({ config: { task: 'Fäße, 漢字, 🦊 and \u2028 and {{n}}' } })),
    );
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 300 }), async (size) => {
        expect(await textOf(eventsOf(await read(text, size)))).toBe(text);
      }),
      { numRuns: 20 },
    );
  });

  it('also reads a bare log, and a last line without a line break', async () => {
    const { events } = completedLog();
    const bare = events.map((event) => JSON.stringify(event)).join('\n');
    expect(eventsOf(await read(bare))).toEqual(events);
  });

  it('can be a bug bundle', async () => {
    const { events } = completedLog();
    const about = { loupe: '0.1.0', node: '24', platform: 'linux x64', settings: { LOUPE_CONCURRENCY: 1 } };
    const text = [runFileHeader('sample', { about }), ...events]
      .map((value) => JSON.stringify(value))
      .join('\n');
    expect(eventsOf(await read(text))).toEqual(events);
  });
});

describe('a hostile run file', () => {
  const { events } = completedLog();
  const lines = events.map((event) => JSON.stringify(event));
  const withLine = (index: number, line: string) =>
    [...lines.slice(0, index), line, ...lines.slice(index + 1)].join('\n');
  const refused = (text: string) => expect(read(text)).rejects;

  it('is refused with the line number and the reason', async () => {
    await refused('').toThrow('has no events');
    await refused('<html>').toThrow('line 1 is not JSON');
    await refused(withLine(3, '{"a":')).toThrow('line 4 is not JSON');
    await refused(withLine(3, 'null')).toThrow('line 4');
    await refused(withLine(3, '{"type":"run.exploded"}')).toThrow('unknown event type');
    await refused('{"resourceSpans":[]}').toThrow(/line 1 is not an event of a run\.$/);
    await refused(withLine(3, lines[2] ?? '')).toThrow('line 4 has event 3 where 4 is expected');
    await refused(lines.slice(1).join('\n')).toThrow('line 1 has event 2 where 1 is expected');
    await refused(withLine(1, (lines[1] ?? '').replace('"sample"', '"other"'))).toThrow('belongs to the run');
    await refused(
      [...lines, (lines[0] ?? '').replace('"seq":1', `"seq":${lines.length + 1}`)].join('\n'),
    ).toThrow('"run.created"');
  });

  it('is refused if it has a newer format version', async () => {
    await refused(
      `${JSON.stringify({ ...runFileHeader('sample'), version: 3 })}\n${lines.join('\n')}`,
    ).toThrow('version 3, and this Loupe reads versions up to 2');
  });

  it('is refused if it is deeply nested, without a stack overflow', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    await refused(withLine(3, deep)).toThrow('levels deep');
  });

  it('is refused if it has a `__proto__` field', async () => {
    const [first = ''] = lines;
    await refused(
      withLine(0, first.replace('"model_options":{}', '"model_options":{"__proto__":{"x":1}}')),
    ).toThrow('"__proto__"');
    expect(({} as { x?: number }).x).toBeUndefined();
  });

  it('is refused if it has an invalid time', async () => {
    const late = lines.map((line) => line.replace(/"at":\d+/, '"at":8640000000000001'));
    await refused(late.join('\n')).toThrow('line 1 has an invalid time: 8640000000000001.');
  });

  it('is refused if it claims a duration with which sums would be infinite', async () => {
    const claimed = (durationMs: number) =>
      completedLog()
        .events.map((event) => ('duration_ms' in event ? { ...event, duration_ms: durationMs } : event))
        .map((event) => JSON.stringify(event))
        .join('\n');
    await refused(claimed(1e308)).toThrow(/duration_ms: must be at most 9,007,199,254,740,991\.$/);
    const { state } = await read(claimed(Number.MAX_SAFE_INTEGER));
    expect(Number.isFinite(state.spent.modelMs + state.spent.toolMs)).toBe(true);
  });

  it('is refused if it claims a cost that no one can have paid', async () => {
    const claimed = (cost: number) =>
      completedLog()
        .events.map((event) => (event.type === 'run.ended' ? { ...event, cost_usd: cost } : event))
        .map((event) => JSON.stringify(event))
        .join('\n');
    await refused(claimed(1e308)).toThrow(/cost_usd: must be at most 9,007,199,254,740,991\.$/);
    await refused(claimed(-1)).toThrow(/cost_usd: /);
    expect((await read(claimed(0.25))).state.ended).toMatchObject({ cost_usd: 0.25 });
  });

  it('is refused if it is not text', async () => {
    const bytes = (async function* () {
      yield new Uint8Array([0xff, 0xfe, 0x00]);
    })();
    await expect(readRunFile(linesOf(bytes))).rejects.toThrow('UTF-8');
  });

  it('is always either read or refused, whatever is changed in it', async () => {
    const text = lines.join('\n');
    await fc.assert(
      fc.asyncProperty(
        fc.nat(text.length - 1),
        fc.string({ maxLength: 12 }),
        fc.nat(40),
        async (at, put, cut) => {
          const changed = text.slice(0, at) + put + text.slice(at + cut);
          const outcome = await read(changed).then(
            (run) => run.rows.length > 0,
            (error: { code?: string }) => error.code === 'bad_run_file',
          );
          expect(outcome).toBe(true);
        },
      ),
      { numRuns: 200 },
    );
  });
});
