import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { afterEach, expect, it, vi } from 'vitest';
import type { RunEvent } from '../../events/registry.ts';
import { completedLog, longLog } from '../../testing/sample-logs.ts';
import type { HubMessage } from './hub-messages.ts';
import { type HubTransport, type StreamHandlers, StreamHub } from './stream-hub.ts';

/** A server with the two routes that a hub uses, which can be cut off at any event. */
async function startServer(logs: Record<string, RunEvent[]>) {
  const requests: string[] = [];
  const open = new Set<ServerResponse>();
  let cutAfter = Number.POSITIVE_INFINITY;
  let frozen = false;
  const heartbeat = setInterval(() => {
    if (!frozen) for (const response of open) response.write(': still here\n\n');
  }, 200);
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://loupe');
    const [, runId] = /^\/api\/runs\/([^/]+)$/.exec(url.pathname) ?? [];
    if (runId !== undefined) {
      const log = logs[runId];
      response.statusCode = log ? 200 : 404;
      response.end(
        JSON.stringify(
          log
            ? { run: { last_seq: log.length } }
            : { error: { code: 'run_not_found', message: `There is no run ${runId}.` } },
        ),
      );
      return;
    }
    requests.push(url.search);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('retry: 1000\n\n');
    open.add(response);
    response.on('close', () => open.delete(response));
    let sent = 0;
    for (const part of (url.searchParams.get('runs') ?? '').split(',').filter(Boolean)) {
      const [id = '', after = '0'] = part.split(':');
      for (const event of logs[id]?.slice(Number(after)) ?? []) {
        if (sent >= cutAfter) {
          response.end();
          return;
        }
        sent += 1;
        response.write(`id: ${id}:${event.seq}\ndata: ${JSON.stringify(event)}\n\n`);
      }
    }
    if (url.searchParams.get('list') === '1') {
      response.write(`event: run\ndata: ${JSON.stringify({ id: 'a', last_seq: 1 })}\n\n`);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async () => {
    clearInterval(heartbeat);
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  };
  return {
    base,
    requests,
    open,
    close,
    freeze: (on: boolean) => {
      frozen = on;
    },
    cutAfter: (events: number) => {
      cutAfter = events;
    },
  };
}

/** A browser's behavior, on top of Node's fetch. */
function transportTo(base: string): HubTransport {
  return {
    openStream(path, handlers) {
      const abort = new AbortController();
      void (async () => {
        try {
          const response = await fetch(base + path, { signal: abort.signal });
          handlers.open();
          const events = response.body
            ?.pipeThrough(
              new TransformStream({
                transform(part, controller) {
                  handlers.alive();
                  controller.enqueue(part);
                },
              }),
            )
            .pipeThrough(new TextDecoderStream())
            .pipeThrough(new EventSourceParserStream());
          for await (const { id, event, data } of events ?? []) {
            if (event === 'delta' || event === 'run' || event === 'run-deleted') handlers.named(event, data);
            else handlers.event(id ?? '', data);
          }
          handlers.error();
        } catch {
          if (!abort.signal.aborted) handlers.error();
        }
      })();
      return () => abort.abort();
    },
    async askHead(runId) {
      try {
        const response = await fetch(`${base}/api/runs/${runId}`);
        const body = await response.json();
        return response.ok
          ? { kind: 'known', lastSeq: body.run.last_seq }
          : { kind: 'refused', problem: body.error };
      } catch {
        return { kind: 'unreachable' };
      }
    },
  };
}

/** A tab: everything it received, and the sequence numbers it got per run. */
function openTab(hub: StreamHub) {
  const messages: HubMessage[] = [];
  const { receive, leave } = hub.join((message) => messages.push(message));
  const seqs = (runId: string) =>
    messages.flatMap((message) =>
      message.type === 'events' && message.runId === runId
        ? message.events.map((text): number => JSON.parse(text).seq)
        : [],
    );
  const signals = (runId: string) =>
    messages.flatMap((message) =>
      message.type === 'signal' && message.runId === runId ? [message.signal.type] : [],
    );
  return { messages, receive, leave, seqs, signals };
}

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);
const running = (events: RunEvent[]) => events.filter((event) => event.type !== 'run.ended');

const closers: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function setUp(logs: Record<string, RunEvent[]>) {
  const server = await startServer(logs);
  closers.push(server.close);
  const hub = new StreamHub(transportTo(server.base));
  const tab = () => {
    const opened = openTab(hub);
    closers.push(opened.leave);
    return opened;
  };
  return { server, tab };
}

