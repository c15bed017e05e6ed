import type {
  DeletedExperimentReply,
  ExperimentListReply,
  ExperimentReply,
  ExperimentRequest,
  ExperimentSummary,
} from '../api/experiment.ts';
import type { CellsReply, ExperimentCell } from '../api/experiment-cells.ts';
import type { ExperimentExport, ReadPlanReply, ReadPlanRequest } from '../api/experiment-files.ts';
import type { ListedStudy, StudiesReply } from '../api/study.ts';
import { bodyOf, type LoupeHttp } from './http.ts';
import { postOnce, type RepeatOptions } from './post-once.ts';

/** The experiments of a server (docs/api.md). */
export class LoupeExperiments {
  readonly #http: LoupeHttp;

  /** Use `Loupe.experiments` instead. */
  constructor(http: LoupeHttp) {
    this.#http = http;
  }

  /** Newest first (`GET /api/experiments`). */
  async list(): Promise<ExperimentSummary[]> {
    return (await this.#http.json<ExperimentListReply>('/api/experiments')).experiments;
  }

  /**
   * Starts an experiment (`POST /api/experiments`) and returns as soon as it is stored. If the answer is lost, the request
   * is repeated with the same key, so that it starts one experiment.
   *
   * @throws {AppError} `unreachable` if the server cannot be reached, or not again within a minute; any error from it
   */
  async start(request: ExperimentRequest, options: RepeatOptions = {}): Promise<ExperimentSummary> {
    const asked = { path: '/api/experiments', body: request, ...options };
    return (await postOnce<ExperimentReply>(this.#http, asked)).experiment;
  }

  /** Reads a plan file, and stores the suite file that belongs to it (`POST /api/experiments/read`). */
  read(request: ReadPlanRequest): Promise<ReadPlanReply> {
    return this.#http.json<ReadPlanReply>('/api/experiments/read', request);
  }

  /** The studies that ship with Loupe (`GET /api/studies`). */
  async studies(): Promise<ListedStudy[]> {
    return (await this.#http.json<StudiesReply>('/api/studies')).studies;
  }

  /** How far it is (`GET /api/experiments/{id}`). */
  async get(id: string, signal?: AbortSignal): Promise<ExperimentSummary> {
    return (await this.#http.json<ExperimentReply>(`${pathOf(id)}?limit=0`, undefined, { signal }))
      .experiment;
  }

  /** Its results by cell (`GET /api/experiments/{id}/cells`). */
  async cells(id: string): Promise<ExperimentCell[]> {
    return (await this.#http.json<CellsReply>(`${pathOf(id)}/cells`)).cells;
  }

  /** Stops it after the current run, or immediately (`POST /api/experiments/{id}/stop`). */
  async stop(id: string, { force = false } = {}): Promise<ExperimentSummary> {
    return (await this.#http.json<ExperimentReply>(`${pathOf(id)}/stop`, { force })).experiment;
  }

  /** Continues a stopped one (`POST /api/experiments/{id}/continue`). */
  async continue(id: string): Promise<ExperimentSummary> {
    return (await this.#http.json<ExperimentReply>(`${pathOf(id)}/continue`, {})).experiment;
  }

  /** Retries the runs that did not run (`POST /api/experiments/{id}/retry`). */
  async retry(id: string): Promise<ExperimentSummary> {
    return (await this.#http.json<ExperimentReply>(`${pathOf(id)}/retry`, {})).experiment;
  }

  /** Deletes one that has ended (`DELETE /api/experiments/{id}`). Its runs are kept unless `runs` is set. */
  async delete(id: string, { runs = false } = {}): Promise<DeletedExperimentReply> {
    const answer = await this.#http.request(`${pathOf(id)}${runs ? '?runs=1' : ''}`, { method: 'DELETE' });
    return (await answer.json()) as DeletedExperimentReply;
  }

  /** Its results, or the complete experiment, as a file. `redact: false` leaves secrets in the report unmasked. */
  async export(
    id: string,
    format: 'csv' | 'jsonl' | ExperimentExport,
    { redact = true } = {},
  ): Promise<ReadableStream<Uint8Array>> {
    const path =
      format === 'csv' || format === 'jsonl'
        ? `results?format=${format}`
        : `export?format=${format}${redact ? '' : '&redact=0'}`;
    return bodyOf(await this.#http.request(`${pathOf(id)}/${path}`, {}));
  }
}

function pathOf(id: string): string {
  return `/api/experiments/${encodeURIComponent(id)}`;
}
