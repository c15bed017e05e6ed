import { text as readAll } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { completedLog, endedLog, runningLog, verifiedLog } from '../../testing/sample-logs.ts';
import { otlpJson } from './run-spans.ts';

interface Sent {
  resourceSpans: {
    resource: { attributes: { key: string; value: { stringValue?: string } }[] };
    scopeSpans: {
      spans: {
        traceId: string;
        spanId: string;
        parentSpanId?: string;
        name: string;
        startTimeUnixNano: string;
        endTimeUnixNano: string;
        attributes: { key: string; value: Record<string, unknown> }[];
        status: { code: number };
      }[];
    }[];
  }[];
}

const sent = async (log: ReturnType<typeof completedLog>, content = false) => {
  const request: Sent = JSON.parse(await readAll(otlpJson([log.events], { content })));
  return request.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
};

describe('spans of a run', () => {
  it('OTLP: one agent, in it a chat for each model call and a tool for each call', async () => {
    const log = completedLog();
    const spans = await sent(log);
    const of = (type: string) => log.events.filter((event) => event.type === type).length;
    const named = (name: string) => spans.filter((span) => span.name.startsWith(name));
    expect(named('invoke_agent')).toHaveLength(1);
    expect(named('chat ')).toHaveLength(of('model-call.started'));
    expect(named('execute_tool ')).toHaveLength(of('tool-call.started'));
    const [root] = named('invoke_agent');
    expect(root?.parentSpanId).toBeUndefined();
    for (const span of spans) {
      expect(span.traceId).toMatch(/^[0-9a-f]{32}$/);
      expect(span.spanId).toMatch(/^[0-9a-f]{16}$/);
      expect(span.traceId).toBe(root?.traceId);
      if (span !== root) expect(span.parentSpanId).toBe(root?.spanId);
      expect(BigInt(span.startTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(root?.startTimeUnixNano ?? 0));
      expect(BigInt(span.endTimeUnixNano)).toBeLessThanOrEqual(BigInt(root?.endTimeUnixNano ?? 0));
    }
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
    const keys = named('chat ')[0]?.attributes.map(({ key }) => key);
    expect(keys).toEqual(
      expect.arrayContaining([
        'gen_ai.operation.name',
        'gen_ai.provider.name',
        'gen_ai.request.model',
        'gen_ai.usage.input_tokens',
        'gen_ai.usage.output_tokens',
      ]),
    );
  });

  it('OTLP: the same log gives the same spans', async () => {
    expect(await sent(completedLog())).toEqual(await sent(completedLog()));
    expect((await sent(completedLog({ runId: 'other' })))[0]?.traceId).not.toBe(
      (await sent(completedLog()))[0]?.traceId,
    );
  });

  it('OTLP: a page of the log is serialized when the one before has been sent, with the same spans', async () => {
    const { events } = completedLog();
    const whole = await sent(completedLog());
    const read: number[] = [];
    const pieces = otlpJson(
      (function* () {
        for (const [page, event] of events.entries()) {
          read.push(page);
          yield [event];
        }
      })(),
      { content: false },
    );
    const first = events.findIndex(({ type }) => type === 'model-call.ended');
    let text = (await pieces.next()).value ?? '';
    expect(read.at(-1)).toBe(first);
    for await (const piece of pieces) text += piece;
    const request: Sent = JSON.parse(text);
    expect(request.resourceSpans).toHaveLength(whole.length);
    expect(
      request.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
    ).toEqual(whole);
  });

  it('OTLP: a log without a run has no spans', async () => {
    expect(await readAll(otlpJson([], { content: false }))).toBe('{"resourceSpans":[]}\n');
  });

  it('OTLP: the agent carries the reason and the outcome', async () => {
    const [root] = (await sent(verifiedLog())).filter(({ name }) => name.startsWith('invoke_agent'));
    expect(root?.attributes).toContainEqual({
      key: 'loupe.outcome',
      value: { stringValue: 'answered' },
    });
  });

  it('OTLP: texts go along only when asked for', async () => {
    const log = completedLog({ config: { task: 'Mind the sentinel-7261' } });
    expect(JSON.stringify(await sent(log))).not.toContain('sentinel-7261');
    expect(JSON.stringify(await sent(log, true))).toContain('sentinel-7261');
  });

  it('OTLP: a failed run and an open call say so', async () => {
    const [root] = (await sent(endedLog('error'))).filter(({ name }) => name.startsWith('invoke_agent'));
    expect(root?.status.code).toBe(2);
    expect(root?.attributes.map(({ key }) => key)).toContain('error.type');
    const open = await sent(runningLog());
    expect(open.flatMap(({ attributes }) => attributes)).toContainEqual({
      key: 'error.type',
      value: { stringValue: 'unfinished' },
    });
  });
});
