import { describe, expect, it } from 'vitest';
import { createRunRequest } from '../api/create-run.ts';
import { foldAll } from '../events/fold-run.ts';
import { runEvent } from '../events/registry.ts';
import { emptyRunState } from '../events/run-state.ts';
import { checkBudget } from '../policies/budget.ts';
import { isReady } from '../policies/rule.ts';
import { calls, play, says, silence, stop, until } from '../testing/loop-harness.ts';
import type { MemoryLog } from '../testing/memory-log.ts';
import { CHAT_SYSTEM_PROMPT } from './session-prompt.ts';

const chat = { mode: 'session' as const, task: 'Hello.' };
const read = { name: 'read_file', arguments: { path: 'a.md' } };

const untilWaiting = async (log: MemoryLog, times = 1) => {
  await until(log, (events) => events.filter(({ type }) => type === 'message.awaited').length >= times);
};

function say(log: MemoryLog, text: string): void {
  const id = `m${log.state.operatorMessages.length + 1}`;
  log.append([{ type: 'operator.messaged', message_id: id, text }]);
}

describe('a session without autopilot', () => {
  it('waits after an answer, and continues with the next message [S9]', async () => {
    await using run = await play(chat, [calls(read), says('It says Alpha.'), says('Bye.')], {
      files: { 'a.md': 'Alpha' },
      during: async ({ log }) => {
        await untilWaiting(log);
        say(log, 'Thank you.');
        await untilWaiting(log, 2);
      },
    });
    expect(run.outcome).toEqual({ outcome: 'waiting' });
    expect(run.log.state).toMatchObject({ phase: 'awaiting-message', awaiting: { cause: 'text' } });
    expect(run.fake.chats).toHaveLength(3);
    expect(run.sent(2).map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
    ]);
    expect(run.sent(2).at(-1)?.content).toBe('Thank you.');
    expect(run.sent(0)[0]?.content).toContain(CHAT_SYSTEM_PROMPT);
    expect(run.of('harness.prompted')).toEqual([]);
    for (const event of run.log.events) expect(runEvent.safeParse(event).error).toBeUndefined();
  });

  it('does not load the model again after the wait', async () => {
    await using run = await play(chat, [says('Hi.')], {
      during: async ({ log }) => {
        await untilWaiting(log);
        say(log, 'Again.');
        await untilWaiting(log, 2);
      },
    });
    expect(run.of('model.load-started')).toHaveLength(1);
    expect(run.log.state.resumes).toBe(0);
  });

  it('says after which turn it was stopped immediately while it waited [S14]', async () => {
    await using run = await play(chat, [says('Hi.')], {
      during: async ({ log }) => {
        await untilWaiting(log);
        log.append([stop(true)]);
      },
    });
    expect(run.end).toMatchObject({ forced: true, message: 'Stopped immediately, after turn 1.' });
  });

  it('says in which turn it was stopped while a call waited for approval [S13]', async () => {
    await using run = await play({ ...chat, approval: { default: 'ask' } }, [says('Hi.'), calls(read)], {
      during: async ({ log }) => {
        await untilWaiting(log);
        say(log, 'Read it.');
        await until(log, (events) => events.some(({ type }) => type === 'approval.requested'));
        log.append([stop()]);
      },
    });
    expect(run.of('turn.ended')).toHaveLength(1);
    expect(run.end).toMatchObject({ forced: false, message: 'Stopped on request, in turn 2.' });
  });

  it('waits for the first message if it has none', async () => {
    await using run = await play({ mode: 'session' }, [says('Hi.')], {
      during: async ({ log }) => {
        await untilWaiting(log);
        expect(log.state.awaiting?.cause).toBe('start');
        expect(log.state.calls).toBe(0);
        say(log, 'Hello?');
        await untilWaiting(log, 2);
      },
    });
    expect(run.sent(0).map(({ role }) => role)).toEqual(['system', 'user']);
    expect(run.sent(0)[1]?.content).toBe('Hello?');
  });

  it('waits after an empty reply instead of asking again, however often that happens [S18]', async () => {
    await using run = await play(chat, [silence], {
      during: async ({ log }) => {
        for (let times = 1; times <= 4; times += 1) {
          await untilWaiting(log, times);
          say(log, 'And now?');
        }
        await untilWaiting(log, 5);
      },
    });
    expect(run.log.state.awaiting?.cause).toBe('empty');
    expect(run.log.state.ended).toBeUndefined();
  });

  it.each([false, true])('ends when it is stopped while it waits (forced: %s) [S13, S14]', async (force) => {
    await using run = await play(chat, [says('Hi.')], {
      during: async ({ log }) => {
        await untilWaiting(log);
        log.append([stop(force)]);
      },
    });
    expect(run.end).toMatchObject({ result: { termination_reason: 'stopped', output: 'Hi.' } });
    expect(run.fake.chats).toHaveLength(1);
  });

  it('continues at once with a message that arrived during the turn', async () => {
    await using run = await play(chat, [{ ...says('Hi.'), pace: { prompt_ms: 100 } }, says('Sure.')], {
      during: async ({ log }) => {
        await until(log, (events) => events.some(({ type }) => type === 'model-call.started'));
        say(log, 'And be brief.');
        await untilWaiting(log);
      },
    });
    expect(run.of('message.awaited')).toHaveLength(1);
    expect(run.sent(1).at(-1)?.content).toBe('And be brief.');
  });

  it('does not wait if another process stored a message first', async () => {
    await using run = await play(chat, [says('Hi.')], { during: ({ log }) => untilWaiting(log) });
    const before = run.log.events.slice(0, -1);
    const at = before.at(-1)?.at ?? 0;
    const next = { run_id: 'run', seq: before.length + 1, at };
    const message = { ...next, type: 'operator.messaged' as const, message_id: 'm1', text: 'Quick.' };
    const late = {
      ...next,
      seq: next.seq + 1,
      type: 'message.awaited' as const,
      iteration: 1,
      cause: 'text' as const,
    };
    const state = foldAll(emptyRunState('run'), [...before, message, late]);
    expect(state.awaiting).toBeUndefined();
    expect(state.phase).toBe('between');
  });
});

