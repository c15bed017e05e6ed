import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import type { McpToolReply } from '../api/mcp.ts';
import type { ToolCheckReply } from '../api/tool-check.ts';
import type { Loupe } from '../client/loupe.ts';
import { AppError } from '../errors/app-error.ts';
import { checkServer } from './check-command.ts';
import { EXIT } from './exit-codes.ts';

const done = { id: 'c', server: 'files', model: 'm', status: 'done', started_at: 1, ended_at: 2 } as const;
const reply: Pick<ToolCheckReply, 'summary'> & { check: unknown } = {
  check: { tools: [], probes: [], measured: { calls: 0, layers: { native: 0, json: 0, xml: 0 } } },
  summary: {
    ...{ id: 'c', server: 'files', model: 'm', digest: '', ended_at: 2, right: 1, judged: 1 },
    tools: [{ name: 'files__read', right: 1, judged: 1 }],
  },
};

async function outputOf(tools: () => readonly Partial<McpToolReply>[]): Promise<string> {
  const loupe = {
    startToolCheck: async () => ({ ...done, done: 1, total: 1, right: 1 }),
    toolCheck: async () => reply,
    mcpServer: async () => ({ tools: tools() }),
  } as unknown as Loupe;
  const stdout = new PassThrough();
  const terminal = {
    ...{ env: {}, stdout, stderr: new PassThrough().resume() },
    ...{ on: () => undefined, off: () => undefined, exit: () => undefined },
  };
  const code = await checkServer({ model: 'm', server: 'files', json: false }, loupe, terminal);
  expect(code).toBe(EXIT.ok);
  stdout.end();
  return text(stdout);
}

it('lists the tools of a server that were not offered, with the reason', async () => {
  const printed = await outputOf(() => [
    { offered: 'files__read', status: 'accepted' },
    { offered: 'files__research', status: 'unusable', problem: 'It must be called as a task.' },
  ]);
  expect(printed).toContain('files__read      1 of 1 right\n');
  expect(printed).toContain('files__research  not offered: It must be called as a task.\n');
});

it('prints the result of a check whose server was removed in the meantime', async () => {
  const printed = await outputOf(() => {
    throw new AppError({ code: 'mcp_server_not_found', message: 'There is no server "files".' });
  });
  expect(printed).toMatch(/^files__read {2}1 of 1 right\n/);
});
