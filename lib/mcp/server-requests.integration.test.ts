import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AskedRequest } from '../events/mcp-request.ts';
import type { OperatorAnswer, ToolFact, ToolResult } from '../tools/tool.ts';
import { callServerTool } from './call-tool.ts';
import { MAX_REQUESTS_PER_CALL } from './limits.ts';
import type { ServerInstance } from './server-instance.ts';
import { hostileServer, PLANTED, type ServersUnderTest, serversUnderTest } from './under-test.ts';

// Requests and messages of servers during calls: the behaviors of lib/testing/hostile-mcp-server.mjs that
// begin with "asks" and "reports".

let test: ServersUnderTest;
beforeEach(async () => {
  test = await serversUnderTest();
});
afterEach(() => test[Symbol.asyncDispose]());

const decline: OperatorAnswer = { action: 'decline' };
const { signal } = new AbortController();

/** Calls the first tool of a server as a run does, with a person who answers its requests. */
async function called(
  behavior: string,
  answer: (request: AskedRequest) => OperatorAnswer | Promise<OperatorAnswer> = () => decline,
) {
  const name = behavior.replaceAll(/\W/g, '_');
  await test.start(name, hostileServer(behavior, [], { timeout_seconds: 2, env: { KEY: PLANTED.value } }));
  const { instance, release } = await test.servers.instanceForRun(name, '');
  const asked: AskedRequest[] = [];
  const facts: ToolFact[] = [];
  const shown: string[] = [];
  try {
    const result = await callTool(instance, {
      signal,
      ask: async ({ request }) => {
        asked.push(request);
        return answer(request);
      },
      onOutput: (text) => shown.push(text),
      run: { memory: new Map(), queued: [], record: (fact) => facts.push(fact) },
    });
    return { result, text: textOf(result), asked, facts, shown };
  } finally {
    await release();
  }
}

async function callTool(instance: ServerInstance, context: Parameters<typeof callServerTool>[3]) {
  const [tool] = await instance.tools();
  if (!tool) throw new Error('The server has no tool');
  return callServerTool(instance, tool, {}, context);
}

function textOf({ output }: ToolResult): string {
  return typeof output === 'object' && output !== null && 'text' in output ? String(output.text) : '';
}

describe('a server that asks for input', () => {
  it('gets what the person entered', async () => {
    const { text, asked } = await called('asks-form', () => ({
      action: 'accept',
      content: { name: 'Ada', age: 36 },
    }));
    expect(asked).toEqual([
      {
        kind: 'form',
        message: 'Who?',
        fields: [
          { name: 'name', title: 'Your name', kind: 'text', required: false },
          { name: 'age', kind: 'integer', required: false },
        ],
      },
    ]);
    expect(JSON.parse(text)).toEqual({ action: 'accept', content: { name: 'Ada', age: 36 } });
  });

  it('gets no content with a refusal', async () => {
    const { text } = await called('asks-form', () => ({ action: 'decline', content: { name: 'Ada' } }));
    expect(JSON.parse(text)).toEqual({ action: 'decline' });
  });

  it('that asks 1,000 times asks a person a few times only [O24]', async () => {
    const { text, asked, result } = await called('asks-1000-times');
    expect(asked).toHaveLength(MAX_REQUESTS_PER_CALL);
    expect(text).toMatch(/^10 decline\n990 error: Loupe answers at most 10 requests per call/);
    expect(result.note).toBe(
      'The server asked 990 times for something that no server may ask for. It was refused.',
    );
  });

  it('asks nothing more in a call after a person cancelled', async () => {
    const { text, asked } = await called('asks-after-cancel', () => ({ action: 'cancel' }));
    expect(asked).toHaveLength(1);
    expect(text).toMatch(/^1 cancel\n2 error: .*none after one was cancelled/);
  });

  it('marks fields that look like a secret', async () => {
    const { asked } = await called('asks-secret');
    expect(asked).toMatchObject([{ fields: [{ name: 'apiKey', looks_secret: true }, { name: 'note' }] }]);
    expect(asked[0]).not.toHaveProperty('fields.1.looks_secret');
  });

  it.each([
    ['asks-huge-form', 3],
    ['asks-odd-form', 3],
    ['asks-odd-address', 4],
    ['asks-odd-sample', 3],
    ['asks-large-requests', 4],
  ])('is refused without asking anybody what no form can show: %s', async (behavior, requests) => {
    const { text, asked } = await called(behavior);
    expect(asked).toEqual([]);
    const counts = [...text.matchAll(/^(\d+) error: /gm)].map(([, count]) => Number(count));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(requests);
    expect(text).not.toMatch(/^\d+ (accept|decline|cancel)/m);
  });

  it('ends the wait when the server no longer waits, or has answered the call', async () => {
    for (const behavior of ['asks-and-withdraws', 'asks-and-answers']) {
      const ended = Promise.withResolvers<void>();
      const name = behavior.replaceAll('-', '_');
      await test.start(name, hostileServer(behavior));
      const { instance, release } = await test.servers.instanceForRun(name, '');
      const result = await callTool(instance, {
        signal,
        ask: (_, over) =>
          new Promise((_resolve, reject) => {
            over.addEventListener('abort', () => {
              ended.resolve();
              reject(over.reason);
            });
          }),
      });
      expect(textOf(result)).toMatch(/withdrawn|not waiting/);
      await ended.promise;
      await release();
    }
  });

  it('does not use up the time limit of the call while a person is asked', async () => {
    const { text } = await called('asks-form', async () => {
      await new Promise((resolve) => setTimeout(resolve, 2500)); // longer than the limit
      return decline;
    });
    expect(JSON.parse(text)).toEqual({ action: 'decline' });
  });

  it('still has a time limit after it was answered', async () => {
    await expect(called('asks-and-hangs')).rejects.toMatchObject({
      code: 'mcp_call_failed',
      message: expect.stringContaining('timed out after 2 s'),
    });
  });

  it('asks nobody on the Tools page', async () => {
    await test.start('page', hostileServer('asks-form'));
    const { result } = await test.servers.call('page', 'act', {}, signal);
    expect(JSON.stringify(result.output)).toContain('Requests of servers are answered in runs');
    expect(result.note).toContain('only the operator of a run can give');
  });
});