it('carries all runs of all tabs over one stream', async () => {
  const log = running(completedLog({ runId: 'a' }).events);
  const other = running(longLog(60, { runId: 'b' }).events);
  const { server, tab } = await setUp({ a: log, b: other });
  const tabs = [tab(), tab(), tab()];
  for (const [index, each] of tabs.entries()) {
    each.receive({ type: 'follow', runId: index === 2 ? 'b' : 'a', after: 0 });
  }
  await vi.waitFor(() => expect(tabs[2]?.seqs('b')).toEqual(numbers(1, other.length)));
  await vi.waitFor(() => expect(tabs[1]?.seqs('a')).toEqual(numbers(1, log.length)));
  expect(tabs[0]?.seqs('a')).toEqual(numbers(1, log.length));
  expect(server.open.size).toBe(1);
  expect(server.requests).toHaveLength(1);
});

it('gives a late tab everything, and the others nothing twice [D5]', async () => {
  const log = running(completedLog({ runId: 'a' }).events);
  const { server, tab } = await setUp({ a: log });
  const early = tab();
  early.receive({ type: 'follow', runId: 'a', after: 0 });
  await vi.waitFor(() => expect(early.seqs('a')).toHaveLength(log.length));
  const late = tab();
  late.receive({ type: 'follow', runId: 'a', after: 5 });
  await vi.waitFor(() => expect(late.seqs('a')).toEqual(numbers(6, log.length)));
  expect(early.seqs('a')).toEqual(numbers(1, log.length));
  await vi.waitFor(() => expect(server.open.size).toBe(1));
});

it('neither loses nor repeats events when the stream is cut after every few of them [D5]', async () => {
  const log = running(completedLog({ runId: 'a' }).events);
  const { server, tab } = await setUp({ a: log });
  server.cutAfter(7);
  const reader = tab();
  reader.receive({ type: 'follow', runId: 'a', after: 0 });
  await vi.waitFor(() => expect(reader.seqs('a')).toEqual(numbers(1, log.length)), { timeout: 8000 });
  expect(reader.signals('a')).toContain('lost');
  expect(server.requests.slice(0, 3)).toEqual(['?runs=a%3A0', '?runs=a%3A7', '?runs=a%3A14']);
}, 10_000);

it('reports an unknown run to its tab, and keeps the stream of the others', async () => {
  const log = running(completedLog({ runId: 'a' }).events);
  const { tab } = await setUp({ a: log });
  const reader = tab();
  reader.receive({ type: 'follow', runId: 'nowhere', after: 0 });
  reader.receive({ type: 'follow', runId: 'a', after: 0 });
  await vi.waitFor(() => expect(reader.seqs('a')).toHaveLength(log.length));
  expect(reader.signals('nowhere')).toContain('refused');
});

it('releases a run when it has ended, and the stream when no tab needs it', async () => {
  const { events } = completedLog({ runId: 'a' });
  const { server, tab } = await setUp({ a: events });
  const reader = tab();
  reader.receive({ type: 'follow', runId: 'a', after: 0 });
  await vi.waitFor(() => expect(reader.seqs('a')).toEqual(numbers(1, events.length)));
  await vi.waitFor(() => expect(server.open.size).toBe(0));
  expect(reader.signals('a')).not.toContain('lost');
});

it('keeps a run for a tab that connects just as it ends [D5]', async () => {
  const { events } = completedLog({ runId: 'a' });
  const server = await startServer({ a: events });
  closers.push(server.close);
  const hub = new StreamHub(transportTo(server.base));
  const late = openTab(hub);
  const early = hub.join((message) => {
    if (message.type === 'signal' && message.signal.type === 'opened') {
      late.receive({ type: 'follow', runId: 'a', after: 0 });
    }
  });
  closers.push(late.leave, early.leave);
  early.receive({ type: 'follow', runId: 'a', after: 3 });
  await vi.waitFor(() => expect(late.seqs('a')).toEqual(numbers(1, events.length)));
});

it('reports a deleted run to tabs that watch the list or follow the run', async () => {
  const log = running(completedLog({ runId: 'a' }).events);
  const { server, tab } = await setUp({ a: log });
  const [watching, following, neither] = [tab(), tab(), tab()];
  watching.receive({ type: 'watch-list', on: true });
  following.receive({ type: 'follow', runId: 'a', after: 0 });
  neither.receive({ type: 'follow', runId: 'nowhere', after: 0 });
  await vi.waitFor(() => expect(following.seqs('a')).toHaveLength(log.length));
  for (const stream of server.open) stream.write('event: run-deleted\ndata: {"run_id":"a"}\n\n');
  await vi.waitFor(() => expect(watching.messages).toContainEqual({ type: 'run-deleted', runId: 'a' }));
  expect(following.signals('a')).toContain('deleted');
  expect(following.messages).not.toContainEqual({ type: 'run-deleted', runId: 'a' });
  expect(neither.signals('nowhere')).not.toContain('deleted');
});

