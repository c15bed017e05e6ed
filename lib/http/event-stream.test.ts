import { createParser } from 'eventsource-parser';
import fc from 'fast-check';
import { afterEach, expect, it, vi } from 'vitest';
import { MAX_STREAMED_CHARS } from '../events/limits.ts';
import type { RunFeed } from '../feed/run-feed.ts';
import { openTestService, scripted, type TestService, warned } from '../testing/test-service.ts';
import { cursorOf, eventStreamResponse, HEARTBEAT_MS, topicsOf } from './event-stream.ts';
import { viewEvent } from './view-event.ts';

let test: TestService;
afterEach(() => test?.dispose());

const byNumber = { eventId: ({ seq }: { seq: number }) => `${seq}` };
const untilStopped = () => ({ signal: new AbortController().signal });

async function endedRun(events: number): Promise<string> {
  test = await openTestService(scripted(Array.from({ length: events }, (_, index) => warned(`${index}`))));
  const id = await test.start();
  await vi.waitFor(async () => expect((await test.service.stored.get(id)).run.phase).toBe('ended'), {
    timeout: 30_000,
  });
  return id;
}

async function follow(id: string, after: number): Promise<RunFeed> {
  return test.service.follow({ topics: new Map([[id, after]]), texts: true, ...untilStopped() });
}

function reader(response: Response): ReadableStreamDefaultReader<Uint8Array> {
  if (!response.body) throw new Error('no body');
  return response.body.getReader();
}

async function wholeText(response: Response): Promise<string> {
  return response.text();
}

it('sends unchanged events with their sequence numbers as IDs, and headers that prevent buffering [D4]', async () => {
  const id = await endedRun(2);
  const response = eventStreamResponse(await follow(id, 0), byNumber);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
  });
  const text = await wholeText(response);
  expect(text.startsWith('retry: 1000\n')).toBe(true);
  const received: unknown[] = [];
  createParser({
    onEvent: ({ id: eventId, data }) => received.push([Number(eventId), JSON.parse(data)]),
  }).feed(text);
  const log = await test.store.read(id, { afterSeq: 0, limit: 100 });
  expect(received).toEqual(log.map((event) => [event.seq, event]));
  expect(test.service.viewers).toBe(0);
});

it('a viewer cut off after any number of bytes reconnects with its last ID and gets 1..N exactly once [D5]', async () => {
  const id = await endedRun(40);
  const { last_seq } = (await test.service.stored.get(id)).run;
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 6000 }), { maxLength: 6 }), async (cuts) => {
      const received: number[] = [];
      let lastId = '0';
      for (const cut of [...cuts, Number.MAX_SAFE_INTEGER]) {
        const feed = await follow(id, Number(lastId));
        if (feed.done) {
          feed.close();
          break;
        }
        const source = reader(eventStreamResponse(feed, byNumber));
        const parser = createParser({
          onEvent: (event) => {
            received.push(Number(event.id));
            lastId = event.id ?? lastId;
          },
        });
        const decoder = new TextDecoder();
        for (let left = cut; left > 0; ) {
          const { done, value } = await source.read();
          if (done) break;
          parser.feed(decoder.decode(value.subarray(0, left), { stream: true }));
          left -= value.byteLength;
        }
        await source.cancel();
      }
      expect(received).toEqual(Array.from({ length: last_seq }, (_, index) => index + 1));
    }),
    { numRuns: 40 },
  );
  expect(test.service.viewers).toBe(0);
});

it('sends every viewer the same bytes: live or from the store, and what a fresh encoding of each event gives', async () => {
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constant('long '.repeat(MAX_STREAMED_CHARS / 4)));
  await fc.assert(
    fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 4 }), async (texts) => {
      const begin = Promise.withResolvers<void>();
      const events = scripted(texts.map(warned));
      test = await openTestService(async (run) => {
        await begin.promise;
        return events(run);
      });
      const id = await test.start();
      const viewers = [await follow(id, 0), await follow(id, 0)];
      const streams = viewers.map((feed) => wholeText(eventStreamResponse(feed, byNumber)));
      begin.resolve();
      const [one = '', other] = await Promise.all(streams);
      expect(other).toBe(one);
      const log = await test.store.read(id, { afterSeq: 0, limit: 100 });
      const fresh = log.map((event) => `id: ${event.seq}\ndata: ${JSON.stringify(viewEvent(event))}\n\n`);
      expect(one).toBe(`retry: 1000\n: Loupe\n\n${fresh.join('')}`);
      const late = await wholeText(eventStreamResponse(await follow(id, log.length - 1), byNumber));
      expect(one.endsWith(late.slice(late.indexOf('id: ')))).toBe(true);
      await test.restart();
      expect(await wholeText(eventStreamResponse(await follow(id, 0), byNumber))).toBe(one);
      await test.dispose();
    }),
    { numRuns: 10 },
  );
});