describe('a server that asks for a text from the model', () => {
  it('gets what the model wrote', async () => {
    const { text, asked } = await called('asks-sample', () => ({
      action: 'accept',
      sample: { text: 'Hello.', model: 'tiny', isCut: false },
    }));
    expect(asked).toEqual([
      {
        kind: 'sampling',
        system: 'Be brief.',
        messages: [{ role: 'user', text: 'Say hi' }],
        max_tokens: 1_000_000,
      },
    ]);
    expect(text).toBe('1 Hello.');
  });

  it.each<[string, OperatorAnswer]>([
    ['The operator did not allow the sample.', decline],
    ['The model wrote nothing: out of memory', { action: 'accept', sample: { error: 'out of memory' } }],
  ])('gets an error that says why there is no sample: %s', async (why, answer) => {
    expect((await called('asks-sample', () => answer)).text).toBe(`1 error: ${why}`);
  });
});

describe('a server that reports', () => {
  it('is shown at a limited rate, and the last messages are kept', async () => {
    const { facts, shown } = await called('reports-much');
    expect(shown.length).toBeGreaterThan(0);
    expect(shown.length).toBeLessThan(200);
    expect(facts).toMatchObject([{ kind: 'server-messages', server: 'reports_much' }]);
    const [fact] = facts;
    if (fact?.kind !== 'server-messages') throw new Error('no messages');
    expect(fact.lines).toHaveLength(50);
    expect(fact.lines.at(-1)).toMatch(/^\[info\] step 1500 z+…$/);
    for (const line of [...fact.lines, ...shown]) {
      expect(line.length).toBeLessThanOrEqual(501);
      expect(line).not.toContain('\u001b');
    }
    expect(fact.leftOut).toBeGreaterThan(1000);
  });
});

describe('roots', () => {
  it.each([
    ['the folder of the run, if the server may see it', 'read' as const, 1],
    ['nothing, if it may not', 'none' as const, 0],
  ])('are %s', async (_, workspace, count) => {
    const name = `roots_${workspace}`;
    await test.start(name, hostileServer('asks-roots', [], { workspace }));
    const { instance, release } = await test.servers.instanceForRun(name, test.dataDir);
    const roots: unknown = JSON.parse(textOf(await callTool(instance, { signal })));
    expect(roots).toEqual(count === 0 ? [] : [{ uri: `file://${test.dataDir}`, name: 'workspace' }]);
    await release();
    const { result } = await test.servers.call(name, 'act', {}, signal);
    expect(result.output).toEqual({ text: '[]' });
  });
});