describe('waiting for a message', () => {
  it('counts neither as working time nor towards the time budget', async () => {
    let hours = 0;
    await using run = await play({ ...chat, budget: { max_seconds: 600 } }, [says('Hi.')], {
      during: async ({ log }) => {
        await untilWaiting(log);
        const first = foldAll(emptyRunState('run'), log.events);
        hours = 10 * 3_600_000;
        const at = first.updatedAt + hours;
        const said = {
          ...{ run_id: 'run', seq: first.seq + 1, at, type: 'operator.messaged' as const },
          ...{ message_id: 'm1', text: 'Good morning.' },
        };
        const woken = foldAll(first, [said]);
        expect(woken.waitedMs).toBe(at - (log.events.at(-1)?.at ?? 0));
        if (!isReady(woken)) throw new Error('The log has not begun');
        expect(checkBudget(woken, 2, at).exceeded).toBeUndefined();
        expect(checkBudget(woken, 2, at).seconds_used).toBeLessThan(60);
      },
    });
    expect(hours).toBeGreaterThan(0);
    expect(run.outcome.outcome).toBe('waiting');
  });
});

describe('autopilot', () => {
  it('continues on its own until its turns are used up, and counts again from the next message [S9]', async () => {
    const request = { ...chat, autopilot: true, autopilot_turns: 3 };
    await using run = await play(request, [says('Turn {{n}}.')], {
      during: async ({ log }) => {
        await untilWaiting(log);
        expect(log.state).toMatchObject({ turns: { completed: 3 }, awaiting: { cause: 'autopilot_turns' } });
        say(log, 'More, please.');
        await untilWaiting(log, 2);
      },
    });
    expect(run.log.state.turns.completed).toBe(6);
    expect(run.of('harness.prompted')).toHaveLength(4);
  });

  it('waits when its time is used up', async () => {
    const request = { ...chat, autopilot: true, autopilot_seconds: 0.001 };
    await using run = await play(request, [{ ...says('Hi.'), pace: { prompt_ms: 30 } }], {
      during: ({ log }) => untilWaiting(log),
    });
    expect(run.log.state).toMatchObject({ turns: { completed: 1 }, awaiting: { cause: 'autopilot_time' } });
  });

  it('can be switched on while the session waits, and off while it works', async () => {
    await using run = await play(chat, [{ repeat: 500, steps: [says('Turn {{n}}.')] }], {
      during: async ({ log }) => {
        await untilWaiting(log);
        log.append([{ type: 'autopilot.switched', on: true }]);
        await until(log, (events) => events.filter(({ type }) => type === 'turn.ended').length >= 4);
        log.append([{ type: 'autopilot.switched', on: false }]);
        await untilWaiting(log, 2);
      },
    });
    expect(run.log.state).toMatchObject({ autopilot: { on: false }, awaiting: { cause: 'text' } });
    expect(run.sent(1).at(-1)?.content).toBe('Continue.');
  });

  it('is on in sessions from before it was a setting, without limits', async () => {
    await using run = await play({ mode: 'session', autopilot: true }, [says('Hi.')], {
      during: async ({ log }) => log.append([stop()]) && undefined,
    });
    const [created] = run.log.events;
    if (created?.type !== 'run.created') throw new Error('The log has no beginning');
    const { autopilot, autopilot_turns, autopilot_seconds, ...config } = created.config;
    const old = foldAll(emptyRunState('run'), [{ ...created, config }]);
    expect([autopilot, autopilot_turns, autopilot_seconds]).toEqual([true, 50, 3600]);
    expect(old.autopilot.on).toBe(true);
  });
});

