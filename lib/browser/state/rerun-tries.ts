import { createStore, type StoreApi } from 'zustand/vanilla';
import type { RerunResult, RerunUpdate } from '../../api/rerun-call.ts';
import type { EventOf } from '../../events/registry.ts';
import type { CallRow } from '../../events/timeline.ts';
import type { RerunDraft } from '../drafts/rerun-draft.ts';

/** One time that the call was sent again. */
export interface RerunTry {
  /** From 1. */
  readonly number: number;
  /** The request as it was in the editor. */
  readonly draft: RerunDraft;
  /** The differences from the call, by request field. */
  readonly changes: readonly string[];
  /** When it was sent, in milliseconds since 1970. */
  readonly at: number;
  readonly phase: 'waiting' | 'loading' | 'sent' | 'ended' | 'cancelled';
  /** Its position in the queue while it waits, from 1. */
  readonly position?: number;
  /** The text streamed so far. */
  readonly text: string;
  readonly thinking: string;
  readonly result?: RerunResult;
  /** Why there is no result. */
  readonly problem?: { readonly message: string; readonly hint?: string };
}

/** A person's tries of one call during this visit of the page. */
export interface RerunVisit {
  readonly draft: RerunDraft;
  /** In the order in which they were sent. */
  readonly tries: readonly RerunTry[];
  /** The number of the try that is shown, and of the one that it is compared with; 0 is the call itself. */
  readonly shown: number;
  readonly against: number;
}

export type RerunStore = StoreApi<RerunVisit>;

export function createRerunStore(draft: RerunDraft): RerunStore {
  return createStore<RerunVisit>(() => ({ draft, tries: [], shown: 0, against: 0 }));
}

/** Adds a try and shows it. */
export function withTry(visit: RerunVisit, sent: Pick<RerunTry, 'draft' | 'changes' | 'at'>): RerunVisit {
  const number = visit.tries.length + 1;
  const added: RerunTry = { ...sent, number, phase: 'waiting', text: '', thinking: '' };
  return { ...visit, tries: [...visit.tries, added], shown: number };
}

/** Changes one try. */
export function withChange(
  visit: RerunVisit,
  number: number,
  change: (now: RerunTry) => RerunTry,
): RerunVisit {
  return { ...visit, tries: visit.tries.map((each) => (each.number === number ? change(each) : each)) };
}

/** A try after an update of the server. Pure. */
export function afterUpdate(now: RerunTry, update: RerunUpdate): RerunTry {
  switch (update.type) {
    case 'waiting':
      return { ...now, phase: 'waiting', position: update.position };
    case 'loading':
      return { ...now, phase: 'loading', position: undefined };
    case 'sent':
      return { ...now, phase: 'sent', position: undefined };
    case 'text':
      return { ...now, text: now.text + update.text };
    case 'thinking':
      return { ...now, thinking: now.thinking + update.text };
    case 'result':
      return { ...now, phase: 'ended', result: update.result };
    case 'error':
      return { ...now, phase: 'ended', problem: update.error };
  }
}

/** Whether a try has no reply yet and may get one. */
export function isUnderWay({ phase }: RerunTry): boolean {
  return phase !== 'ended' && phase !== 'cancelled';
}

/** A try as a row of the timeline, so that its reply is shown like that of the call; `undefined` without a result. */
export function rowOfTry(row: CallRow, { number, at, result }: RerunTry): CallRow | undefined {
  if (!result) return undefined;
  const { ended, parsed, failed } = result;
  const envelope = { run_id: row.started.run_id, seq: row.seq, at };
  return {
    ...row,
    key: `${row.key}.rerun${number}`,
    tryNumber: 1,
    status: failed ? 'failed' : 'ended',
    setAside: undefined,
    ended: ended && ({ ...envelope, ...ended } satisfies EventOf<'model-call.ended'>),
    parsed: parsed && ({ ...envelope, ...parsed } satisfies EventOf<'reply.parsed'>),
    failed: failed && ({ ...envelope, ...failed } satisfies EventOf<'model-call.failed'>),
  };
}

/** The parts by which two replies are compared; empty if a reply has none. */
export interface ReplyTexts {
  readonly text: string;
  readonly thinking: string;
  /** The tool calls as they were read: names and arguments as JSON. */
  readonly calls: string;
}

export function replyTexts({ parsed, failed, ended }: CallRow): ReplyTexts {
  return {
    text: parsed?.text ?? failed?.partial_text ?? ended?.message.content ?? '',
    thinking: parsed?.thinking ?? failed?.partial_thinking ?? ended?.message.thinking ?? '',
    calls: (parsed?.calls ?? [])
      .map((call) => `${call.name} ${JSON.stringify(call.arguments, null, 2)}`)
      .join('\n'),
  };
}