it('notices an unreachable server', async () => {
  const log = running(completedLog({ runId: 'a' }).events);
  const { server, tab } = await setUp({ a: log });
  await server.close();
  closers.shift();
  const reader = tab();
  reader.receive({ type: 'follow', runId: 'a', after: 0 });
  await vi.waitFor(() => expect(reader.signals('a')).toContain('unreachable'));
});

it('counts a stream without heartbeats as lost, and continues it [D5]', async () => {
  const log = running(completedLog({ runId: 'a' }).events);
  const { server, tab } = await setUp({ a: log });
  const reader = tab();
  reader.receive({ type: 'follow', runId: 'a', after: 0 });
  await vi.waitFor(() => expect(reader.seqs('a')).toHaveLength(log.length));
  server.freeze(true);
  await vi.waitFor(() => expect(reader.signals('a')).toContain('lost'), { timeout: 10_000 });
  server.freeze(false);
  await vi.waitFor(() => expect(reader.signals('a').at(-1)).toBe('opened'), { timeout: 10_000 });
  expect(reader.seqs('a')).toEqual(numbers(1, log.length));
  expect(server.requests.at(-1)).toBe(`?runs=a%3A${log.length}`);
}, 25_000);

it('sends the list of runs to the tabs that watch it', async () => {
  const { tab } = await setUp({});
  const watching = tab();
  const not = tab();
  watching.receive({ type: 'watch-list', on: true });
  await vi.waitFor(() => expect(watching.messages.some((message) => message.type === 'runs')).toBe(true));
  expect(not.messages).toEqual([]);
});

/** A hub whose streams open and break on the test's command. */
function manualHub() {
  const streams: { path: string; handlers: StreamHandlers; closed: boolean }[] = [];
  const transport: HubTransport = {
    openStream(path, handlers) {
      const stream = { path, handlers, closed: false };
      streams.push(stream);
      return () => {
        stream.closed = true;
      };
    },
    askHead: async () => ({ kind: 'known', lastSeq: 0 }),
  };
  const opened = async (count: number) => {
    await vi.waitFor(() => expect(streams).toHaveLength(count));
    const stream = streams[count - 1];
    if (!stream) throw new RangeError('no stream');
    return stream;
  };
  return { hub: new StreamHub(transport), opened };
}

it('warns a tab that watches the list while the stream is broken that it may miss changes', async () => {
  const { hub, opened } = manualHub();
  const signals = ({ messages }: ReturnType<typeof openTab>) =>
    messages.flatMap((message) => (message.type === 'list-signal' ? [message.signal.type] : []));
  const [first, second, third] = [openTab(hub), openTab(hub), openTab(hub)];
  first.receive({ type: 'watch-list', on: true });
  (await opened(1)).handlers.open();
  (await opened(1)).handlers.error();
  second.receive({ type: 'watch-list', on: true });
  (await opened(2)).handlers.open();
  expect(signals(first)).toEqual(['opening', 'opened', 'lost', 'opening', 'opened']);
  expect(signals(second)).toEqual(['lost', 'opening', 'opened']);
  third.receive({ type: 'watch-list', on: true });
  (await opened(3)).handlers.open();
  expect(signals(third)).toEqual(['opening', 'opened']);
  for (const { leave } of [first, second, third]) leave();
});

it('keeps a stream until the next one is open, so that no change of the list is missed', async () => {
  const { hub, opened } = manualHub();
  const tab = openTab(hub);
  tab.receive({ type: 'watch-list', on: true });
  const first = await opened(1);
  first.handlers.open();

  tab.receive({ type: 'follow', runId: 'a', after: 0 });
  const second = await opened(2);
  expect(first.closed).toBe(false);
  first.handlers.named('run', '{"id":"between"}');
  await vi.waitFor(() => expect(tab.messages).toContainEqual({ type: 'runs', runs: ['{"id":"between"}'] }));

  // A stream that never opened is replaced by the next, not the one that still delivers events.
  tab.receive({ type: 'follow', runId: 'b', after: 0 });
  const third = await opened(3);
  expect([first.closed, second.closed]).toEqual([false, true]);
  second.handlers.error();
  first.handlers.error();
  expect(tab.messages).not.toContainEqual({ type: 'list-signal', signal: { type: 'lost' } });

  third.handlers.open();
  expect([first.closed, third.closed]).toEqual([true, false]);
  tab.leave();
  await vi.waitFor(() => expect(third.closed).toBe(true));
});
