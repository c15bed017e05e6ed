import { createHash, randomBytes } from 'node:crypto';
import type { Share, SharePreviewReply, ShareRecord, ShareRequest, ShareStatus } from '../../api/share.ts';
import { AppError } from '../../errors/app-error.ts';
import type { RunConfig } from '../../events/config.ts';
import type { ImageReader } from '../../store/image-store.ts';
import type { RunReader } from '../../store/run-store.ts';
import type { ShareStore } from '../../store/share-store.ts';
import { isStorageFull, RunNotFoundError } from '../../store/store-errors.ts';
import { isShowable, type RedactorOptions, withRunFolders } from '../redaction/redactor.ts';
import { SharedLog } from './shared-log.ts';

type SharesStore = ShareStore & ImageReader & Pick<RunReader, 'read' | 'readOne' | 'summary'>;

/** A link opened with its token. */
export interface OpenShare {
  record: ShareRecord;
  log: SharedLog;
}

/** Why a link cannot be opened. `unknown` includes expired, so that the answer does not reveal that a link existed. */
export type NotShared = 'revoked' | 'unknown';

/** Cached logs. Beyond this number the least recently used one is scanned again on demand. */
const MAX_LOGS = 32;
/** Maximum events in a preview, and their size as JSON; findings cover all events. */
const PREVIEW_EVENTS = 1000;
const PREVIEW_CHARS = 8_000_000;

/** Creates, lists, opens and revokes links to runs. */
export class Shares {
  readonly #store: SharesStore;
  readonly #redaction: Omit<RedactorOptions, 'workspace' | 'show'>;
  readonly #now: () => number | Promise<number>;
  readonly #logs = new Map<string, SharedLog>();
  /** The log of the last preview, reused by a link created from it. */
  #previewed: { draft: string; log: SharedLog } | undefined;
  /** By link ID; never stored. */
  readonly #tokens = new Map<string, string>();
  readonly #listeners = new Set<(gone: { shareId?: string; runId?: string }) => void>();

  constructor(options: {
    store: SharesStore;
    /** Values to redact in addition to those found in the log. */
    redaction: Omit<RedactorOptions, 'workspace' | 'show'>;
    /** The clock of links, the same for all machines that share the runs. */
    now: () => number | Promise<number>;
  }) {
    this.#store = options.store;
    this.#redaction = options.redaction;
    this.#now = options.now;
  }

  /**
   * What a link with these settings would show, produced by the same code.
   *
   * @throws {RunNotFoundError}
   */
  async preview(runId: string, request: ShareRequest): Promise<Omit<SharePreviewReply, 'reach'>> {
    const { config, lastSeq } = await this.#run(runId);
    const log = this.#newLog({ run_id: runId, scope: request.scope, show: request.show }, config);
    this.#previewed = { draft: draftOf(runId, request), log };
    await log.lookThrough(lastSeq);
    const events: unknown[] = [];
    let chars = 0;
    for await (const page of log.read({ afterSeq: 0, untilSeq: lastSeq })) {
      for (const event of page) {
        if (events.length >= PREVIEW_EVENTS || chars > PREVIEW_CHARS) break;
        chars += JSON.stringify(event).length;
        if (chars <= PREVIEW_CHARS) events.push(event);
      }
    }
    const findings = log.findings();
    return {
      findings: findings.map((finding) => ({ ...finding, showable: isShowable(finding.kind) })),
      masked: findings.reduce((sum, { shown, values }) => sum + (shown ? 0 : values), 0),
      images: log.images(),
      total: lastSeq,
      events,
    };
  }

  /** @throws {RunNotFoundError} */
  async create(runId: string, request: ShareRequest): Promise<Share & { token: string }> {
    const { config, lastSeq, title } = await this.#run(runId);
    const { scope, show, live, expires_in_ms } = request;
    const log = this.#takePreviewed(runId, request) ?? this.#newLog({ run_id: runId, scope, show }, config);
    // The title may contain a value that only a later event shows to be a secret.
    await log.lookThrough(lastSeq);
    // 128 bits; only the hash is stored.
    const token = randomBytes(16).toString('base64url');
    const created_at = await this.#now();
    const record: ShareRecord = {
      id: randomBytes(8).toString('hex'),
      run_id: runId,
      token_hash: hashOf(token),
      title: log.text(title),
      scope,
      show,
      ...(live ? {} : { until_seq: lastSeq }),
      created_at,
      expires_at: created_at + expires_in_ms,
      views: 0,
    };
    await this.#store.addShare(record);
    this.#tokens.set(record.id, token);
    this.#keep(record.id, log);
    return { ...shareAt(record, created_at), token };
  }

