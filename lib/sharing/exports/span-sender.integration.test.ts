import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { RunEvent } from '../../events/registry.ts';
import { completedLog } from '../../testing/sample-logs.ts';
import { SpanSender } from './span-sender.ts';

interface Span {
  name: string;
  spanId: string;
  attributes: { key: string; value: { stringValue?: string } }[];
}

let collector: Server;
let url: string;
let status: number;
let spans: Span[];

beforeEach(async () => {
  spans = [];
  status = 200;
  collector = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    if (status === 200) {
      for (const { scopeSpans } of JSON.parse(body).resourceSpans) {
        for (const scope of scopeSpans) spans.push(...scope.spans);
      }
    }
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
  });
  collector.listen(0, '127.0.0.1');
  await once(collector, 'listening');
  url = `http://127.0.0.1:${(collector.address() as AddressInfo).port}/v1/traces`;
});
afterEach(() => {
  vi.restoreAllMocks();
  collector.closeAllConnections();
  collector.close();
});

const secret = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789';

function sender(options: { content?: boolean; events?: readonly RunEvent[] } = {}) {
  return new SpanSender({
    url,
    content: options.content ?? false,
    masks: {},
    read: async (_, { afterSeq, limit }) => (options.events ?? []).slice(afterSeq, afterSeq + limit),
  });
}

it('OTLP: sends each span once, when its operation ends', async () => {
  const { events } = completedLog();
  const sending = sender();
  const middle = events.findIndex(({ type }) => type === 'tool-call.ended') + 1;
  await sending.write('sample', events.slice(0, middle));
  await vi.waitFor(() => expect(spans.map(({ name }) => name)).toContain('execute_tool list_files'), {
    timeout: 20_000,
  });
  expect(spans.map(({ name }) => name)).not.toContain('invoke_agent loupe');
  for (const event of events.slice(middle)) await sending.write('sample', [event]);
  await sending.close();
  await vi.waitFor(() => expect(spans.map(({ name }) => name)).toContain('invoke_agent loupe'));
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
  expect(spans).toHaveLength(
    1 + events.filter(({ type }) => type === 'model-call.started' || type === 'tool-call.started').length,
  );
});

it('OTLP: spans of a resumed run continue where the other process stopped', async () => {
  const { events } = completedLog();
  const middle = events.findIndex(({ type }) => type === 'tool-call.ended') + 1;
  const sending = sender({ events });
  for (const event of events.slice(middle)) await sending.write('sample', [event]);
  await sending.close();
  await vi.waitFor(() => expect(spans.map(({ name }) => name)).toContain('invoke_agent loupe'));
  expect(spans.map(({ name }) => name)).not.toContain('execute_tool list_files');
});

it('OTLP: a resumed run sends its last spans again, because a killed process may not have sent them', async () => {
  const { events } = completedLog();
  const middle = events.findIndex(({ type }) => type === 'tool-call.ended') + 1;
  const at = events[middle - 1]?.at ?? 0;
  // The earliest span ended long before the kill.
  const early = events.findIndex(({ type }) => type === 'model-call.ended') + 1;
  const before = events.slice(0, middle).map((event) => (event.seq > early ? event : { ...event, at: 1 }));
  const resumed: RunEvent = {
    ...{ run_id: 'sample', seq: middle + 1, at: at + 3_600_000 },
    ...{ type: 'run.resumed', worker: 'web-2', epoch: 2 },
  };
  const after = events.slice(middle).map((event) => ({ ...event, seq: event.seq + 1 }));
  const sending = sender({ events: before });
  for (const event of [resumed, ...after]) await sending.write('sample', [event]);
  await sending.close();
  await vi.waitFor(() => expect(spans.map(({ name }) => name)).toContain('invoke_agent loupe'));
  expect(spans.filter(({ name }) => name === 'execute_tool list_files')).toHaveLength(1);
  const calls = events.filter(({ type }) => type === 'model-call.started').length;
  expect(spans.filter(({ name }) => name.startsWith('chat '))).toHaveLength(calls - 1);
});

it('OTLP: texts are sent only on request, and masked', async () => {
  const { events } = completedLog({ config: { task: `Log in with ${secret} and sentinel-7261` } });
  for (const content of [false, true]) {
    spans = [];
    const sending = sender({ content });
    await sending.write('sample', events);
    await sending.close();
    await vi.waitFor(() => expect(spans.map(({ name }) => name)).toContain('invoke_agent loupe'));
    const sent = JSON.stringify(spans);
    expect(sent).not.toContain(secret);
    expect(sent.includes('sentinel-7261')).toBe(content);
  }
});

it('OTLP: the run’s workspace path is masked', async () => {
  const workspace = '/srv/data/customer-x';
  const { events } = completedLog({ config: { workspace, task: `Look into ${workspace}/notes` } });
  const sending = sender({ content: true });
  await sending.write('sample', events);
  await sending.close();
  await vi.waitFor(() => expect(spans.map(({ name }) => name)).toContain('invoke_agent loupe'));
  expect(JSON.stringify(spans)).toContain('/notes');
  expect(JSON.stringify(spans)).not.toContain('customer-x');
});

it('OTLP: a failing collector is reported once and affects nothing else', async () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue();
  status = 400;
  const sending = sender();
  for (const runId of ['one', 'two']) {
    await sending.write(runId, completedLog({ runId }).events);
    await new Promise((done) => setTimeout(done, 1200));
  }
  await sending.close();
  await vi.waitFor(() => expect(warn).toHaveBeenCalledTimes(1));
  expect(warn.mock.calls[0]?.[0]).toContain('LOUPE_OTLP_ENDPOINT');
});