it('sends a run-deleted event', async () => {
  const id = await endedRun(1);
  const feed = await test.service.follow({ topics: new Map(), list: true, ...untilStopped() });
  await feed.next(1000);
  await test.service.delete(id);
  const stream = reader(eventStreamResponse(feed, byNumber));
  const decoder = new TextDecoder();
  let text = '';
  while (!text.includes('run-deleted')) text += decoder.decode((await stream.read()).value, { stream: true });
  expect(text).toContain(`event: run-deleted\ndata: {"run_id":"${id}"}\n\n`);
  await stream.cancel();
});

it('keeps an idle connection open with comments, every 15 seconds by default [D4]', async () => {
  expect(HEARTBEAT_MS).toBe(15_000);
  test = await openTestService(async ({ signal }) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    return { outcome: 'suspended' };
  });
  const id = await test.start();
  const source = reader(eventStreamResponse(await follow(id, 2), { ...byNumber, heartbeatMs: 20 }));
  const texts: string[] = [];
  for (let n = 0; n < 3; n++) texts.push(new TextDecoder().decode((await source.read()).value));
  expect(texts[0]).toContain('retry: 1000');
  expect(texts.slice(1)).toEqual([': still here\n\n', ': still here\n\n']);
  await source.cancel();
  expect(test.service.viewers).toBe(0);
});

it('disconnects a viewer that stopped reading, and buffers only one chunk for it', async () => {
  const id = await endedRun(200);
  const feed = await follow(id, 0);
  const taken = vi.spyOn(feed, 'next');
  const source = reader(eventStreamResponse(feed, { ...byNumber, stalledMs: 40 }));
  await vi.waitFor(() => expect(test.service.viewers).toBe(0), { timeout: 10_000 });
  expect(taken.mock.calls.length).toBeLessThanOrEqual(1);
  await expect(
    (async () => {
      while (!(await source.read()).done);
    })(),
  ).rejects.toThrow('stopped reading');
});

it('reads the last event ID of a viewer', () => {
  const at = (url: string, lastEventId?: string) =>
    new Request(
      `http://127.0.0.1${url}`,
      lastEventId === undefined ? {} : { headers: { 'last-event-id': lastEventId } },
    );
  expect(cursorOf(at('/'))).toBe(0);
  expect(cursorOf(at('/?after=12'))).toBe(12);
  expect(cursorOf(at('/?after=12', '40'))).toBe(40);
  for (const wrong of ['-1', '1.5', 'x', '1e3', '9'.repeat(16)]) {
    expect(() => cursorOf(at('/', wrong))).toThrow(expect.objectContaining({ code: 'bad_last_event_id' }));
  }
  expect(topicsOf(at('/?runs=a:12,b,c-1:0'))).toEqual(
    new Map([
      ['a', 12],
      ['b', 0],
      ['c-1', 0],
    ]),
  );
  expect(topicsOf(at('/?runs=a:12,b:3', 'b:9'))).toEqual(
    new Map([
      ['a', 12],
      ['b', 9],
    ]),
  );
  expect(topicsOf(at('/?runs=a:12', 'gone:9'))).toEqual(new Map([['a', 12]]));
  expect(topicsOf(at('/'))).toEqual(new Map());
  for (const wrong of [
    '?runs=A:1',
    '?runs=a:x',
    '?runs=../a',
    `?runs=${Array.from({ length: 101 }, (_, n) => `r${n}`)}`,
  ]) {
    expect(() => topicsOf(at(`/${wrong}`))).toThrow();
  }
});