  /** All links, newest first, with the tokens of those created by this process. */
  async list(): Promise<(Share & { token?: string })[]> {
    const now = await this.#now();
    return (await this.#store.shares()).map((record) => {
      const token = this.#tokens.get(record.id);
      return { ...shareAt(record, now), ...(token === undefined ? {} : { token }) };
    });
  }

  /** @throws {AppError} `share_not_found` */
  async revoke(shareId: string): Promise<Share> {
    const now = await this.#now();
    if (!(await this.#store.revokeShare(shareId, now))) throw shareNotFound(shareId);
    this.#forget(shareId);
    this.#tell({ shareId });
    const record = (await this.#store.shares()).find(({ id }) => id === shareId);
    if (!record) throw shareNotFound(shareId);
    return shareAt(record, now);
  }

  /** Whether any link can be opened now. */
  async anyActive(): Promise<boolean> {
    const now = await this.#now();
    return (await this.#store.shares()).some((record) => statusAt(record, now) === 'active');
  }

  /** Call after a run and its links were deleted. */
  runDeleted(runId: string): void {
    this.#tell({ runId });
    this.#logs.clear();
    this.#previewed = undefined;
  }

  /** Called when a link is revoked or its run deleted in this process. */
  onGone(listener: (gone: { shareId?: string; runId?: string }) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Finds the link of a token. The lookup uses the token's hash, so its timing reveals nothing about the token. */
  async find(token: string): Promise<ShareRecord | NotShared> {
    if (!TOKEN.test(token)) return 'unknown';
    const [record, now] = await Promise.all([this.#store.shareByHash(hashOf(token)), this.#now()]);
    if (!record) return 'unknown';
    const status = statusAt(record, now);
    if (status === 'active') return record;
    this.#forget(record.id);
    return status === 'revoked' && now < record.expires_at ? 'revoked' : 'unknown';
  }

  /** Like `find`, with the log of the link. */
  async open(token: string): Promise<OpenShare | NotShared> {
    const record = await this.find(token);
    if (typeof record === 'string') return record;
    const { config } = await this.#run(record.run_id);
    const log = this.#logs.get(record.id) ?? this.#newLog(record, config);
    this.#keep(record.id, log);
    await log.lookThrough(await this.lastSeq(record));
    return { record, log };
  }

  /** The last event that a link currently shows. */
  async lastSeq(record: ShareRecord): Promise<number> {
    const lastSeq = (await this.#store.summary(record.run_id))?.last_seq ?? 0;
    return Math.min(record.until_seq ?? lastSeq, lastSeq);
  }

  /** Counts a view; a full disk does not make the view fail. */
  async countView(record: ShareRecord): Promise<void> {
    try {
      await this.#store.countShareView(record.id, await this.#now());
    } catch (error) {
      if (!isStorageFull(error)) throw error;
      console.warn(`A view of a shared run was not counted: ${error.message}`);
    }
  }

  async #run(runId: string): Promise<{ config: RunConfig; lastSeq: number; title: string }> {
    const summary = await this.#store.summary(runId);
    const created = summary && (await this.#store.readOne(runId, 1));
    if (!summary || created?.type !== 'run.created') throw new RunNotFoundError(runId);
    return { config: created.config, lastSeq: summary.last_seq, title: summary.title };
  }

  /**
   * Used for one link only: a log scanned further, for another link, would mask values that this link does not contain.
   */
  #takePreviewed(runId: string, request: ShareRequest): SharedLog | undefined {
    if (this.#previewed?.draft !== draftOf(runId, request)) return undefined;
    const { log } = this.#previewed;
    this.#previewed = undefined;
    return log;
  }

  #keep(shareId: string, log: SharedLog): void {
    this.#logs.delete(shareId);
    this.#logs.set(shareId, log);
    const oldest = this.#logs.keys().next().value;
    if (this.#logs.size > MAX_LOGS && oldest !== undefined) this.#logs.delete(oldest);
  }

  #newLog(record: Pick<ShareRecord, 'run_id' | 'scope' | 'show'>, config: RunConfig): SharedLog {
    return new SharedLog({
      store: this.#store,
      runId: record.run_id,
      scope: record.scope,
      redaction: { ...withRunFolders(this.#redaction, config), show: new Set(record.show) },
    });
  }

  #forget(shareId: string): void {
    this.#logs.delete(shareId);
    this.#tokens.delete(shareId);
  }

  #tell(gone: { shareId?: string; runId?: string }): void {
    for (const listener of this.#listeners) listener(gone);
  }
}

function shareAt({ token_hash: _hash, ...record }: ShareRecord, now: number): Share {
  return { ...record, status: statusAt(record, now) };
}

function statusAt(
  { revoked_at, expires_at }: Pick<ShareRecord, 'revoked_at' | 'expires_at'>,
  now: number,
): ShareStatus {
  if (expires_at <= now) return revoked_at !== undefined && revoked_at < expires_at ? 'revoked' : 'expired';
  // Even if that time is in the future: this clock, or another machine's, may have been ahead.
  return revoked_at === undefined ? 'active' : 'revoked';
}

/** 128 bits in base64url. */
const TOKEN = /^[A-Za-z0-9_-]{22}$/;

/** The settings that determine how a log is scanned. */
function draftOf(runId: string, { scope, show }: ShareRequest): string {
  return JSON.stringify([runId, scope, show]);
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

function shareNotFound(shareId: string): AppError {
  return new AppError({
    code: 'share_not_found',
    message: `There is no link "${shareId}".`,
    hint: 'GET /api/shares lists the links.',
  });
}
