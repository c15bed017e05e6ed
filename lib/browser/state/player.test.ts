import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ShownEvent } from '../../events/timeline.ts';
import { completedLog } from '../../testing/sample-logs.ts';
import { createPlayer, SPEEDS } from './player.ts';

const { events } = completedLog({});

it('opens at the end, plays from the beginning, and stops at the end', () => {
  const player = createPlayer(events);
  expect(player.state.getState()).toMatchObject({ cursor: events.length, playing: false });
  player.play();
  expect(player.state.getState()).toMatchObject({ cursor: 1, ms: 0, playing: true });
  player.advance(player.pace().lengthMs + 1);
  expect(player.state.getState()).toMatchObject({ cursor: events.length, playing: false });
  expect(player.source.view.getState().run.phase).toBe('ended');
});

it('faster speeds get further in the same time, and in each the run is shown as at its cursor', () => {
  const reached = SPEEDS.map((speed) => {
    const player = createPlayer(events);
    player.setSpeed(speed);
    player.play();
    player.advance(1000);
    const { cursor, ms } = player.state.getState();
    expect(player.source.view.getState().run.seq).toBe(cursor);
    expect(ms).toBe(1000 * speed);
    return cursor;
  });
  expect(reached).toEqual(reached.toSorted((a, b) => a - b));
});

it('keeps the view at the cursor and the cursor within the log, whatever is pressed', () => {
  const presses = fc.array(
    fc.oneof(
      fc.constantFrom('play', 'pause', 'step', 'back', 'next', 'previous', 'skip', 'whole'),
      fc.integer({ min: -5, max: 60 }),
      fc.double({ min: -10, max: 100_000, noNaN: true }).map((ms) => ({ ms })),
    ),
    { maxLength: 30 },
  );
  fc.assert(
    fc.property(presses, (all) => {
      const player = createPlayer(events);
      for (const press of all) {
        if (typeof press === 'number') player.seek(press);
        else if (typeof press === 'object') player.seekTime(press.ms);
        else if (press === 'play') player.play();
        else if (press === 'pause') player.pause();
        else if (press === 'step' || press === 'back') player.step(press === 'step' ? 1 : -1);
        else if (press === 'next' || press === 'previous') player.stepMark(press === 'next' ? 1 : -1);
        else player.setSkips(press === 'skip');
        player.advance(16);
        const { cursor } = player.state.getState();
        expect(cursor).toBeGreaterThanOrEqual(1);
        expect(cursor).toBeLessThanOrEqual(events.length);
        expect(player.source.view.getState().run.seq).toBe(cursor);
        expect(player.source.view.getState().timeline.seq).toBe(cursor);
      }
    }),
    { numRuns: 60 },
  );
});

it('pattern 22: skipping waits is offered where there are long ones, and keeps the event at the cursor', () => {
  const player = createPlayer(events);
  const { offer } = player;
  expect(offer?.skippedMs).toBeLessThan(offer?.wholeMs ?? 0);
  player.seek(12);
  player.setSkips(true);
  expect(player.state.getState().cursor).toBe(12);
  expect(player.pace().lengthMs).toBe(offer?.skippedMs);
  const quick: ShownEvent[] = events.map((event, index) => ({ ...event, at: 1000 + index }));
  expect(createPlayer(quick).offer).toBeUndefined();
});

it('moves from iteration to iteration, and to both ends', () => {
  const player = createPlayer(events);
  const seen: (string | undefined)[] = [];
  const typeAt = () => events[player.state.getState().cursor - 1]?.type;
  player.seek(1);
  for (let press = 0; press < 5; press += 1) {
    player.stepMark(1);
    seen.push(typeAt());
  }
  expect(seen).toEqual([...Array.from({ length: 4 }, () => 'iteration.started'), 'run.ended']);
  player.stepMark(-1);
  expect(typeAt()).toBe('iteration.started');
});
