import { describe, expect, it } from 'vitest';
import { completedLog, longLog } from '../../testing/sample-logs.ts';
import { readInProcess } from './read-in-process.ts';
import { runFileHeader } from './run-file.ts';

const importedAt = 1_800_000_000_000;

function textOf({ events }: { events: readonly object[] }): string {
  return [runFileHeader('sample'), ...events].map((value) => `${JSON.stringify(value)}\n`).join('');
}

async function* bytesOf(text: string, size = 10_000) {
  const bytes = new TextEncoder().encode(text);
  for (let from = 0; from < bytes.length; from += size) yield bytes.slice(from, from + size);
}

describe('a run file, read in a separate process', () => {
  it('hands over its row and all its events, and other work goes on meanwhile', async () => {
    const log = longLog(3000);
    let turns = 0;
    const turning = setInterval(() => turns++, 1);
    await using file = await readInProcess(bytesOf(textOf(log)), { importedAt });
    clearInterval(turning);
    expect(turns).toBeGreaterThan(2);
    expect(file.summary).toMatchObject({ id: 'sample', phase: 'ended', imported_at: importedAt });
    const seqs = [];
    for await (const rows of file.slices) seqs.push(...rows.map(({ seq }) => seq));
    expect(seqs).toEqual(log.events.map(({ seq }) => seq));
  });

  it('is received to the end, even when it is refused at its first line', async () => {
    let received = 0;
    async function* bytes() {
      for (const line of ['<html>\n', ...Array.from({ length: 50 }, () => 'more\n')]) {
        await new Promise(setImmediate);
        received += 1;
        yield new TextEncoder().encode(line);
      }
    }
    await expect(readInProcess(bytes(), { importedAt })).rejects.toMatchObject({
      code: 'bad_run_file',
      message: expect.stringContaining('line 1 is not JSON'),
      hint: expect.any(String),
    });
    expect(received).toBe(51);
  });

  it('ends when its request is aborted, while it arrives and afterwards', async () => {
    const early = new AbortController();
    async function* endless() {
      for (;;) {
        early.abort();
        early.signal.throwIfAborted();
        yield new Uint8Array();
      }
    }
    await expect(readInProcess(endless(), { importedAt, signal: early.signal })).rejects.toThrow('aborted');
    const late = new AbortController();
    await using file = await readInProcess(bytesOf(textOf(completedLog())), {
      importedAt,
      signal: late.signal,
    });
    late.abort();
    await expect(file.slices[Symbol.asyncIterator]().next()).rejects.toThrow('aborted');
  });

  it('is refused, and the server lives, when reading it takes too much memory', async () => {
    // Three bytes in the file, but more than ten times as many in memory.
    const hostile = `[${'[],'.repeat(8_000_000)}[]]\n`;
    async function* bytes() {
      yield new TextEncoder().encode(hostile);
    }
    const refusal = readInProcess(bytes(), { importedAt, maxMemoryMb: 128 });
    await expect(refusal).rejects.toMatchObject({ code: 'bad_run_file' });
    await expect(refusal).rejects.toThrow('more than 128 MB');
  });
});
