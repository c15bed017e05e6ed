import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sessionLogEntry } from '../../lib/sharing/exports/session-log.ts';
import { eventsOf } from '../../lib/testing/events-of.ts';
import { exploreLogEntry } from '../../lib/testing/explore-log-entry.ts';
import { expect } from '../fixtures.ts';
import type { LoupeServer } from '../loupe-server.ts';
import { RunView } from '../run-view.ts';
import { endOf, logOf, startRun } from '../runs.ts';
import { settings, test } from './real-ollama.ts';

/** The lines of the log that identify a run. */
async function linesOf(loupe: LoupeServer, runId: string, format: 'session' | 'explore') {
  const answer = await loupe.request(`/api/runs/${runId}/log?format=${format}`);
  expect(answer.status).toBe(200);
  return (await answer.text())
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
}

test('a session continues on its own, takes a message, and its log is downloaded [N11, S6, S9, S10, S13]', async ({
  page,
  loupe,
  workspace,
}) => {
  const folder = workspace({ 'notes.md': 'These are the notes.\n' });
  const { id } = await startRun(loupe, {
    ...settings,
    mode: 'session',
    autopilot: true,
    workspace: folder,
    turn_delay: 200,
  });
  const view = new RunView(page);
  await view.open(id);
  await test.step('turns follow each other without a person [S9]', async () => {
    await expect(view.timeline).toContainText('Loupe: Continue.');
    await expect.poll(async () => eventsOf(await logOf(loupe, id), 'turn.ended').length).toBeGreaterThan(7);
    // Later turns write over it.
    const calls = eventsOf(await logOf(loupe, id), 'reply.parsed').flatMap((reply) => reply.calls);
    expect(calls.find(({ name }) => name === 'write_file')?.arguments).toEqual({
      path: 'log.md',
      content: 'one more line\n',
    });
    expect(readFileSync(join(folder, 'log.md'), 'utf8')).not.toBe('');
  });
  await test.step('what a person says is delivered, and done', async () => {
    const box = page.getByRole('textbox', { name: 'Message to the agent' });
    await box.fill('Create rivers.md about rivers');
    await box.press('Enter');
    await expect(box).toHaveValue('');
    await view.guardrails.getByRole('tab', { name: /^Messages/ }).click();
    await expect(view.guardrails).toContainText('Create rivers.md about rivers');
    await expect(view.guardrails).toContainText('delivered');
    await expect
      .poll(async () => eventsOf(await logOf(loupe, id), 'tool-call.ended').map(({ tool }) => tool))
      .toContain('write_file');
    await expect(() => expect(readFileSync(join(folder, 'rivers.md'), 'utf8')).toContain('rivers')).toPass();
  });
  await test.step('the first stop lets the turn finish [S13]', async () => {
    await page.getByRole('button', { name: 'Stop after this step' }).click();
    await view.expectEnd('The run was stopped', 'stopped');
  });
  const log = await logOf(loupe, id);
  for (const { stream } of eventsOf(log, 'model-call.started')) expect(stream).toBe(true);
  const tools = eventsOf(log, 'tool-call.ended').map(({ tool, result }) => `${tool} ${result.success}`);
  expect(tools.slice(0, 3)).toEqual(['run_command true', 'read_file true', 'write_file true']);
  await test.step('the log is a file [S19]', async () => {
    const files = await view.openMenu('Export');
    await files.getByLabel('Mask secrets, addresses and paths').uncheck();
    const downloading = page.waitForEvent('download');
    await files.getByRole('link', { name: 'Session log' }).click();
    const path = await (await downloading).path();
    const lines = readFileSync(path, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => sessionLogEntry.parse(JSON.parse(line)));
    expect(lines[0]).toMatchObject({ event: 'session_start', model: 'tiny-tools', workspace: folder });
    expect(lines.at(-1)).toMatchObject({
      event: 'session_end',
      reason: 'user_shutdown',
      total_turns: eventsOf(log, 'turn.ended').length,
    });
    const ids = lines.flatMap((line) => (line.event === 'tool_call' ? [line.call_id] : []));
    expect(lines.flatMap((line) => (line.event === 'tool_result' ? [line.call_id] : []))).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

test('the second stop ends a session in the middle of a reply, and the model is free at once [S14, N11]', async ({
  page,
  loupe,
  workspace,
}) => {
  const { id } = await startRun(loupe, {
    ...settings,
    mode: 'session',
    autopilot: true,
    task: 'Write an endless text',
    workspace: workspace(),
  });
  const view = new RunView(page);
  await view.open(id);
  await expect(view.timeline).toContainText('tick tock');
  await page.getByRole('button', { name: 'Stop after this step' }).click();
  await expect(page.getByText('Stopping after this step')).toBeVisible();
  await page.getByRole('button', { name: 'Stop now' }).click();
  await view.expectEnd('The run was stopped', 'stopped');
  expect((await linesOf(loupe, id, 'session')).at(-1)).toMatchObject({
    event: 'session_end',
    reason: 'user_shutdown',
    total_turns: 0,
    forced: true,
  });
  const next = await startRun(loupe, { ...settings, task: 'Read alpha.md', workspace: workspace() });
  expect(await endOf(loupe, next.id)).toMatchObject({ termination_reason: 'final_answer' });
});

test('an exploration remembers, reflects and talks with its operator [N12, O14]', async ({ page, loupe }) => {
  const { id } = await startRun(loupe, {
    ...settings,
    mode: 'explore',
    max_cycles: null,
    diversity: {},
    think: true,
  });
  const view = new RunView(page);
  await view.open(id);
  await test.step('what the operator says comes back with a result', async () => {
    const box = page.getByRole('textbox', { name: 'Message to the agent' });
    await box.fill('What do you see?');
    await box.press('Enter');
    await view.guardrails.getByRole('tab', { name: /^Messages/ }).click();
    await expect(view.guardrails).toContainText('I have a new idea.');
    await expect(view.guardrails).toContainText('What do you see?');
    await expect(view.guardrails).toContainText('delivered', { timeout: 40_000 });
  });
  const tools = ['write', 'read', 'list', 'delete', 'pattern_search', 'send_message_to_operator'];
  await test.step('it goes on until it has used everything, in several cycles', async () => {
    const missing = async () => {
      const so = await logOf(loupe, id);
      const used = new Set<string>(eventsOf(so, 'tool-call.ended').map(({ tool }) => tool));
      return {
        tools: tools.filter((tool) => !used.has(tool)),
        few: eventsOf(so, 'cycle.reflected').length <= 3,
      };
    };
    await expect.poll(missing, { timeout: 90_000 }).toEqual({ tools: [], few: false });
  });
  await page.getByRole('button', { name: 'Stop after this step' }).click();
  await view.expectEnd('The run was stopped', 'stopped');

  const log = await logOf(loupe, id);
  expect(eventsOf(log, 'operator.delivered')).toMatchObject([{ as: 'tool-result' }]);
  for (const { stream } of eventsOf(log, 'model-call.started')) expect(stream).toBe(true);
  await test.step('the strip and the reflections [X11, X21]', async () => {
    const strip = page.getByRole('slider', { name: 'Cycle' }).first();
    await strip.focus();
    await page.keyboard.press('Home');
    await expect(strip).toHaveAttribute('aria-valuetext', /^Cycle 1: 2 calls/);
    await view.guardrails.getByRole('tab', { name: 'Reflections' }).click();
    await expect(view.guardrails.getByRole('link', { name: 'Cycle 1', exact: true })).toBeVisible();
  });
  await test.step('the memory and the call that made it [O12]', async () => {
    await view.guardrails.getByRole('tab', { name: 'Memory' }).click();
    await expect(view.guardrails).toContainText('At the end of cycle 1');
    await view.guardrails.getByRole('button', { name: /idea/ }).first().click();
    await expect(view.guardrails.getByRole('link', { name: /^call/ }).first()).toBeVisible();
  });
  const lines = (await linesOf(loupe, id, 'explore')).map((line) => exploreLogEntry.parse(line));
  const logged = (type: string) => lines.filter(({ event_type }) => event_type === type).length;
  expect(logged('LLM_INVOCATION')).toBe(eventsOf(log, 'model-call.ended').length);
  expect(logged('TOOL_CALL')).toBe(eventsOf(log, 'tool-call.ended').length);
});

test('a quick prompt streams its answer from the form, without tools [T9, T10]', async ({ page, loupe }) => {
  await page.goto('/runs/new?mode=prompt');
  await page.getByLabel('What do you want to know?').fill('What is water?');
  await page.getByRole('radio', { name: /^tiny-plain/ }).check();
  await page.getByRole('button', { name: 'Ask' }).click();
  const view = new RunView(page);
  await view.expectEnd('The model answered', 'final_answer');
  const log = await logOf(loupe, new URL(page.url()).pathname.split('/').at(-1) ?? '');
  expect(eventsOf(log, 'model-call.started')).toMatchObject([{ stream: true, tool_count: 0 }]);
  const [reply] = eventsOf(log, 'reply.parsed');
  expect(reply?.text.length).toBeGreaterThan(5);
  await expect(view.end).toContainText(reply?.text.trim() ?? '');
});
