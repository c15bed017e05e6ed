import type { RunReply } from '../api/replies.ts';
import { ApiError, getJson } from './api.ts';
import type { HubTransport } from './stream/stream-hub.ts';

/** A hub's way to the server, in a tab or in the shared worker. */
export const browserTransport: HubTransport = {
  openStream(path, handlers) {
    const source = new EventSource(path);
    source.onopen = () => handlers.open();
    source.onmessage = (message) => handlers.event(message.lastEventId, message.data);
    source.addEventListener('delta', (message) => handlers.named('delta', message.data));
    source.addEventListener('run', (message) => handlers.named('run', message.data));
    source.addEventListener('run-deleted', (message) => handlers.named('run-deleted', message.data));
    // EventSource would come back by itself, to where it was opened; the hub knows better where to go on.
    source.onerror = () => handlers.error();
    return () => source.close();
  },
  async askHead(runId) {
    try {
      const { run } = await getJson<RunReply>(`/api/runs/${encodeURIComponent(runId)}`);
      return { kind: 'known', lastSeq: run.last_seq };
    } catch (error) {
      if (!(error instanceof ApiError) || error.status === 0 || error.status >= 500)
        return { kind: 'unreachable' };
      const { code, message, hint } = error;
      return { kind: 'refused', problem: { code, message, hint } };
    }
  },
};
