import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { instantScenario } from '../testing/instant-scenario.ts';
import { fillIn, holds, readScenarioFile, scenario, stepAt, turnOf } from './scenario.ts';

const NUDGE =
  'Please use the available tools to complete the task. Do not just describe what to do -- actually call the tools.';
const m = (role: string, content = '') => ({ role, content });

describe('turnOf counts the replies in a conversation', () => {
  it.each([
    ['nothing yet', [m('system'), m('user', 'task')], 0],
    ['no system message', [m('user', 'task')], 0],
    ['a task that sounds like a reminder', [m('system'), m('user', 'Please use the available tools')], 0],
    ['a tool round', [m('system'), m('user'), m('assistant'), m('tool'), m('tool')], 1],
    ['a plan and its nudge', [m('user'), m('assistant', 'plan'), m('user', NUDGE)], 1],
    ['an empty reply and its nudge', [m('user', 'task'), m('user', NUDGE)], 1],
    ['two empty replies', [m('user', 'task'), m('user', NUDGE), m('user', NUDGE)], 2],
    ['an empty reply after a tool round', [m('user'), m('assistant'), m('tool'), m('user', NUDGE)], 2],
    ['an operator’s message', [m('user'), m('assistant'), m('tool'), m('user', 'Use the blue one.')], 1],
    ['a session', [m('user'), m('assistant', 'text'), m('user', 'Continue.')], 1],
  ])('%s', (_, messages, turns) => {
    expect(turnOf(messages)).toBe(turns);
  });
});

describe('stepAt', () => {
  const reply = (content: string) => ({ reply: { content } });
  const steps = [reply('a'), { repeat: 3, steps: [reply('b'), reply('c')] }, reply('d')];
  const play = (after_last: 'repeat' | 'loop' | 'error', turns: number) => {
    const parsed = scenario.parse({ name: 's', steps, after_last });
    return Array.from({ length: turns }, (_, turn) => {
      const found = stepAt(parsed, turn);
      return found ? `${found.step.reply?.content}${found.round}` : '-';
    }).join(' ');
  };

  it('plays steps in order and counts rounds', () => {
    expect(play('repeat', 10)).toBe('a1 b1 c1 b2 c2 b3 c3 d1 d1 d1');
    expect(play('loop', 10)).toBe('a1 b1 c1 b2 c2 b3 c3 d1 a1 b1');
    expect(play('error', 9)).toBe('a1 b1 c1 b2 c2 b3 c3 d1 -');
  });

  it('finds a distant step without expanding all before it', () => {
    const long = scenario.parse({ name: 's', steps: [{ repeat: 1_000_000, steps: [reply('x')] }] });
    expect(stepAt(long, 999_999)?.round).toBe(1_000_000);
  });

  it('the instant scenario never repeats a call, and ends', () => {
    for (const iterations of [1, 2, 7, 200]) {
      const instant = scenario.parse(instantScenario(iterations));
      const calls = Array.from({ length: iterations }, (_, turn) => {
        const found = stepAt(instant, turn);
        return JSON.stringify(
          fillIn(found?.step.reply?.tool_calls ?? [], { n: found?.round ?? 0, turn, task: '' }),
        );
      });
      expect(new Set(calls).size).toBe(iterations);
      expect(stepAt(instant, iterations)?.step.reply?.tool_calls).toEqual([]);
    }
  });
});

it('fillIn fills every text', () => {
  const places = { n: 2, turn: 5, task: 'Sum up $& a.md' };
  expect(fillIn({ a: ['{{n}}-{{turn}}', 3, null], b: { c: '{{task}} {{other}}' } }, places)).toEqual({
    a: ['2-5', 3, null],
    b: { c: 'Sum up $& a.md {{other}}' },
  });
});

it('holds compares only the given fields', () => {
  const body = { options: { num_predict: 2048, seed: 1 }, tools: [1, 2] };
  expect(holds(body, { options: { num_predict: 2048 } })).toBe(true);
  expect(holds(body, { tools: [1, 2] })).toBe(true);
  expect(holds(body, { tools: [1] })).toBe(false);
  expect(holds(body, { options: { num_predict: 4096 } })).toBe(false);
  expect(holds(body, { missing: null })).toBe(false);
});

it('an invalid scenario file is rejected with the location of the error', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'scenario-'));
  const path = join(folder, 'play.json');
  await writeFile(
    path,
    JSON.stringify({ scenarios: [{ name: 'x', steps: [{ reply: { content: 'Hi.' } }] }] }),
  );
  expect((await readScenarioFile(path)).scenarios[0]).toMatchObject({ name: 'x', after_last: 'repeat' });
  await writeFile(
    path,
    JSON.stringify({ scenarios: [{ name: 'x', steps: [{ reply: { contents: 'Hi.' } }] }] }),
  );
  await expect(readScenarioFile(path)).rejects.toThrow(/contents/);
  await writeFile(path, '{"format":"loupe-run"}\n{"seq":1}\n');
  await expect(readScenarioFile(path)).rejects.toThrow(
    /play\.json is not a scenario file: it is not JSON\.$/,
  );
  await rm(folder, { recursive: true });
});
