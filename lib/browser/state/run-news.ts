import type { RunSummary } from '../../api/run-summary.ts';
import { endWords } from '../words/end-words.ts';

/** Something that a person wants to know while looking elsewhere. */
export interface News {
  runId: string;
  /** The same news from several tabs is shown once. */
  tag: string;
  title: string;
  body: string;
}

/**
 * The news about a run since its last summary: it has ended, or a call or a session waits for the person. A run's first
 * summary is not news.
 */
export function newsOf(before: RunSummary | undefined, after: RunSummary): News | undefined {
  if (!before || before.phase === after.phase) return undefined;
  const about = { runId: after.id, body: after.title };
  if (after.phase === 'awaiting-approval') {
    return { ...about, tag: `${after.id}:waits:${after.last_seq}`, title: 'A call waits for you' };
  }
  if (after.phase === 'awaiting-message') {
    return {
      ...about,
      tag: `${after.id}:waits:${after.last_seq}`,
      title:
        after.mode === 'session' ? 'A session waits for your message' : 'An exploration waits for your reply',
    };
  }
  if (after.phase !== 'ended' || before.phase === 'ended') return undefined;
  const words = after.outcome ? endWords(after.outcome).title : 'The run has ended';
  return { ...about, tag: `${after.id}:ended`, title: words };
}

/** Finds the news in the summaries that arrive. Keeps those of unfinished runs only, as it may work for weeks. */
export class NewsWatch {
  readonly #unfinished = new Map<string, RunSummary>();

  /** How many runs it keeps. */
  get size(): number {
    return this.#unfinished.size;
  }

  take(run: RunSummary): News | undefined {
    const news = newsOf(this.#unfinished.get(run.id), run);
    if (run.phase === 'ended') this.#unfinished.delete(run.id);
    else this.#unfinished.set(run.id, run);
    return news;
  }
}
