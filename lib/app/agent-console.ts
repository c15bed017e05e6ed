import { noticesOf } from '../events/notices.ts';
import type { RunEvent } from '../events/registry.ts';
import { emptyRunState } from '../events/run-state.ts';
import { plainText } from '../sandbox/plain-text.ts';
import type { AppendObserver } from '../sharing/exports/append-observer.ts';

/** Prints an agent's messages to the operator on the server's console (O14), without terminal control sequences. */
export const agentConsole: AppendObserver = {
  async write(runId: string, events: readonly RunEvent[]) {
    for (const event of events) {
      if (event.type !== 'agent.messaged') continue;
      for (const notice of noticesOf(event, emptyRunState(runId))) console.info(plainText(notice));
    }
  },
  async remove() {},
};
