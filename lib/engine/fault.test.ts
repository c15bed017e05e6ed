import { expect, it } from 'vitest';
import { runEvent } from '../events/registry.ts';
import { createFault, FAULT_POINTS } from './fault.ts';

it('can fail at every event boundary, around a tool and in recovery', () => {
  const types = runEvent.options.map((option) => option.shape.type.value);
  expect(FAULT_POINTS).toHaveLength(3 * types.length + 2 + 1);
  const some = [
    'before:run.created',
    'queued:run.started',
    'after:run.ended',
    'before:tool-effect',
    'recovery',
  ];
  expect(FAULT_POINTS).toEqual(expect.arrayContaining(some));
});

it('fails only at the configured point and occurrence', () => {
  const fault = createFault('throw:after:tool-call.started#2');
  fault('after:tool-call.started');
  fault('before:tool-call.started');
  expect(() => fault('after:tool-call.started')).toThrow('Fault at after:tool-call.started');
  fault('after:tool-call.started');
  createFault(undefined)('recovery');
});

it.each(['kill', 'throw:after:nothing', 'explode:recovery', 'throw:recovery#0'])('rejects %s', (setting) => {
  expect(() => createFault(setting)).toThrow('LOUPE_FAULT');
});
