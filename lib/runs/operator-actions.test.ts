import { expect, it } from 'vitest';
import { AppError } from '../errors/app-error.ts';
import { emptyRunState, type RunState } from '../events/run-state.ts';
import { OperatorActions, type OperatorActionsOptions } from './operator-actions.ts';

const closed = new AppError({ code: 'shutting_down', message: 'The log takes no more.' });
const state = (): RunState => ({ ...emptyRunState('r'), phase: 'awaiting-message' });

/** A worker whose log is closed when it is appended to. */
function open({ released }: { released: boolean }) {
  const did: string[] = [];
  const log = {
    appendIf: async (): Promise<RunState> => {
      did.push('append');
      throw closed;
    },
  };
  const worker: OperatorActionsOptions['worker'] = {
    logOf: async () => (released && did.length > 0 ? undefined : log),
    wake: async (_runId, choose) => {
      did.push(`wake with ${choose(state())[0]?.type}`);
      return state();
    },
  };
  const unused = () => {
    throw new Error('not asked');
  };
  const options = {
    worker,
    stored: { get: async () => ({ run: {} }), stateOf: unused },
    runs: { lose: unused },
    slots: { leave: () => undefined },
    changes: { notify: () => undefined },
    guard: { refuseWhenReadOnly: async () => undefined },
  } as unknown as OperatorActionsOptions;
  return { did, actions: new OperatorActions(options) };
}

it('wakes a run that was released while a person acted on it', async () => {
  const { did, actions } = open({ released: true });
  await actions.stop('r', { force: false });
  expect(did).toEqual(['append', 'wake with stop.requested']);
});

it('reports that the server stops', async () => {
  const { did, actions } = open({ released: false });
  await expect(actions.stop('r', { force: false })).rejects.toBe(closed);
  expect(did).toEqual(['append']);
});
