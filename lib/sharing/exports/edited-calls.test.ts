import { text as readAll } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { forkRequest } from '../../api/fork-run.ts';
import type { NewEvent } from '../../events/registry.ts';
import { decideApprovals } from '../../policies/approval.ts';
import { findForkPoint, planFork } from '../../runs/plan-fork.ts';
import { exploreLogEntry } from '../../testing/explore-log-entry.ts';
import { calls, type PlayedRun, play, says, stop, until } from '../../testing/loop-harness.ts';
import { ExploreLogProjection } from './explore-log.ts';
import { exportedLog } from './exported-log.ts';
import { markdownExport } from './markdown-export.ts';
import { otlpJson } from './run-spans.ts';
import { SessionLogProjection, sessionLogEntry } from './session-log.ts';

type During = NonNullable<NonNullable<Parameters<typeof play>[2]>['during']>;

/** Approves the first call with edited arguments, then stops the run after a number of replies. */
const editing =
  (edited: Record<string, string>, replies: number): During =>
  async ({ log }) => {
    const count = (type: NewEvent['type']) => log.events.filter((event) => event.type === type).length;
    await until(log, () => count('approval.requested') === 1);
    log.append(decideApprovals(log.state, [{ callId: 'c1', decision: 'edited', arguments: edited }]));
    await until(log, () => count('reply.parsed') >= replies || log.state.ended !== undefined);
    if (!log.state.ended) log.append([stop(true)]);
  };

const approval = { default: 'ask' as const };

it('writes the arguments that ran into the session log, beside those of the model', async () => {
  const read = { name: 'read_file', arguments: { path: 'a.md' } };
  await using run = await play({ mode: 'session', autopilot: true, approval }, [calls(read), says('Done.')], {
    files: { 'b.md': 'Beta' },
    during: editing({ path: 'b.md' }, 2),
  });
  const projection = new SessionLogProjection();
  const lines = run.log.events.flatMap((event) => projection.take(event));
  expect(lines.find(({ event }) => event === 'tool_call')).toMatchObject({
    fn_arguments: { path: 'b.md' },
    edited_from: { path: 'a.md' },
  });
  for (const line of lines) expect(sessionLogEntry.parse(line)).toEqual(line);
  expect(lines.find(({ event }) => event === 'tool_result')).toMatchObject({ result: { success: true } });
});

it('writes the arguments that ran into the exploration log, the summary and the spans', async () => {
  const write = { name: 'write', arguments: { key: 'mood', value: 'dull' } };
  const ran = { key: 'mood', value: 'bright' };
  await using run: PlayedRun = await play(
    { mode: 'explore', max_cycles: 1, approval },
    [calls(write), says('I wrote it.')],
    { during: editing(ran, 2) },
  );
  const projection = new ExploreLogProjection();
  const entries = run.log.events.flatMap((event) => projection.take(event));
  const call = entries.find(({ event_type }) => event_type === 'TOOL_CALL');
  expect(call?.payload).toMatchObject({ parameters: ran, edited_from: write.arguments });
  expect(exploreLogEntry.parse(call)).toEqual(call);

  const { spans } = JSON.parse(await readAll(otlpJson([run.log.events], { content: true }))).resourceSpans[0]
    .scopeSpans[0];
  expect(JSON.stringify(spans)).toContain('bright');
  expect(
    JSON.stringify(spans.filter(({ name }: { name: string }) => name === 'execute_tool write')),
  ).not.toContain('dull');

  const log = await exportedLog({
    config: run.config,
    read: async function* () {
      yield run.log.events;
    },
    scope: 'everything',
    redaction: undefined,
  });
  const line = (await markdownExport(log)).split('\n').find((each) => each.startsWith('- `write`'));
  expect(line).toContain('"bright"');
  expect(line).toContain('edited by the operator');
});

it('writes the arguments that a person gave a call in a fork as those of the call', async () => {
  const read = { name: 'read_file', arguments: { path: 'a.md' } };
  await using parent = await play({ mode: 'session', autopilot: true }, [calls(read), says('Done.')], {
    during: async ({ log }) => {
      await until(log, (events) => events.some(({ type }) => type === 'turn.ended'));
      log.append([stop(true)]);
    },
  });
  const reply = parent.of('reply.parsed')[0];
  const point = await findForkPoint('run', [parent.log.events], { seq: reply?.seq ?? 0 });
  const request = forkRequest.parse({
    at: { seq: point.seq },
    edits: [{ target: 'call', call_id: 'c1', arguments: { path: 'b.md' } }],
  });
  const { events } = planFork(point, request, { workspace: parent.workspace, files: { kind: 'same' } });
  const projection = new SessionLogProjection();
  const fork = [...events, ...parent.of('tool-call.started')].map((event, index) => ({
    ...event,
    ...{ run_id: 'fork', seq: point.seq + index + 1, at: 0 },
  }));
  const lines = [...parent.log.events.slice(0, point.seq), ...fork].flatMap((event) =>
    projection.take(event),
  );
  const call = lines.find(({ event }) => event === 'tool_call');
  expect(call).toMatchObject({ fn_arguments: { path: 'b.md' } });
  expect(call).not.toHaveProperty('edited_from');
});
