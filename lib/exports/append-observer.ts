import type { RunEvent } from '../events/registry.ts';
import type { AppendRequest, RunStore } from '../store/run-store.ts';

/** Something that is made of events as they are stored: a log file, spans. It disturbs no run, whatever happens to it. */
export interface AppendObserver {
  /** Takes events that were just stored by this process; never throws. */
  write(runId: string, events: readonly RunEvent[]): Promise<void>;
  /** The run was deleted. */
  remove(runId: string): Promise<void>;
}

/** The store, with what the observers make of events made before an append is over. */
export function withObservers(store: RunStore, observers: readonly AppendObserver[]): RunStore {
  return {
    create: (run) => store.create(run),
    fork: (run) => store.fork(run),
    importRun: (run) => store.importRun(run),
    claim: (runId, worker) => store.claim(runId, worker),
    async append(runId: string, request: AppendRequest) {
      const appended = await store.append(runId, request);
      await Promise.all(observers.map((observer) => observer.write(runId, appended)));
      return appended;
    },
    read: (runId, range) => store.read(runId, range),
    readOne: (runId, seq) => store.readOne(runId, seq),
    readTexts: (runId, range) => store.readTexts(runId, range),
    list: (page) => store.list(page),
    search: (query, page) => store.search(query, page),
    summary: (runId) => store.summary(runId),
    unfinished: () => store.unfinished(),
    readings: () => store.readings(),
    modelChecks: () => store.modelChecks(),
    modelCheck: (model, digest) => store.modelCheck(model, digest),
    saveModelCheck: (check) => store.saveModelCheck(check),
    saveExperiment: (summary, items) => store.saveExperiment(summary, items),
    forksOf: (runId) => store.forksOf(runId),
    experiment: (id) => store.experiment(id),
    experiments: () => store.experiments(),
    unfinishedExperiments: () => store.unfinishedExperiments(),
    async deleteRun(runId) {
      await store.deleteRun(runId);
      await Promise.all(observers.map((observer) => observer.remove(runId)));
    },
    shares: () => store.shares(),
    shareByHash: (tokenHash) => store.shareByHash(tokenHash),
    addShare: (share) => store.addShare(share),
    revokeShare: (shareId, at) => store.revokeShare(shareId, at),
    countShareView: (shareId, at) => store.countShareView(shareId, at),
    beginRecovery: (runId) => store.beginRecovery(runId),
    settleRecovery: (runId) => store.settleRecovery(runId),
    onAppend: (listener) => store.onAppend(listener),
    close: () => store.close(),
  };
}
