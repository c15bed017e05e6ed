import { createParser } from 'eventsource-parser';
import type { RunReply } from '../../api/replies.ts';
import { ApiError, getJson } from '../api.ts';
import { keyHeader } from '../sign-in-key.ts';
import type { HubTransport, StreamHandlers } from './stream-hub.ts';

/** A hub's way to the server, in a tab or in the shared worker. */
export const browserTransport: HubTransport = {
  openStream(path, handlers) {
    const abort = new AbortController();
    void follow(path, handlers, abort.signal);
    return () => abort.abort();
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

/** Reads a stream until it ends, which always counts as an error: the hub closes unneeded streams itself and resumes others. */
async function follow(path: string, handlers: StreamHandlers, signal: AbortSignal): Promise<void> {
  const parser = createParser({
    onEvent({ id = '', event = 'message', data }) {
      if (signal.aborted) return;
      try {
        if (event === 'message') handlers.event(id, data);
        else if (isNamed(event)) handlers.named(event, data);
      } catch (error) {
        reportError(error); // the events after it are still handed on
      }
    },
  });
  try {
    // Not an EventSource, which sends no headers.
    const headers = { accept: 'text/event-stream', ...keyHeader() };
    const response = await fetch(path, { headers, signal, credentials: 'same-origin', cache: 'no-store' });
    if (response.ok && response.body) {
      handlers.open();
      const reader = response.body.getReader();
      const decoder = new TextDecoder();
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        handlers.alive();
        parser.feed(decoder.decode(part.value, { stream: true }));
      }
    }
  } catch {
    // The connection broke, or the hub closed it.
  }
  if (!signal.aborted) handlers.error();
}

function isNamed(name: string): name is Parameters<StreamHandlers['named']>[0] {
  return name === 'delta' || name === 'run' || name === 'run-deleted';
}