describe('an unattended session', () => {
  const alone = { ...chat, autopilot: true, unattended: true };

  it('ends after its turns, and counts as complete', async () => {
    await using run = await play({ ...alone, autopilot_turns: 3 }, [says('Turn {{n}}.')]);
    expect(run.of('message.awaited')).toEqual([]);
    expect(run.log.state).toMatchObject({
      ...{ turns: { completed: 3 }, outcome: { kind: 'cycles_done' } },
      ended: { message: 'All 3 turns are done.' },
      result: { status: 'completed', termination_reason: 'final_answer' },
    });
  });

  it('says of a single turn that it is done', async () => {
    await using run = await play({ ...alone, autopilot_turns: 1 }, [says('Turn {{n}}.')]);
    expect(run.log.state.ended?.message).toBe('The turn is done.');
  });

  it('ends when its time is used up', async () => {
    await using run = await play({ ...alone, autopilot_seconds: 0.001 }, [
      { ...says('Hi.'), pace: { prompt_ms: 30 } },
    ]);
    expect(run.log.state).toMatchObject({
      ...{ turns: { completed: 1 }, outcome: { kind: 'cycles_done' } },
      ended: { message: 'Its time of 0.001 s is over after 1 turn.' },
    });
  });

  it('ends with the first answer if autopilot is off', async () => {
    await using run = await play({ ...alone, autopilot: false }, [calls(read), says('It says Alpha.')], {
      files: { 'a.md': 'Alpha' },
    });
    expect(run.log.state).toMatchObject({ turns: { completed: 2 }, outcome: { kind: 'cycles_done' } });
  });

  it('fails if the reply is empty', async () => {
    await using run = await play({ ...alone, autopilot: false }, [silence, silence]);
    expect(run.log.state.result).toMatchObject({ error: { code: 'empty_turns' } });
  });

  it('needs a first message or autopilot', () => {
    const read = createRunRequest.safeParse({ mode: 'session', model: 'm', unattended: true });
    expect(read.error?.issues).toMatchObject([{ path: ['unattended'] }]);
  });
});
